"""Tapped delay lines of 3GPP: taps with delays and mean powers, and so correlated neighbouring subcarriers.

Source: 3GPP TR 38.901, section 7.7.2, tables 7.7.2-1 to 7.7.2-5, and section 7.7.3 for the delays.
"""

from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np

from ..array_types import AntennaGains
from ..random_streams import persistent
from ..registry import parameter
from . import plane_waves
from .fading_model import Realisation, register
from .interpolation import interpolated
from .layout import Layout
from .plane_waves import Motion, Waves

Model = Literal["A", "B", "C", "D", "E"]
MODELS = get_args(Model)
SIGHT = "A, B, C without, D, E with line of sight"
DELAYS = {
    "A": "0 .3819 .4025 .5868 .461 .5375 .6708 .575 .7618 1.5375 1.8978 2.2242 2.1718 2.4942 2.5119 3.0582 4.081 "
    "4.4579 4.5695 4.7966 5.0066 5.3043 9.6586",
    "B": "0 .1072 .2155 .2095 .287 .2986 .3752 .5055 .3681 .3697 .57 .5283 1.1021 1.2756 1.5474 1.7842 2.0169 2.8294 "
    "3.0219 3.6187 4.1067 4.279 4.7834",
    "C": "0 .2099 .2219 .2329 .2176 .6366 .6448 .656 .6584 .7935 .8213 .9336 1.2285 1.3083 2.1704 2.7105 4.2589 "
    "4.6003 5.4902 5.6077 6.3065 6.6374 7.0427 8.6523",
    "D": "0 .035 .612 1.363 1.405 1.804 2.596 1.775 4.042 7.937 9.424 9.708 12.525",
    "E": "0 .5133 .544 .563 .544 .7112 1.9092 1.9293 1.9589 2.6426 3.7136 5.4524 12.0034 20.6519",
}
"""Delays of the taps over the delay spread, by delay line."""
POWERS_DB = {
    "A": "-13.4 0 -2.2 -4 -6 -8.2 -9.9 -10.5 -7.5 -15.9 -6.6 -16.7 -12.4 -15.2 -10.8 -11.3 -12.7 -16.2 -18.3 -18.9 "
    "-16.6 -19.9 -29.7",
    "B": "0 -2.2 -4 -3.2 -9.8 -1.2 -3.4 -5.2 -7.6 -3 -8.9 -9 -4.8 -5.7 -7.5 -1.9 -7.6 -12.2 -9.8 -11.4 -14.9 -9.2 "
    "-11.3",
    "C": "-4.4 -1.2 -3.5 -5.2 -2.5 0 -2.2 -3.9 -7.4 -7.1 -10.7 -11.1 -5.1 -6.8 -8.7 -13.2 -13.9 -13.9 -15.8 -17.1 "
    "-16 -15.7 -21.6 -22.8",
    "D": "-13.5 -18.8 -21 -22.8 -17.9 -20.1 -21.9 -22.9 -27.8 -23.6 -24.8 -30 -27.7",
    "E": "-22.03 -15.8 -18.1 -19.8 -22.9 -22.4 -18.6 -20.8 -22.6 -22.3 -25.6 -20.2 -29.8 -29.2",
}
"""Mean powers of the fading taps, by delay line [dB]."""
LINE_OF_SIGHT_DB = {"D": -0.2, "E": -0.03}
"""Power of the line of sight at delay 0, by delay line [dB]."""
LINE_OF_SIGHT_SHIFT = 0.7
"""Doppler shift of the line of sight over the largest Doppler shift."""

DELAY_SPREAD = {
    "description": "delay lines: root mean square delay spread [s]",
    "unit": "s",
    "symbol": "delay spread",
    "ge": 0,
    "le": 1,
}


class Profile(NamedTuple):
    """Power delay profile of a tapped delay line: delays over the delay spread, and linear powers that add up to 1."""

    delays: np.ndarray
    powers: np.ndarray
    line_of_sight: float


def profile(model: Model) -> Profile:
    """Return the power delay profile of a 3GPP delay line, "A" to "E"."""
    delays, powers = (np.array(table[model].split(), float) for table in (DELAYS, POWERS_DB))
    powers, direct = 10 ** (powers / 10), 10 ** (LINE_OF_SIGHT_DB[model] / 10) if model in LINE_OF_SIGHT_DB else 0.0
    total = powers.sum() + direct
    return Profile(delays, powers / total, direct / total)


