"""Random inputs of iterations, every seed with its own streams."""

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np
import tensorflow as tf
from numpy.typing import ArrayLike

from otafl.engine import participation
from otafl.engine.checkpoint import Position
from otafl.engine.coherence_blocks import LONGEST_SEGMENT, Clock, Segment, segments
from otafl.engine.draws import Done, Draws
from otafl.engine.group import Group
from otafl.engine.participation import Participants
from otafl.federation.round_draw import RoundDraw
from otafl.numerics.tensors import Tensor

Tree = TypeVar("Tree")

CHUNK_ITERATIONS = 512
CHUNK_ROUNDS = 1000
"""Rounds of local training in a chunk, summed over workers: some seconds, so that progress shows."""
CHUNK_ELEMENTS = 2_000_000
"""Numbers drawn for a chunk under one seed."""


class Chunk(NamedTuple):
    """Inputs of a program for some rounds: B coherence blocks (rounds with one channel) of at most I rounds each.

    Arguments:
        draws: a ``RoundDraw`` of a batch of rounds, with leading axes [B, I] and a last one of seeds or runs.
        lengths: number of rounds of each block. Shape [B], int32.
        blocks: number of the B blocks that are in use; the others are padding. Scalar, int32.
    """

    draws: RoundDraw
    lengths: Tensor
    blocks: Tensor

    def of(self, seeds: tuple[int, ...], last: "Chunk | None" = None) -> "Chunk":
        """Return the chunk as tensors for the runs of a program, with the channels of the last one, if it is given."""

        def drawn(part: np.ndarray) -> np.ndarray:
            return part if part.shape[-1] == len(seeds) == 1 else np.take(part, seeds, axis=-1)

        random = {name: getattr(self.draws, name) for name in ("noise", "words", "downlink_noise")}
        taken = {name: drawn(part) for name, part in random.items() if part is not None}
        draws = self.draws._replace(channel=last.draws.channel if last else self.draws.channel.each(drawn), **taken)
        if draws.alteration:
            draws = draws._replace(alteration=draws.alteration._replace(seed=drawn(draws.alteration.seed)))
        return in_tensors(self._replace(draws=draws))


class Drawn(NamedTuple):
    """Inputs of some iterations, and their costs.

    Arguments:
        inputs: for ``Resident`` a ``Chunk`` by indices of seeds; for executors of single rounds ``Assigned``.
        costs: entries of the ledger (``Ledger.entered``). Shape [iterations, costs, runs].
        after: position of the random streams after these iterations.
        who: participants of each iteration, or one entry for all where these are alike.
        clock: clock of a run whose channel changes in time, at the end of these iterations if no training ends early.
        read: result variables that are known beforehand, such as "truncated_share". Shape [iterations, runs] each.
    """

    inputs: Any
    costs: np.ndarray
    after: Position
    who: list[Participants]
    clock: Clock | None
    read: dict[str, np.ndarray]


def chunks(group: Group, start: int = 0) -> Iterator[list[Segment]]:
    """Yield a group's segments in chunks of about 512 iterations, fewer where draws would fill the memory."""
    most, longest = chunk_shape(group)
    parts = segments(group.settings.run.iterations, group.coherence, longest, start)
    while chunk := list(islice(parts, most)):
        yield chunk


