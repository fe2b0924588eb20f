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

from .combiners import Combiner
from .fading import Realisation
from .noise import complex_normal
from .random_streams import of_block

ROUNDS = 6
"""Largest number of alternating steps."""
RISE = 1e-3
"""Relative rise of the smallest power gain below which the steps end."""
SHARPNESS = (4.0, 32.0)
"""Exponents μ of the smooth minimum, one search after the other."""
SEARCH_STEPS = 25
"""Largest number of iterations of a search over phases."""
LEAST = 1e-300
"""Bound on power gains, above 0, of which the logarithm is taken."""


class Design(NamedTuple):
    """Phases of a surface for one coherence block.

    Arguments:
        factors: factors θ of the elements, of magnitude 1. Shape [elements], complex.
        floors: smallest power gain min|w^H·h(θ)|² before the first and after each alternating step, linear.
    """

    factors: np.ndarray
    floors: tuple[float, ...]


@dataclass(frozen=True)
class Surface(Realisation):
    """Realisation of fading with the paths over a surface, whose phases suit the weakest worker of each block.

    Arguments:
        fading: a ``Realisation``, the direct channels h_d.
        amplitude: factor on a worker's amplitude over one element, the root of the power gain of both hops, in the
            unit of the direct gains. Shape [workers].
        elements: number K of elements.
        antennas: number M of the server's antennas.
        combiner: combiner of these antennas, for which phases are optimised.
        seed: seed sequence of the surface's paths.
    """

    fading: Realisation
    amplitude: np.ndarray
    elements: int
    antennas: int
    combiner: Combiner
    seed: np.random.SeedSequence

    @property
    def power(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Mean |h|² of each worker for phases that do not depend on the channel, a lower bound. Shape [workers]."""
        return self.fading.power + self.elements * self.amplitude**2

    def paths(self, block: int) -> np.ndarray:
        """Return the complex gains of the paths over single elements, no unit. Shape [workers, antennas, elements].

        Elements are drawn one after the other, so a larger surface extends a smaller one.

        Arguments:
            block: number of the coherence block (a time of constant gains), from 0.
        """
        drawn = complex_normal(of_block(self.seed, block), (self.elements, len(self.amplitude) + self.antennas))
        to_surface, to_server = np.split(drawn.T, [len(self.amplitude)])
        return self.amplitude[:, None, None] * to_surface[:, None] * to_server

    def gains(self, block: int, subcarriers: int) -> np.ndarray:
        """Return the complex gains h(θ) of one coherence block. Shape [workers, antennas, subcarriers], no unit.

        Arguments:
            block: number of the coherence block (a time of constant gains), from 0.
            subcarriers: number of subcarriers, for all of which the phases are optimised.
        """
        direct, paths = self.fading.gains(block, subcarriers), self.paths(block)
        return _seen(direct, paths, design(direct, paths, self.combiner).factors)

    def pieces(self, block: int) -> Iterator[np.ndarray]:
        """Refuse a band without end, for which there are no common phases.

        Arguments:
            block: unused.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError


def two_hop_db(places: np.ndarray, distance_m: float, loss_db: float, exponent: float) -> np.ndarray:
    """Return the path gain of workers over one element of a surface, that of both hops together [dB]. Shape [workers].

    Heights are left out, and a worker within 1 m of the surface counts as 1 m away from it.

    Arguments:
        places: metres to the east and to the north of the base station. Shape [workers, 2].
        distance_m: distance of the surface from the base station, to the east [m].
        loss_db: path loss of a hop of 1 m [dB].
        exponent: exponent of the distance, no unit.
    """
    hop_m = np.maximum(np.linalg.norm(places - (distance_m, 0.0), axis=-1), 1.0)
    return -2 * loss_db - 10 * exponent * np.log10(hop_m * distance_m)


def design(direct: np.ndarray, paths: np.ndarray, combiner: Combiner) -> Design:
    """Return phases that make the smallest power gain behind a combiner large, by alternating steps.

    A step searches phases for the present weights w, then takes the combiner's weights for them. It counts where the
    smallest gain rises. The result is a local optimum of max min_n |w^H·h_n(θ)|² over workers n and subcarriers.

    Arguments:
        direct: complex gains h_d of all workers. Shape [workers, antennas, subcarriers].
        paths: complex gains of the paths over each element. Shape [workers, antennas, elements].
        combiner: combiner of the antennas.

    Returns:
        A ``Design``, factors [elements] of magnitude 1, and the smallest power gains on the way.
    """
    best = np.ones(paths.shape[-1], dtype=complex)
    weights, floor = _combined(direct, paths, best, combiner)
    floors = [floor]
    for _ in range(ROUNDS):
        trial = searched(*_behind(weights, direct, paths), best)
        weights, floor = _combined(direct, paths, trial, combiner)
        if floor <= floors[-1] * (1 + RISE):
            break
        best = trial
        floors.append(floor)
    return Design(best, tuple(floors))


def searched(direct: np.ndarray, paths: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Return factors θ of magnitude 1 with which the smallest |a_i + Σ_k b_ik·θ_k| is no smaller than with those given.

    The search starts where ``aligned`` leads, which is the optimum for a single link, and climbs the smooth minimum
    (Σ_i p_i^(-μ))^(-1/μ) of the power gains p_i over phases, by SciPy's L-BFGS.

    Arguments:
        direct: complex gains a of the direct links. Shape [links].
        paths: complex gains b over each element. Shape [links, elements].
        factors: factors θ to begin with. Shape [elements].
    """
    from scipy.optimize import minimize

    tried = [factors, aligned(direct, paths, factors)]
    for sharpness in SHARPNESS:
        made = minimize(
            cost_of_phases,
            np.angle(max(tried, key=lambda one: _least(direct, paths, one))),
            (direct, paths, sharpness),
            method="L-BFGS-B",
            jac=True,
            options={"maxiter": SEARCH_STEPS},
        )
        tried.append(np.exp(1j * made.x))
    return max(tried, key=lambda one: _least(direct, paths, one))


def aligned(direct: np.ndarray, paths: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Return factors θ of magnitude 1 that align all paths with Σ_i g_i/|g_i|² of the gains g_i. Shape [elements].

    It is a closed step upwards on Σ_i log|g_i|². For one link all paths are in phase with the direct one.

    Arguments:
        direct: complex gains a of the direct links. Shape [links].
        paths: complex gains b over each element. Shape [links, elements].
        factors: factors θ before the step. Shape [elements].
    """
    left = direct + paths @ factors
    wanted = left / np.maximum(np.abs(left) ** 2, LEAST)
    return np.exp(1j * (np.angle(paths.conj().T @ wanted) - np.angle(np.vdot(direct, wanted))))


def cost_of_phases(
    phases: np.ndarray, direct: np.ndarray, paths: np.ndarray, sharpness: float
) -> tuple[float, np.ndarray]:
    """Return log(Σ_i p_i^(-μ))/μ of power gains p_i, and its slope over phases. A number, and shape [elements].

    Arguments:
        phases: phases of the elements [rad]. Shape [elements].
        direct: complex gains a of the direct links. Shape [links].
        paths: complex gains b over each element. Shape [links, elements].
        sharpness: exponent μ. The larger it is, the more the smallest gain counts alone.
    """
    factors = np.exp(1j * phases)
    left = direct + paths @ factors
    power = np.maximum(left.real**2 + left.imag**2, LEAST)
    levels = -sharpness * np.log(power)
    shares = np.exp(levels - levels.max())
    slope = 2 * np.imag(factors * ((shares / shares.sum() / power * left.conj()) @ paths))
    return float(levels.max() + np.log(shares.sum())) / sharpness, slope


def _least(direct: np.ndarray, paths: np.ndarray, factors: np.ndarray) -> float:
    """Return the smallest magnitude of a gain."""
    return float(np.abs(direct + paths @ factors).min())


def _seen(direct: np.ndarray, paths: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Return h(θ), complex. Shape [workers, antennas, subcarriers]."""
    return direct + (paths @ factors)[..., None]


def _combined(
    direct: np.ndarray, paths: np.ndarray, factors: np.ndarray, combiner: Combiner
) -> tuple[np.ndarray, float]:
    """Return a combiner's weights, [subcarriers, antennas], and the smallest power gain behind them."""
    seen = np.moveaxis(_seen(direct, paths, factors), -1, 0)
    weights = combiner.weights(seen)
    return weights, float(np.abs(np.einsum("sm,snm->sn", weights.conj(), seen)).min() ** 2)


def _behind(weights: np.ndarray, direct: np.ndarray, paths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the gains of all links behind weights: direct, [links], and over each element, [links, elements].

    A link is a worker on a subcarrier.
    """
    left = np.einsum("sm,nms->sn", weights.conj(), direct).reshape(-1)
    return left, np.einsum("sm,nmk->snk", weights.conj(), paths).reshape(len(left), -1)
