"""Analog uplink: all workers' symbols superpose over the air, under one power budget each.

A worker transmits x = c/h for a contribution c that should arrive. ``otafl.channels.effective_channel`` reduces this to
real arrays, and ``otafl.channels.multiple_access`` is the complex reference.

An element rides the real part of a symbol, or every second one its imaginary part. Since each worker knows its own
gain, no part leaks into the other, and the two are like two symbols that share a budget.

Compressor, precoder, power control and receiver are parts of its ``chain``.

Approximations: workers are synchronised, but for ``channel.phase_error_rad`` and ``channel.timing_error_s``. Each knows
its own gain, or the server's estimate of it by ``channel.pilots``. The server knows Σ|h|², the active workers and the
scaling factors as far as it needs them, over a control channel that ``uplink.charge_side_information`` charges. The
common factor comes back with the broadcast.
"""

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from otafl.channels import effective_channel
from otafl.channels.clipping import Clipping
from otafl.channels.effective_channel import Effective
from otafl.channels.noise import matched_filter_variance
from otafl.channels.power import upload_budget
from otafl.channels.precoding.precoder import Precoder
from otafl.channels.receive_scaling import ReceiveScaling
from otafl.settings.keys import Settings
from otafl.uplinks import chain as chains
from otafl.uplinks.analog_link import Amplifier, AnalogLink, Radio
from otafl.uplinks.digital import unrounded_bits
from otafl.uplinks.physical_layer import RADIO, decibels, grid, imperfections, power_w, symbol_snr_db
from otafl.uplinks.side_information import Report
from otafl.uplinks.uplink import Cost, Gains, Senders, Uplink, register


