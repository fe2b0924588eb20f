"""The keys of the radio channel and of the uplink that it carries."""

import math
from typing import Annotated, Literal

from pydantic import Field

from channels.allocation import ALLOCATIONS
from channels.codes import CODES
from channels.fading import FADING
from channels.power_control import POWER_CONTROLS
from channels.precoding import PRECODERS
from otafl.compressors import COMPRESSORS
from otafl.receivers import RECEIVERS
from otafl.schemes import SCHEMES
from otafl.settings.part_keys import add_to, choices
from otafl.settings.types import (
    ALWAYS,
    VECTORISED,
    Count,
    Decibels,
    FromZero,
    Metres,
    NotNegative,
    Positive,
    Seconds,
    Table,
    WholeOrInfinite,
    between,
    one_of,
)
from otafl.variables import Quantity

MOST_PILOTS, MOST_ANTENNAS = 10**6, 4096


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
    coherence_s: Annotated[Seconds | None, Quantity("Coherence time", "s")] = Field(
        default=None,
        description="time for which the channel stays constant, in place of channel.coherence_iterations: an iteration "
        "then takes local.compute_s and the slots of its upload, and a digital upload may see several blocks [s]",
    )
    snr_db: Annotated[Decibels, Quantity("SNR", "dB", linear=True, symbol="SNR"), VECTORISED] = Field(
        default=40.0, description="SNR = P/(W·N0) of a worker on one subcarrier [dB]; inf: no noise"
    )
    pilots: Annotated[int, Field(ge=0, le=MOST_PILOTS), Quantity("Pilots", "symbol")] = Field(
        default=0,
        description="pilot symbols of each worker on each subcarrier in a coherence block, from which the channel is "
        "estimated, and which are charged; 0: everyone knows the channel, at no cost",
    )
    pilot_snr_db: Annotated[
        float, Field(ge=-100, le=300), Quantity("Pilot SNR", "dB", linear=True, symbol="pilot SNR")
    ] = Field(
        default=20.0, description="energy of a pilot symbol over N0, where a worker has the SNR of channel.snr_db [dB]"
    )
    phase_error_rad: Annotated[FromZero, between(0, 1e3), Quantity("Phase error", "rad", linear=True)] = Field(
        default=0.0,
        description="analog uploads: standard deviation of a worker's phase, new in each coherence block, of which "
        "nobody knows [rad]",
    )
    timing_error_s: Annotated[NotNegative, Quantity("Timing error", "s", linear=True)] = Field(
        default=0.0,
        description="analog uploads: largest delay of a worker, uniform up to it in both directions, new in each "
        "coherence block; beyond half the cyclic prefix of 0.07/W symbols and subcarriers mix [s]",
    )


class Cell(Table, frozen=True):
    """The base station, with the server behind it, and the workers around it."""

    radius_m: Annotated[Metres | None, Quantity("Cell radius", "m", symbol="$R$")] = Field(
        default=None,
        description="outer radius of the ring in whose area workers are uniform [m]; left out, all have the same mean "
        "path gain",
    )
    inner_radius_m: Annotated[Metres, Quantity("Inner radius", "m")] = Field(
        default=10.0, description="inner radius of the ring [m]"
    )
    path_loss_db: Annotated[float, Field(ge=0, le=300), Quantity("Path loss at 1 m", "dB")] = Field(
        default=30.0, description="path loss at a distance of 1 m [dB]"
    )
    path_loss_exponent: Annotated[float, Field(ge=0, le=10), Quantity("Path loss exponent", symbol="$n$")] = Field(
        default=3.0, description="10 times this is the path loss of a decade of distance [dB]"
    )
    shadowing_db: Annotated[float, Field(ge=0, le=50), Quantity("Shadowing", "dB", linear=True, symbol="shadowing")] = (
        Field(default=0.0, description="standard deviation of log-normal shadowing, independent for each worker [dB]")
    )
    most_loss_db: Annotated[Positive | None, Quantity("Largest coupling loss", "dB", linear=True)] = Field(
        default=None,
        description="places with a larger path loss, shadowing included, are not covered, and have no workers [dB]; "
        "left out, all are",
    )
    snr_at: Literal["edge", "median", "link_budget"] = Field(
        default="edge",
        description="where a worker has the SNR of channel.snr_db: at the outer radius, or at the median path gain of "
        "the area, shadowing left aside; or the SNR at the latter follows from the link budget",
    )
    transmit_power_dbm: Annotated[float, Field(ge=-50, le=80), Quantity("Transmit power", "dBm", linear=True)] = Field(
        default=23.0, description="link budget: power of a worker, over all its subcarriers [dBm]"
    )
    noise_figure_db: Annotated[float, Field(ge=0, le=50), Quantity("Noise figure", "dB", linear=True)] = Field(
        default=5.0, description="link budget: noise figure of the receiver, over thermal noise of -174 dBm/Hz [dB]"
    )
    antennas: Annotated[int, Field(ge=1, le=MOST_ANTENNAS), Quantity("Antennas")] = Field(
        default=1, description="antennas M of the server; digital uploads are received by maximum-ratio combining"
    )
    worker_antennas: Annotated[int, Field(ge=1, le=MOST_ANTENNAS), Quantity("Antennas of a worker")] = Field(
        default=1, description="antennas of each worker, which transmits by maximum ratio"
    )


