"""Analog uplink: all workers' symbols superpose over the air, under one power budget each.

A worker transmits x = c/h for a contribution c that should arrive. ``effective_channel`` reduces this to real arrays.

Approximations: workers are synchronised, but for ``channel.phase_error_rad`` and ``channel.timing_error_s``. Each knows
its own gain, or the server's estimate of it by ``channel.pilots``. The server knows Σ|h|², the active workers and the
scaling factors as far as it needs them, over a control channel that ``uplink.charge_side_information`` charges.
"""

import functools
import math

import numpy as np
from numpy.typing import DTypeLike

from otafl.channels.array_types import PowerGains
from otafl.channels.clipping import Clipping
from otafl.channels.csi import ChannelState
from otafl.channels.effective_channel import Effective, ReducedChannel, reduce
from otafl.channels.gain import power_gain
from otafl.channels.noise import matched_filter_variance
from otafl.channels.power import upload_budget
from otafl.channels.precoding.precoder import Precoder
from otafl.channels.receive_scaling import ReceiveScaling
from otafl.uplinks.analog_link import Amplifier, AnalogLink, Radio
from otafl.uplinks.digital import Report, unrounded_bits
from otafl.uplinks.physical_layer import RADIO, changing, interferes, power_w
from otafl.uplinks.uplink import Cost, GainsOf, Senders, Uplink, free, register

TINY = float(np.finfo(np.float32).tiny)
AT_ONCE = 2**14
"""Symbols whose distortion is computed at once, so that it stays in the cache."""


