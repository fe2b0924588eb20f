"""The keys of the radio channel and of the uplink that it carries."""

from typing import Annotated, Literal

from pydantic import Field

from channels.fading import FADING
from otafl.settings.types import Count, Decibels, Positive, Table, WholeOrInfinite, one_of
from otafl.variables import Quantity


class Channel(Table, frozen=True):
    """The radio channel between the workers and the server."""

    fading: Annotated[str, one_of(FADING)] = Field(
        default="rayleigh", description=f"fading of every worker and subcarrier: {', '.join(FADING)}"
    )
    coherence_iterations: Annotated[WholeOrInfinite, Quantity("Coherence", "iteration")] = Field(
        default=10.0,
        description="iterations for which the channel stays constant; inf: it never changes; 1: A-FADMM only flips "
        "duals and never trains",
    )
    snr_db: Annotated[Decibels, Quantity("SNR", "dB", linear=True, symbol="SNR")] = Field(
        default=40.0, description="SNR = P/(W·N0) of a worker on one subcarrier [dB]; inf: no noise"
    )


class Uplink(Table, frozen=True):
    """How uploads are carried, and what they cost."""

    kind: Annotated[str, Field(min_length=1)] | None = Field(
        default=None,
        description="analog, digital or ideal, over which all arrives and costs nothing; left out, the one that the "
        "method fixes, and digital for federated methods",
    )
    subcarriers: Annotated[Count | Literal["one_slot"], Quantity("Subcarriers")] = Field(
        default=10, description='number of subcarriers S; "one_slot": just enough for uploads of one slot'
    )
    subcarrier_spacing_hz: Annotated[Positive, Quantity("Subcarrier spacing", "Hz")] = Field(
        default=15e3, description="bandwidth W of one subcarrier [Hz]"
    )
    slot_s: Annotated[Positive, Quantity("Slot", "s")] = Field(default=1e-3, description="length T of a slot [s]")
    symbols_per_slot: Annotated[Count | Literal["as_printed"], Quantity("Symbols per slot")] = Field(
        default=1,
        description="complex symbols q on each subcarrier in a slot, at most W·T; each is a channel use. as_printed: "
        "as the A-FADMM paper prints its formulas, 1 for analog uploads and W·T for digital ones, at 1 use for both",
    )
    elements_per_symbol: Annotated[Literal[1, 2], Quantity("Elements per symbol")] = Field(
        default=1,
        description="analog uploads: model elements κ on a complex symbol: 1, on its real part, as in the A-FADMM "
        "paper, or 2, on real and imaginary part",
    )
    bits_per_element: Annotated[Count, Quantity("Bits per element", "bit")] = Field(
        default=32, description="digital uploads: bits per model element"
    )
    rate_gain: Literal["power", "amplitude"] = Field(
        default="power", description="digital uploads: |h|² in the Shannon rate, or |h| as the A-FADMM paper prints"
    )
    outage: Annotated[float, Field(ge=0, lt=1), Quantity("Outage")] = Field(
        default=0.0,
        description="digital uploads: share of the workers drawn for a round that are in outage, those who would need "
        "most slots: they are left out, and their part of the band goes to the others",
    )
    power_budget: Literal["per_subcarrier", "per_upload"] = Field(
        default="per_subcarrier",
        description="analog uploads: Σ|αx|² at most P for each symbol, on average, or at most P for all of them",
    )
    power_reference: Literal["subcarrier", "total"] = Field(
        default="subcarrier",
        description="the P of channel.snr_db: what a worker has for each of its subcarriers, or for all of them, among "
        "which it shares it equally",
    )
    noise_psd_w_per_hz: Annotated[Positive, Quantity("Noise power spectral density", "W/Hz")] = Field(
        default=1e-9, description="noise power spectral density N0 [W/Hz]"
    )
    inversion_threshold: Annotated[Positive, Quantity("Inversion threshold ε", symbol="$\\varepsilon$")] = Field(
        default=1e-6, description="truncated inversion: transmit where |h| ≥ this"
    )
    downlink: Literal["digital", "analog"] = Field(
        default="digital", description="A-FADMM: error-free broadcast, or the noisy analog one of (14), (15)"
    )