class Uplink(Table, frozen=True):
    """How uploads are carried, and what they cost."""

    kind: Annotated[Annotated[str, Field(min_length=1)] | None, ALWAYS] = Field(
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
    slot_s: Annotated[Seconds, Quantity("Slot", "s")] = Field(default=1e-3, description="length T of a slot [s]")
    symbols_per_slot: Annotated[Count | Literal["as_printed"], Quantity("Symbols per slot")] = Field(
        default=1,
        description="complex symbols q on each subcarrier in a slot, at most W·T/1.07, as each has a cyclic prefix of "
        "0.07/W; each is a channel use. as_printed: as the A-FADMM paper prints its formulas, 1 for analog uploads and "
        "W·T, without room for prefixes, for digital ones, at 1 use for both",
    )
    elements_per_symbol: Annotated[Literal[1, 2], Quantity("Elements per symbol")] = Field(
        default=1,
        description="analog uploads: model elements κ on a complex symbol: 1, on its real part, as in the A-FADMM "
        "paper, or 2, on real and imaginary part",
    )
    bits_per_element: Annotated[Count, Quantity("Bits per element", "bit")] = Field(
        default=32, description="digital uploads: bits per model element"
    )
    scheme: Annotated[str, one_of(SCHEMES)] | None = Field(
        default=None,
        description="a published combination of compressor, precoder, power control and receiver, in place of these "
        f"keys: {', '.join(SCHEMES)}",
    )
    compressor: Annotated[str, one_of(COMPRESSORS)] = Field(
        default="none", description=choices("part of a worker's vector that is sent", COMPRESSORS)
    )
    precoder: Annotated[str, one_of(PRECODERS)] | None = Field(
        default=None,
        description=choices("analog uploads: factor of a worker's gain h in its signal", PRECODERS)
        + "; left out, inversion in full where a method weighs by gains, and truncated elsewhere",
    )
    power_control: Annotated[str, one_of(POWER_CONTROLS)] = Field(
        default="common", description=choices("analog uploads: transmit power of workers", POWER_CONTROLS)
    )
    receiver: Annotated[str, one_of(RECEIVERS)] = Field(
        default="mean_of_active", description=choices("the server's estimate of the sum", RECEIVERS)
    )
    code: Annotated[str, one_of(CODES)] = Field(default="shannon", description=choices("digital uploads: code", CODES))
    allocation: Annotated[str, one_of(ALLOCATIONS)] = Field(
        default="equal", description=choices("digital uploads: workers' shares of the band", ALLOCATIONS)
    )
    rate_gain: Literal["power", "amplitude"] = Field(
        default="power", description="digital uploads: |h|² in the Shannon rate, or |h| as the A-FADMM paper prints"
    )
    outage: Annotated[float, Field(ge=0, lt=1), Quantity("Outage")] = Field(
        default=0.0,
        description="digital uploads: share of the workers drawn for a round that are in outage, those who would need "
        "most slots: they are left out, and their part of the band goes to the others",
    )
    power_budget: Annotated[Literal["per_subcarrier", "per_upload"], VECTORISED] = Field(
        default="per_subcarrier",
        description="analog uploads: Σ|αx|² at most P for each symbol, on average, or at most P for all of them",
    )
    power_reference: Literal["subcarrier", "total"] = Field(
        default="subcarrier",
        description="the P of channel.snr_db: what a worker has for each of its subcarriers, or for all of them, among "
        "which it shares it equally",
    )
    noise_psd_w_per_hz: Annotated[Positive, Quantity("Noise power spectral density", "W/Hz"), VECTORISED] = Field(
        default=1e-9, description="noise power spectral density N0 [W/Hz]"
    )
    combiner: Literal["first", "principal", "max_min", "sum"] = Field(
        default="max_min",
        description="analog uploads to a server with several antennas, whose combiner all workers share: its first "
        "antenna alone; the direction of most power; the best for the weakest worker; or the sum of all channels, with "
        "workers that know nothing of theirs",
    )
    peak_backoff_db: Annotated[
        float, between(-20, 300, or_infinite=True), Quantity("Peak back-off", "dB", linear=True)
    ] = Field(
        default=math.inf,
        description="analog uploads: peak power of a worker's amplifier, which clips beyond it, over the mean power of "
        "its upload [dB]; inf: nothing is clipped",
    )
    charge_side_information: bool = Field(
        default=False,
        description="analog uploads: charge what workers tell the server, as digital uploads on subcarriers of their "
        "own: a scaling factor for each upload, and where no pilots are sent, in each block |h|² of every subcarrier, "
        "or a bit for whether they are silent there",
    )
    downlink: Annotated[Literal["digital", "analog"], ALWAYS] = Field(
        default="digital",
        description="error-free broadcast; or with analog uploads and all workers in every round a noisy analog one at "
        "the power of a worker, as (14) and (15) of the A-FADMM paper have it",
    )


add_to(Channel, "channel")
add_to(Uplink, "uplink")
