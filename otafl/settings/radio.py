"""The keys of the radio channel and of the uplink that it carries."""

import dataclasses
import math
from typing import Annotated, Literal

from pydantic import Field

from channels.fading import FADING
from channels.precoding import PRECODERS
from otafl.settings.parameter import of_dataclass, of_package
from otafl.settings.types import (
    AboveZero,
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
    snr_db: Annotated[Decibels, Quantity("SNR", "dB", linear=True, symbol="SNR")] = Field(
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


for _name, _model in of_package().items():
    for _field in dataclasses.fields(_model):
        Channel.__pydantic_fields__[_field.name] = of_dataclass(_name, _field)
Channel.model_rebuild(force=True)


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
    code: Literal["shannon", "normal", "nr"] = Field(
        default="shannon",
        description="digital uploads: codes that reach capacity and never fail; codewords of an upload's length at "
        "uplink.block_error, in the normal approximation; or 5G NR's modulation and coding, from -2 dB on",
    )
    block_error: Annotated[float, Field(gt=0, lt=1), Quantity("Block error")] = Field(
        default=1e-3,
        description="code normal: probability ε that an upload is not decoded, and sent once more; nr: most blocks of "
        "those sent that may fail",
    )
    quantiser: Literal["none", "qsgd"] = Field(
        default="none",
        description="digital uploads: none: elements arrive as they are, whatever uplink.bits_per_element; qsgd: "
        "rounded at random to so many bits, without bias, beside 32 bits for the norm of each vector",
    )
    allocation: Literal["equal", "min_makespan", "proportional_fair"] = Field(
        default="equal",
        description="digital uploads: how workers share the band: equally; so that all end at once; or so that the "
        "product of their rates is largest",
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
    inversion_threshold: Annotated[
        AboveZero, between(1e-12, 1e12), Quantity("Inversion threshold ε", symbol="$\\varepsilon$")
    ] = Field(default=1e-6, description="truncated inversion: transmit where |h| ≥ this")
    precoder: Annotated[str, one_of(PRECODERS)] | None = Field(
        default=None,
        description="analog uploads, how a worker's gain h enters what it sends: fading: inverted at any power, as "
        "A-FADMM has it; truncated_inversion: silent where |h| < ε; average_inversion: the same with the budget kept "
        "on average over fading; phase_only: at one power; optimal_power: least error of a sum of independent "
        "elements; cotaf: scaled by a schedule of norms, not by what is sent; one_bit: signs and a majority vote; "
        "compressed: few measurements of the largest elements; left out, fading where a method weighs by gains, and "
        "truncated_inversion elsewhere",
    )
    update_norm: Annotated[Positive, Quantity("Update norm")] = Field(
        default=1.0,
        description="cotaf: norm of a worker's update that is expected in the first round, or for methods that weigh "
        "what workers send, such as FedAvg, of N times that, for equal weights its update; what is longer is "
        "shortened to it, and of several vectors, as FedVRA's two, each by itself",
    )
    update_norm_decay: Annotated[FromZero, between(0, 10), Quantity("Decay of the update norm", symbol="decay")] = (
        Field(
            default=0.5,
            description="cotaf: exponent a with which the expected norm falls from round to round, as t^(-a)",
        )
    )
    compression_ratio: Annotated[float, Field(gt=0, le=1), Quantity("Compression ratio", symbol="$s/d$")] = Field(
        default=0.1, description="compressed: random measurements that are sent for each element of a vector; 1: itself"
    )
    sparsity: Annotated[float, Field(gt=0, le=1), Quantity("Sparsity", symbol="$k/d$")] = Field(
        default=0.05,
        description="compressed: share of the elements of a vector, the largest, that are measured; message passing "
        "finds sums of at most 0.10 elements for each measurement at a ratio of 0.1, and 0.20 at 0.5",
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
    downlink: Literal["digital", "analog"] = Field(
        default="digital",
        description="error-free broadcast; or with analog uploads and all workers in every round a noisy analog one at "
        "the power of a worker, as (14) and (15) of the A-FADMM paper have it",
    )
