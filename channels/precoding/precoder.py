"""Interface of precoders, and their registry."""

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Literal, Self

import numpy as np

from ..array_types import Gains, MeanGains, PowerGains
from ..receive_scaling import AsReceived, ReceiveScaling
from ..registry import Part, Registry

SideInformation = Literal["", "silence", "gains"]
"""Side information of workers for the server: none, whether each is silent, or |h|² of each."""


class Precoder(Part):
    """Base of precoders: complex factor p of a worker from its own complex gain h.

    A worker transmits p·c for a real contribution c to the sum; p and h differ by subcarrier. Closed forms of |p|² and
    Re{h·p} stand beside the factor, since programs have no complex numbers.
    """

    exact: ClassVar[bool] = False
    """True where h·p = 1: with perfect CSI every contribution arrives unchanged."""
    truncates: ClassVar[bool] = False
    """True where a worker is silent in a deep fade."""
    phase_only: ClassVar[bool] = False
    """True where |p| = 1: precoding compensates phases alone."""
    by_gains: ClassVar[bool] = True
    """True where the factor depends on gains of a coherence block, of which workers then need to know."""
    asks: ClassVar[SideInformation] = ""
    """Side information of workers that the receive scaling needs: none, "silence" of each, or its "gains" |h|²."""

    @property
    def aligns(self) -> bool:
        """True where ``arrival`` has a closed form, as phases are compensated."""
        return type(self).arrival is not Precoder.arrival

    @property
    def receive_scaling(self) -> ReceiveScaling:
        """Receive scaling that estimates the sum over all workers."""
        return AsReceived()

    def calibrated(self, mean: MeanGains | float) -> Self:
        """Return the precoder for workers of some mean power gains over fading."""
        return self

    def coefficients(self, h: Gains) -> Gains:
        """Return the complex factors p on contributions. Shape of h, [..., workers, subcarriers]."""
        raise NotImplementedError

    def power(self, gain: PowerGains) -> PowerGains:
        """Return the power per squared contribution |p|², in the precision of the gain |h|²; 0: a silent worker."""
        raise NotImplementedError

    def arrival(self, gain: PowerGains) -> PowerGains:
        """Return the factor Re{h·p} with which a contribution arrives under perfect CSI, in the precision of |h|²."""
        raise NotImplementedError

    def mean_power(self, mean: MeanGains) -> MeanGains:
        """Return the mean of |p|² over Rayleigh fading; infinite where it does not exist, as by default."""
        return np.full_like(mean, np.inf)

    def most_power(self) -> float:
        """Return the largest power per squared contribution, |p|², over all gains; infinite by default."""
        return np.inf

    def contradiction(self, control: Callable[[Self], "Precoder"] = lambda precoder: precoder) -> str:
        """Return how the closed forms contradict the factor on drawn gains, the end of a message; or empty."""
        h = np.random.default_rng(0).standard_normal((*PROBED, 2)).view(complex)[..., 0]
        try:
            made = control(self).calibrated(MEANS)
            factors = np.asarray(made.coefficients(h), complex)
            power = np.asarray(made.power(abs(h) ** 2), float)
            arrival = np.asarray(made.arrival(abs(h) ** 2), float) if made.aligns else (h * factors).real
        except NotImplementedError:
            return "must have the functions coefficients, power and arrival"
        except Exception as error:  # whatever a user's code raises
            said = f"{type(error).__name__}: {error}".splitlines()[0]
            step = traceback.extract_tb(error.__traceback__)[-1]
            return f"fails on drawn gains: {said} ({Path(step.filename).name}, line {step.lineno})"
        for name, closed, drawn in (("power", power, abs(factors) ** 2), ("arrival", arrival, (h * factors).real)):
            if closed.shape != h.shape or not np.allclose(closed, drawn):
                return f"its {name} contradicts its coefficients on drawn gains [workers, subcarriers] = {[*PROBED]}"
        return ""


PROBED = (3, 16)
"""Workers and subcarriers of the gains on which a precoder is tried."""
MEANS = np.array([[0.5], [1.0], [2.0]])
"""Mean power gains of these workers."""
PRECODERS = Registry("precoder", Precoder)
register = PRECODERS.register


def inverse(h: Gains, where: np.ndarray, otherwise: float) -> Gains:
    """Return 1/h where a mask is true, and a constant elsewhere."""
    return np.divide(1.0, h, out=np.full(np.shape(h), otherwise, np.result_type(h, np.complex64)), where=where)
