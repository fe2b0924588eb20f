"""Keys of the table channel: the radio channel between workers and server."""

from typing import Annotated, Literal

from pydantic import Field

from otafl.channels.fading import FADING
from otafl.channels.imperfections import Estimator
from otafl.metrics.result_variables import Quantity
from otafl.settings.part_keys import add_to
from otafl.settings.types import (
    OF_RADIO,
    Decibels,
    FromZero,
    NotNegative,
    Seconds,
    Table,
    WholeOrInfinite,
    between,
    one_of,
)

MOST_PILOTS = 10**6


class Channel(Table, frozen=True):
    """Radio channel between workers and server."""

    fading: Annotated[str, one_of(FADING)] = Field(
        default="rayleigh", description=f"Fading of every worker and subcarrier: {', '.join(FADING)}"
    )
    coherence_iterations: Annotated[WholeOrInfinite, Quantity("Coherence", "iteration")] = 10.0
    """Iterations for which the channel stays constant; inf: it never changes. With 1, A-FADMM never trains."""
    coherence_s: Annotated[Seconds | None, Quantity("Coherence time", "s")] = None
    """Time for which the channel stays constant, in place of channel.coherence_iterations [s]. An iteration then lasts
    as the result variable time says, and a digital upload may see several blocks."""
    snr_db: Annotated[Decibels, Quantity("SNR", "dB", linear=True, symbol="SNR"), OF_RADIO] = 40.0
    """SNR = P/(W·N0) of a worker on one subcarrier [dB]; inf: no noise."""
    symbol_snr_db: Annotated[Decibels | None, Quantity("Symbol SNR", "dB", linear=True, symbol="symbol SNR")] = None
    """SNR of a symbol, given in place of channel.snr_db: energy P·T/q over N0 [dB], q symbols in a slot of length T."""
    noise: Literal["gaussian", "alpha_stable"] = "gaussian"
    """Analog uploads: noise of the server's receiver. gaussian: complex normal. alpha_stable: isotropic complex and
    heavy-tailed, a normal sample times the root of a positive stable number, which all antennas have in common."""
    noise_alpha: Annotated[float, Field(gt=1, le=2), Quantity("Stability of noise", symbol=r"$\alpha$")] = 1.5
    """Noise alpha_stable: exponent α of its tails; with 2 it is normal, of variance N0/T for a symbol of length T.
    Below 2 the variance is infinite, and the scale is that of 2."""
    pilots: Annotated[int, Field(ge=0, le=MOST_PILOTS), Quantity("Pilots", "symbol")] = 0
    """Pilot symbols of each worker on each subcarrier in a coherence block. The channel is estimated from them, and
    they are charged. 0: all know the channel, at no cost."""
    pilot_snr_db: Annotated[
        float, Field(ge=-100, le=300), Quantity("Pilot SNR", "dB", linear=True, symbol="pilot SNR")
    ] = 20.0
    """Energy of a pilot symbol over N0, for a worker with the SNR of channel.snr_db [dB]."""
    estimator: Annotated[Estimator, Quantity("Estimator")] = "mmse"
    """Estimate of the channel from pilots: of least mean square error, which takes the mean gain of each worker as
    known, or of least squares, for analog uploads, which does not."""
    phase_error_rad: Annotated[FromZero, between(0, 1e3), Quantity("Phase error", "rad", linear=True)] = 0.0
    """Analog uploads: standard deviation of a worker's unknown phase, new in each coherence block, or in each upload
    where gains or carriers change within it [rad]."""
    timing_error_s: Annotated[NotNegative, Quantity("Timing error", "s", linear=True)] = 0.0
    """Analog uploads: largest delay of a worker, uniform in both directions, new with channel.phase_error_rad [s].
    Beyond half the cyclic prefix of 0.07/W, symbols and subcarriers mix."""
    carrier_offset_hz: Annotated[FromZero, between(0, 1e6), Quantity("Carrier offset", "Hz", linear=True)] = 0.0
    """Standard deviation of a worker's carrier frequency offset [Hz]. The phase turns from symbol to symbol, and
    subcarriers mix."""
    carrier_offset_ppm: Annotated[FromZero, between(0, 1e3), Quantity("Carrier offset", "ppm", linear=True)] = 0.0
    """Standard deviation of the offset in millionths of channel.carrier_hz, in place of channel.carrier_offset_hz."""
    carrier_offset_law: Literal["normal", "uniform"] = "normal"
    """Law of offsets around 0. uniform: up to √3 times the standard deviation, either way."""
    carrier_offset_drawn: Literal["once", "each_upload"] = "once"
    """once: offsets are constant for a run; each_upload: new in each, as workers synchronise again."""
    linewidth_hz: Annotated[FromZero, between(0, 1e6), Quantity("Linewidth", "Hz", linear=True)] = 0.0
    """Linewidth β of each worker's oscillator, whose phase is a random walk of variance 2πβt [Hz]."""
    server_linewidth_hz: Annotated[FromZero, between(0, 1e6), Quantity("Server's linewidth", "Hz", linear=True)] = 0.0
    """Linewidth of the server's oscillator, whose phase all workers have in common [Hz]."""
    pilot_period_slots: Annotated[
        int, Field(ge=0, le=MOST_PILOTS), Quantity("Period of pilots", "slot", linear=True)
    ] = 0
    """Slots of data from the pilots of an upload to the next, where gains or phases change within it. Each time workers
    send channel.pilots, which are charged in every upload; without these, all are known at no cost. Digital uploads
    need a period. 0: pilots come once, before an upload."""
    between_pilots: Literal["hold", "linear"] | None = None
    """Estimate of a gain at a symbol. hold: that of the last pilots, by default in analog uploads. linear: in analog
    uploads, before which workers must know it, the phase goes on as between the last two pilots; in digital ones, where
    it is the default, phase and gain are on the lines between the pilots before and after."""
    csi_delay_s: Annotated[FromZero, between(0, 1), Quantity("Delay of CSI", "s", linear=True)] = 0.0
    """Analog uploads: least time from a worker's pilots to the symbols that it precodes by them [s], in which the
    server estimates gains and tells the worker. Data are that much later, and gains and carriers go on changing."""
    evolves: Literal["by_block", "by_symbol"] = "by_block"
    """Moving workers: gains change from one coherence block to the next, or also from symbol to symbol of an upload.
    What windows lose, and what a digital receiver expects between pilots, is that of waves from all directions, which
    for cdl, umi, uma and rma is an approximation."""


add_to(Channel, "channel")
