"""The radio channel of a group's runs: fading, what is known of it, and antennas, for every seed."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from channels import antennas, csi, fading
from channels.cell import Drop
from channels.csi import ChannelState, Sounding
from channels.fading import Layout, Realisation
from otafl import seeds
from otafl.errors import OtaflError
from otafl.memory import Demand
from otafl.settings.keys import Settings
from otafl.uplinks.physical_layer import cell, imperfections
from otafl.user_code import plugins

COPIES = 5
"""Of complex gains and the real arrays that they are reduced to, while they are made and moved."""


class Located(NamedTuple):
    """Workers on a map, in metres.

    Arguments:
        places: shape [workers, 2].
        server: shape [2].
        gain_db: mean path gain. Shape [workers].
        outlines: of buildings, closed polygons with NaN between them. Shape [corners, 2].
    """

    places: np.ndarray
    server: np.ndarray
    gain_db: np.ndarray
    outlines: np.ndarray


class ChannelProcess:
    """The channels of all workers under every seed.

    Arguments:
        settings: what the runs share.
        numbers: the seeds.

    Its ``errors`` are variances of what is believed of workers around what is, [seeds, workers, 1].
    """

    def __init__(self, settings: Settings, numbers: list[int]) -> None:
        self.settings, cell = settings, settings.cell
        channel, clocked = settings.channel, settings.channel.coherence_s
        passing = {"iteration_s": clocked} if clocked else {}
        model = fading.FADING.make(channel.fading, **channel.model_dump() | passing)
        self.correlated, self.placed = model.correlated, model.placed
        self.coherence = math.inf if model.static else 1.0 if clocked else channel.coherence_iterations
        most, spacing_hz = max(cell.antennas, cell.worker_antennas), settings.uplink.subcarrier_spacing_hz
        at_server, most_loss_db = cell.worker_antennas == 1, cell.most_loss_db or math.inf
        layout = Layout(settings.federation.workers, most, spacing_hz, self.coherence, at_server, most_loss_db)
        self.drops = [drop(settings, seed) for seed in numbers] if settings.cell.radius_m else []
        self.blocks = settings.run.iterations / self.coherence
        self.realised = [_realised(channel.fading, model, layout, seed) for seed in numbers]
        for one in self.realised:
            one.expect(self.blocks)
        amplitudes = [10 ** ((one.gain_db - reference_db(settings)) / 20) for one in self.drops]
        scaled = map(Scaled, self.realised, amplitudes)
        self.fading: list[Realisation] = list(scaled) if self.drops else self.realised
        self.imperfections = imperfections(settings)
        sounding = [Sounding(self.imperfections, seeds.sequence(seed, "sounding")) for seed in numbers]
        powers = [one.power * np.ones(layout.workers) for one in self.fading]
        self.believed = list(map(_Believed, self.fading, sounding, powers))
        self.errors = np.stack([self.imperfections.error_variance(power) for power in powers])[..., None]
        self.mean = np.stack(powers)[..., None] - self.errors

    def demand(self, runs: int, subcarriers: int) -> Demand:
        """Memory for a coherence block's gains in so many runs, and for what channels keep from block to block."""
        workers, cell = self.settings.federation.workers, self.settings.cell
        gains = 16 * COPIES * runs * workers * subcarriers * max(cell.antennas, cell.worker_antennas)
        size = gains + sum(one.memory(subcarriers, self.blocks) for one in self.realised)
        what = f"gains of {workers:,} workers on {subcarriers:,} subcarriers in {runs:,} runs take {{size}} of memory"
        return Demand("uplink.subcarriers", self.settings.uplink.subcarriers, size, what)

    def require(self, subcarriers: int) -> None:
        """Refuse a band that is wider than a file of channels.

        Raises:
            OtaflError: it is.
        """
        for one in self.realised:
            if subcarriers > one.most_subcarriers:
                rule = f"has {one.most_subcarriers} subcarriers, and {subcarriers} are in use"
                raise OtaflError("channel.file", self.settings.value("channel.file"), rule)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on the channels of all seeds, for the user before a study; an empty one where there is none."""
        return tuple(dict.fromkeys(one.remark for one in self.realised))

    def located(self) -> Located | None:
        """The workers of the first seed on a map; None where they have no places."""
        if self.drops:
            drop = self.drops[0]
            return Located(drop.places, np.zeros(2), drop.gain_db, np.empty((0, 2)))
        paths = self.fading[0].paths if self.placed else None
        return Located(paths.places[:, :2], paths.server[:2], paths.gain_db, paths.outlines) if paths else None

    def shared(self, blocks: list[int], subcarriers: int, workers: Any = slice(None)) -> ChannelState:
        """Channels of workers that send at once on the first so many subcarriers, in a block under every seed, then in
        the next one. Shape [blocks · seeds, workers, S] each."""
        found = [one.sound(block, subcarriers) for block in blocks for one in self.believed]
        h = np.stack([one.h for one in found])[:, workers]
        mean = np.concatenate([self.mean] * len(blocks))[:, workers]
        if found[0].perfect:
            return self._one_antenna(csi.known(h))._replace(mean=mean)
        believed = np.stack([one.worker for one in found])[:, workers]
        ratios = [one.interference_ratio for one in found if one.interference_ratio is not None]
        mixed = np.stack(ratios)[:, workers] if ratios else None
        return self._one_antenna(ChannelState(h, believed, believed))._replace(mean=mean, interference_ratio=mixed)

    def _one_antenna(self, channel: ChannelState) -> ChannelState:
        """From [..., workers, antennas, S] to [..., workers, S]."""
        cell = self.settings.cell
        if cell.worker_antennas > 1:
            return antennas.of_workers(channel)
        if self.settings.blind:
            return antennas.blind(channel)
        if cell.antennas > 1:
            return antennas.of_server(channel, self.settings.uplink.combiner)
        return ChannelState(*(gains[:, :, 0] for gains in channel[:3]), perfect=channel.perfect)

    def each(self, blocks: list[int], subcarriers: int, workers: Any = slice(None)) -> ChannelState:
        """Believed channels of workers that are heard one at a time. Shape [blocks · seeds, workers, S]."""
        return csi.known(np.concatenate([self.alone(block, subcarriers)[:, workers] for block in blocks]))

    def alone(self, block: int, subcarriers: int, seeds: Any = slice(None)) -> np.ndarray:
        """Believed gains of workers that are heard one at a time, by all antennas. Shape [seeds, workers, S]."""
        numbers = np.arange(len(self.believed))[seeds]
        return self._heard(np.stack([self.believed[seed].gains(block, subcarriers) for seed in numbers]))

    def split(self, block: int, workers: np.ndarray, each: int, seed: int) -> np.ndarray:
        """Believed gains of some workers under a seed, each on its own part of the band. Shape [workers, each]."""
        return self._heard(self._split[seed].split(block, workers, each)[None])[0]

    def pieces(self, block: int) -> Iterator[np.ndarray]:
        """Gains of a band without end, in pieces."""
        streams = [one.pieces(block) for one in self._split]
        return (self._heard(np.stack(parts)) for parts in zip(*streams, strict=True))

    @property
    def _split(self) -> Sequence[Realisation]:
        return self.believed if self.imperfections.pilots else self.fading

    def _heard(self, h: np.ndarray) -> np.ndarray:
        return h[:, :, 0] if h.shape[2] == 1 else antennas.amplitude(h)


@dataclass(frozen=True)
class Scaled(Realisation):
    """Fading on top of a mean gain of each worker.

    Arguments:
        fading: of mean square 1.
        amplitude: shape [workers].
    """

    fading: Realisation
    amplitude: np.ndarray

    @property
    def power(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Mean square of each worker's gains. Shape [workers]."""
        return self.amplitude**2 * self.fading.power

    def gains(self, block: int, subcarriers: int) -> np.ndarray:
        """Gains h. Shape [workers, antennas, subcarriers], complex."""
        return self.amplitude[:, None, None] * self.fading.gains(block, subcarriers)

    def pieces(self, block: int) -> Iterator[np.ndarray]:
        """Gains of a band without end, in pieces."""
        return (self.amplitude[:, None, None] * piece for piece in self.fading.pieces(block))