def chunk_shape(group: Group) -> tuple[int, int]:
    """Return the most segments in a chunk and iterations in a segment, the same for longer runs and more seeds."""
    uplink = group.uplink
    iteration = sum(map(math.prod, (uplink.noise_shape, uplink.words_shape, uplink.downlink_noise_shape)))
    rounds = 1 if group.settings.run.stop_at else CHUNK_ROUNDS // group.workers  # as a run's model is its last
    longest = rounds if group.trains else LONGEST_SEGMENT
    longest = max(1, min(longest, CHUNK_ELEMENTS // max(1, iteration)))
    whole = math.ceil(min(group.uploads_alike, LONGEST_SEGMENT))
    # Parts of a block have one length: while a short one is computed, little can be drawn.
    longest = math.ceil(whole / math.ceil(whole / longest))
    most = min(CHUNK_ITERATIONS // longest, CHUNK_ELEMENTS // (group.workers * group.elements + longest * iteration))
    return 1 if group.trains else max(1, most), longest


def chunk_of(draws: Draws, done: list[Done]) -> Chunk:
    """Return the inputs of the next segments for a program with all workers, padded to the full shape of a chunk."""
    group, parts = draws.group, [segment.part for segment in done]
    most, longest = chunk_shape(group)
    lengths = np.array([part.length for part in parts] + [0] * (most - len(parts)), np.int32)
    used = np.arange(longest) < lengths[:, None]
    now = np.arange(parts[0].start, parts[0].start + used.sum(), dtype=np.int32)
    dtype, downlink = group.task.dtype, group.uplink.downlink_noise_shape
    with ThreadPoolExecutor(1) as beside:  # NumPy draws without Python's lock
        at_server = beside.submit(draws.at_server, len(now))
        channel, padding = draws.channels(parts), most - len(parts)
    noise, words = at_server.result()
    if padding:
        channel = channel.each(lambda part: np.concatenate((part, np.ones((padding, *part.shape[1:]), part.dtype))))
    arrived = [participation.of_round(group, participants) for part in done for participants in part.arrived]
    work: dict[str, np.ndarray | None] = arrived[0] | {"uploads": None}
    if not participation.alike(group.settings):
        work = {name: _laid_out([fields[name] for fields in arrived], used) for name in arrived[0]}
    fields = RoundDraw(
        number=_laid_out(now, used),
        weight=participation.along(group.task.weights, dtype),
        channel=channel,
        noise=_laid_out(noise.astype(dtype), used),
        words=None if words is None else _laid_out(words.astype(dtype), used),
        downlink_noise=_laid_out(draws.noise("downlink", len(now), downlink).astype(dtype), used),
        changed=_changed(draws, done, used),
        record=_laid_out(draws.keep[now], used),
        evaluate=_laid_out(draws.evaluate[now], used),
        alteration=group.alteration,
        **work,
    )
    return Chunk(fields, lengths, np.array(len(parts), np.int32))


def _changed(draws: Draws, done: list[Done], used: np.ndarray) -> np.ndarray:
    """Return True where the channel changes: for all workers, or for each since its last round."""
    if not draws.group.partial:
        changed = np.zeros(used.shape, bool)
        changed[: len(done), 0] = [segment.part.changed for segment in done]
        return changed
    changed = np.zeros((int(used.sum()), draws.group.workers, 1, 1), bool)
    rounds = [(segment.part.block, participants) for segment in done for participants in segment.arrived]
    for row, (block, participants) in zip(changed, rounds, strict=True):
        row[participants.workers, 0, 0] = draws.changed(block, participants)
    return _laid_out(changed, used)


Assigned = tuple[np.ndarray, RoundDraw]
"""Numbers of a round's participants, ascending, [active], and the draw for them and their one run."""


def rounds(draws: Draws) -> Iterator[Drawn]:
    """Yield the inputs of one run, round by round, until it is finished."""
    group = draws.group
    run, alteration = group.settings.run, group.alteration
    for segment in segments(run.iterations, group.coherence, 1, draws.start):
        if draws.ledger.finished.all():
            return
        segment, costs, everyone, (who,) = done = draws.done(segment)
        noise, words = draws.at_server(1)
        changed = draws.changed(segment.block, who)
        draw = RoundDraw(
            number=np.int32(segment.start),
            weight=participation.along(group.task.weights[who.workers], group.task.dtype),
            channel=draws.channels([segment], who.workers).of_block(0),
            noise=noise[0].astype(group.task.dtype),
            words=None if words is None else words[0].astype(group.task.dtype),
            downlink_noise=np.zeros((0, 0, 0, 1), group.task.dtype),
            changed=changed[:, None, None] if group.partial else changed[0],
            evaluate=draws.evaluate[segment.start],
            alteration=alteration and alteration.of(who.workers),
            **participation.of_round(group, who),
        )
        after, read = draws.position(segment.start + 1), draws.truncation([done], who.workers)
        yield Drawn((who.workers, draw), costs, after, everyone, draws.ledger.clock, read)


def in_tensors(tree: Tree) -> Tree:
    """Return a nested structure of arrays as one of tensors, of the same shapes; None stays."""
    return tf.nest.map_structure(lambda leaf: None if leaf is None else tf.convert_to_tensor(leaf), tree)


def _laid_out(values: ArrayLike, done: np.ndarray) -> np.ndarray:
    """Return values of consecutive iterations as an array of blocks. Shape [B, I, ...]."""
    values = np.asarray(values)
    table = np.zeros((*done.shape, *values.shape[1:]), values.dtype)
    table[done] = values
    return table
