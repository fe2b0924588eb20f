"""A cell: where workers are around the base station, and how much of their power arrives there on average."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

THERMAL_DBM_PER_HZ = -174.0
"""Noise power spectral density of a receiver at 290 K that adds none of its own."""
MOST_ROUNDS = 1000
"""Of drawing places anew, before a cell counts as one that reaches nobody."""
STEPS = 10_001
"""Rings of equal area by which a cell's area is averaged over."""


class Drop(NamedTuple):
    """Workers in a cell.

    Arguments:
        places: from the base station, metres to the east and to the north. Shape [workers, 2].
        gain_db: mean path gain, without fast fading. Shape [workers].
        covered: share of the places drawn that are covered.
    """

    places: np.ndarray
    gain_db: np.ndarray
    covered: float


@dataclass(frozen=True)
class Cell:
    """Workers uniform in the area of a ring, with a path loss of PL0 + 10·n·log10(d/1 m) dB and log-normal shadowing.

    Arguments:
        radius_m: R, its outer radius.
        inner_radius_m: its inner radius.
        path_loss_db: PL0, at a metre.
        path_loss_exponent: n.
        shadowing_db: standard deviation of the shadowing, independent from worker to worker.
        most_loss_db: largest coupling loss, shadowing included; places with more have no workers.

    Raises:
        ValueError: it is no ring.
    """

    radius_m: float
    inner_radius_m: float = 10.0
    path_loss_db: float = 30.0
    path_loss_exponent: float = 3.0
    shadowing_db: float = 0.0
    most_loss_db: float = np.inf

    def __post_init__(self) -> None:
        if not 0 < self.inner_radius_m < self.radius_m:
            rule = f"must be between 0 and radius_m = {self.radius_m:g}"
            raise ValueError(f"inner_radius_m = {self.inner_radius_m:g}: {rule}")

    def gain_db(self, distance_m: np.ndarray | float) -> np.ndarray:
        """Mean path gain at distances, -PL [dB]. Shape of distance_m."""
        return -self.path_loss_db - 10 * self.path_loss_exponent * np.log10(distance_m)

    @property
    def edge_gain_db(self) -> float:
        """Path gain at the outer radius [dB]."""
        return float(self.gain_db(self.radius_m))

    @property
    def median_gain_db(self) -> float:
        """Median path gain, that at the distance within which half of the area lies, √((r² + R²)/2) [dB]."""
        return float(self.gain_db(np.sqrt((self.inner_radius_m**2 + self.radius_m**2) / 2)))

    @property
    def covered(self) -> float:
        """Share of its area's places that are covered, the mean of Φ((L - PL(d))/σ) for shadowing of σ dB."""
        from scipy.special import ndtr

        squares = np.linspace(self.inner_radius_m**2, self.radius_m**2, STEPS)
        margin_db = self.most_loss_db + self.gain_db(np.sqrt(squares))
        return float(np.mean(ndtr(margin_db / self.shadowing_db) if self.shadowing_db else margin_db >= 0))

    def drop(self, rng: np.random.Generator, workers: int) -> Drop:
        """Workers at places that are covered: where one is not, another place is drawn for its worker.

        Raises:
            ValueError: hardly a place is.
        """
        places, drawn = self._places(rng, workers), workers
        gain_db = self._gains(rng, places)
        for _ in range(MOST_ROUNDS):
            missing = np.flatnonzero(gain_db < -self.most_loss_db)
            if not missing.size:
                return Drop(places, gain_db, workers / drawn)
            places[missing] = self._places(rng, missing.size)
            gain_db[missing] = self._gains(rng, places[missing])
            drawn += missing.size
        raise ValueError(f"most_loss_db = {self.most_loss_db:g}: reaches hardly a place of the cell")

    def _places(self, rng: np.random.Generator, workers: int) -> np.ndarray:
        square = rng.uniform(self.inner_radius_m**2, self.radius_m**2, workers)
        angle = rng.uniform(0, 2 * np.pi, workers)
        return np.sqrt(square)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)

    def _gains(self, rng: np.random.Generator, places: np.ndarray) -> np.ndarray:
        shadow = self.shadowing_db * rng.standard_normal(len(places))
        return self.gain_db(np.linalg.norm(places, axis=1)) + shadow


class LinkBudget(NamedTuple):
    """What a transmitter's power comes to at a receiver's noise.

    Arguments:
        power_w: P [W].
        noise_psd_w_per_hz: N0 [W/Hz].
    """

    power_w: float
    noise_psd_w_per_hz: float

    def snr_db(self, bandwidth_hz: float) -> float:
        """P/(B·N0) before any path loss [dB]."""
        return float(10 * np.log10(self.power_w / (bandwidth_hz * self.noise_psd_w_per_hz)))


def link_budget(transmit_power_dbm: float, noise_figure_db: float) -> LinkBudget:
    """Power and noise of a link, from decibels over a milliwatt and over thermal noise."""
    return LinkBudget(10 ** ((transmit_power_dbm - 30) / 10), 10 ** ((THERMAL_DBM_PER_HZ + noise_figure_db - 30) / 10))