@dataclass(frozen=True)
class _Believed(Realisation):
    """Gains of a realisation as pilots estimate them."""

    realisation: Realisation
    sounding: Sounding
    power: Any = 1.0

    def sound(self, block: int, subcarriers: int) -> ChannelState:
        """Return the gains and what is known of them. Shape [workers, antennas, S] each."""
        return self.sounding.sound(self.realisation.gains(block, subcarriers), block, self.power)

    def gains(self, block: int, subcarriers: int) -> np.ndarray:
        return self.sounding.estimate(self.realisation.gains(block, subcarriers), block, self.power)


def _realised(name: str, model: Any, layout: Layout, seed: int) -> Realisation:
    """The channels that a model makes.

    Raises:
        OtaflError: it cannot.
    """
    try:
        return fading.realise(model, layout, seeds.sequence(seed, "fading"))
    except ImportError as error:
        rule = f"needs Sionna, pip install 'otafl[sionna]', which cannot be loaded here: {error}"
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        rule = str(error) if isinstance(error, ValueError) else plugins.why(error)
    raise OtaflError("channel.fading", name, rule)


def drop(settings: Settings, seed: int) -> Drop:
    """The places of a run's workers, the same whatever the fading.

    Raises:
        OtaflError: hardly a place is covered.
    """
    try:
        return cell(settings).drop(seeds.generator(seed, "places"), settings.federation.workers)
    except ValueError as error:
        raise OtaflError("cell.most_loss_db", settings.cell.most_loss_db, str(error).split(": ", 1)[1]) from None


def reference_db(settings: Settings) -> float:
    """The path gain with which a worker has the SNR of ``channel.snr_db`` [dB]."""
    made = cell(settings)
    return made.edge_gain_db if settings.cell.snr_at == "edge" else made.median_gain_db
