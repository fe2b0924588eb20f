"""Simulation of a group: random streams in, curves out, the columns spread over the processor's cores."""

import contextlib
import math
from collections import deque
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import numpy as np
import tensorflow as tf

from otafl.engine.checkpoint import Checkpoint, Leaves, Position, joined
from otafl.engine.curves import Curves, Record
from otafl.engine.executors import Measured, executor, scatter
from otafl.engine.group import Group
from otafl.engine.inputs import Drawn, chunk_shape
from otafl.engine.run_spec import RunSpec
from otafl.engine.runtime import program_cache
from otafl.engine.work_done import work_done
from otafl.system import process
from otafl.system.machine import cores

AHEAD = 8
"""Most chunks that are drawn ahead where workers train: those of a block, so that channels of two are in memory."""

program_cache.cache()
for _gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(_gpu, True)


class Listener:
    """Listener to a simulation, called between two chunks of iterations; this base does nothing."""

    def advanced(self, iterations: int, standing: str) -> None:
        """Take note of iterations that are done since the last call, summed over runs, and of the progress in words."""

    def recorded(self, columns: list[RunSpec], iterations: np.ndarray, values: Mapping[str, np.ndarray]) -> None:
        """Take note of the values of all recorded iterations that are done, [runs, recorded] each."""

    def resumed(self, iterations: int) -> None:
        """Take note of iterations that were done earlier, summed over runs."""

    def stops(self) -> bool:
        """Return True to stop the simulation here; by default False."""
        return False

    def keep(self, checkpoints: Callable[[], list[Checkpoint]], ends: bool) -> None:
        """Take note of checkpoints of all runs, from which they can go on; ``ends``: the last of the simulation."""


def simulate(group: Group, listener: Listener | None = None, begin: list[Checkpoint] | None = None) -> Curves:
    """Run all runs of a group, from their beginning or from checkpoints, until they end or the listener stops them."""
    simulation = _Simulation(group, begin)
    # Unless told otherwise, a GPU rounds factors of products to TF32.
    config = tf.config.experimental
    rounds, allow = config.tensor_float_32_execution_enabled, config.enable_tensor_float_32_execution
    with process.changed(rounds, allow, group.settings.run.precision == "tf32"):
        simulation.run(listener or Listener())
    if cache := program_cache.cache():
        cache.keep()
    return simulation.record.curves()


class _Simulation:
    """Executor and record of a group, and the position of its random streams."""

    def __init__(self, group: Group, begin: list[Checkpoint] | None) -> None:
        self.group, self.record = group, Record(group)
        self.executor = executor(group)
        self.position: Position | None = None
        if begin:
            self.position = joined([checkpoint.position for checkpoint in begin], group.seed_index.tolist())
            self.executor.set_states([checkpoint.state for checkpoint in begin])
            self.record.begin(begin)
        else:
            scatter(self.executor)

    def run(self, listener: Listener) -> None:
        """Compute chunk after chunk, until the last, or until all runs have diverged or the listener stops them."""
        with ThreadPoolExecutor(len(cores())) as pool, contextlib.closing(self._chunks()) as chunks:
            for drawn in chunks:
                self._enter(self.executor.advance(drawn.inputs, pool), drawn)
                listener.recorded(self.group.columns, self.record.iterations, self.record.table)
                listener.advanced(len(self.group.columns) * len(drawn.costs), self.record.standing)
                if self.record.ended or listener.stops():
                    break
                listener.keep(self.checkpoints, ends=False)
        listener.keep(self.checkpoints, ends=True)

    def _chunks(self) -> Generator[Drawn, None, None]:
        """Yield drawn chunks; while one is computed the next are drawn, unless they begin when training has ended."""
        upcoming = self.executor.inputs(self.position)
        if self.group.paced:
            yield from upcoming
            return
        # The second one is drawn when the first is computed, as TensorFlow numbers what a program and drawn inputs
        # consist of: programs that are traced alone have the same numbers, and are found in the cache of programs.
        yield from islice(upcoming, 1)
        with ThreadPoolExecutor(1) as thread:
            of_block = math.ceil(min(AHEAD, self.group.uploads_alike / chunk_shape(self.group)[1]))
            drawing = deque(thread.submit(next, upcoming, None) for _ in range(of_block if self.group.trains else 1))
            try:
                while drawn := drawing.popleft().result():
                    drawing.append(thread.submit(next, upcoming, None))
                    yield drawn
            finally:
                thread.shutdown(cancel_futures=True)

    def _enter(self, part: Measured, drawn: Drawn) -> None:
        """Enter iterations into the record, and move the clock back by the time that workers have saved in them."""
        epochs = part.pop("worker_epochs") if self.group.trains else None
        work = None
        if epochs is not None and self.record.account.counts_work:
            work = work_done(self.group, drawn.who, epochs)
        self.record.enter(part | drawn.read, drawn.costs, work)
        self.position = drawn.after
        if work and drawn.clock and self.group.paced:
            drawn.clock.now_s -= float(work.saved_s[:, 0].sum())
            self.position = drawn.after._replace(clock=drawn.clock.position)

    def checkpoints(self) -> list[Checkpoint]:
        return [self._checkpoint(run, state) for run, state in enumerate(self.executor.states())]

    def _checkpoint(self, run: int, state: Leaves) -> Checkpoint:
        assert self.position
        table = {name: rows[run] for name, rows in self.record.table.items()}
        place = self.position.of_run(run, int(self.group.seed_index[run]))
        return Checkpoint(place, self.record.iterations, table, self.record.account.totals[:, run], state)