@register("analog")
class Analog(Uplink):
    """Analog uplink: workers send at once, and contributions weighted by gains, or plain sums, add up over the air.

    All workers send the same d elements or measurements on S subcarriers, as many as an upload needs. An element rides
    the real part of a symbol, or every second one its imaginary part. Since each worker knows its own gain, no part
    leaks into the other, and the two are like two symbols that share a budget.
    """

    keys = (
        *RADIO,
        "channel.noise",
        "channel.noise_alpha",
        "channel.phase_error_rad",
        "channel.timing_error_s",
        "channel.csi_delay_s",
        "uplink.elements_per_symbol",
        "uplink.power_budget",
        "uplink.peak_backoff_db",
        "uplink.charge_side_information",
    )
    parts = ("compressor", "precoder", "power_control", "combiner", "receiver")
    links = AnalogLink
    superposes = True

    @functools.cached_property
    def snr(self) -> float:
        """Energy of an element at full power over a channel of power gain |h|² = 1, over noise density N0, linear."""
        return self.radio.budget / (2 * self.elements * self.radio.noise_std**2)

    @property
    def precoder(self) -> Precoder:
        """Precoder of the workers under their power control."""
        control = self.chain.power_control
        return control.controlled(self.chain.precoder, self.snr) if control.by_snr else self.chain.precoder

    @property
    def receive_scaling(self) -> ReceiveScaling:
        """Receive scaling of the server: that of its combiner, of the power control, or of the receiver."""
        chain, antennas = self.chain, self.settings.cell.antennas
        of_combiner = chain.combiner.receive_scaling(antennas) if antennas > 1 else None
        of_control = chain.power_control.receive_scaling(self.snr) if chain.power_control.by_snr else None
        return of_combiner or of_control or chain.receiver.receive_scaling(chain.precoder)

    def channel(self, gains: GainsOf, workers: int, runs: int, dtype: DTypeLike) -> Effective:
        """Return the effective channel, with an entry for each part of a symbol: [workers or 1, parts or 1, runs]."""
        state, control = gains(self.in_use, symbols=self.symbols_on_subcarrier), self.chain.power_control
        both = self.chain.receiver.non_coherent
        reduced = reduce(state, self.precoder, self.receive_scaling, dtype, control, both_parts=both)
        if self.weighs:
            reduced = reduced._replace(gain=self.method.consensus_weight(self.settings, reduced.gain, state.mean))
        reduced = reduced._replace(
            reach=reduced.reach if self.settings.uplink.downlink == "analog" else None,
            distortion_ratio=self._leak(reduced, state),
            neighbours=None if state.neighbours is None else state.neighbours.astype(dtype),
        )
        channel = Effective(*reduced.each(self._on_parts))
        return channel if self.weighs else channel._replace(gain=np.ones((workers, 1, runs), dtype))

    @property
    def symbols_on_subcarrier(self) -> int:
        return -(-self.grid.symbols(self.elements) // self.in_use)

    def _on_parts(self, values: np.ndarray) -> np.ndarray:
        """Return values on the parts of subcarriers' symbols, from [runs, workers, S] to [workers, S·κ, runs]."""
        values, parts = np.moveaxis(values, 0, -1), self.grid.elements_per_symbol
        return values.repeat(parts, axis=1) if parts > 1 else values

    def _on_real_parts(self, state: ChannelState) -> np.ndarray | None:
        """Return twice the power of interference on the parts of symbols that the receiver takes, over the received.

        Workers that compensate phases send real numbers by estimates, and so the sum has them turned by h/ĥ.
        """
        if state.interference_ratio is None or not self.precoder.by_gains or self.chain.receiver.non_coherent:
            return state.interference_ratio
        cosine = state.h.real * state.worker.real
        cosine += state.h.imag * state.worker.imag
        cosine *= cosine
        cosine /= np.maximum(power_gain(state.h, cosine.dtype) * power_gain(state.worker, cosine.dtype), TINY)
        in_phase = np.asarray(state.in_phase_ratio, cosine.dtype)
        cosine *= 2 * in_phase
        cosine += state.interference_ratio - in_phase
        return cosine

    def _leak(self, reduced: ReducedChannel, state: ChannelState) -> PowerGains | None:
        """Return distortion, through gains where it is sent, and interference, which is even where it is received."""
        clipping, reach = Clipping(self.settings.uplink.peak_backoff_db), reduced.reach
        assert reach is not None
        sent = reduced.power * reduced.gain**2 if self.weighs else reduced.power
        leaks = []
        if clipping.distortion:
            leaks.append(reach * self._distortion_ratio(clipping, sent, state))
        if (interference_ratio := self._on_real_parts(state)) is not None:
            total, arriving = (np.sum(power, axis=-1, keepdims=True) for power in (sent, reach * sent))
            leaks.append(clipping.radiated * interference_ratio * (arriving / np.where(total > 0, total, 1)))
        return np.asarray(sum(leaks), reach.dtype) if leaks else None

    def _distortion_ratio(self, clipping: Clipping, sent: np.ndarray, state: ChannelState) -> np.ndarray:
        """Return twice the power of distortion on the parts of symbols that the receiver takes, over the mean sent."""
        both = self.chain.receiver.non_coherent or self.grid.elements_per_symbol > 1
        gains = state.worker if self.precoder.by_gains else np.ones_like(state.h)
        power, gains = (part.reshape(-1, self.in_use) for part in (np.broadcast_to(sent, state.h.shape), gains))
        count = max(1, AT_ONCE // self.in_use)
        parts = [slice(start, start + count) for start in range(0, len(power), count)]
        ratios = [clipping.distortion_ratio(power[part], None if both else gains[part]) for part in parts]
        return np.concatenate(ratios).reshape(state.h.shape)

    @property
    def noise_shape(self) -> tuple[int, int]:
        # A receiver that takes both parts of symbols has two samples for a number.
        return (self.method.vectors, self.elements * (2 if self.chain.receiver.non_coherent else 1))

    @property
    def downlink_noise_shape(self) -> tuple[int, int, int]:
        if self.settings.uplink.downlink == "digital":
            return (0, 0, 0)
        return (len(self.method.broadcasts), self.settings.federation.workers, self.elements)

    @functools.cached_property
    def radio(self) -> Radio:
        uplink, grid = self.settings.uplink, self.grid
        share = self.in_use if uplink.power_reference == "total" else 1
        power, symbols = power_w(self.settings) / share, grid.symbols(self.elements)
        noise_std = math.sqrt(matched_filter_variance(uplink.noise_psd_w_per_hz, grid.symbol_s) / 2)
        clipping = Clipping(uplink.peak_backoff_db)
        distorts = clipping.distortion or interferes(self.settings)
        of_symbol = power / (symbols if uplink.power_budget == "per_upload" else 1)
        return Radio(
            budget=upload_budget(power, symbols, uplink.power_budget),
            noise_std=noise_std,
            symbol_s=grid.symbol_s,
            amplifier=Amplifier(clipping.gain, 1 / 2 / symbols, clipping.radiated) if distorts else (),
            symbols=symbols,
            numbers=self.chain.numbers,
            interferer=of_symbol / (2 * noise_std**2) if self.settings.cell.neighbours else (),
        )

    def cost(self, senders: Senders) -> Cost:
        """Return slots and channel uses of all vectors, which workers send at once; energy depends on what is sent."""
        slots, uses = self.grid.analog_slots(self.elements), self.grid.symbols(self.elements)
        vectors, control = self.method.vectors, self.chain.power_control
        bits = vectors * self.elements * unrounded_bits(self.method)
        backhaul = math.ceil(control.backhaul_s(bits) / self.settings.uplink.slot_s)
        of_run = vectors * slots + backhaul, vectors * control.edges * uses, 0.0, senders.uploads * self.uploaded
        return Cost(*np.outer(of_run, np.ones(len(senders.snr))))

    @property
    def upload_size(self) -> str:
        return f"{self.method.vectors * self.grid.symbols(self.elements):,} symbols"

    def scaling_report_cost(self, senders: Senders) -> Cost:
        """Return the cost of a scaling factor for each vector, where it is charged and the server cannot know it."""
        chain = self.chain
        asked = chain.power_control.scales and not chain.compressor.unit
        return self._report(self.method.vectors * unrounded_bits(self.method) * asked, senders)

    def csi_report_cost(self, senders: Senders) -> Cost:
        """Return the cost of |h|², silence or an antenna's gains."""
        number, cell = unrounded_bits(self.method), self.settings.cell
        if self.settings.blind:
            return super().csi_report_cost(senders)
        if cell.antennas > 1 and self.chain.combiner.by_gains:
            return self._report(2 * cell.antennas * cell.worker_antennas * number * self.in_use, senders)
        asks = self.chain.power_control.asks or self.chain.receiver.asks(self.chain.precoder)
        asks = "gains" if self.method.weighs_by_gain(self.settings) else asks
        return self._report({"": 0, "silence": 1, "gains": number}[asks] * self.in_use, senders)

    def telling_cost(self, listeners: Senders) -> Cost:
        estimates = self._rounds * self.settings.cell.worker_antennas * self.in_use
        told = self.precoder.by_gains and not self.settings.blind
        return self._report(2 * estimates * unrounded_bits(self.method) * told, listeners)

    def mean_report_cost(self, senders: Senders) -> Cost:
        return self._report(unrounded_bits(self.method) * self.method.uses_mean_gain(self.settings), senders)

    def _report(self, bits: int, senders: Senders) -> Cost:
        """Return the cost of a report of so many bits by each worker, where side information is charged."""
        if not (bits and self.settings.uplink.charge_side_information):
            return free(len(senders.snr))
        return Report(self.settings, self.method, self.elements, bits).cost(senders)

    def pilot_rounds(self, upload: Cost) -> np.ndarray:
        return np.full_like(upload.slots, self._rounds)

    @property
    def _rounds(self) -> int:
        """Number of times that workers send pilots, in a coherence block or in an upload in which gains change."""
        if not changing(self.settings):
            return 1
        return self.method.vectors * int(self._periods(self.grid.analog_slots(self.elements)))

    def pilot_symbols(self, share: float | np.ndarray, upload: Cost) -> tuple[np.ndarray, np.ndarray]:
        """Return slots and symbols of one pilot of each worker, sent in turn, around all edge servers at once."""
        workers = share * upload.elements / self.uploaded
        return workers / self.chain.power_control.edges / self.grid.symbols_per_slot, workers * self.in_use
