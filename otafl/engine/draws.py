"""Draws and charges in the order of iterations: participants, receiver noise, costs of uploads."""

import itertools
import math
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from otafl import uplinks
from otafl.channels.effective_channel import BlockChannels
from otafl.channels.noise import stable_factors
from otafl.engine import participation
from otafl.engine.checkpoint import Position
from otafl.engine.coherence_blocks import Clock, Segment
from otafl.engine.costs import Ledger
from otafl.engine.group import Group
from otafl.engine.participation import Participants, Participation
from otafl.engine.realisations import Which
from otafl.numerics import seeds
from otafl.system.memory import COPIES, Demand


class Done(NamedTuple):
    """Segment with its participants, for each iteration or all alike, and costs charged, [iterations, costs, runs]."""

    part: Segment
    costs: np.ndarray
    who: list[Participants]
    arrived: list[Participants]


class Draws:
    """Random streams of a group that are read in order, for participants and receiver noise, and the ledger of costs.

    Attributes: ``ledger``; ``start``, the number of the iteration, from 0, from which the streams began; ``keep`` and
    ``evaluate``, True for iterations that are recorded and at which the test accuracy is read, [iterations] each.
    """

    def __init__(self, group: Group, begin: Position | None = None) -> None:
        self.group, self.ledger = group, Ledger(group)
        iterations = np.arange(1, group.settings.run.iterations + 1)
        self.keep = np.isin(iterations, group.settings.run.recorded)
        self.evaluate = np.isin(iterations, group.settings.run.evaluated if group.trains else ())
        self.streams = {name: [seeds.generator(seed, name) for seed in group.seeds] for name in ("noise", "downlink")}
        self.participants = Participation(group.settings, group.task.counts, group.seeds[0])
        self.losses_db = group.air.losses_db if group.air.beyond.any() else None
        self.last_block = np.full(group.workers, -1)
        self.last_channels: tuple[list[tuple[int, int]], np.ndarray, BlockChannels] | None = None
        self.start = 0
        if begin is None:
            return
        states = *begin.noise, *begin.downlink, *begin.participants
        for rng, state in zip(self._generators, states, strict=True):
            seeds.set_state(rng, state)
        self.last_block, self.start = begin.last_block.copy(), int(begin.start.item())
        self.ledger.used, self.ledger.sounded = begin.used.copy(), begin.sounded.copy()
        if self.ledger.clock:
            self.ledger.clock.now_s, self.ledger.clock.block = float(begin.clock[0]), int(begin.clock[1])

    @property
    def _generators(self) -> list[np.random.Generator]:
        return [*self.streams["noise"], *self.streams["downlink"], *self.participants.streams]

    def position(self, start: int) -> Position:
        """Return the present ``Position`` of the streams and of the ledger, from which later draws go on."""
        states = np.stack([seeds.state(rng) for rng in self._generators])
        count = len(self.group.seeds)
        noise, downlink, participants = np.split(states, [count, 2 * count])
        return Position(
            start=np.array(start),
            noise=noise,
            downlink=downlink,
            participants=participants,
            last_block=self.last_block.copy(),
            sounded=self.ledger.sounded.copy(),
            used=self.ledger.used.copy(),
            clock=self.ledger.clock.position if self.ledger.clock else np.zeros(2),
        )

    def done(self, part: Segment) -> Done:
        """Draw the participants of a segment, of length 1 where channels change in time, and charge its uploads."""
        clock = self.ledger.clock
        self.ledger.air = self.group.air.of_upload(part.start if clock else part.upload)
        part, who = self._in_time(part, clock) if clock else (part, self.who(part))
        rows = [self.ledger.enter(part.block, participants, part.length // len(who)) for participants in who]
        arrived = [participants.arrived for participants in who] if self.group.loses else who
        return Done(part, np.concatenate(rows), who, arrived)

    def _in_time(self, part: Segment, clock: Clock) -> tuple[Segment, list[Participants]]:
        """Return an iteration with the block of its upload's start, and its participants, on a clocked channel."""
        (drawn,) = itertools.islice(self.participants, 1)
        candidates = participation.everybody(self.group.settings) if self.group.settings.by_channel else drawn
        who = self._chosen(self.ledger.upload_block(candidates), drawn)
        self.ledger.upload_block(who)
        return clock.placed(part), [who]

    def who(self, part: Segment) -> list[Participants]:
        """Draw the participants of a segment's iterations, one entry for each, or one for all where these are alike."""
        count = 1 if participation.alike(self.group.settings) else part.length
        return [self._chosen(part.block, drawn) for drawn in itertools.islice(self.participants, count)]

    def _chosen(self, block: int, who: Participants) -> Participants:
        """Return the participants of a round from those that were drawn, who depend on the round's block."""
        settings, ledger = self.group.settings, self.ledger
        who = who._replace(workers=ledger.strongest(block)) if settings.by_channel else who
        who = who.at(ledger.fastest(block, who.workers, settings.participants))
        if self.losses_db is not None:  # the nearest stays where all are beyond the bound
            losses_db = self.losses_db[who.workers]
            who = who.at(np.flatnonzero(~self.group.air.beyond[who.workers] | (losses_db == losses_db.min())))
        return ledger.in_time(block, who)

    def noise(self, name: str, count: int, shape: tuple[int, ...]) -> np.ndarray:
        """Draw the next samples N(0, 1), √2 Re CN(0, 1), of every seed. Shape [count, *shape, seeds]."""
        kind = self.group.method.noise_precision
        drawn = [rng.standard_normal((count, *shape), kind) for rng in self.streams[name]]  # pyright: ignore
        return np.stack(drawn, axis=-1)

    def at_server(self, count: int) -> tuple[np.ndarray, np.ndarray | None]:
        """Draw receiver noise, and the compressor's words or None. Shape [count, vectors, samples or words, seeds]."""
        (vectors, samples), (_, words) = self.group.uplink.noise_shape, self.group.uplink.words_shape
        heavy = self.group.settings.channel.noise == "alpha_stable"
        # The words of a vector follow its noise in one stream.
        drawn = self.noise("noise", count, (3, vectors, samples + words) if heavy else (vectors, samples + words))
        noise, random = np.split(drawn, [samples], axis=-2)
        noise, random = (self._heavy(noise), random[:, 0]) if heavy else (noise, random)
        return noise, random if words else None

    def _heavy(self, samples: np.ndarray) -> np.ndarray:
        """Return alpha-stable noise of normal samples, [count, 3, vectors, samples, seeds] without the second axis."""
        uplink, noise = self.group.uplink, samples[:, 0]
        elements, parts = noise.shape[2], uplink.grid.elements_per_symbol
        sides = 2 if uplink.chain.receiver.non_coherent else 1
        symbols = np.moveaxis(samples[:, 1:, :, : elements // sides : parts], 1, 0)
        factors = stable_factors(symbols, self.group.settings.channel.noise_alpha).repeat(parts, axis=2)
        return noise * np.concatenate([factors] * sides, axis=2)[:, :, :elements].astype(noise.dtype)

    def channels(self, parts: list[Segment], workers: Which = slice(None)) -> BlockChannels:
        """Return the channels of workers in segments; those of the last call are kept, as drawing is slow."""
        numbers, last = np.arange(self.group.workers)[workers], self.last_channels
        met = [(part.upload * self.group.air.by_upload, part.block) for part in parts]
        if last is None or last[0] != met or not np.array_equal(last[1], numbers):
            alike = [(upload, list(some)) for upload, some in itertools.groupby(met, key=itemgetter(0))]
            drawn = [self.group.channels([block for _, block in some], workers, upload) for upload, some in alike]
            last = self.last_channels = met, numbers, BlockChannels.joined(drawn)
        return last[2]

    def truncation(self, segments: list[Done], workers: Which = slice(None)) -> dict[str, np.ndarray]:
        """Return "truncated_share", NaN without an upload, [iterations, runs], where a precoder truncates."""
        if not uplinks.truncates(self.group.settings):
            return {}
        numbers = np.arange(self.group.workers)[workers]
        channels = self.channels([segment.part for segment in segments], workers)
        rows: list[np.ndarray] = []
        for segment, silent in zip(segments, channels.silent_share(self.group.uplink.elements), strict=True):
            for who in segment.who:
                share = silent[np.isin(numbers, who.workers)].mean(axis=0) if who.uploads else np.nan * silent[0]
                rows += [share[self.group.seed_index]] * (segment.part.length // len(segment.who))
        return {"truncated_share": np.array(rows)}

    def changed(self, block: int, who: Participants) -> np.ndarray:
        """Return True for workers whose channel is not their last round's, and note this one unless all is lost."""
        before = self.last_block[who.workers]
        self.last_block[who.workers] = block if who.arrives else before
        return (before >= 0) & (before != block)


def demand(group: Group, iterations: int) -> Demand:
    """Return the memory for receiver noise of some iterations that are drawn at a time."""
    uplink, count = group.uplink, len(group.seeds)
    shapes = uplink.noise_shape, uplink.words_shape, uplink.downlink_noise_shape
    what = f"the noise that {count:,} seeds draw at a time takes {{size}} of memory"
    return Demand("run.seeds", count, 8 * COPIES * iterations * count * sum(map(math.prod, shapes)), what)
