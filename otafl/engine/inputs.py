"""The random inputs of iterations, every seed on streams of its own."""

import math
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from channels.effective import Effective
from otafl.engine import participation
from otafl.engine.draws import Draws
from otafl.engine.group import Group
from otafl.engine.participation import Participants
from otafl.engine.position import Position
from otafl.engine.schedule import LONGEST_SEGMENT, Segment, segments

CHUNK_ITERATIONS = 512
CHUNK_ROUNDS = 1000
"""Rounds of local training in a chunk, summed over workers: some seconds, so that progress shows."""
CHUNK_ELEMENTS = 1_000_000
"""Numbers drawn for a chunk under one seed."""


class Chunk(NamedTuple):
    """Random inputs and marks for a chunk of B blocks of at most I iterations each, for E seeds or columns.

    Arguments:
        channel: the effective channel. Shapes [B, workers or 1, subcarriers or 1, E].
        noise: real samples N(0, 1) of the server's receiver. Shape [B, I, vectors, d, E], over an exact uplink empty.
        downlink_noise: likewise of workers. Shape [B, I, vectors, workers, d, E]; without an analog downlink empty.
        first: number of each block's first iteration. Shape [B].
        lengths: iterations of each block. Shape [B].
        changed: whether the channel has changed since the block before, and the method heeds it, [B]; or since each
            worker last took part, [B, I, workers, 1, 1].
        record: iterations at which loss and residuals are wanted. Shape [B, I].
        evaluate: iterations at which the test accuracy is wanted. Shape [B, I].
        weight: ω. Shape [workers, 1, 1].
        uploads: whether an iteration ends with an upload, 1 or 0; None: all do. Shape [B, I, 1, 1, 1].
        blocks: how many of the B blocks there are to do. Scalar.
        epochs: passes that workers make; None: steps are counted. Shape [workers] or [B, I, workers].
        steps: Q. Shape [workers, 1, 1] or [B, I, workers, 1, 1].
        active: who takes part, 1 or 0; None: all. Shape [B, I, workers, 1, 1].
    """

    channel: Any
    noise: Any
    downlink_noise: Any
    first: Any
    lengths: Any
    changed: Any
    record: Any
    evaluate: Any
    weight: Any
    uploads: Any
    blocks: Any
    epochs: Any = None
    steps: Any = None
    active: Any = None

    def of(self, seeds: tuple[int, ...]) -> "Chunk":
        """The tensors of columns that draw from some of the seeds, from arrays of all.

        So a program knows of no other seeds, and none has an effect on what a column computes.
        """

        def drawn(part: np.ndarray) -> np.ndarray:
            return part if part.shape[-1] == len(seeds) == 1 else np.take(part, seeds, axis=-1)

        noise, downlink_noise = drawn(self.noise), drawn(self.downlink_noise)
        chunk = self._replace(channel=self.channel.each(drawn), noise=noise, downlink_noise=downlink_noise)
        return tf.nest.map_structure(lambda leaf: None if leaf is None else tf.constant(leaf), chunk)


class Drawn(NamedTuple):
    """What is drawn for some iterations.

    Arguments:
        inputs: what their executor is given.
        costs: of these iterations. Shape [iterations, costs, runs].
        after: where the streams stand behind them.
    """

    inputs: Any
    costs: np.ndarray
    after: Position


def chunks(group: Group, start: int = 0) -> Iterator[list[Segment]]:
    """The group's segments from an iteration on, in chunks of about CHUNK_ITERATIONS iterations, fewer where draws
    would fill the memory."""
    most, longest = chunk_shape(group)
    parts = segments(group.settings.run.iterations, group.coherence, longest, start)
    while chunk := list(islice(parts, most)):
        yield chunk


