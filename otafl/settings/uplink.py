"""Keys of the table uplink: carriers, parts and charges of uploads."""

import math
from typing import Annotated, Literal

from pydantic import Field

from otafl.channels.allocation import ALLOCATIONS
from otafl.channels.codes import CODES
from otafl.channels.combiners import COMBINERS
from otafl.channels.power_control import POWER_CONTROLS
from otafl.channels.precoding import PRECODERS
from otafl.compressors import COMPRESSORS
from otafl.metrics.result_variables import Quantity
from otafl.receivers import RECEIVERS
from otafl.schemes import SCHEMES
from otafl.settings.part_keys import add_to, choices
from otafl.settings.types import ALWAYS, OF_RADIO, Count, Positive, Seconds, Table, between, one_of


class Uplink(Table, frozen=True):
    """Carriers, parts and charges of uploads."""

    kind: Annotated[Annotated[str, Field(min_length=1)] | None, ALWAYS] = None
    """Kind of uplink: "analog", "digital" or "ideal", over which all arrives exactly, at no cost. Left out: the kind
    that the method fixes; for federated methods that of uplink.scheme, or else "digital"."""
    subcarriers: Annotated[Count | Literal["one_slot"], Quantity("Subcarriers")] = 10
    """Number of subcarriers S; "one_slot": just enough for uploads of one slot."""
    subcarrier_spacing_hz: Annotated[Positive, Quantity("Subcarrier spacing", "Hz")] = 15e3
    """Bandwidth W of one subcarrier [Hz]."""
    slot_s: Annotated[Seconds, Quantity("Slot", "s")] = 1e-3
    """Length T of a slot [s], at least that of a symbol, 1/W."""
    symbols_per_slot: Annotated[Count | Literal["as_printed"], Quantity("Symbols per slot")] = 1
    """Complex symbols q on each subcarrier in a slot; each is a channel use. At most W·T/1.07, as each has a cyclic
    prefix of 0.07/W. as_printed: as in the formulas of the A-FADMM paper, 1 for analog and W·T for digital uploads,
    without prefixes, at 1 use for both."""
    elements_per_symbol: Annotated[Literal[1, 2], Quantity("Elements per symbol")] = 1
    """Analog uploads: model elements κ on a symbol. 1: on its real part, as in the A-FADMM paper; 2: on both parts."""
    bits_per_element: Annotated[Count, Quantity("Bits per element", "bit")] = 32
    """Digital uploads: bits per model element. Without a compressor 32, sent in single precision, 16, in bfloat16, or
    for convex problems 64, in double precision; other numbers need a compressor that quantises, such as qsgd."""
    scheme: Annotated[str, one_of(SCHEMES)] | None = Field(
        default=None,
        description="Published combination of compressor, precoder, power control and receiver, in place of these "
        f"keys: {', '.join(SCHEMES)}",
    )
    compressor: Annotated[str, one_of(COMPRESSORS)] = Field(
        default="none", description=choices("Part of a worker's vector that is sent", COMPRESSORS)
    )
    precoder: Annotated[str, one_of(PRECODERS)] | None = Field(
        default=None,
        description=choices("Analog uploads: precoder, which sets a worker's signal by its gain h", PRECODERS)
        + ". Left out: full inversion where a method weighs by gains, else truncated inversion",
    )
    power_control: Annotated[str, one_of(POWER_CONTROLS)] = Field(
        default="common", description=choices("Analog uploads: transmit power of workers", POWER_CONTROLS)
    )
    receiver: Annotated[str, one_of(RECEIVERS)] = Field(
        default="mean_of_active", description=choices("The server's estimate of the sum", RECEIVERS)
    )
    code: Annotated[str, one_of(CODES)] = Field(default="shannon", description=choices("Digital uploads: code", CODES))
    allocation: Annotated[str, one_of(ALLOCATIONS)] = Field(
        default="equal", description=choices("Digital uploads: workers' shares of the band", ALLOCATIONS)
    )
    clip_norm: Annotated[Positive | None, Quantity("Largest norm of an update")] = None
    """FedAvg and its variants: largest 2-norm of a worker's update, which is shortened to it; left out, there is none.
    Of digital uploads the server clips all. Over the air workers clip their own, and Byzantine ones do not."""
    rate_gain: Literal["power", "amplitude"] = "power"
    """Digital uploads: gain in the Shannon rate. power: |h|²; amplitude: |h|, as the A-FADMM paper prints it."""
    outage: Annotated[float, Field(ge=0, lt=1), Quantity("Outage")] = 0.0
    """Digital uploads: share of a round's drawn workers that are in outage, those that would need most slots. They are
    left out, and the others share their part of the band."""
    power_budget: Annotated[Literal["per_subcarrier", "per_upload"], OF_RADIO] = "per_subcarrier"
    """Analog uploads: limit P on Σ|αx|². per_subcarrier: for each symbol on average; per_upload: for all together."""
    power_reference: Literal["subcarrier", "total"] = "subcarrier"
    """Power P of channel.snr_db. subcarrier: on each subcarrier of a worker; total: on all of them, equally shared."""
    noise_psd_w_per_hz: Annotated[Positive, Quantity("Noise power spectral density", "W/Hz"), OF_RADIO] = 1e-9
    """Noise power spectral density N0 [W/Hz]."""
    combiner: Annotated[str, one_of(COMBINERS)] = Field(
        default="max_min",
        description=choices("Analog uploads to several antennas: combiner, the same for all workers", COMBINERS),
    )
    peak_backoff_db: Annotated[
        float, between(-20, 300, or_infinite=True), Quantity("Peak back-off", "dB", linear=True)
    ] = math.inf
    """Analog uploads: peak over mean power of an upload, beyond which a worker's amplifier clips [dB]; inf: never."""
    charge_side_information: bool = False
    """Analog uploads: charge for the workers' digital reports to the server, on separate subcarriers. Each upload
    needs the scaling factor. Without pilots, each block needs |h|² of every subcarrier, or a bit for silence there."""
    charge_downlink: bool = False
    """Count the slots of the broadcast in the result variable time, not in time_slots, which are the uplink's. All
    workers listen, and a digital broadcast goes at the rate of the weakest."""
    downlink: Annotated[Literal["digital", "analog"], ALWAYS] = "digital"
    """Downlink. digital: error-free broadcast. analog: noisy broadcast at the power of a worker, as in (14) and (15) of
    the A-FADMM paper; for analog uploads and all workers in every round."""


add_to(Uplink, "uplink")
