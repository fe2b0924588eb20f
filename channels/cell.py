"""Cell of a base station: places of workers, path loss and shadowing, and the link budget."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .array_types import PerWorker, Places
from .errors import ParameterError

THERMAL_DBM_PER_HZ = -174.0
"""Thermal noise power spectral density at 290 K [dBm/Hz]."""
MOST_ROUNDS = 1000
"""Largest number of draws of a worker's place, before a cell counts as one without coverage."""
STEPS = 10_001
"""Rings of equal area on average over a cell's area."""


class Drop(NamedTuple):
    """Places [m] and mean path gains [dB] of workers in a cell, and the share of places that were within its bound."""

    places: Places
    gain_db: PerWorker
    covered: float


@dataclass(frozen=True)
class Cell:
    """Ring around a base station, in whose area workers are uniform, with path loss and log-normal shadowing.

    The path loss at distance d is PL0 + 10·n·log10(d/1 m) dB. The coupling loss is that and the shadowing together.

    >>> cell = Cell(radius_m=250.0, path_loss_exponent=3.0)
    >>> print(f"{cell.gain_db(100.0):.0f} dB at 100 m, {cell.edge_gain_db:.1f} dB at the edge")
    -90 dB at 100 m, -101.9 dB at the edge

    Arguments:
        radius_m: outer radius R [m].
        inner_radius_m: inner radius r [m].
        path_loss_db: path loss PL0 at a distance of 1 m [dB].
        path_loss_exponent: exponent n of the distance.
        shadowing_db: standard deviation of the shadowing, independent for each worker [dB].
        most_loss_db: largest coupling loss of a place with a worker [dB]; inf: no bound.
        sector_deg: angle of the sector with workers, half of it to each side of the east [degrees]; 360: all around.

    Raises:
        ParameterError: the inner radius is not between 0 and the outer one.
    """

    radius_m: float
    inner_radius_m: float = 10.0
    path_loss_db: float = 30.0
    path_loss_exponent: float = 3.0
    shadowing_db: float = 0.0
    most_loss_db: float = np.inf
    sector_deg: float = 360.0

    def __post_init__(self) -> None:
        if not 0 < self.inner_radius_m < self.radius_m:
            rule = f"must be between 0 and radius_m = {self.radius_m:g}"
            raise ParameterError("inner_radius_m", self.inner_radius_m, rule)

    def gain_db(self, distance_m: np.ndarray | float) -> np.ndarray:
        """Return the mean path gain at some distances from the base station, without shadowing [dB]."""
        return -self.path_loss_db - 10 * self.path_loss_exponent * np.log10(distance_m)

    @property
    def edge_gain_db(self) -> float:
        """Mean path gain at the outer radius, without shadowing [dB]."""
        return float(self.gain_db(self.radius_m))

    @property
    def median_gain_db(self) -> float:
        """Median over the area of the mean path gain, that at the distance √((r² + R²)/2) for radii r and R [dB]."""
        return float(self.gain_db(np.sqrt((self.inner_radius_m**2 + self.radius_m**2) / 2)))

    @property
    def covered(self) -> float:
        """Share of the area with a coupling loss of at most ``most_loss_db``.

        It is the mean over the area of Φ((L - PL(d))/σ), bound L, path loss PL at a distance d, shadowing σ [dB].
        """
        from scipy.special import ndtr

        squares = np.linspace(self.inner_radius_m**2, self.radius_m**2, STEPS)
        margin_db = self.most_loss_db + self.gain_db(np.sqrt(squares))
        return float(np.mean(ndtr(margin_db / self.shadowing_db) if self.shadowing_db else margin_db >= 0))

    def drop(self, rng: np.random.Generator, workers: int) -> Drop:
        """Draw covered places of workers: where a place is not covered, another one is drawn for its worker."""
        places, drawn = self.places(rng, workers), workers
        gain_db = self._gains(rng, places)
        for _ in range(MOST_ROUNDS):
            missing = np.flatnonzero(gain_db < -self.most_loss_db)
            if not missing.size:
                return Drop(places, gain_db, workers / drawn)
            places[missing] = self.places(rng, missing.size)
            gain_db[missing] = self._gains(rng, places[missing])
            drawn += missing.size
        raise ParameterError("most_loss_db", self.most_loss_db, "must be larger, as hardly any place has coverage")

    def places(self, rng: np.random.Generator, workers: int) -> Places:
        """Draw places of workers, uniform in the area of the ring or its sector [m]."""
        square = rng.uniform(self.inner_radius_m**2, self.radius_m**2, workers)
        width = np.deg2rad(self.sector_deg)
        first = 0.0 if self.sector_deg == 360.0 else -width / 2
        angle = rng.uniform(first, first + width, workers)
        return np.sqrt(square)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)

    def _gains(self, rng: np.random.Generator, places: Places) -> PerWorker:
        return self.gain_db(np.linalg.norm(places, axis=1)) + self.shadowing_db * rng.standard_normal(len(places))


class LinkBudget(NamedTuple):
    """Link budget before path loss: power P of a transmitter [W], and noise density N0 of its receiver [W/Hz]."""

    power_w: float
    noise_psd_w_per_hz: float

    def snr_db(self, bandwidth_hz: float) -> float:
        """Return the SNR P/(B·N0) over a bandwidth B [Hz], before any path loss [dB]."""
        return float(10 * np.log10(self.power_w / (bandwidth_hz * self.noise_psd_w_per_hz)))


def link_budget(transmit_power_dbm: float, noise_figure_db: float) -> LinkBudget:
    """Return the link budget of a transmit power [dBm] and of a receiver's noise figure over thermal noise [dB]."""
    return LinkBudget(10 ** ((transmit_power_dbm - 30) / 10), 10 ** ((THERMAL_DBM_PER_HZ + noise_figure_db - 30) / 10))
