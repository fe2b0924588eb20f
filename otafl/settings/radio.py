"""Keys of the tables channel, cell and uplink: the radio."""

import math
from typing import Annotated, Literal

from pydantic import Field

from channels.allocation import ALLOCATIONS
from channels.codes import CODES
from channels.combiners import COMBINERS
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
    """Radio channel between workers and server.

    Table ``channel`` of scenario keys: fading, coherence, SNR, pilots, errors of phase and timing.

    Gains stay for ``coherence_iterations``, or for ``coherence_s`` if given. SNR is P/(W·N0) of a worker on a
    subcarrier. In a block a worker sends ``pilots`` symbols on each subcarrier (0: all know the channel), of energy
    ``pilot_snr_db`` over N0. The phase error is a standard deviation, the timing error the largest delay.
    """

    fading: Annotated[str, one_of(FADING)] = Field(
        default="rayleigh", description=f"Fading of every worker and subcarrier: {', '.join(FADING)}"
    )
    coherence_iterations: Annotated[WholeOrInfinite, Quantity("Coherence", "iteration")] = 10.0
    """Iterations for which the channel stays constant; inf: it never changes. With 1, A-FADMM only flips duals and
    never trains."""
    coherence_s: Annotated[Seconds | None, Quantity("Coherence time", "s")] = None
    """Time for which the channel stays constant, in place of channel.coherence_iterations [s]. An iteration then lasts
    as the result variable time says, and a digital upload may see several blocks."""
    snr_db: Annotated[Decibels, Quantity("SNR", "dB", linear=True, symbol="SNR"), VECTORISED] = 40.0
    """SNR = P/(W·N0) of a worker on one subcarrier [dB]; inf: no noise."""
    pilots: Annotated[int, Field(ge=0, le=MOST_PILOTS), Quantity("Pilots", "symbol")] = 0
    """Pilot symbols of each worker on each subcarrier in a coherence block. The channel is estimated from them, and
    they are charged. 0: all know the channel, at no cost."""
    pilot_snr_db: Annotated[
        float, Field(ge=-100, le=300), Quantity("Pilot SNR", "dB", linear=True, symbol="pilot SNR")
    ] = 20.0
    """Energy of a pilot symbol over N0, for a worker with the SNR of channel.snr_db [dB]."""
    phase_error_rad: Annotated[FromZero, between(0, 1e3), Quantity("Phase error", "rad", linear=True)] = 0.0
    """Analog uploads: standard deviation of a worker's unknown phase, new in each coherence block [rad]."""
    timing_error_s: Annotated[NotNegative, Quantity("Timing error", "s", linear=True)] = 0.0
    """Analog uploads: largest delay of a worker, uniform in both directions, new in each coherence block [s]. Beyond
    half the cyclic prefix of 0.07/W, symbols and subcarriers mix."""


class Cell(Table, frozen=True):
    """Base station with the server, and workers around it.

    Table ``cell`` of scenario keys: ring of the workers, path loss, link budget, antennas.

    Workers are uniform in a ring of ``inner_radius_m`` to ``radius_m`` (None: equal mean gains), where the loss is at
    most ``most_loss_db``. Path loss is ``path_loss_db`` at 1 m; shadowing is a standard deviation. ``snr_at``: place of
    a worker with ``channel.snr_db``, or "link_budget", by the power of a worker on all subcarriers.
    """

    radius_m: Annotated[Metres | None, Quantity("Cell radius", "m", symbol="$R$")] = None
    """Outer radius of a ring, in whose area workers are uniform [m]; left out, all have the same mean path gain."""
    inner_radius_m: Annotated[Metres, Quantity("Inner radius", "m")] = 10.0
    """Inner radius of the ring [m]."""
    path_loss_db: Annotated[float, Field(ge=0, le=300), Quantity("Path loss at 1 m", "dB")] = 30.0
    """Path loss at a distance of 1 m [dB]."""
    path_loss_exponent: Annotated[float, Field(ge=0, le=10), Quantity("Path loss exponent", symbol="$n$")] = 3.0
    """Path loss exponent: path loss grows by 10 times the exponent in a decade of distance [dB]."""
    shadowing_db: Annotated[float, Field(ge=0, le=50), Quantity("Shadowing", "dB", linear=True, symbol="shadowing")] = (
        0.0
    )
    """Standard deviation of log-normal shadowing, independent for each worker [dB]."""
    most_loss_db: Annotated[Positive | None, Quantity("Largest coupling loss", "dB", linear=True)] = None
    """Largest path loss, shadowing included, of a place with coverage; others have no workers [dB]. Left out: all
    places."""
    snr_at: Literal["edge", "median", "link_budget"] = "edge"
    """Place of a worker with the SNR of channel.snr_db. edge: at the outer radius. median: at the median path gain of
    the area, shadowing left aside. link_budget: at the median, too, but the SNR follows from the link budget."""
    transmit_power_dbm: Annotated[float, Field(ge=-50, le=80), Quantity("Transmit power", "dBm", linear=True)] = 23.0
    """Link budget: transmit power of a worker over all its subcarriers [dBm]."""
    noise_figure_db: Annotated[float, Field(ge=0, le=50), Quantity("Noise figure", "dB", linear=True)] = 5.0
    """Link budget: noise figure of the receiver, over thermal noise of -174 dBm/Hz [dB]."""
    antennas: Annotated[int, Field(ge=1, le=MOST_ANTENNAS), Quantity("Antennas")] = 1
    """Antennas M of the server; digital uploads are received by maximum-ratio combining."""
    worker_antennas: Annotated[int, Field(ge=1, le=MOST_ANTENNAS), Quantity("Antennas of a worker")] = 1
    """Antennas of each worker, which transmits by maximum ratio."""


