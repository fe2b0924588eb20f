"""One upload of a scenario: as a waveform, and as runs take it to be.

Random numbers of variance 1 stand for the vectors of a run, weighed and precoded as there. Both sides have the same
gains, delays, estimates, and phases in the middle of symbols; noise and numbers are independent.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from otafl.algorithms import parse
from otafl.channels.effective_channel import Effective
from otafl.channels.gain import power_gain
from otafl.channels.noise import complex_normal
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
        spread: True where echoes may arrive later than the prefix covers.
        converter: converter of the server.
        smoothness: smoothness of the workers' amplifiers, which runs take as clipping.
    """

    settings: Settings
    ideal: Settings
    noisy: bool = False
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


class Numbers(NamedTuple):
    """Real numbers of runs for the symbols of an upload. Shape [workers or 1, symbols or 1, S or 1] each.

    Arguments:
        weight: factor of each worker's number before its precoder.
        wanted: factor of the number in the wanted sum.
        arrival: factor with which it arrives.
        power: its transmitted power before the common factor of all workers.
        reach: power gain of the channel.
        distortion_ratio: received power of distortion and interference over the transmitted power.
        scaling: weight of the receiver.
    """

    weight: np.ndarray
    wanted: np.ndarray
    arrival: np.ndarray
    power: np.ndarray
    reach: np.ndarray
    distortion_ratio: np.ndarray
    scaling: np.ndarray


