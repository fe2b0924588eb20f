"""Radio channels of a group's runs under every seed: fading, channel knowledge and antennas."""

import copy
import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

import numpy as np

from otafl.channels import antennas, csi, fading
from otafl.channels.cell import Drop
from otafl.channels.combiners import COMBINERS, FirstAntenna
from otafl.channels.csi import ChannelState, Sounding
from otafl.channels.fading import Layout, Realisation
from otafl.channels.frame import Frame
from otafl.channels.oscillators import Followed, in_band
from otafl.channels.random_streams import of_block
from otafl.channels.surface import Surface, two_hop_db
from otafl.engine.coherence_blocks import TOLERANCE
from otafl.engine.realisations import Estimated, Scaled, Which
from otafl.errors import OtaflError
from otafl.numerics import seeds
from otafl.settings.keys import Settings
from otafl.system.memory import Demand
from otafl.uplinks import chain
from otafl.uplinks.physical_layer import (
    drawn_by_upload,
    drop,
    imperfections,
    neighbours,
    oscillators,
    pilots_in_turn,
    reference_db,
    subcarrier,
)
from otafl.user_code import plugins

COPIES = 5
"""Copies of complex gains and of their real arrays, while these are made and moved."""


class Located(NamedTuple):
    """Workers on a map [m]: places, [workers, 2], server, [2], and closed outlines, [corners, 2], with NaN between."""

    places: np.ndarray
    server: np.ndarray
    gain_db: np.ndarray
    """Mean path gain of each worker's power [dB]. Shape [workers]."""
    outlines: np.ndarray


