"""Analog uplink: all workers' symbols superpose over the air, under one power budget each.

A worker transmits x = c/h for a contribution c that should arrive; ``channels.effective`` reduces this to real arrays,
and ``channels.multiple_access`` is the complex reference.

An element rides the real part of a symbol, or every second one its imaginary part; since each worker knows its own
gain, no part leaks into the other, and the two are like two symbols that share a budget.

How a worker's gain enters what it sends is the affair of ``uplink.precoder``; schemes that change what is sent have
files of their own, ``cotaf`` and ``one_bit``.

Approximations: workers are synchronised, but for ``channel.phase_error_rad`` and ``channel.timing_error_s``; each knows
its own gain, or the server's estimate of it by ``channel.pilots``, and the server what it needs of Σ|h|², of who spoke
and of scaling factors, over a control channel that ``uplink.charge_side_information`` charges; the common factor comes
back with the broadcast.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from channels import effective, precoding
from channels.clipping import Clipping
from channels.combining import BlindSum
from channels.effective import Effective
from channels.noise import matched_filter_variance
from channels.power import transmit_power_w, upload_budget
from channels.precoding import Precoder
from otafl.algorithms import Method
from otafl.arrays import Tensor
from otafl.settings import own
from otafl.settings.keys import Settings
from otafl.uplinks.analog_link import Amplifier, AnalogLink, Radio
from otafl.uplinks.link import Inputs, Link
from otafl.uplinks.radio import RADIO, grid, imperfections
from otafl.uplinks.registry import register
from otafl.uplinks.report import Report
from otafl.uplinks.uplink import Cost, Gains, Senders, Uplink

Made = TypeVar("Made", bound="type[Analog]")
SCHEMES: dict[str, type["Analog"]] = {}
"""Uplinks of precoders that change what is sent, by name."""


def scheme(name: str) -> Callable[[Made], Made]:
    """Let a class carry uploads of a precoder, as a decorator.

    Raises:
        OtaflError: another one does, or the class is no analog uplink.
    """

    def taken(made: Made) -> Made:
        own.require_new("uplink.precoder", name, SCHEMES.get(name), made, Analog)
        SCHEMES[name] = made
        return made

    return taken


@register("analog")
class Analog(Uplink):
    """Workers superpose: contributions that are weighed by the gain are inverted in full, plain sums truncated."""

    keys = (
        *RADIO,
        "channel.phase_error_rad",
        "channel.timing_error_s",
        "uplink.elements_per_symbol",
        "uplink.power_budget",
        "uplink.peak_backoff_db",
        "uplink.charge_side_information",
        "uplink.bits_per_element",
        "uplink.combiner",
        "uplink.precoder",
    )
    scales: ClassVar[bool] = True
    """Whether workers' scaling factors follow from what they send, so that the server must be told."""

    @classmethod
    def chosen(cls, settings: Settings) -> type["Analog"]:
        """The class for a precoder."""
        return SCHEMES.get(settings.uplink.precoder or "", cls) if cls is Analog else cls

    @classmethod
    def reads(cls, method: Method) -> tuple[str, ...]:
        """Dotted scenario keys that it reads with a method."""
        return (*cls.keys, "uplink.inversion_threshold") if method.truncates else cls.keys

    @functools.cached_property
    def precoder(self) -> Precoder:
        """What workers multiply their contributions by."""
        uplink, radio = self.settings.uplink, self.radio(self.settings, self.elements)
        noise = 2 * self.elements * radio.noise_std**2
        name = "fading" if self.settings.blind else precoder(self.settings, self.method)
        return precoding.precoder(name, threshold=uplink.inversion_threshold, snr=radio.budget / noise)

    def channel(self, gains: Gains, workers: int, runs: int, dtype: DTypeLike) -> Effective:
        """The effective channel, blocks and seeds on the last axis."""
        combiner = BlindSum(self.settings.cell.antennas) if self.settings.blind else self.precoder.combiner
        found = gains(self.in_use)
        reduced = effective.reduce(found, self.precoder, combiner, dtype=dtype)
        heard = self.settings.uplink.downlink == "analog"
        reduced = reduced._replace(reach=reduced.reach if heard else None, leak=self._leak(reduced.reach, found.mixed))
        channel = reduced.each(self._on_parts)
        weighs = self.method.weighs_by_gain(self.settings)
        return channel if weighs else channel._replace(gain=np.ones((workers, 1, runs), dtype))

    def _on_parts(self, values: np.ndarray) -> np.ndarray:
        """From subcarriers to the parts of their symbols. Shape [runs, workers, S] to [workers, S·κ, runs]."""
        values, parts = np.moveaxis(values, 0, -1), self.grid.elements_per_symbol
        return values.repeat(parts, axis=1) if parts > 1 else values

    def _leak(self, reach: Any, mixed: np.ndarray | None) -> np.ndarray | None:
        """Distortion, and the interference of all that is radiated, as they arrive. Shape of reach."""
        clipping = Clipping(self.settings.uplink.peak_backoff_db)
        distortion = clipping.leak(self.grid.elements_per_symbol)
        if mixed is not None:
            return reach * (distortion + clipping.radiated * mixed).astype(reach.dtype)
        return reach * reach.dtype.type(distortion) if distortion else None

    @property
    def noise_shape(self) -> tuple[int, ...]:
        """One sample for each element."""
        return (self.method.vectors, self.elements)

    @property
    def downlink_noise_shape(self) -> tuple[int, ...]:
        """One sample for each vector, worker and element, of an analog downlink."""
        if self.settings.uplink.downlink == "digital":
            return (0, 0, 0)
        return (len(self.method.broadcasts), self.settings.federation.workers, self.elements)

    @classmethod
    def radio(cls, settings: Settings, elements: int) -> Radio:
        """Budget of an upload, noise, symbol and amplifiers."""
        uplink, laid = settings.uplink, grid(settings, elements)
        power = transmit_power_w(settings.channel.snr_db, laid.spacing_hz, uplink.noise_psd_w_per_hz)
        share = laid.subcarriers_in_use(elements) if uplink.power_reference == "total" else 1
        budget = upload_budget(float(power) / share, laid.symbols(elements), uplink.power_budget)
        noise_std = math.sqrt(matched_filter_variance(uplink.noise_psd_w_per_hz, laid.symbol_s) / 2)
        clipping = Clipping(uplink.peak_backoff_db)
        if not clipping.distortion and not imperfections(settings).mixes:
            return Radio(budget, noise_std, laid.symbol_s, (), laid.symbols(elements))
        amplifier = Amplifier(clipping.gain, 1 / 2 / laid.symbols(elements), clipping.radiated)
        return Radio(budget, noise_std, laid.symbol_s, amplifier, laid.symbols(elements))

    @classmethod
    def link(cls, inputs: Inputs, runs: Tensor) -> Link:
        """A noisy link."""
        return AnalogLink(inputs)

    def cost(self, senders: Senders) -> Cost:
        """Slots and uses of each vector, by all workers together; energy depends on what is sent."""
        slots, uses = self.grid.analog_slots(self.elements), self.grid.symbols(self.elements)
        vectors = self.method.vectors
        each = vectors * slots, vectors * uses, 0.0, senders.workers * self.uploaded
        return Cost(*np.outer(each, np.ones(len(senders.snr))))

    def feedback(self, senders: Senders) -> Cost:
        """Where it is charged and the server cannot know it: a scaling factor for each vector."""
        uplink = self.settings.uplink
        if not (uplink.charge_side_information and self.scales):
            return super().feedback(senders)
        return self._report(self.method.vectors * uplink.bits_per_element).cost(senders)

    def introduction(self, senders: Senders) -> Cost:
        """Where it is charged: |h|² of each subcarrier in use, or whether a worker is silent there, or for a combiner
        the gains at all antennas; pilots tell."""
        uplink, each = self.settings.uplink, 0
        if uplink.charge_side_information and not self.settings.channel.pilots and not self.settings.blind:
            asks = "gains" if self.method.weighs_by_gain(self.settings) else self.precoder.asks
            each = {"": 0, "silence": 1, "gains": uplink.bits_per_element}[asks]
            each = 2 * self.settings.cell.antennas * uplink.bits_per_element if self._combines else each
        return self._report(each * self.in_use).cost(senders) if each else super().introduction(senders)

    @property
    def _combines(self) -> bool:
        """Whether the server needs all workers' complex gains at all of its antennas."""
        return self.settings.cell.antennas > 1 and self.settings.uplink.combiner != "first"

    def _report(self, bits: int) -> Report:
        return Report(self.settings, self.method, self.elements, bits)

    def pilot_symbols(self, share: float, upload: Cost) -> tuple[np.ndarray, np.ndarray]:
        """Workers take turns on all subcarriers in use."""
        workers = share * upload.elements / self.uploaded
        return workers / self.grid.symbols_per_slot, workers * self.in_use


def precoder(settings: Settings, method: Method) -> str:
    """The name of the precoder of a run's analog uploads."""
    return settings.uplink.precoder or ("truncated_inversion" if method.truncates else "fading")
