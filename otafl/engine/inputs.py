"""The random inputs of a chunk of iterations, every seed on streams of its own."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from otafl import seeds
from otafl.engine import participation
from otafl.engine.group import Group
from otafl.engine.participation import Participants
from otafl.engine.resident import Chunk
from otafl.engine.schedule import LONGEST_SEGMENT, Segment, evaluated, recorded, segments

CHUNK_ITERATIONS = 512
CHUNK_ROUNDS = 1000
"""Rounds of local training in a chunk, summed over workers: some seconds, so that progress shows."""
CHUNK_ELEMENTS = 4_000_000


def chunks(group: Group) -> Iterator[list[Segment]]:
    """The group's segments in chunks of about CHUNK_ITERATIONS iterations, fewer where draws would fill the memory."""
    parts, (most, _) = _segments(group), chunk_shape(group)
    while chunk := list(islice(parts, most)):
        yield chunk


def chunk_shape(group: Group) -> tuple[int, int]:
    """Most segments in a chunk, and most iterations in a segment."""
    longest = next(_segments(group)).length
    if group.trains:
        return 1, longest
    draws = group.workers * group.elements * len(group.seeds)
    draws *= longest if group.settings.uplink.downlink == "analog" else 1
    return max(1, min(CHUNK_ITERATIONS // longest, CHUNK_ELEMENTS // draws)), longest


def _segments(group: Group) -> Iterator[Segment]:
    longest = max(1, CHUNK_ROUNDS // group.workers) if group.trains else LONGEST_SEGMENT
    return segments(group.settings.run.iterations, group.coherence, longest)


class Draws:
    """Noise streams of a group, read chunk by chunk in order."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self.shape = chunk_shape(group)
        iterations = np.arange(1, group.settings.run.iterations + 1)
        self.keep = np.isin(iterations, recorded(group.settings.run))
        self.evaluate = np.isin(iterations, evaluated(group.settings.run) if group.trains else ())
        self.noise = [seeds.generator(seed, "noise") for seed in group.seeds]
        self.downlink = [seeds.generator(seed, "downlink") for seed in group.seeds]

    def chunk(self, parts: list[Segment]) -> Chunk:
        """The inputs of the next segments, padded to the full shape of a chunk."""
        group, (most, longest) = self.group, self.shape
        lengths = np.zeros(most, dtype=np.int32)
        lengths[: len(parts)] = [part.length for part in parts]
        done = np.arange(longest) < lengths[:, None]
        record, evaluate = np.zeros_like(done), np.zeros_like(done)
        now = slice(parts[0].start, parts[0].start + done.sum())
        record[done], evaluate[done] = self.keep[now], self.evaluate[now]
        gains = [group.power_gains(part.block) for part in parts]
        gain = np.stack(gains + [np.ones_like(gains[0])] * (most - len(parts)))
        changed, first = np.zeros(most, dtype=bool), np.zeros(most, dtype=np.int32)
        changed[: len(parts)] = [part.changed and group.flips for part in parts]
        first[: len(parts)] = [part.start for part in parts]
        heard = (group.workers, group.elements) if group.settings.uplink.downlink == "analog" else (0, 0)
        noise = _laid_out(self.noise, done, (group.elements,))
        downlink = _laid_out(self.downlink, done, heard)
        gain, noise, downlink = (array.astype(group.task.dtype) for array in (gain, noise, downlink))
        count = np.array(len(parts), np.int32)
        inputs = Chunk(gain, noise, downlink, first, lengths, changed, record, evaluate, count)
        return Chunk(*map(tf.constant, inputs))


class Round(NamedTuple):
    """One round of a federated method.

    Arguments:
        segment: the round and its coherence block.
        who: who takes part.
        gain: |h|² of the participants on the subcarriers in use, for an analog uplink. Shape [active, subcarriers, 1].
        noise: real samples N(0, 1), for an analog uplink. Shape [vectors, d, 1].
        evaluate: whether the test accuracy is wanted.
    """

    segment: Segment
    who: Participants
    gain: np.ndarray
    noise: np.ndarray
    evaluate: bool


def rounds(group: Group) -> Iterator[Round]:
    """The random inputs of a run of a federated method, round by round."""
    settings, (seed,) = group.settings, group.seeds
    noise, analog = seeds.generator(seed, "noise"), group.uplink == "analog"
    readings = set(evaluated(settings.run))
    participants = participation.rounds(settings, group.task.counts, seed)
    parts = segments(settings.run.iterations, group.coherence, longest=1)
    for segment, who in zip(parts, participants, strict=False):
        gain = (
            group.power_gains(segment.block)[who.workers] if analog else np.ones((len(who.workers), 1, 1), np.float32)
        )
        shape = (group.method.vectors, group.elements, 1) if analog else (group.method.vectors, 1, 1)
        drawn = noise.standard_normal(shape, np.float32)
        yield Round(segment, who, gain, drawn, segment.start + 1 in readings)


def _laid_out(streams: list[np.random.Generator], done: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The next N(0, 1) samples of every stream, one array of ``shape`` for each iteration that is ``done``.

    They stand for √2 times the real part of CN(0, 1) samples. Shape [B, I, *shape, streams].
    """
    samples = np.zeros((*done.shape, *shape, len(streams)))
    for index, rng in enumerate(streams):
        samples[done, ..., index] = rng.standard_normal((int(done.sum()), *shape))
    return samples
