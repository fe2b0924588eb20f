"""Digital uplink: every message arrives as it was sent, over orthogonal subcarriers at the rate of its code."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from otafl.algorithms import Method
from otafl.channels import codes, digital
from otafl.channels.array_types import Gains, Rates
from otafl.channels.codes.code import Begun
from otafl.channels.effective_channel import Effective
from otafl.compressors import Packet
from otafl.compressors.floating_point import rounded
from otafl.errors import OtaflError
from otafl.numerics.tensors import Vectors
from otafl.settings.keys import Settings
from otafl.uplinks.link import Link
from otafl.uplinks.physical_layer import RADIO, snr, symbol_gain
from otafl.uplinks.uplink import Cost, GainsOf, Senders, Uplink, register

MOST_SUBCARRIERS = 10**9
"""Subcarriers of an upload in one slot at which counting is given up."""
MOST_CORRELATED = 2**18
"""Subcarriers of an upload in one slot at which counting is given up, where all are held at once."""
MOST_BLOCKS = 10**5
"""Most coherence blocks of one upload."""
MOST_SLOTS = 10**12
"""Most slots of one upload: thirty years of slots of 1 ms."""


def unrounded_bits(method: Method) -> int:
    """Return the bits of a number that is not rounded: 64 where a method solves in double precision, else 32."""
    return 64 if method.solves_exactly else 32


class DigitalLink(Link):
    """Link of a digital uplink, over which numbers arrive as they are rounded by their senders."""

    def packed(self, message: Vectors, vector: int = 0) -> Packet:
        packet = super().packed(message, vector)
        return packet._replace(sent=rounded(packet.sent, self.chain.compressor.number_bits))


class LinkRate(NamedTuple):
    """Bits of each worker in a slot, their dispersion [bit²], and its subcarriers. Shape [runs, workers] each."""

    bits: np.ndarray
    dispersion: np.ndarray
    band: np.ndarray | float


@register("digital")
@dataclass(frozen=True)
class Digital(Uplink):
    """Digital uplink: each worker transmits its bits at power P on its own subcarriers, and all arrive without error.

    What is sent are floating-point numbers of so many bits as are charged, or codes of a compressor. An upload lasts as
    long as its slowest worker needs, on average over codewords that are sent again. A worker transmits on all its
    subcarriers until the end of its last slot. Each subcarrier, or share of one, that transmits in a slot counts q
    uses, its symbols in a slot. Approximation: by default codes achieve capacity without errors.
    """

    exact = True
    splits = True
    links = DigitalLink
    keys = (*RADIO, "uplink.rate_gain", "uplink.outage")
    parts = ("compressor", "code", "allocation", "receiver")

    @property
    def most_subcarriers(self) -> int:
        # Those of "one_slot" come in pieces.
        return self.in_use if self.settings.subcarriers == "one_slot" else int(self.settings.subcarriers)

    def check(self, settings: Settings) -> None:
        if self.uses:
            return
        snr_db, participants = settings.channel.snr_db, settings.participants
        ratio = np.array([snr(settings)]) / self._power_share(participants)
        least = participants * self.bits / self.bits_per_slot(np.ones((1, 1, 1)), ratio).item()
        if settings.subcarriers == "one_slot":
            most, what = MOST_SUBCARRIERS, "subcarriers"
            least = min(least, (settings.run.max_channel_uses or math.inf) / self.grid.symbols_per_slot)
        else:
            blocks = MOST_BLOCKS * (settings.channel.coherence_s or math.inf) / settings.uplink.slot_s
            least, most, what = least / settings.subcarriers, min(MOST_SLOTS, blocks), "slots"
        if least > most:
            rule = f"an upload of {self.bits:,} bits would take {least:.0e} {what}, more than {most:.0e}; raise the SNR"
            raise OtaflError("channel.snr_db", snr_db, rule)

    @property
    def uses(self) -> int | None:
        """Channel uses of every upload by all workers; None: as many as its bits need."""
        return self.chain.allocation.uses

    def channel(self, gains: GainsOf, workers: int, runs: int, dtype: DTypeLike) -> Effective:
        """Return the effective channel; where uploads have fixed uses, with the share of elements that these carry."""
        channel, participants = super().channel(gains, workers, runs, dtype), self.settings.participants
        if not self.uses:
            return channel
        ratio = np.full(runs, snr(self.settings) / self._power_share(participants))
        of_use = self.bits_per_slot(gains(int(self.settings.subcarriers)).worker, ratio).mean(axis=-1) / self.symbols
        bits = self.uses / participants * of_use / self.method.vectors
        share = self.chain.compressor.share(bits, self.elements, self.settings.uplink.bits_per_element)
        return channel._replace(carried_share=share.T[:, None].astype(dtype))

    def rates(self, senders: Senders) -> np.ndarray:
        return self._speed(self._shared(senders)).bits

    def cost(self, senders: Senders) -> Cost:
        """Return slots of the slowest worker, as if no upload were cut, and uses and energy [J] of all that is sent."""
        senders = self._shared(senders)
        if (needed := self._common_slots(senders)) is None:
            needed, band = self._slots(senders)
            taken = (needed * band * senders.sent).sum(axis=-1)
        else:
            whole = self.uses / self.grid.symbols_per_slot if self.uses else self._one_slot_subcarriers(senders)
            taken = np.full(len(senders.snr), whole) * np.mean(senders.sent)
        slots, taken = self.chain.code.upload_slots(needed), taken * self.chain.code.attempts
        energy = taken * senders.power * self.settings.uplink.slot_s
        elements = np.full(len(senders.snr), senders.uploads * self.uploaded)
        return Cost(slots, taken * self.grid.symbols_per_slot, energy, elements)

    def own_slots(self, senders: Senders) -> np.ndarray:
        """Return the slots until each worker's own upload is decoded, on average over retransmissions."""
        if (needed := self._common_slots(senders)) is None:
            needed, _ = self._slots(self._shared(senders))
        return self.chain.code.upload_slots(needed[..., None])

    def _common_slots(self, senders: Senders) -> np.ndarray | None:
        """Return the slots of uploads that all last equally long, of fixed uses or of one slot; None: they do not."""
        if self.uses:
            slots = math.ceil(self.uses / (int(self.settings.subcarriers) * self.grid.symbols_per_slot))
        elif self.settings.subcarriers == "one_slot":
            slots = 1
        else:
            return None
        return np.full((len(senders.snr), senders.workers), float(slots))

    def _slots(self, senders: Senders) -> tuple[np.ndarray, np.ndarray | float]:
        """Return the slots that each worker needs, perhaps of several blocks, and its band. Shape [runs, workers]."""
        if not senders.bands:
            speed = self._speed(senders)
            return self._until_sent(speed, (0.0, 0.0)), speed.band
        bands = senders.bands()
        (band, begin), carried, needed = next(bands), (0.0, 0.0), np.array(math.inf)
        while True:
            speed = self._speed(senders._replace(band=band))
            band, end = next(bands)
            sent = begin + self._until_sent(speed, carried)
            needed = np.where(np.isinf(needed) & (sent <= end), sent, needed)
            if np.isfinite(needed).all():
                return needed, speed.band
            bits, spread = carried
            carried = bits + speed.bits * (end - begin), spread + speed.dispersion * (end - begin)
            begin = end

    def _until_sent(self, speed: LinkRate, carried: Begun) -> np.ndarray:
        """Return whole slots until an upload is sent, of which a part may be sent already. Shape [runs, workers]."""
        return np.maximum(np.ceil(self.chain.code.length(self.bits, speed.bits, speed.dispersion, carried)), 1.0)

    def _shared(self, senders: Senders) -> Senders:
        """Return the transmitters with the power that each has on one of its subcarriers."""
        share = self._power_share(senders.workers)
        return senders._replace(snr=senders.snr / share, power=senders.power / share)

    @property
    def bits(self) -> int:
        """Bits of an upload of one worker in a round: all its vectors, compressed, and single numbers."""
        compressor = self.chain.compressor
        vector = compressor.bits(self.elements, self.settings.uplink.bits_per_element)
        if not 0 < vector < math.inf:
            raise ValueError(f"{type(compressor).__name__} has {vector} bits, which must be a positive number")
        return self.method.vectors * vector + self.method.scalars * compressor.number_bits

    @property
    def upload_size(self) -> str:
        return f"the bits that {self.uses:,} uses of all workers carry" if self.uses else f"{self.bits:,} bits"

    @property
    def symbols(self) -> float:
        uplink = self.settings.uplink
        most = uplink.subcarrier_spacing_hz * uplink.slot_s
        return most if uplink.symbols_per_slot == "as_printed" else uplink.symbols_per_slot

    def bits_per_slot(
        self, h: Gains, snr: np.ndarray, errors: np.ndarray | float = 0.0, turned: np.ndarray | float = 0.0
    ) -> Rates:
        """Return bits that each subcarrier carries in a slot [bit], by q symbols of SNR·W·T/q each.

        Symbols: bandwidth W of a subcarrier, slot T, q symbols in a slot. Where gains are estimated, ĥ with errors of
        variance σ², a symbol carries log2(1 + SNR|ĥ|²/(1 + SNR·σ²)), which a code for noise of that power achieves.
        What phases turn away counts as noise, too, of power r·SNR|ĥ|².
        Source: Hassibi and Hochwald, "How Much Training Is Needed in Multiple-Antenna Wireless Links?", theorem 1.

        Arguments:
            h: gains of workers, or their magnitudes. Shape [runs, workers, subcarriers].
            snr: P/(W·N0) on a subcarrier, linear. Shape [runs].
            errors: σ², mean |h − ĥ|² of each worker, linear. Shape [runs, workers, 1], or 0.
            turned: r, power that phases turn away over |ĥ|². Shape [runs, workers, 1], or 0.
        """
        snr = snr[:, None, None] * symbol_gain(self.settings)
        snr = 1 / (1 / snr + errors) if np.any(errors) else snr
        h = h / np.sqrt(1 + turned * snr * np.abs(h) ** 2) if np.any(turned) else h
        return self.symbols * self.chain.code.rate(digital.spectral_efficiency(h, snr, self.settings.uplink.rate_gain))

    def pilot_symbols(self, share: float | np.ndarray, upload: Cost) -> tuple[np.ndarray, np.ndarray]:
        """Return slots and symbols of one pilot of each worker, sent at once on subcarriers of its own."""
        uses = np.ones_like(upload.uses)
        one_slot = self.settings.subcarriers == "one_slot"
        band = upload.uses / self.grid.symbols_per_slot if one_slot else int(self.settings.subcarriers) * uses
        return uses * np.ceil(share) / self.symbols, share * band * self.grid.symbols_per_slot / self.symbols

    def _power_share(self, workers: int) -> float:
        """Return the number of subcarriers among which a worker divides the power of its SNR."""
        return int(self.settings.subcarriers) / workers if self.settings.uplink.power_reference == "total" else 1.0

    def _speed(self, senders: Senders) -> LinkRate:
        """Return the bits of each worker on its part of a band of S subcarriers."""
        subcarriers, allocation = int(self.settings.subcarriers), self.chain.allocation
        band, gains = senders.band, senders.band.first(subcarriers)
        index = allocation.subcarriers(senders.workers, subcarriers)
        gains = gains if index is None else gains[:, np.arange(senders.workers)[:, None], index]
        bits = self.bits_per_slot(gains, senders.snr, band.errors, band.turned)
        share = allocation.shares(bits, subcarriers)
        sent = np.multiply(share, bits, out=np.zeros(bits.shape), where=share > 0)
        dispersion = np.sum(share * self._dispersion(bits), axis=-1)
        return LinkRate(sent.sum(axis=-1), dispersion, allocation.band(share, subcarriers))

    def _dispersion(self, bits: np.ndarray) -> np.ndarray:
        """Return the dispersion of bits of subcarriers in a slot; 0 where the code ignores it. Shape of bits."""
        return (
            np.zeros(bits.shape) if self.chain.code.any_length else self.symbols * codes.dispersion(bits / self.symbols)
        )

    def _least_band(self, senders: Senders, run: int) -> float:
        """Return the subcarriers of a band that ends an upload in one slot, for one run of correlated subcarriers."""
        low, high = 0, 1
        while not self._suffices(senders, run, high):
            low, high = high, 2 * high
            if high * senders.workers > senders.left / self.grid.symbols_per_slot:
                return math.inf
            if high * senders.workers > MOST_CORRELATED:
                rule = f"needs more than {MOST_CORRELATED:,} subcarriers that fade together; the SNR is too low"
                raise OtaflError("uplink.subcarriers", "one_slot", rule)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._suffices(senders, run, middle) else (middle, high)
        return float(high * senders.workers)

    def _suffices(self, senders: Senders, run: int, each: int) -> bool:
        """Return True where all workers end in a slot with so many adjacent subcarriers each."""
        band, alone = senders.band, [run]
        lost = band.errors[alone], band.turned[alone]
        bits = self.bits_per_slot(band.split(run, each)[None], senders.snr[alone], *lost)
        spread = self._dispersion(bits).sum(axis=-1)
        return bool(np.all(self.chain.code.carried(bits.sum(axis=-1), spread) >= self.bits))

    def _one_slot_subcarriers(self, senders: Senders) -> np.ndarray:
        """Return the subcarriers of an equally split band that just ends the slowest upload in a slot. Shape [runs]."""
        if senders.band.correlated:
            return np.array([self._least_band(senders, run) for run in range(len(senders.snr))])
        needed, sent, spread, count = np.array([[math.inf]]), np.zeros((1, 1, 1)), np.zeros((1, 1, 1)), 0
        left, lost = senders.left / self.grid.symbols_per_slot, (senders.band.errors, senders.band.turned)
        for piece in senders.band.pieces():
            if count * piece.shape[1] > min(left, MOST_SUBCARRIERS):
                break
            bits = self.bits_per_slot(piece, senders.snr, *lost)
            sent = sent[..., -1:] + np.cumsum(bits, axis=-1)
            spread = spread[..., -1:] + np.cumsum(self._dispersion(bits), axis=-1)
            enough = count + digital.subcarriers_for_one_slot(self.bits, self.chain.code.carried(sent, spread))
            needed, count = np.minimum(needed, enough), count + piece.shape[2]
            if np.isfinite(needed).all():
                break
        subcarriers = needed.shape[-1] * needed.max(axis=-1)
        if np.isinf(subcarriers).any() and left > MOST_SUBCARRIERS:
            rule = f"needs more than {MOST_SUBCARRIERS:.0e} subcarriers for one upload; the SNR is too low for that"
            raise OtaflError("uplink.subcarriers", "one_slot", rule)
        return subcarriers


@dataclass(frozen=True)
class Report(Digital):
    """Report of so many bits by each worker to the server, on its own subcarriers and at the Shannon rate."""

    report_bits: int

    @property
    def bits(self) -> int:
        return self.report_bits

    def cost(self, senders: Senders) -> Cost:
        """Return the cost of a digital upload without elements; edge servers hear their groups at the same time."""
        cost, edges = super().cost(senders), self.chain.power_control.edges
        slots = np.ceil(cost.slots / edges) if edges > 1 else cost.slots
        return cost._replace(slots=slots, elements=np.zeros_like(cost.elements))