class ChannelProcess:
    """Channels of all workers under every seed: complex gains h, constant within a coherence block.

    In a cell, fading of mean |h|² = 1 is scaled by a worker's path gain over that at which it has ``channel.snr_db``.
    Estimated gains are complex, ĥ, with one antenna; with several they are those of ``antennas.alone``.

    Attributes: ``power``, the mean |h|², ``estimate_errors``, the variance of the channel around its estimate ĥ,
    ``errors``, that and the mean power of neighbouring cells over a worker's, and ``mean``, the mean |ĥ|², linear,
    [seeds, workers, 1] each; and ``coherence``, the iterations of a block, 1 by a clock, inf for one channel.
    """

    def __init__(self, settings: Settings, numbers: list[int]) -> None:
        self.settings, self.numbers, cell = settings, numbers, settings.cell
        channel, clocked = settings.channel, settings.channel.coherence_s
        passing = {"iteration_s": clocked} if clocked else {}
        model = fading.FADING.make(channel.fading, **channel.model_dump() | passing)
        self.correlated, self.placed = model.correlated, model.placed
        self.coherence = math.inf if model.static else 1.0 if clocked else channel.coherence_iterations
        pairs, most_loss_db = cell.antennas * cell.worker_antennas, cell.most_loss_db or math.inf
        workers, spacing_hz = settings.federation.workers, settings.uplink.subcarrier_spacing_hz
        apart = settings.few_at_a_time
        layout = Layout(workers, pairs, spacing_hz, self.coherence, cell.worker_antennas, most_loss_db, apart)
        self.drops = [drop(settings, seed) for seed in numbers] if settings.cell.radius_m else []
        self.blocks = settings.run.iterations / self.coherence
        self.realised = [_realised(channel.fading, model, layout, seed) for seed in numbers]
        for realisation in self.realised:
            realisation.expect(self.blocks)
        self.fading: list[Realisation] = self.realised
        if self.drops or cell.snr_at == "worst":
            self.fading = list(map(Scaled, self.realised, self._amplitudes()))
        self.imperfections, self.oscillators = imperfections(settings), oscillators(settings)
        self.slot_symbols = subcarrier(settings).symbols_per_slot
        self.oscillator_seeds = [seeds.sequence(seed, "oscillators") for seed in numbers]
        self.combiner = COMBINERS.make(settings.uplink.combiner, **settings.uplink.model_dump())
        if cell.surface_elements:
            self.fading = list(map(self._with_surface, self.fading, self.drops, numbers))
        sounding = [Sounding(self.imperfections, seeds.sequence(seed, "sounding")) for seed in numbers]
        powers = [realisation.power * np.ones(layout.workers) for realisation in self.fading]
        self.believed = list(map(Estimated, self.fading, sounding, powers))
        self.power = np.stack(powers)[..., None]
        self.estimate_errors = np.stack([self.imperfections.error_variance(power) for power in powers])[..., None]
        self.errors, self.neighbours = self.estimate_errors, neighbours(settings)
        if self.neighbours:
            self.errors = self.errors + (self._over_reference() * self.neighbours.mean)[:, None, None]
        self.mean = np.stack([self.imperfections.estimated_power(power) for power in powers])[..., None]
        self.by_upload, self.upload = drawn_by_upload(settings), 0

    def of_upload(self, upload: int) -> Self:
        """Return the channels in one of the uploads of a block, from 0, where each has pilots and phases of its own."""
        if not self.by_upload:
            return self
        own = copy.copy(self)
        own.upload = upload
        own.believed = [replace(one, sounding=replace(one.sounding, upload=upload)) for one in self.believed]
        return own

    def _amplitudes(self) -> list[np.ndarray]:
        """Return factors on workers' gains under each seed, with which the SNR is that of its place. [workers]"""
        if self.drops:
            return [10 ** ((drop.gain_db - reference_db(self.settings, drop)) / 20) for drop in self.drops]
        powers = [realisation.power * np.ones(self.settings.federation.workers) for realisation in self.realised]
        return [np.full(len(power), power.min() ** -0.5) for power in powers]

    def _over_reference(self) -> np.ndarray:
        """Return one over the path gain at which a worker has the SNR, under each seed, linear. Shape [seeds]."""
        return 10 ** (-np.array([reference_db(self.settings, drop) for drop in self.drops]) / 10)

    def _interference(self, blocks: list[int], subcarriers: int) -> np.ndarray | None:
        """Return the power from neighbouring cells over a worker's, [blocks · seeds, 1, S]; None without neighbours."""
        if not self.neighbours:
            return None
        sequences = [seeds.sequence(seed, "neighbours") for seed in self.numbers]
        drawn = [
            [self.neighbours.received(of_block(sequence, block), subcarriers) for sequence in sequences]
            for block in blocks
        ]
        return np.reshape(self._over_reference()[:, None] * np.array(drawn), (-1, 1, subcarriers))

    def _with_surface(self, direct: Realisation, drop: Drop, seed: int) -> Surface:
        """Return the channels of a seed with the paths over the surface, in the unit of the direct gains."""
        keys = self.settings.cell
        gain_db = two_hop_db(drop.places, keys.surface_distance_m, keys.path_loss_db, keys.surface_exponent)
        amplitude = 10 ** ((gain_db - reference_db(self.settings, drop)) / 20)
        combiner = self.combiner if keys.antennas > 1 else FirstAntenna()
        own = seeds.sequence(seed, "surface")
        return Surface(direct, amplitude, keys.surface_elements, keys.antennas, combiner, own)

    @property
    def losses_db(self) -> np.ndarray:
        """Mean path loss of each worker under the first seed, shadowing included [dB]. Shape [workers]."""
        located = self.located()
        assert located
        return -located.gain_db

    @functools.cached_property
    def beyond(self) -> np.ndarray:
        """True for workers whose mean path loss is above ``federation.largest_loss_db``. Shape [workers]."""
        most_db = self.settings.federation.largest_loss_db
        return np.zeros(self.settings.federation.workers, bool) if most_db is None else self.losses_db > most_db

    def demand(self, runs: int, subcarriers: int, symbols: int = 1) -> Demand:
        """Return the memory for gains of a block in some runs, at all symbols if they change, and for what is kept."""
        cell, apart = self.settings.cell, self.settings.few_at_a_time
        workers = self.settings.drawn if apart else self.settings.federation.workers
        antennas = cell.antennas * cell.worker_antennas
        gains = 16 * COPIES * runs * workers * subcarriers * antennas
        if not self.oscillators.still:
            frame, sent = self.frame(symbols), 8 * subcarriers * antennas * (self.oscillators.doppler_hz > 0)
            times = 2 * symbols + frame.last_pilots.shape[1]
            gains = max(runs, 2) * times * 4 * gains / COPIES / runs + workers * frame.length * (64 + sent)
        size = gains + sum(realisation.memory(subcarriers, self.blocks) for realisation in self.realised)
        what = f"gains of {workers:,} workers on {subcarriers:,} subcarriers in {runs:,} runs take {{size}} of memory"
        return Demand("uplink.subcarriers", self.settings.uplink.subcarriers, size, what)

    def require(self, subcarriers: int) -> None:
        for realisation in self.realised:
            if subcarriers > realisation.most_subcarriers:
                rule = f"has {realisation.most_subcarriers} subcarriers, but {subcarriers} are in use"
                raise OtaflError("channel.file", self.settings.value("channel.file"), rule)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on the channels of all seeds, for the user before a study; each once, an empty text for none."""
        remarks = dict.fromkeys(realisation.remark for realisation in self.realised)
        if not self.beyond.any():
            return tuple(remarks)
        most_db, workers = self.settings.federation.largest_loss_db, self.settings.federation.workers
        who = f"{self.beyond.sum()} of {workers} workers of the first seed"
        return *remarks, f"federation.largest_loss_db = {most_db:g}: {who} are left out, and the model is biased"

    def located(self) -> Located | None:
        """Return a map of the first seed; None where workers have no positions, as under most fading models."""
        if self.drops:
            drop = self.drops[0]
            return Located(drop.places, np.zeros(2), drop.gain_db, np.empty((0, 2)))
        paths = self.realised[0].paths if self.placed else None
        return Located(paths.places[:, :2], paths.server[:2], paths.gain_db, paths.outlines) if paths else None

    def during(
        self, blocks: list[int], subcarriers: int, workers: Which = slice(None), symbols: int = 1
    ) -> ChannelState:
        """Return the channels of workers that send at once, on all symbols of an upload, one symbol after the other.

        Shape [blocks · seeds, workers, symbols · S]. Where they do not change in an upload, one symbol stands for all.
        """
        if self.oscillators.still:
            return self.shared(blocks, subcarriers, workers)
        frame = self.frame(symbols)
        seeded = range(len(self.numbers))
        sent = [self._followed(place, block, subcarriers, frame) for block in blocks for place in seeded]
        neighbours = self._interference(blocks, subcarriers)
        return self._reduced(sent, blocks, workers, None if neighbours is None else np.tile(neighbours, symbols))

    def frame(self, symbols: int) -> Frame:
        """Return the frame of an upload with so many symbols of data on a subcarrier."""
        settings = self.settings
        senders = math.ceil(settings.participants / chain.chain(settings).power_control.edges)
        period = settings.channel.pilot_period_slots * self.slot_symbols
        delay = math.ceil(settings.channel.csi_delay_s / self.oscillators.symbol_s - TOLERANCE)
        return Frame(symbols, settings.federation.workers, senders, pilots_in_turn(settings), period, delay)

    def _followed(self, place: int, block: int, subcarriers: int, frame: Frame) -> ChannelState:
        """Return the channels of all workers under a seed at all symbols of an upload, as pilots let them be known."""
        fading, seed, rates = self.fading[place], self.oscillator_seeds[place], None
        turns = self.oscillators.draw(seed, block, frame.workers, frame.length, self.upload)
        if self.settings.channel.between_pilots == "linear":
            offsets_hz = self.oscillators.offsets_hz(seed, block, frame.workers, self.upload)
            rates = 2 * np.pi * self.oscillators.symbol_s * offsets_hz
        data = np.broadcast_to(frame.data, (frame.workers, frame.symbols))
        places = np.concatenate((data, frame.last_pilots), axis=1)
        if self.oscillators.doppler_hz:
            gains = fading.moving(block, subcarriers, self.oscillators.symbol_s, places)
        else:
            still = fading.gains(block, subcarriers)[:, :, None]
            gains = np.broadcast_to(still, (*still.shape[:2], places.shape[1], subcarriers))
        factors = np.take_along_axis(turns.factors, places, axis=1)[:, None, :, None].astype(gains.dtype)
        data, pilots = map(np.multiply, *(np.split(part, [frame.symbols], axis=2) for part in (factors, gains)))
        sounding, power = self.believed[place].sounding, self.believed[place].power
        state = sounding.follow(data, pilots, frame, block, power, rates)
        before = 0.0 if state.interference_ratio is None else state.interference_ratio
        share = in_band(subcarriers)
        mixed = share * turns.interference_ratio + before
        return state._replace(interference_ratio=mixed, in_phase_ratio=share * turns.in_phase_ratio)

    def shared(self, blocks: list[int], subcarriers: int, workers: Which = slice(None)) -> ChannelState:
        """Return the channels of workers that send at once, constant in an upload: [blocks · seeds, workers, S]."""
        neighbours = self._interference(blocks, subcarriers)
        if not self.imperfections.perfect:
            sent = [of_seed.sound(block, subcarriers) for block in blocks for of_seed in self.believed]
            return self._reduced(sent, blocks, workers, neighbours)
        h = np.stack([of_seed.of(block, subcarriers, workers) for block in blocks for of_seed in self.fading])
        return self._one_antenna(csi.known(h))._replace(mean=self._means(blocks, workers), neighbours=neighbours)

    def _reduced(
        self, sent: list[ChannelState], blocks: list[int], workers: Which, neighbours: np.ndarray | None
    ) -> ChannelState:
        """Return the channels of some workers in all blocks under all seeds behind one effective antenna."""
        h = np.stack([channel.h for channel in sent])[:, workers]
        believed = np.stack([channel.worker for channel in sent])[:, workers]
        ratios = [channel.interference_ratio for channel in sent if channel.interference_ratio is not None]
        mixed = np.stack(ratios)[:, workers] if ratios else None
        state, mean = self._one_antenna(ChannelState(h, believed, believed)), self._means(blocks, workers)
        if not self.oscillators.still:
            in_phase = np.stack([np.asarray(channel.in_phase_ratio) for channel in sent])[:, workers]
            state = state._replace(in_phase_ratio=in_phase)
        return state._replace(mean=mean, neighbours=neighbours, interference_ratio=mixed)

    def _means(self, blocks: list[int], workers: Which) -> np.ndarray:
        """Return the mean estimated power gains of workers in some blocks. Shape [blocks · seeds, workers, 1]."""
        return np.concatenate([self.mean] * len(blocks))[:, workers]

    def _one_antenna(self, channel: ChannelState) -> ChannelState:
        """Reduce channels [..., workers, antennas, S] to one effective antenna, [..., workers, S]."""
        cell = self.settings.cell
        if cell.antennas > 1 and cell.worker_antennas > 1:
            return antennas.of_both(channel, self.combiner, cell.worker_antennas)
        if cell.worker_antennas > 1:
            return antennas.of_workers(channel)
        if cell.antennas > 1:
            combined = antennas.of_server(channel, self.combiner)
            return antennas.blind(combined) if self.combiner.blind else combined
        return channel.each(lambda gains: gains[:, :, 0])

    def each(self, blocks: list[int], subcarriers: int, workers: Which = slice(None)) -> ChannelState:
        """Return estimated channels on subcarriers of their own, taken as exact. [blocks · seeds, workers, S]"""
        estimated = csi.known(np.concatenate([self.alone(block, subcarriers, workers=workers) for block in blocks]))
        return estimated._replace(mean=self._means(blocks, workers))

    def followed(self, block: int) -> Followed:
        """Return what is left for a receiver that follows each worker alone. Shape [seeds, workers, 1] each."""
        channel, workers = self.settings.channel, self.settings.federation.workers
        period, linear = channel.pilot_period_slots * self.slot_symbols, channel.between_pilots == "linear"
        pilots = pilots_in_turn(self.settings)
        drawn = [self.oscillators.offsets_hz(seed, block, workers, self.upload) for seed in self.oscillator_seeds]
        parts = [self.oscillators.followed(offsets_hz, period, linear=linear, pilots=pilots) for offsets_hz in drawn]
        return Followed(*(np.stack(values)[..., None] for values in zip(*parts, strict=True)))

    @property
    def follows(self) -> bool:
        """True where gains that change in an upload are followed by pilots, by receivers of single workers too."""
        return not self.oscillators.still and self.settings.channel.pilot_period_slots > 0

    def alone(
        self, block: int, subcarriers: int, seeds: Which = slice(None), workers: Which = slice(None)
    ) -> np.ndarray:
        """Return the estimated gains of workers that all antennas receive one at a time. Shape [seeds, workers, S]."""
        numbers = np.arange(len(self.believed))[seeds]
        return self._one_gain(np.stack([self.believed[seed].of(block, subcarriers, workers) for seed in numbers]))

    def split(self, block: int, workers: np.ndarray, each: int, seed: int) -> np.ndarray:
        """Return the estimated gains of workers, each on its own part of the band. Shape [workers, each]."""
        return self._one_gain(self._split[seed].split(block, workers, each)[None])[0]

    def pieces(self, block: int) -> Iterator[np.ndarray]:
        """Yield the estimated gains of all workers on a band without end, piece by piece. Shape [seeds, workers, S]."""
        streams = [realisation.pieces(block) for realisation in self._split]
        return (self._one_gain(np.stack(parts)) for parts in zip(*streams, strict=True))

    def _one_gain(self, h: np.ndarray) -> np.ndarray:
        return antennas.alone(h, self.settings.cell.worker_antennas)

    @property
    def _split(self) -> Sequence[Realisation]:
        return self.believed if self.imperfections.pilots else self.fading


@dataclass(frozen=True)
class BlockGains:
    """Estimated gains of uploading workers in a coherence block, for some runs, as ``Band`` describes them.

    Arguments:
        seed_index: index of the seed of each run concerned. Shape [runs].
        workers: numbers of the workers, or a slice; all by default.
        upload: True where the server listens, which hears neighbouring cells; False where workers do.
    """

    air: ChannelProcess
    block: int
    seed_index: np.ndarray
    workers: Which = field(default_factory=lambda: slice(None))
    upload: bool = True

    @property
    def correlated(self) -> bool:
        return self.air.correlated

    @property
    def errors(self) -> np.ndarray:
        """Variance around the estimate, and in uploads the power of neighbours. Shape [runs, workers, 1]."""
        errors = self._of_runs(self.air.errors if self.upload else self.air.estimate_errors)
        return errors + self._of_runs(self._followed.moved * self.air.power) if self._followed else errors

    @property
    def turned(self) -> np.ndarray:
        return self._of_runs(self._followed.turned) if self._followed else np.zeros_like(self.errors)

    @functools.cached_property
    def _followed(self) -> Followed | None:
        return self.air.followed(self.block) if self.air.follows else None

    def _of_runs(self, values: np.ndarray) -> np.ndarray:
        """Return values of seeds and all workers, [seeds, workers, 1], for runs and workers concerned."""
        return values[:, self.workers][self.seed_index]

    def _kept(self, gains: np.ndarray, runs: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return the share of gains of some runs that a receiver expects where it is. Shape of gains."""
        return gains * np.sqrt(self._of_runs(self._followed.share)[runs]) if self._followed else gains

    def first(self, subcarriers: int) -> np.ndarray:
        seeds, place = np.unique(self.seed_index, return_inverse=True)
        return self._kept(self.air.alone(self.block, subcarriers, seeds, self.workers)[place])

    def split(self, run: int, each: int) -> np.ndarray:
        workers = np.arange(self.air.settings.federation.workers)[self.workers]
        return self._kept(self.air.split(self.block, workers, each, self.seed_index[run])[None], slice(run, run + 1))[0]

    def pieces(self) -> Iterator[np.ndarray]:
        return (self._kept(piece[self.seed_index][:, self.workers]) for piece in self.air.pieces(self.block))


def _realised(name: str, model: fading.Fading, layout: Layout, seed: int) -> Realisation:
    try:
        return fading.realise(model, layout, seeds.sequence(seed, "fading"))
    except ImportError as error:
        rule = f"needs Sionna, pip install 'otafl[sionna]', which cannot be loaded here: {error}"
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        rule = str(error) if isinstance(error, ValueError) else plugins.why(error)
    raise OtaflError("channel.fading", name, rule)
