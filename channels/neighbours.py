"""Neighbouring cells around a cell, whose workers interfere at its base station."""

from dataclasses import dataclass

import numpy as np

from .array_types import PerSubcarrier
from .cell import Cell

DISTANCE = np.sqrt(3.0)
"""Distance of a neighbour's base station in radii of the cell, that of hexagons whose corners are at the radius."""
POINTS = 400
"""Points of the quadrature over radius and angle."""


@dataclass(frozen=True)
class Neighbours:
    """Ring of like cells around a cell: in each a worker transmits on a subcarrier with a probability.

    On each subcarrier and in each block the interfering worker of a cell has a place of its own, uniform in its cell,
    with shadowing, and Rayleigh fading towards our base station. All transmit at the power of our workers.
    Approximations: places on different subcarriers are independent; the sum is taken as white noise of its power;
    interference in the downlink and with pilots is left out.

    Arguments:
        cell: the cell, whose shape, path loss and shadowing the neighbours have.
        count: number of neighbours, all at the distance √3·R for a radius R.
        activity: probability that a neighbour transmits on a subcarrier in a block, 0 to 1.
    """

    cell: Cell
    count: int
    activity: float

    def received(self, rng: np.random.Generator, subcarriers: int) -> PerSubcarrier:
        """Draw the power that arrives from all neighbours over the power of a worker, linear."""
        shape = (subcarriers, self.count)
        distance = self._distances(self.cell.places(rng, subcarriers * self.count)).reshape(shape)
        gain_db = self.cell.gain_db(distance) + self.cell.shadowing_db * rng.standard_normal(shape)
        fading, active = rng.standard_exponential(shape), rng.random(shape) < self.activity
        return np.sum(active * fading * 10 ** (gain_db / 10), axis=-1)

    @property
    def mean(self) -> float:
        """Mean power from all neighbours over that of a worker, by quadrature; shadowing has exp((σ·ln 10/10)²/2)."""
        inner, outer = self.cell.inner_radius_m, self.cell.radius_m
        radius = np.sqrt(inner**2 + (outer**2 - inner**2) * (np.arange(POINTS) + 0.5) / POINTS)
        angle = 2 * np.pi * (np.arange(POINTS) + 0.5) / POINTS
        places = radius[:, None, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        gain = 10 ** (self.cell.gain_db(self._distances(places)) / 10)
        shadowing = np.exp((self.cell.shadowing_db * np.log(10) / 10) ** 2 / 2)
        return float(self.count * self.activity * gain.mean() * shadowing)

    def _distances(self, places: np.ndarray) -> np.ndarray:
        """Return the distances [m] of places in a neighbour from our base station, [..., 2] to [...]."""
        return np.linalg.norm(places + np.array([DISTANCE * self.cell.radius_m, 0.0]), axis=-1)