class Uplink(Table, frozen=True):
    """Carriers, parts and charges of uploads.

    Table ``uplink`` of scenario keys: kind of uplink, grid of subcarriers and slots, parts of its chain, power.

    Subcarriers have bandwidth W, ``subcarrier_spacing_hz``, and ``symbols_per_slot`` complex symbols in a slot T,
    ``slot_s``. An analog symbol carries ``elements_per_symbol`` of a model. Keys ``compressor`` to ``allocation`` name
    parts; a ``scheme`` stands for those up to ``receiver``. A share ``outage`` of the drawn workers is left out. The
    power budget is for each symbol or a whole upload, and the SNR's power is that on a subcarrier or in total. Beyond
    ``peak_backoff_db`` over mean power an amplifier clips.
    """

    kind: Annotated[Annotated[str, Field(min_length=1)] | None, ALWAYS] = None
    """Kind of uplink: "analog", "digital" or "ideal", over which all arrives exactly, at no cost. Left out: the kind
    that the method fixes, "digital" for federated methods."""
    subcarriers: Annotated[Count | Literal["one_slot"], Quantity("Subcarriers")] = 10
    """Number of subcarriers S; "one_slot": just enough for uploads of one slot."""
    subcarrier_spacing_hz: Annotated[Positive, Quantity("Subcarrier spacing", "Hz")] = 15e3
    """Bandwidth W of one subcarrier [Hz]."""
    slot_s: Annotated[Seconds, Quantity("Slot", "s")] = 1e-3
    """Length T of a slot [s]."""
    symbols_per_slot: Annotated[Count | Literal["as_printed"], Quantity("Symbols per slot")] = 1
    """Complex symbols q on each subcarrier in a slot; each is a channel use. At most W·T/1.07, as each has a cyclic
    prefix of 0.07/W. as_printed: as in the formulas of the A-FADMM paper, 1 for analog and W·T for digital uploads,
    without prefixes, at 1 use for both."""
    elements_per_symbol: Annotated[Literal[1, 2], Quantity("Elements per symbol")] = 1
    """Analog uploads: model elements κ on a complex symbol. 1: on its real part, as in the A-FADMM paper; 2: on real
    and imaginary part."""
    bits_per_element: Annotated[Count, Quantity("Bits per element", "bit")] = 32
    """Digital uploads: bits per model element."""
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
    rate_gain: Literal["power", "amplitude"] = "power"
    """Digital uploads: gain in the Shannon rate. power: |h|²; amplitude: |h|, as the A-FADMM paper prints it."""
    outage: Annotated[float, Field(ge=0, lt=1), Quantity("Outage")] = 0.0
    """Digital uploads: share of a round's drawn workers that are in outage, those that would need most slots. They are
    left out, and the others share their part of the band."""
    power_budget: Annotated[Literal["per_subcarrier", "per_upload"], VECTORISED] = "per_subcarrier"
    """Analog uploads: limit P on Σ|αx|². per_subcarrier: for each symbol on average; per_upload: for all symbols
    together."""
    power_reference: Literal["subcarrier", "total"] = "subcarrier"
    """Power P of channel.snr_db. subcarrier: on each subcarrier of a worker; total: on all of them, equally shared."""
    noise_psd_w_per_hz: Annotated[Positive, Quantity("Noise power spectral density", "W/Hz"), VECTORISED] = 1e-9
    """Noise power spectral density N0 [W/Hz]."""
    combiner: Annotated[str, one_of(COMBINERS)] = Field(
        default="max_min",
        description=choices("Analog uploads to several antennas: combiner, the same for all workers", COMBINERS),
    )
    peak_backoff_db: Annotated[
        float, between(-20, 300, or_infinite=True), Quantity("Peak back-off", "dB", linear=True)
    ] = math.inf
    """Analog uploads: peak power of a worker's amplifier over the mean power of its upload [dB]. Beyond the peak the
    amplifier clips; inf: it never does."""
    charge_side_information: bool = False
    """Analog uploads: charge for the workers' digital reports to the server, on separate subcarriers. Each upload
    needs the scaling factor. Without pilots, each block needs |h|² of every subcarrier, or a bit for silence there."""
    charge_downlink: bool = False
    """Count the slots of the broadcast in the result variable time, not in time_slots, which are the uplink's. All
    workers listen, and a digital broadcast goes at the rate of the weakest."""
    downlink: Annotated[Literal["digital", "analog"], ALWAYS] = "digital"
    """Downlink. digital: error-free broadcast. analog: noisy broadcast at the power of a worker, as in (14) and (15) of
    the A-FADMM paper; for analog uploads and all workers in every round."""


add_to(Channel, "channel")
add_to(Uplink, "uplink")