@register("tdl")
@dataclass(frozen=True)
class TdlFading(Motion):
    """Tapped delay line of 3GPP, h(f) = Σ_l √p_l·g_l·e^(-j2πf·τ_l), with Clarke's fading of each tap.

    Tap l has the mean power p_l, the gain g_l and the delay τ_l; f is the frequency. Taps are independent between
    workers and antennas; D and E have a line of sight.
    """

    tdl_model: Model = parameter("C", f"tapped delay line of TR 38.901: {SIGHT}", choices=MODELS)
    delay_spread_s: float = parameter(300e-9, **DELAY_SPREAD)
    correlated: ClassVar[bool] = True
    moves: ClassVar[bool] = True

    @property
    def rayleigh(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """True for delay lines without a line of sight."""
        return self.tdl_model not in LINE_OF_SIGHT_DB

    def realise(self, layout: Layout, seed: np.random.SeedSequence) -> Realisation:
        taps, rng = profile(self.tdl_model), persistent(seed)
        drawn = plane_waves.draw(rng, (*layout.links, len(taps.delays)))
        direct = np.sqrt(taps.line_of_sight) * np.exp(1j * plane_waves.in_sight(rng, layout))
        waves, delays_s = Waves(drawn, self.periods(layout)), taps.delays * self.delay_spread_s
        return _Taps(waves, np.sqrt(taps.powers), direct, delays_s, layout.spacing_hz, self.doppler_hz)


@dataclass
class _Taps(Realisation):
    waves: Waves
    amplitudes: np.ndarray
    direct: np.ndarray
    delays_s: np.ndarray
    spacing_hz: float
    doppler_hz: float
    turned: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    """Amplitudes of the taps on the subcarriers of the last call. Shape [taps, subcarriers]."""

    def gains(self, block: int, subcarriers: int) -> AntennaGains:
        if self.turned.shape[1] != subcarriers:
            self.turned = self._turned(subcarriers)
        taps = self.waves.gains(block)
        summed = (taps.reshape(-1, taps.shape[-1]) @ self.turned).reshape(*taps.shape[:-1], -1)
        return self._with_direct(summed, self._shift(block))

    def moving(self, block: int, subcarriers: int, step_s: float, steps: np.ndarray) -> np.ndarray:
        def gains(times_s: np.ndarray) -> np.ndarray:
            taps = np.moveaxis(self.waves.within(block, self.doppler_hz * times_s), 0, 2)
            return taps @ self._turned(subcarriers).astype(np.complex64)

        shift = self._shift(block) + LINE_OF_SIGHT_SHIFT * self.doppler_hz * step_s * steps[:, None, :, None]
        return self._with_direct(interpolated(gains, step_s * steps, self.doppler_hz), shift)

    def _shift(self, block: int) -> float:
        """Return the periods by which the line of sight has turned before a block."""
        return LINE_OF_SIGHT_SHIFT * self.waves.periods * block if block else 0.0

    def _with_direct(self, gains: np.ndarray, shift: float | np.ndarray) -> np.ndarray:
        """Return gains with the line of sight, which has turned by some periods."""
        if not self.direct.any():
            return gains
        direct = np.expand_dims(self.direct, tuple(range(2, gains.ndim - 1)))
        return gains + direct * np.exp(2j * np.pi * shift)

    def echoes(self, block: int, times_s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        taps = self.waves.within(block, self.doppler_hz * times_s).astype(complex)
        gains = self.amplitudes[:, None] * np.moveaxis(taps, 0, -1)
        if self.direct.any():
            shift = self._shift(block) + LINE_OF_SIGHT_SHIFT * self.doppler_hz * times_s
            gains[..., self.delays_s == 0, :] += (self.direct * np.exp(2j * np.pi * shift))[..., None, :]
        return gains, np.broadcast_to(self.delays_s, (len(gains), len(self.delays_s)))

    def _turned(self, subcarriers: int) -> np.ndarray:
        turned = np.exp(-2j * np.pi * np.outer(self.delays_s, self.spacing_hz * np.arange(subcarriers)))
        return self.amplitudes[:, None] * turned

    def memory(self, subcarriers: int, blocks: float) -> float:
        return float(plane_waves.TAKEN * np.prod(self.waves.shape))