@register("analog")
class Analog(Uplink):
    """Analog uplink: workers send at once, and contributions weighted by gains, or plain sums, add up over the air.

    By default methods that weigh by gains invert the channel in full, others with truncation. All workers send the same
    d elements or measurements on S subcarriers, as many as an upload needs. Gains h are complex and linear;
    |h|²·P/(W·N0) is the received SNR of a subcarrier, of transmit power P, bandwidth W and noise density N0.
    """

    keys = (
        *RADIO,
        "channel.noise",
        "channel.noise_alpha",
        "channel.phase_error_rad",
        "channel.timing_error_s",
        "uplink.elements_per_symbol",
        "uplink.power_budget",
        "uplink.peak_backoff_db",
        "uplink.charge_side_information",
    )
    parts = ("compressor", "precoder", "power_control", "combiner", "receiver")
    links = AnalogLink
    superposes = True

    @classmethod
    def carried(cls, settings: Settings, elements: int) -> int:
        """Return the count of real numbers sent for a vector of d elements, fewer with compressors that measure.

        Arguments:
            settings: the run's ``Settings``, whose compressor decides.
            elements: number d of elements.
        """
        return chains.chain(settings).compressor.symbols(elements)

    @classmethod
    def snr_lines(cls, settings: Settings) -> list[str]:
        """Return lines of text on the SNRs of an upload: of a subcarrier, of a symbol, and of an element [dB].

        An element has the noise of one part of a symbol, half of the whole. Two elements on a symbol share its power.

        Arguments:
            settings: the run's ``Settings`` as it uses them.
        """
        parts = settings.uplink.elements_per_symbol
        found = symbol_snr_db(settings) + decibels(2 / parts)
        power = "half of the power and half" if parts == 2 else "all of the power and half"
        line = f"an element on it has {found:.1f} dB, {power} of the noise"
        spread = ["uplink.power_budget = per_upload: all symbols of an upload share this power"]
        spread = spread if settings.uplink.power_budget == "per_upload" else []
        return [*super().snr_lines(settings), line, *spread]

    @functools.cached_property
    def snr(self) -> float:
        """Energy of an element at full power over a channel of power gain |h|² = 1, over noise density N0, linear."""
        radio = self.radio(self.settings, self.elements)
        return radio.budget / (2 * self.elements * radio.noise_std**2)

    @property
    def precoder(self) -> Precoder:
        """Precoder of the workers under their power control: the factor on a symbol before it is sent, such as 1/h."""
        control = self.chain.power_control
        return control.controlled(self.chain.precoder, self.snr) if control.by_snr else self.chain.precoder

    @property
    def receive_scaling(self) -> ReceiveScaling:
        """Receive scaling of the server, complex weights of the signals received at its antennas on each subcarrier."""
        chain, antennas = self.chain, self.settings.cell.antennas
        of_combiner = chain.combiner.receive_scaling(antennas) if antennas > 1 else None
        by_snr = chain.power_control.receive_scaling(self.snr) if chain.power_control.by_snr else None
        return of_combiner or by_snr or chain.receiver.receive_scaling(chain.precoder)

    def channel(self, gains: Gains, workers: int, runs: int, dtype: DTypeLike) -> Effective:
        """Return the effective channel in real arrays, blocks and seeds on the last axis.

        Arguments:
            gains: function from S to the ``ChannelState`` of the first S subcarriers, with complex gains h, [runs,
                workers, S].
            workers: number of workers.
            runs: length of the last axis, coherence blocks times seeds.
            dtype: real NumPy type of the arrays.

        Returns:
            An ``Effective``, of arrays [workers or 1, parts of symbols or 1, runs], None where they would be 1
            everywhere. Its ``gain`` is the method's weight of each worker, such as the estimated power gain |h|²,
            linear, if it has one, else 1; the others hold what precoder and receive scaling make of h. A symbol has one
            part, or with ``uplink.elements_per_symbol = 2`` a real and an imaginary one.
        """
        found = gains(self.in_use)
        parts, control = (self.precoder, self.receive_scaling), self.chain.power_control
        both = self.chain.receiver.non_coherent
        reduced = effective_channel.reduce(found, *parts, dtype, control, both_parts=both)
        heard = self.settings.uplink.downlink == "analog"
        reduced = reduced._replace(
            reach=reduced.reach if heard else None,
            distortion_ratio=self._leak(reduced.reach, found.interference_ratio),
            neighbours=None if found.neighbours is None else found.neighbours.astype(dtype),
        )
        channel = reduced.each(self._on_parts)
        if not self.weighs:
            return channel._replace(gain=np.ones((workers, 1, runs), dtype))
        weights = self.method.consensus_weight(self.settings, reduced.gain, found.mean)
        return channel._replace(gain=self._on_parts(weights))

    def _on_parts(self, values: np.ndarray) -> np.ndarray:
        """Return values on the parts of subcarriers' symbols, from [runs, workers, S] to [workers, S·κ, runs]."""
        values, parts = np.moveaxis(values, 0, -1), self.grid.elements_per_symbol
        return values.repeat(parts, axis=1) if parts > 1 else values

    def _leak(self, reach: Any, interference_ratio: np.ndarray | None) -> np.ndarray | None:
        """Return distortion, and interference of all that is radiated, as they arrive. Shape of reach."""
        clipping = Clipping(self.settings.uplink.peak_backoff_db)
        parts = 2 if self.chain.receiver.non_coherent else self.grid.elements_per_symbol
        distortion = clipping.distortion_ratio(parts)
        if interference_ratio is not None:
            return reach * (distortion + clipping.radiated * interference_ratio).astype(reach.dtype)
        return reach * reach.dtype.type(distortion) if distortion else None

    @property
    def noise_shape(self) -> tuple[int, ...]:
        """Shape of a round's noise, (vectors, numbers sent for a vector + random words), of samples N(0, 1) each.

        A receiver that takes both parts of symbols has two samples for a number. The words are those of 32 bits that
        the compressor needs, drawn as further samples.
        """
        samples = self.elements * (2 if self.chain.receiver.non_coherent else 1)
        return (self.method.vectors, samples + self.chain.compressor.words)

    @property
    def downlink_noise_shape(self) -> tuple[int, ...]:
        """Shape of a round's noise N(0, 1) over an analog downlink, (vectors, workers, d); without one (0, 0, 0)."""
        if self.settings.uplink.downlink == "digital":
            return (0, 0, 0)
        return (len(self.method.broadcasts), self.settings.federation.workers, self.elements)

    @classmethod
    def radio(cls, settings: Settings, elements: int) -> Radio:
        """Return the numbers of a run's analog link: power budget of a vector [W], noise, symbol, amplifiers and chain.

        Arguments:
            settings: the run's ``Settings``.
            elements: count of real numbers sent for a vector.

        Returns:
            A ``Radio`` of numbers of one run in watts and seconds, of which a program holds tensors, [runs] each.
        """
        uplink, laid = settings.uplink, grid(settings, elements)
        power = power_w(settings)
        share = laid.subcarriers_in_use(elements) if uplink.power_reference == "total" else 1
        budget = upload_budget(power / share, laid.symbols(elements), uplink.power_budget)
        noise_std = math.sqrt(matched_filter_variance(uplink.noise_psd_w_per_hz, laid.symbol_s) / 2)
        clipping = Clipping(uplink.peak_backoff_db)
        symbols, distorts = laid.symbols(elements), clipping.distortion or imperfections(settings).mixes
        amplifier = Amplifier(clipping.gain, 1 / 2 / symbols, clipping.radiated) if distorts else ()
        each = power / share / (symbols if uplink.power_budget == "per_upload" else 1)
        interferer = each / (2 * noise_std**2) if settings.cell.neighbours else ()
        return Radio(budget, noise_std, laid.symbol_s, amplifier, symbols, chains.chain(settings).numbers, interferer)

    def cost(self, senders: Senders) -> Cost:
        """Return slots and channel uses of all vectors, which workers send at once; energy depends on what is sent.

        Edge servers each take so many uses in their own cells, and slots of the backhaul follow.

        Arguments:
            senders: the transmitters, with their gains, SNR and power.

        Returns:
            A ``Cost`` with slots, channel uses, energy 0, and elements and single numbers of all workers. Shape [runs]
            each.
        """
        slots, uses = self.grid.analog_slots(self.elements), self.grid.symbols(self.elements)
        vectors, control = self.method.vectors, self.chain.power_control
        bits = vectors * self.elements * unrounded_bits(self.method)
        backhaul = math.ceil(control.backhaul_s(bits) / self.settings.uplink.slot_s)
        each = vectors * slots + backhaul, vectors * control.edges * uses, 0.0, senders.uploads * self.uploaded
        return Cost(*np.outer(each, np.ones(len(senders.snr))))

    @property
    def upload_size(self) -> str:
        return f"{self.method.vectors * self.grid.symbols(self.elements):,} symbols"

    def scaling_report_cost(self, senders: Senders) -> Cost:
        """Return the cost of a scaling factor for each vector, where it is charged and the server cannot know it.

        It is 0 elsewhere. A ``Cost``: slots, channel uses, energy [J] and elements, [runs] each.

        Arguments:
            senders: the transmitters, with their gains, SNR and power.
        """
        uplink = self.settings.uplink
        if not (uplink.charge_side_information and self.chain.power_control.scales and not self.chain.compressor.unit):
            return super().scaling_report_cost(senders)
        return self._report(self.method.vectors * unrounded_bits(self.method)).cost(senders)

    def csi_report_cost(self, senders: Senders) -> Cost:
        """Return the cost of channel knowledge at the server, where it is charged and pilots do not give it.

        Each worker reports |h|² of each subcarrier in use, or its silence there, or for a combiner the complex gains at
        all antennas. The cost is slots, uses, energy [J] and elements, [runs] each, 0 where there is no report.

        Arguments:
            senders: the transmitters, with their gains, SNR and power.
        """
        uplink, each = self.settings.uplink, 0
        if uplink.charge_side_information and not self.settings.channel.pilots and not self.settings.blind:
            own = self.chain.power_control.asks or self.chain.receiver.asks(self.chain.precoder)
            asks = "gains" if self.method.weighs_by_gain(self.settings) else own
            each = {"": 0, "silence": 1, "gains": unrounded_bits(self.method)}[asks]
            combines = self.settings.cell.antennas > 1 and self.chain.combiner.by_gains
            each = 2 * self.settings.cell.antennas * unrounded_bits(self.method) if combines else each
        return self._report(each * self.in_use).cost(senders) if each else super().csi_report_cost(senders)

    def mean_report_cost(self, senders: Senders) -> Cost:
        """Return the cost of telling the server the workers' mean gains, where that is charged. Shape [runs] each.

        Arguments:
            senders: the transmitters, with their gains, SNR and power.
        """
        uplink = self.settings.uplink
        asked = uplink.charge_side_information and self.method.uses_mean_gain(self.settings)
        return self._report(unrounded_bits(self.method)).cost(senders) if asked else super().mean_report_cost(senders)

    def _report(self, bits: int) -> Report:
        return Report(self.settings, self.method, self.elements, bits)

    def pilot_symbols(self, share: float, upload: Cost) -> tuple[np.ndarray, np.ndarray]:
        """Return slots, not rounded, and symbols of one pilot of each worker, sent in turn. Shape [runs] each.

        Workers of different edge servers send at the same time.

        Arguments:
            share: share of the workers that send a pilot, from 0 to 1.
            upload: cost of the upload by all workers, whose elements tell their number. Shape [runs] each.
        """
        workers = share * upload.elements / self.uploaded
        return workers / self.chain.power_control.edges / self.grid.symbols_per_slot, workers * self.in_use