def chunk_shape(group: Group) -> tuple[int, int]:
    """Most segments in a chunk, and most iterations in a segment, whatever the number of iterations and seeds, so that
    longer runs and more of them go through the same program."""
    iteration = int(np.prod(group.uplink.noise_shape) + np.prod(group.uplink.downlink_noise_shape))
    longest = CHUNK_ROUNDS // group.workers if group.trains else LONGEST_SEGMENT
    longest = max(1, min(longest, CHUNK_ELEMENTS // max(1, iteration)))
    longest = math.ceil(min(longest, group.coherence))
    most = min(CHUNK_ITERATIONS // longest, CHUNK_ELEMENTS // (group.workers * group.elements + longest * iteration))
    return 1 if group.trains else max(1, most), longest


class Chunks:
    """The inputs of the resident executor, chunk by chunk."""

    def __init__(self, group: Group, draws: Draws) -> None:
        self.group, self.draws = group, draws
        self.shape = chunk_shape(group)

    def chunk(self, parts: list[Segment], who: list[list[Participants]]) -> Chunk:
        """The inputs of the next segments and their participants, arrays padded to the full shape of a chunk."""
        most, longest = self.shape
        lengths = _padded([part.length for part in parts], most)
        done = np.arange(longest) < lengths[:, None]
        now = slice(parts[0].start, parts[0].start + done.sum())
        uplink, dtype = self.group.uplink, self.group.task.dtype
        return Chunk(
            channel=self._channel(parts),
            noise=self._noise("noise", done, uplink.noise_shape).astype(dtype),
            downlink_noise=self._noise("downlink", done, uplink.downlink_noise_shape).astype(dtype),
            first=_padded([part.start for part in parts], most),
            lengths=lengths,
            changed=self._changed(parts, who, done),
            record=_laid_out(self.draws.keep[now], done),
            evaluate=_laid_out(self.draws.evaluate[now], done),
            weight=self.group.task.weights.astype(dtype)[:, None, None],
            **self._work(who, done),
            blocks=np.array(len(parts), np.int32),
        )

    def _channel(self, parts: list[Segment]) -> Effective:
        """The effective channels of the segments, ones for those that are not there."""
        missing = self.shape[0] - len(parts)
        found = self.group.channels([part.block for part in parts])
        return found.each(lambda part: np.concatenate((part, np.ones((missing, *part.shape[1:]), part.dtype))))

    def _noise(self, name: str, done: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Samples for the iterations that are done. Shape [B, I, *shape, seeds]."""
        return _laid_out(self.draws.noise(name, int(done.sum()), shape), done)

    def _work(self, who: list[list[Participants]], done: np.ndarray) -> dict[str, Any]:
        """What workers do: the same in all iterations, or in each as its participants say."""
        each = [one for part in who for one in part]
        if participation.alike(self.group.settings):
            return self._of_round(each[0]) | {"uploads": None}
        rounds = [self._of_round(one) for one in each]
        return {name: _laid_out([one[name] for one in rounds], done) for name in rounds[0]}

    def _of_round(self, one: Participants) -> dict[str, Any]:
        """What workers do in one round; where only some take part, who does."""
        task, dtype = self.group.task, self.group.task.dtype
        given: dict[str, Any] = {"uploads": np.full((1, 1, 1), one.uploads, dtype)}
        if self.group.partial:
            active = np.isin(np.arange(self.group.workers), one.workers)
            return given | {"active": active.astype(dtype)[:, None, None]}
        steps = task.steps(one.workers, one.epochs).astype(dtype)[:, None, None]
        epochs = {"epochs": one.epochs} if self.group.in_epochs else {}
        return given | {"steps": steps, **epochs}

    def _changed(self, parts: list[Segment], who: list[list[Participants]], done: np.ndarray) -> np.ndarray:
        """Whether the channel has changed and the method heeds it: for all, or for each since its last round."""
        if not self.group.partial:
            return _padded([part.changed and self.group.flips for part in parts], self.shape[0], bool)
        changed = np.zeros((int(done.sum()), self.group.workers, 1, 1), bool)
        rounds = [(part.block, one) for part, some in zip(parts, who, strict=True) for one in some]
        for row, (block, one) in zip(changed, rounds, strict=True):
            row[one.workers, 0, 0] = self.draws.changed(block, one.workers)
        return _laid_out(changed, done)


class Round(NamedTuple):
    """One round of the executor with rows on the host.

    Arguments:
        segment: the round and its coherence block.
        who: who takes part.
        channel: the participants' effective channel. Shapes [active or 1, subcarriers or 1, 1].
        changed: whether their channels differ from those of their last rounds. Shape [active].
        noise: samples of the server's receiver. Shape [vectors, d, 1], over an exact uplink empty.
        evaluate: whether the test accuracy is wanted.
    """

    segment: Segment
    who: Participants
    channel: Effective
    changed: np.ndarray
    noise: np.ndarray
    evaluate: bool

    def of(self, part: slice) -> "Round":
        """What it is for some of the participants, who have no receiver: noise seeds what they round, if they do."""
        workers, epochs, uploads = self.who
        who, noise = Participants(workers[part], epochs[part], uploads), self.noise + np.float32(part.start)
        channel = self.channel.each(lambda values: values[part] if len(values) == len(workers) else values)
        return self._replace(who=who, channel=channel, changed=self.changed[part], noise=noise)

    @property
    def at_server(self) -> "Round":
        """What it is for the server, who knows the sum of gains."""
        gain = np.sum(self.channel.gain, axis=0, dtype=np.float64, keepdims=True).astype(self.channel.gain.dtype)
        return self._replace(channel=Effective(gain, None, np.zeros_like(gain), self.channel.noise_gain))


def rounds(draws: Draws) -> Iterator[Drawn]:
    """The random inputs of a run, round by round, until it is finished."""
    group = draws.group
    run = group.settings.run
    for segment in segments(run.iterations, group.coherence, 1, draws.start):
        if draws.ledger.finished.all():
            return
        segment, (who,), costs = draws.done(segment)
        noise = draws.noise("noise", 1, group.uplink.noise_shape)[0].astype(group.task.dtype)
        changed = draws.changed(segment.block, who.workers)
        channel = group.channel(segment.block, who.workers)
        drawn = Round(segment, who, channel, changed, noise, bool(draws.evaluate[segment.start]))
        yield Drawn(drawn, costs, draws.position(segment.start + 1))


def _padded(values: list, length: int, dtype: Any = np.int32) -> np.ndarray:
    """Values of the first blocks, 0 for the others. Shape [length]."""
    return np.pad(np.array(values, dtype), (0, length - len(values)))


def _laid_out(values: Any, done: np.ndarray) -> np.ndarray:
    """Values of the iterations that are done, one after the other, as an array of blocks. Shape [B, I, ...]."""
    values = np.asarray(values)
    table = np.zeros((*done.shape, *values.shape[1:]), values.dtype)
    table[done] = values
    return table
