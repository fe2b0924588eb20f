"""Uploads of a scenario as waveforms, beside what runs take them to be, for each impairment alone and all together.

Random numbers of variance 1 stand for the vectors of a run, weighed and precoded as there. Both sides have the same
gains, delays, estimates, and phases in the middle of symbols; noise and numbers are independent. An upload is the first
symbols, one slot or at least 14, on at most 64 subcarriers.
"""

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from otafl import uplinks
from otafl.algorithms import parse
from otafl.channels import fading
from otafl.channels.effective_channel import Effective
from otafl.channels.gain import power_gain
from otafl.channels.noise import complex_normal
from otafl.channels.waveform import Amplifier, Converter, Echoes, Link, Ofdm, knots_s, phases, recording
from otafl.engine.channel_process import ChannelProcess
from otafl.errors import OtaflError
from otafl.scenario.keys_read import keys_read_by
from otafl.settings.keys import Settings, bandwidth_factor
from otafl.uplinks import chain, physical_layer
from otafl.uplinks.analog import Analog

MOST_SUBCARRIERS, LEAST_SYMBOLS = 64, 14
"""Bounds on the size of an upload that make it quick, and mean values of it precise."""
IDEAL = {
    "estimates": {"channel.pilots": 0},
    "phase errors": {"channel.phase_error_rad": 0.0},
    "timing": {"channel.timing_error_s": 0.0},
    "carrier offsets": {"channel.carrier_offset_hz": 0.0, "channel.carrier_offset_ppm": 0.0},
    "phase noise": {"channel.linewidth_hz": 0.0},
    "server's phase noise": {"channel.server_linewidth_hz": 0.0},
    "motion": {"channel.speed_m_s": 0.0},
    "amplifiers": {"uplink.peak_backoff_db": np.inf},
}
"""Impairments by keys, and the values of the keys without them."""


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

    def qualities(self, draws: int) -> tuple[Quality, Quality]:
        """Return the qualities of uploads as runs take them to be, and of their waveforms."""
        uploads = [Upload(self, self.settings.run.seed + draw) for draw in range(draws)]
        predicted, measured = ([side(upload) for upload in uploads] for side in (Upload.predicted, Upload.measured))
        return Quality(*np.transpose(predicted)), Quality(*np.transpose(measured))


def first_analog(points: Iterable[Settings]) -> Settings:
    """Return the settings of the first analog upload of some, on so few subcarriers that its waveform is quick."""
    settings = [point for point in points if uplinks.uplink(uplinks.kind(point)).superposes]
    if not settings:
        raise OtaflError("uplink.kind", "digital", "must be analog: symbols of codes are not made as waveforms")
    (first, *_), cell = settings, settings[0].cell
    parts, static = chain.chain(first), first.channel.evolves == "by_symbol" and first.channel.fading != "tdl"
    first.require(
        (
            ("cell.antennas", cell.antennas > 1, "must be 1 for a waveform"),
            ("cell.worker_antennas", cell.worker_antennas > 1, "must be 1 for a waveform"),
            ("cell.neighbours", cell.neighbours, "must be 0 for a waveform"),
            ("channel.evolves", static, "needs channel.fading = 'tdl' for a waveform"),
            ("channel.noise", first.channel.noise != "gaussian", "must be gaussian for a waveform"),
            ("uplink.elements_per_symbol", first.uplink.elements_per_symbol > 1, "must be 1 for a waveform"),
            ("uplink.receiver", parts.receiver.non_coherent, "must be coherent for a waveform"),
            ("uplink.power_control", parts.power_control.edges > 1, "must have one server for a waveform"),
        )
    )
    count, most = first.uplink.subcarriers, max(1, MOST_SUBCARRIERS // bandwidth_factor(first.method)[1])
    return first.with_values({"uplink.subcarriers": most if count == "one_slot" else min(count, most)})


def cases(settings: Settings, converter: Converter, smoothness: float) -> Iterator[tuple[str, Case]]:
    """Yield the name and the case of each impairment of the settings alone, and of all together."""
    read, noisy = keys_read_by([settings]), settings.channel.snr_db < np.inf
    given = {
        name: {key: settings.value(key) for key in keys}
        for name, keys in IDEAL.items()
        if any(key in read and settings.value(key) != value for key, value in keys.items())
    }
    ideal = settings.with_values({key: value for keys in IDEAL.values() for key, value in keys.items()})
    yield "none", Case(ideal, ideal)
    for name, keys in given.items():
        yield name, Case(ideal.with_values(keys), ideal, smoothness=smoothness)
    if fading.FADING[settings.channel.fading].correlated:
        yield "echoes beyond the prefix", Case(ideal, ideal, spread=True)
    if converter.bits:
        yield "converter", Case(ideal, ideal, converter=converter)
    if noisy:
        yield "noise", Case(ideal, ideal, noisy=True)
    impaired = ideal.with_values({key: value for keys in given.values() for key, value in keys.items()})
    yield "all together", Case(impaired, ideal, noisy, True, converter, smoothness)


def record(case: Case, path: Path) -> tuple[Path, Path]:
    """Write the samples that the server receives of an upload as SigMF, and return the paths of both files."""
    stem = path.with_suffix("") if path.suffix in (".sigmf-data", ".sigmf-meta") else path
    upload = Upload(case, case.settings.run.seed)
    _, sent = upload.drawn()
    samples = case.converter.converted(upload.samples(sent))
    carrier_hz = case.settings.channel.model_dump()["carrier_hz"]
    text = f"Superposed OFDM symbols of {upload.workers} workers, {case.settings.method}"
    return recording.write(stem, samples, case.ofdm.rate_hz, carrier_hz, text)


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
        fading, symbols = self.air.fading[0], self.case.symbols
        begin_s = self.begin * self.ofdm.symbol_s if self.air.oscillators.doppler_hz else 0.0
        paths = fading.echoes(0, begin_s + knots_s(self.ofdm, symbols))
        if paths is None:
            yield from map(Echoes.flat, fading.gains(0, self.ofdm.subcarriers)[:, 0])
            return
        for gains, delays_s in zip(*paths, strict=True):
            yield Echoes.moving(delays_s, gains[0], self.ofdm, symbols)

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
