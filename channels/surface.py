"""Reconfigurable intelligent surface: passive elements between workers and server, whose phases are optimised.

A surface of K elements adds K paths to the direct one: h(θ) = h_d + G·diag(θ)·h_r with |θ_k| = 1. All draws of G and
h_r are CN(0, 1), independent over elements, antennas, workers and coherence blocks, times the path gain of both hops.

Approximations: the paths over the surface are as short as to be equal on all subcarriers; elements do not couple,
reflect without loss, and have continuous phases; phases are chosen from the exact paths over every single element;
neighbouring cells are heard on the direct paths alone.

Source: H. Liu, X. Yuan and Y.-J. A. Zhang, "Reconfigurable Intelligent Surface Enabled Federated Learning: A Unified
Communication-Learning Design Approach", the channel model. Its selection of devices is left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .array_types import AntennaGains, AntennaWeights, ElementPaths, Factors, LinkPaths, Links, PerWorker, Places
from .combiners import Combiner
from .fading import Realisation
from .noise import complex_normal
from .random_streams import of_block

STARTS = 4
"""Factors from which alternating steps begin: those of phases 0, and random ones."""
ROUNDS = 6
RISE = 1e-3
"""Relative rise of the smallest power gain below which the steps end."""
SEARCHES = 16
PRODUCTS = 2**17
"""Most products of a path and a factor in a step of all searches; where links are many, searches are few."""
DRAWN = 64
"""Random factors that are tried for each search."""
SMOOTH, SHARP = ((0.5, 0.6), (1000.0, 1e-3), 100), ((32.0, 0.2), (1000.0, 1e-3), 50)
"""Searches with a smooth minimum at first, and with a sharp one: first and last exponent μ and turn [rad], steps."""
LEAST = 1e-300
"""Bound on power gains and slopes, above 0, by which is divided."""


class Design(NamedTuple):
    """Factors of a surface for one coherence block, and the smallest power gain after each step, from the first on."""

    factors: Factors
    floors: tuple[float, ...]


@dataclass(frozen=True)
class Surface(Realisation):
    """Realisation of fading with the paths over a surface, whose phases suit the weakest worker of each block.

    Phases are optimised for the combiner of the server's antennas; the seed is that of the surface's paths.
    """

    fading: Realisation
    """Direct channels h_d."""
    amplitude: PerWorker
    """Root of the power gain of both hops over one element, in the unit of the direct gains."""
    elements: int
    antennas: int
    combiner: Combiner
    seed: np.random.SeedSequence

    @property
    def power(self) -> PerWorker:
        """Mean |h|² of each worker for phases that do not depend on the channel, a lower bound."""
        return self.fading.power + self.elements * self.amplitude**2

    def paths_over_elements(self, block: int) -> ElementPaths:
        """Return the gains of the paths over single elements in a coherence block."""
        # Elements are drawn one after the other, so a larger surface extends a smaller one.
        drawn = complex_normal(of_block(self.seed, block), (self.elements, len(self.amplitude) + self.antennas))
        to_surface, to_server = np.split(drawn.T, [len(self.amplitude)])
        return self.amplitude[:, None, None] * to_surface[:, None] * to_server

    def gains(self, block: int, subcarriers: int) -> AntennaGains:
        direct, paths = self.fading.gains(block, subcarriers), self.paths_over_elements(block)
        return _with_surface(direct, paths, design(direct, paths, self.combiner).factors)

    def pieces(self, block: int) -> Iterator[AntennaGains]:
        """Refuse a band without end, for which there are no common phases."""
        raise NotImplementedError


def two_hop_db(places: Places, distance_m: float, loss_db: float, exponent: float) -> PerWorker:
    """Return the path gain of workers over one element of a surface, that of both hops together [dB].

    Heights are left out, and a worker within 1 m of the surface counts as 1 m away from it. The surface is
    ``distance_m`` to the east of the base station; ``loss_db`` is that of a hop of 1 m, ``exponent`` that of distance.
    """
    hop_m = np.maximum(np.linalg.norm(places - (distance_m, 0.0), axis=-1), 1.0)
    return -2 * loss_db - 10 * exponent * np.log10(hop_m * distance_m)


def design(direct: AntennaGains, paths: ElementPaths, combiner: Combiner) -> Design:
    """Return phases that make the smallest power gain behind a combiner large, by alternating steps.

    A step searches phases for the present weights w, then takes the combiner's weights for them. The result is a local
    optimum of max min_n |w^H·h_n(θ)|² over workers n and subcarriers, the best from several starts.
    """
    starts = [np.ones(paths.shape[-1], dtype=complex), *_drawn(STARTS - 1, paths.shape[-1])]
    designs = (_alternated(direct, paths, combiner, start) for start in starts)
    return max(designs, key=lambda design: design.floors[-1])


def _alternated(direct: AntennaGains, paths: ElementPaths, combiner: Combiner, start: Factors) -> Design:
    """Return the phases to which alternating steps lead from some factors."""
    best = start
    weights, floor = _combined(direct, paths, best, combiner)
    floors = [floor]
    for _ in range(ROUNDS):
        links = np.einsum("sm,nms->sn", weights.conj(), direct).reshape(-1)  # behind the combiner
        over_elements = np.einsum("sm,nmk->snk", weights.conj(), paths).reshape(len(links), -1)
        trial = searched(links, over_elements, best)
        weights, floor = _combined(direct, paths, trial, combiner)
        if floor <= floors[-1] * (1 + RISE):
            break
        best = trial
        floors.append(floor)
    return Design(best, tuple(floors))


def searched(direct: Links, paths: LinkPaths, factors: Factors) -> Factors:
    """Return factors θ with which the smallest |a_i + Σ_k b_ik·θ_k| is no smaller than with those given.

    The gains of the links are a, those of their paths b. For a single link ``aligned`` leads to the optimum. Otherwise
    some searches start there, from the given factors and from random ones, and climb a smooth minimum of power gains,
    which has few maxima. Others start from the best of many random factors and climb a sharp one.
    """
    near = aligned(direct, paths, factors)
    if len(direct) == 1:
        return near
    searches = int(np.clip(PRODUCTS // max(paths.size, 1), 2, SEARCHES))
    drawn = _drawn(DRAWN * searches, len(factors))
    least = np.concatenate([_least(direct, paths, some) for some in np.split(drawn, DRAWN)])
    ends = [
        _climbed(direct, paths, np.stack([factors, near, *drawn[: searches - 2]]), *SMOOTH),
        _climbed(direct, paths, drawn[np.argsort(-least, kind="stable")[: searches // 2]], *SHARP),
    ]
    return max(ends, key=lambda end: _least(direct, paths, end[None])[0])


def _climbed(
    direct: Links, paths: LinkPaths, starts: Factors, first: tuple[float, float], last: tuple[float, float], steps: int
) -> Factors:
    """Return the best factors among some starts, [starts, elements], and what steps upwards lead to, [elements]."""
    factors, best, most = starts, starts, _least(direct, paths, starts)
    for sharpness, turn in np.geomspace(first, last, steps):
        slope = slope_of_phases(direct, paths, factors, sharpness)
        steepest = np.abs(slope).max(axis=1, keepdims=True, initial=LEAST)
        factors = factors * np.exp(1j * turn * slope / steepest)
        least = _least(direct, paths, factors)
        best = np.where((least > most)[:, None], factors, best)
        most = np.maximum(least, most)
    return best[np.argmax(most)]


def aligned(direct: Links, paths: LinkPaths, factors: Factors) -> Factors:
    """Return factors that align all paths with Σ_i g_i/|g_i|² of the gains g_i, a step upwards on Σ_i log|g_i|²."""
    gains = direct + paths @ factors
    wanted = gains / np.maximum(np.abs(gains) ** 2, LEAST)
    return np.exp(1j * (np.angle(paths.conj().T @ wanted) - np.angle(np.vdot(direct, wanted))))


def slope_of_phases(direct: Links, paths: LinkPaths, factors: Factors, sharpness: float) -> np.ndarray:
    """Return the slope over phases of the logarithm of the smooth minimum (Σ_i p_i^(-μ))^(-1/μ) of power gains p_i.

    The larger the sharpness μ, the more the smallest gain counts alone. Shape [starts, elements], as that of factors.
    """
    gains = direct + factors @ paths.T
    power = np.maximum(gains.real**2 + gains.imag**2, LEAST)
    levels = -sharpness * np.log(power)
    shares = np.exp(levels - levels.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return -2 * np.imag(factors * ((shares / power * gains.conj()) @ paths))


def _drawn(starts: int, elements: int) -> Factors:
    """Return factors of random phases, the same in every call. Shape [starts, elements]."""
    return np.exp(2j * np.pi * np.random.default_rng(0).random((starts, elements)))


def _least(direct: Links, paths: LinkPaths, factors: Factors) -> np.ndarray:
    """Return the smallest magnitude of a gain for each start. Shape [starts]."""
    return np.abs(direct + factors @ paths.T).min(axis=1)


def _with_surface(direct: AntennaGains, paths: ElementPaths, factors: Factors) -> AntennaGains:
    return direct + (paths @ factors)[..., None]


def _combined(
    direct: AntennaGains, paths: ElementPaths, factors: Factors, combiner: Combiner
) -> tuple[AntennaWeights, float]:
    """Return a combiner's weights, [subcarriers, antennas], and the smallest power gain behind them."""
    vectors = np.moveaxis(_with_surface(direct, paths, factors), -1, 0)
    weights = combiner.weights(vectors)
    return weights, float(np.abs(np.einsum("sm,snm->sn", weights.conj(), vectors)).min() ** 2)