class Upload:
    """Upload of a case under one seed."""

    def __init__(self, case: Case, seed: int) -> None:
        self.case, self.seed, self.ofdm = case, seed, case.ofdm
        self.workers = case.settings.federation.workers
        self.air = ChannelProcess(case.settings, [seed])
        self.uplink = self._uplink(case.settings)
        self.state = self.air.during([0], self.ofdm.subcarriers, symbols=case.symbols)
        self.numbers = self._numbers()
        self.rng = np.random.default_rng(seed)

    def _uplink(self, settings: Settings) -> Analog:
        return Analog(settings, parse(settings.method)[0], self.case.symbols * self.ofdm.subcarriers)

    def _channel(self, settings: Settings, air: ChannelProcess) -> Effective:
        return self._uplink(settings).channel(functools.partial(air.during, [0]), self.workers, 1, np.float64)

    def _on_symbols(self, values: np.ndarray) -> np.ndarray:
        """Return values of subcarriers, or of the subcarriers of all symbols. Shape [workers or 1, symbols or 1, S]."""
        subcarriers = self.ofdm.subcarriers
        return values.reshape(len(values), -1, subcarriers if values.shape[1] % subcarriers == 0 else values.shape[1])

    def _numbers(self) -> Numbers:
        case = self.case
        of_run = self._channel(case.settings, self.air)
        ideal = self._channel(case.ideal, ChannelProcess(case.ideal, [self.seed]))
        gain, power, reach, *others = (
            self._on_symbols(np.ones((1, 1)) * (default if part is None else part[..., 0]))
            for part, default in (
                (of_run.gain, 1.0),
                (of_run.power, 1.0),
                (np.moveaxis(power_gain(self.state.h, np.float64), 0, -1), 1.0),
                (of_run.arrival, 1.0),
                (ideal.arrival, 1.0),
                (of_run.distortion_ratio, 0.0),
                (of_run.noise_gain, 1.0),
            )
        )
        arrival, intended, distortion_ratio, scaling = others
        return Numbers(gain, gain * intended, gain * arrival, gain**2 * power, reach, distortion_ratio, scaling)

    @property
    def noise(self) -> float:
        """Variance of the receiver's complex noise over the square of the common factor of all workers."""
        if not self.case.noisy:
            return 0.0
        radio = self.uplink.radio
        largest = self.uplink.elements * self._powers.max()
        return float(2 * radio.noise_std**2 * largest / radio.budget)

    @property
    def _powers(self) -> np.ndarray:
        """Mean power of each worker's symbols before the common factor. Shape [workers]."""
        return self._whole(self.numbers.power).mean(axis=(1, 2))

    def _whole(self, values: np.ndarray) -> np.ndarray:
        return np.broadcast_to(values, (self.workers, self.case.symbols, self.ofdm.subcarriers))

    def predicted(self) -> Quality:
        """Return the quality of the sum as runs take it to be."""
        numbers, converter, gain = self.numbers, self.case.converter, 1.0
        noise = self.noise + np.sum(numbers.distortion_ratio * self._powers[:, None, None], axis=0)
        received = np.sum(self._whole(numbers.reach * numbers.power), axis=0).mean()
        if amplifier := self.uplink.radio.amplifier:
            gain, received = amplifier.gain, amplifier.radiated * received
        of_sample = received * self.ofdm.subcarriers / self.ofdm.window + self.noise
        steps = converter.distortion * of_sample / converter.gain**2
        # Real sums make a waveform that is conjugate symmetric, and so are the errors of steps: all on real parts.
        interference = np.mean(numbers.scaling**2 * (noise / 2 + steps)) / gain**2
        wanted, arrival = self._whole(numbers.wanted), self._whole(numbers.arrival)
        size, unequal = np.sum(wanted**2), np.sum((arrival - wanted) ** 2)
        share = interference * wanted[0].size / size
        return Quality(np.sum(arrival * wanted) / size, share, unequal / size + share)

    def measured(self) -> Quality:
        """Return the quality of the sum of waveforms."""
        (numbers, sent), weights, converter = self.drawn(), self._weights(), self.case.converter
        heard = self.ofdm.demodulated(converter.converted(self.samples(sent))) / converter.gain
        total = (weights * heard).real / self.case.amplifier.gain
        kept = sum(link.kept() * symbols for link, symbols in zip(self.links, sent, strict=True))
        wanted = np.sum(self.numbers.wanted * numbers, axis=0)
        size = np.sum(wanted**2)
        interference, error = total - (weights * kept).real, total - wanted
        return Quality(np.sum(total * wanted) / size, np.sum(interference**2) / size, np.sum(error**2) / size)

    def drawn(self) -> tuple[np.ndarray, np.ndarray]:
        """Draw workers' numbers, and return them and their symbols. Shape [workers, symbols, S] each."""
        numbers = self.rng.standard_normal((self.workers, self.case.symbols, self.ofdm.subcarriers))
        return numbers, self._coefficients() * numbers

    def samples(self, sent: np.ndarray) -> np.ndarray:
        """Return the samples that the server receives of workers' symbols [workers, symbols, S]: [symbols, length]."""
        noise = complex_normal(self.rng, (self.case.symbols, self.ofdm.length), self.noise)
        return noise + sum(link.arriving(symbols) for link, symbols in zip(self.links, sent, strict=True))

    @functools.cached_property
    def links(self) -> list[Link]:
        """Links of the workers."""
        case, ofdm, air = self.case, self.ofdm, self.air
        turned_rad, delays = air.believed[0].sounding.errors(0, self.workers)
        offsets_hz = air.oscillators.offsets_hz(air.oscillator_seeds[0], 0, self.workers)
        drawn = air.oscillators.phases(air.oscillator_seeds[0], 0, self.workers, self.begin + case.symbols + 1)
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
        fading, symbols, ofdm = self.air.fading[0], self.case.symbols, self.ofdm
        begin = self.begin if self.air.oscillators.doppler_hz else 0
        paths = fading.echoes(0, begin * ofdm.symbol_s + knots_s(ofdm, symbols))
        if paths is not None:
            for gains, delays_s in zip(*paths, strict=True):
                yield Echoes.moving(delays_s, gains[0], ofdm, symbols)
        elif self.air.oscillators.doppler_hz:
            steps = np.tile(KNOTS * begin + np.arange(len(knots_s(ofdm, symbols))), (self.workers, 1))
            for gains in fading.moving(0, ofdm.subcarriers, ofdm.symbol_s / KNOTS, steps)[:, 0]:
                yield Echoes.moving(np.zeros(len(gains.T)), gains.T, ofdm, symbols, np.eye(ofdm.subcarriers))
        else:
            yield from map(Echoes.flat, fading.gains(0, ofdm.subcarriers)[:, 0])

    def _coefficients(self) -> np.ndarray:
        """Return the complex factors of workers' numbers on their symbols. Shape [workers, symbols or 1, S]."""
        precoder = self.uplink.precoder.calibrated(self.state.mean)
        with np.errstate(all="ignore"):  # a factor of a silent worker may be infinite
            factors = self._on_symbols(precoder.coefficients(self.state.worker)[0])
        return np.where(self.numbers.power > 0, self.numbers.weight * factors, 0.0)

    def _weights(self) -> np.ndarray:
        """Return the complex weights of the receiver, conjugate. Shape [symbols or 1, S or 1]."""
        scaling = self.uplink.receive_scaling
        if scaling.unit:
            return np.ones((1, 1))
        active = np.count_nonzero(self._whole(self.numbers.power), axis=0)
        server = np.moveaxis(self._on_symbols(self.state.server[0]), 0, 1)
        return np.conj(scaling.weights(server, active))
