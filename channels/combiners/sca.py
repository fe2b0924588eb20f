"""Combiner for the weakest worker by successive convex approximation."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..array_types import AntennaWeights, ChannelMatrices, ChannelVectors
from ..beams import behind, matched, strongest
from ..noise import complex_normal
from .combiner import Combiner, over, register
from .max_min import MaxMin, left
from .principal import directions

DRAWN, STARTS = 1024, 64
"""Weights that are drawn at random, and how many of them, the best, begin a search."""
SEARCHES = ((6, 16), (10, 4), (20, 1), (30, 1))
"""Steps of all searches, after which a number of them, the best, go on: time and again."""
GROWTH = 1.3
"""Factor from step to step on the weight of the smallest gain over the barriers."""
BACK = 0.9
"""Norm of the weights with which a search begins, inside of the ball of norm 1."""
MOST_ANTENNAS = 8
"""Largest number of antennas; the time grows with its fourth power."""
PIECE = 2048
"""Most gains of workers in channels that are combined at a time, which bounds the memory."""


@register("sca")
@dataclass(frozen=True)
class SuccessiveConvex(Combiner):
    """The combiner max_min, improved by successive convex approximation (SCA); its weakest |g_n| is never smaller.

    It maximises t with |w^H·h_n|² ≥ t and ‖w‖ ≤ 1. For the gains g_n of the last weights, |w^H·h_n|² is at least
    2Re(conj(g_n)·w^H·h_n) - |g_n|², a linear function of w with the same value and slope there. Each step takes these
    instead, and goes one damped Newton step upwards on the logarithmic barrier of that convex problem. Searches start
    from max_min, from eigenvectors of Σ_n h_n·h_n^H, and from the best of many weights drawn at random; the better ones
    go on. The result is a local optimum, the best of some seventy.

    Beams of workers with several antennas match the weights after every step. Then |g_n| = ‖H_n^H·w‖ for the matrix H_n
    of a worker, and its square has that same linear function below it.
    """

    most_antennas: ClassVar[float] = MOST_ANTENNAS
    version: ClassVar[int] = 2

    def weights(self, h: ChannelVectors) -> AntennaWeights:
        return _in_pieces(h.reshape(-1, *h.shape[-2:])).reshape(*h.shape[:-2], h.shape[-1])

    def weights_of_matrices(self, h: ChannelMatrices) -> AntennaWeights:
        return _in_pieces(h.reshape(-1, *h.shape[-3:])).reshape(*h.shape[:-3], h.shape[-2])


def climbed(h: ChannelVectors | ChannelMatrices, start: AntennaWeights, steps: int) -> AntennaWeights:
    """Return the best weights of norm 1 among a start and what some steps lead to, for a smallest gain of about 1."""
    vectors = heard(h, start)
    best, most = start, smallest(start, vectors)
    weights, weight = BACK * start, float(vectors.shape[-2])
    level = smallest(weights, vectors) ** 2 - 0.5
    for _ in range(steps):
        weights, level = step(vectors, weights, level, weight)
        weight *= GROWTH
        unit = weights / np.linalg.norm(weights, axis=-1, keepdims=True)
        vectors = heard(h, unit)
        least = smallest(unit, vectors)
        best = np.where((least > most)[..., None], unit, best)
        most = np.maximum(least, most)
    return best


def step(
    h: ChannelVectors, weights: AntennaWeights, level: np.ndarray, weight: float
) -> tuple[AntennaWeights, np.ndarray]:
    """Return weights w and level t after one damped Newton step on μt + Σ_n log(|w^H·h_n|² - t) + log(1 - ‖w‖²).

    |w^H·h_n|² is replaced by its tangent plane, a lower bound, so the step leads to a point inside of all bounds.
    Before it the norm of w is below 1, and t is below all |w^H·h_n|². The argument ``weight`` is μ.
    """
    gains = left(weights, h)
    slack, room = np.abs(gains) ** 2 - level[..., None], 1 - np.sum(np.abs(weights) ** 2, axis=-1)
    rows = _real(2 * h * (gains.conj() / slack)[..., None], -1 / slack)
    radius = _real(weights, np.zeros_like(room)) / room[..., None]
    slope = rows.sum(axis=-2) - 2 * radius
    slope[..., -1] += weight
    curvature = np.swapaxes(rows, -1, -2) @ rows + 4 * radius[..., None] * radius[..., None, :]
    inner = np.arange(slope.shape[-1] - 1)
    curvature[..., inner, inner] += 2 / room[..., None]
    move = np.linalg.solve(curvature, slope[..., None])[..., 0]
    move /= 1 + np.sqrt(np.abs(np.sum(slope * move, axis=-1, keepdims=True)))
    real, imaginary = np.split(move[..., :-1], 2, axis=-1)
    return weights + real + 1j * imaginary, level + move[..., -1]


def heard(h: ChannelVectors | ChannelMatrices, weights: AntennaWeights) -> ChannelVectors:
    """Return vectors as they are, and matrices behind the beams that match the weights, with as many axes in front."""
    return h if h.ndim == weights.ndim + 1 else behind(h, matched(weights, h))


def smallest(weights: AntennaWeights, h: ChannelVectors | ChannelMatrices) -> np.ndarray:
    """Return the smallest |g_n| over workers. Shape [...]."""
    return np.abs(left(weights, heard(h, weights))).min(axis=-1)


def _in_pieces(channels: ChannelVectors | ChannelMatrices) -> AntennaWeights:
    """Return the best weights of channels, the first axis, some of them at a time. Shape [channels, antennas]."""
    pieces = np.array_split(channels, max(1, min(len(channels), -(-channels[..., 0].size // PIECE))))
    return np.concatenate(list(map(_best, pieces)))


def _best(h: ChannelVectors | ChannelMatrices) -> AntennaWeights:
    """Return the best weights of some channels, which are the first axis. Shape [channels, antennas]."""
    vectors = h if h.ndim == 3 else behind(h, strongest(h))
    first = MaxMin().weights(vectors)
    scaled = over(h, smallest(first, h).reshape(-1, *(1,) * (h.ndim - 1)))[None]
    starts = np.concatenate([first[None], np.moveaxis(directions(vectors), -1, 0), _drawn(scaled)])
    for steps, most in SEARCHES:
        starts = _strongest(climbed(np.broadcast_to(scaled, (len(starts), *h.shape)), starts, steps), scaled, most)
    return starts[0]


def _drawn(h: ChannelVectors | ChannelMatrices) -> AntennaWeights:
    """Return the best of many directions, the same for all channels. Shape [starts, channels, antennas]."""
    drawn = complex_normal(np.random.default_rng(0), (DRAWN, 1, h.shape[3]))
    return _strongest(drawn / np.linalg.norm(drawn, axis=-1, keepdims=True), h, STARTS)


def _strongest(weights: AntennaWeights, h: ChannelVectors | ChannelMatrices, most: int) -> AntennaWeights:
    """Return those weights of each channel with the largest smallest gains. Shape [most, channels, antennas]."""
    order = np.argsort(-smallest(weights, h), axis=0, kind="stable")[:most]
    return np.take_along_axis(weights, order[..., None], axis=0)


def _real(values: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Return real parts, imaginary parts and one last real number behind each other along the last axis."""
    return np.concatenate([values.real, values.imag, last[..., None]], axis=-1)
