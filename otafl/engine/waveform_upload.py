"""One upload of a scenario: as a waveform, and as runs take it to be.

Vectors of a run, or random numbers of variance 1, are weighed and precoded as there. Both sides have the same numbers,
gains, delays, estimates, and phases in the middle of symbols; noise is independent. Elements of vectors are mixed, as
radios do: those that lie together are alike, and would make peaks of the waveform.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from otafl.algorithms import parse
from otafl.channels.effective_channel import Effective
from otafl.channels.fading import FADING
from otafl.channels.noise import complex_normal
from otafl.channels.precoding import Precoder
from otafl.channels.waveform import KNOTS, Amplifier, Converter, Echoes, Link, Ofdm, knots_s, phases
from otafl.engine.channel_process import ChannelProcess
from otafl.settings.keys import Settings
from otafl.uplinks import physical_layer
from otafl.uplinks.analog import Analog

LEAST_SYMBOLS = 14
"""Symbols on a subcarrier that make mean values of an upload precise."""


class Quality(NamedTuple):
    """Quality of the sums of uploads, for each draw, over the mean square of the wanted sum. Shape [draws] each.

    Arguments:
        gain: factor with which the wanted sum arrives, linear.
        interference: power of all that is not a worker's own number on its own symbol, noise included.
        error: mean square error of the sum.
    """

    gain: np.ndarray
    interference: np.ndarray
    error: np.ndarray


@dataclass(frozen=True)
class Case:
    """Impairments of an upload.

    Arguments:
        settings: keys, with those of absent impairments at their ideal values.
        ideal: the same without any of these impairments.
        noisy: True where the receiver has noise.
        moving: True where paths move within the upload.
        spread: True where echoes may arrive later than the prefix covers.
        converter: converter of the server.
        smoothness: smoothness of the workers' amplifiers, which runs take as clipping.
    """

    settings: Settings
    ideal: Settings
    noisy: bool = False
    moving: bool = False
    spread: bool = False
    converter: Converter = field(default_factory=Converter)
    smoothness: float = np.inf

    @property
    def ofdm(self) -> Ofdm:
        single = physical_layer.subcarrier(self.settings)
        periods = int(single.window_s * single.spacing_hz)
        return Ofdm(int(self.settings.subcarriers), single.spacing_hz, single.symbol_s, periods)

    @property
    def symbols(self) -> int:
        slot = physical_layer.subcarrier(self.settings).symbols_per_slot
        return slot if self.settings.channel.pilot_period_slots else max(slot, LEAST_SYMBOLS)

    @property
    def amplifier(self) -> Amplifier:
        return Amplifier(self.settings.uplink.peak_backoff_db, self.smoothness)


class Factors(NamedTuple):
    """Real factors of runs for the symbols of an upload. Shape [workers or 1, symbols or 1, S or 1] each.

    Arguments:
        weight: factor of each worker's number before its precoder.
        wanted: factor of the number in the wanted sum.
        arrival: factor with which it arrives.
        power: its transmitted power before the common factor of all workers.
        distortion_ratio: received power of distortion and interference over the transmitted power.
        scaling: weight of the receiver.
    """

    weight: np.ndarray
    wanted: np.ndarray
    arrival: np.ndarray
    power: np.ndarray
    distortion_ratio: np.ndarray
    scaling: np.ndarray


class Upload:
    """Upload of a case under one seed.

    Arguments:
        case: impairments.
        seed: seed of channels, of noise, and of random numbers.
        block: coherence block of the channels.
        upload: number of the upload in its block.
        vectors: vectors of the workers, of which some elements are sent; None: random numbers. [workers, elements]
    """

    def __init__(
        self, case: Case, seed: int, block: int = 0, upload: int = 0, vectors: np.ndarray | None = None
    ) -> None:
        self.block = block
        self.case, self.seed, self.ofdm = case, seed, case.ofdm
        self.workers, grid = case.settings.federation.workers, (case.symbols, self.ofdm.subcarriers)
        self.rng = np.random.default_rng(seed)
        random = vectors is None
        self.numbers = self.rng.standard_normal((self.workers, *grid)) if random else self._mixed(vectors, *grid)
        self.air = ChannelProcess(case.settings, [seed]).of_upload(upload)
        self.uplink = self._uplink(case.settings)
        self.state = self.air.during([self.block], self.ofdm.subcarriers, symbols=case.symbols)
        self.factors = self._factors()

    def _mixed(self, vectors: np.ndarray, symbols: int, subcarriers: int) -> np.ndarray:
        """Return elements with random signs, on random symbols of their subcarriers: [workers, symbols, S]."""
        rows = vectors.shape[1] // subcarriers
        whole = vectors[:, : rows * subcarriers].reshape(-1, rows, subcarriers)
        order = self.rng.permuted(np.tile(np.arange(max(rows, symbols)) % rows, (subcarriers, 1)), axis=1).T
        return whole[:, order[:symbols], np.arange(subcarriers)] * self.rng.choice([-1.0, 1.0], (symbols, subcarriers))

    def _uplink(self, settings: Settings) -> Analog:
        return Analog(settings, parse(settings.method)[0], self.case.symbols * self.ofdm.subcarriers)

    def _factors(self) -> Factors:
        case = self.case
        of_run = self._channel(case.settings, self.air)
        ideal = self._channel(case.ideal, ChannelProcess(case.ideal, [self.seed]))
        weight = self._on_symbols(of_run.gain)
        return Factors(
            weight=weight,
            wanted=weight * self._on_symbols(ideal.arrival),
            arrival=weight * self._on_symbols(of_run.arrival),
            power=weight**2 * self._on_symbols(of_run.power),
            distortion_ratio=self._on_symbols(of_run.distortion_ratio, 0.0),
            scaling=self._on_symbols(of_run.noise_gain),
        )

    def _channel(self, settings: Settings, air: ChannelProcess) -> Effective:
        return self._uplink(settings).channel(functools.partial(air.during, [self.block]), self.workers, 1, np.float64)

    def _on_symbols(self, values: np.ndarray | None, default: float = 1.0) -> np.ndarray:
        """Return values of subcarriers, or of those of all symbols. Shape [workers or 1, symbols or 1, S or 1]."""
        if values is None:
            return np.full((1, 1, 1), default)
        places, subcarriers = values.shape[1], self.ofdm.subcarriers
        return values.reshape(len(values), -1, subcarriers if places % subcarriers == 0 else places)

    @property
    def noise(self) -> float:
        """Variance of the receiver's complex noise over the square of the common factor of all workers."""
        if not self.case.noisy:
            return 0.0
        radio, largest = self.uplink.radio, np.max(np.sum(self._power, axis=(1, 2)))
        return float(2 * radio.noise_std**2 * largest / radio.budget)

    @property
    def _power(self) -> np.ndarray:
        """Power of symbols before the common factor. Shape [workers, symbols, S]."""
        return self.factors.power * self.numbers**2

    def predicted(self) -> Quality:
        """Return the quality of the sum as runs take it to be."""
        factors, converter, power, gain = self.factors, self.case.converter, self._power, 1.0
        mean = np.mean(power, axis=(1, 2), keepdims=True)
        noise = self.noise + np.sum(factors.distortion_ratio * mean, axis=0)
        wanted, arriving = (np.sum(part * self.numbers, axis=0) for part in (factors.wanted, factors.arrival))
        received = np.mean(arriving**2) / np.mean(factors.scaling**2)
        if amplifier := self.uplink.radio.amplifier:
            gain, received = amplifier.gain, amplifier.radiated * received
        of_sample = received * self.ofdm.subcarriers / self.ofdm.window + self.noise
        steps = converter.distortion * of_sample / converter.gain**2
        # Real sums make a waveform that is conjugate symmetric, and so are the errors of steps: all on real parts.
        interference = np.mean(factors.scaling**2 * (noise / 2 + steps)) / gain**2
        size, unequal = np.sum(wanted**2), np.sum((arriving - wanted) ** 2)
        share = interference * wanted.size / size
        return Quality(np.sum(arriving * wanted) / size, share, unequal / size + share)

    def measured(self) -> Quality:
        """Return the quality of the sum of waveforms."""
        sent, weights, converter = self.sent, self._weights(), self.case.converter
        heard = self.ofdm.demodulated(converter.converted(self.samples())) / converter.gain
        total = (weights * heard).real / self.case.amplifier.gain
        kept = sum(link.kept() * symbols for link, symbols in zip(self.links, sent, strict=True))
        wanted = np.sum(self.factors.wanted * self.numbers, axis=0)
        size = np.sum(wanted**2)
        interference, error = total - (weights * kept).real, total - wanted
        return Quality(np.sum(total * wanted) / size, np.sum(interference**2) / size, np.sum(error**2) / size)

    def samples(self) -> np.ndarray:
        """Return the samples that the server receives. Shape [symbols, length]."""
        noise = complex_normal(self.rng, (self.case.symbols, self.ofdm.length), self.noise)
        return noise + sum(link.arriving(symbols) for link, symbols in zip(self.links, self.sent, strict=True))

    @functools.cached_property
    def links(self) -> list[Link]:
        """Links of the workers."""
        case, ofdm, air = self.case, self.ofdm, self.air
        turned_rad, delays = air.believed[0].sounding.errors(self.block, self.workers)
        (seed,), symbols = air.oscillator_seeds, self.begin + case.symbols + 1
        offsets_hz = air.oscillators.offsets_hz(seed, self.block, self.workers, air.upload)
        drawn = air.oscillators.phases(seed, self.block, self.workers, symbols, air.upload)
        before, middles = drawn[:, [self.begin]], drawn[:, self.begin + 1 :]
        turns = phases(ofdm, air.oscillators, offsets_hz, middles - before, self.rng)
        turns += (turned_rad[:, None] + before)[..., None]
        return [
            Link(ofdm, echoes, delay / ofdm.spacing_hz, turn, case.amplifier, case.spread)
            for echoes, delay, turn in zip(self._echoes(), delays, turns, strict=True)
        ]

    @property
    def begin(self) -> int:
        """Place before the first symbol, counted from the start of a block with its pilots."""
        return int(self.air.frame(self.case.symbols).data[0]) - 1

    def _echoes(self) -> Iterator[Echoes]:
        """Yield the echoes of each worker."""
        fading, symbols, ofdm, keys = self.air.fading[0], self.case.symbols, self.ofdm, self.case.settings
        begin = self.begin if self.air.oscillators.doppler_hz else 0
        paths = fading.echoes(self.block, (begin * ofdm.symbol_s + knots_s(ofdm, symbols)) * self.case.moving)
        if paths is not None:
            for gains, delays_s in zip(*paths, strict=True):
                yield Echoes.moving(delays_s, gains[0], ofdm, symbols)
        elif self.case.moving and FADING[keys.channel.fading].moves and not keys.cell.surface_elements:
            steps = np.tile(KNOTS * begin + np.arange(len(knots_s(ofdm, symbols))), (self.workers, 1))
            for gains in fading.moving(self.block, ofdm.subcarriers, ofdm.symbol_s / KNOTS, steps)[:, 0]:
                yield Echoes.moving(np.zeros(len(gains.T)), gains.T, ofdm, symbols, np.eye(ofdm.subcarriers))
        else:
            yield from map(Echoes.flat, fading.gains(self.block, ofdm.subcarriers)[:, 0])

    @property
    def precoder(self) -> Precoder:
        """Precoder for the mean gains of the workers."""
        return self.uplink.precoder.calibrated(self.state.mean)

    @property
    def sent(self) -> np.ndarray:
        """Complex symbols of the workers. Shape [workers, symbols, S]."""
        with np.errstate(all="ignore"):  # a factor of a silent worker may be infinite
            precoded = self._on_symbols(self.precoder.coefficients(self.state.worker)[0]) * self.numbers
        return np.where(self.factors.power > 0, self.factors.weight * precoded, 0.0)

    def _weights(self) -> np.ndarray:
        """Return the complex weights of the receiver, conjugate. Shape [symbols or 1, S or 1]."""
        scaling = self.uplink.receive_scaling
        if scaling.unit:
            return np.ones((1, 1))
        active = np.count_nonzero(np.broadcast_to(self.factors.power, self.numbers.shape), axis=0)
        server = np.moveaxis(self._on_symbols(self.state.server[0]), 0, 1)
        return np.conj(scaling.weights(server, active, self.precoder.arrival))
