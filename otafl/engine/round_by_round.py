"""A run round by round, with what an observer reads of each."""

from collections.abc import Callable, Iterator

import tensorflow as tf

from otafl.engine.executors import Resident, scatter
from otafl.engine.group import Group
from otafl.engine.inputs import Chunk
from otafl.engine.iteration import Columns, ProgramSpec, State, Tap, iterate, prepare
from otafl.engine.runtime import program_cache
from otafl.numerics import compilation
from otafl.numerics.tensors import Tensor

program_cache.cache()


def observed(group: Group, tap: Tap) -> Iterator[tuple[int, State, tuple[Tensor, ...]]]:
    """Simulate a run of all workers; yield a round's number from 0, the state before it, and what is observed."""
    (stream,) = (executor := Resident(group)).streams
    scatter(executor)
    step, state = compiled(group.form, tap), stream.state
    for drawn in executor.inputs():
        chunk = drawn.inputs[stream.seeds]
        for b, length in enumerate(chunk.lengths.numpy()[: int(chunk.blocks)]):
            for i in range(length):
                after, seen = step(state, stream.columns, chunk, tf.constant(b), tf.constant(i))
                yield int(chunk.draws.number[b, i]), state, seen
                state = after


@compilation.programs
def compiled(form: ProgramSpec, tap: Tap) -> Callable:
    """Return the compiled iteration i of block b of a chunk: its next state, and what a tap reads of one run."""

    @tf.function(autograph=False)
    def step(state: State, columns: Columns, chunk: Chunk, b: Tensor, i: Tensor) -> tuple:
        draw = chunk.draws.at(b, i)
        after, _, _, seen = iterate(form, state, columns, draw, prepare(form, columns, draw), tap)
        return after, tuple(part[..., 0] for part in seen)

    return step
