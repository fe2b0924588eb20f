"""Successive convex approximation of the best combiner against max_min, brute force, bounds and limits."""

import numpy as np
import pytest
from scipy.optimize import minimize

from otafl.channels.combiners import COMBINERS, MaxMin, sca
from otafl.channels.combiners.max_min import left
from otafl.channels.combiners.sca import climbed, smallest, step
from tests.channels.draws import gains

SCA = COMBINERS["sca"]()


@pytest.mark.parametrize(
    ("workers", "antennas", "spread_db"),
    [(1, 5, 0.0), (2, 2, 0.0), (3, 8, 0.0), (20, 5, 0.0), (40, 3, 0.0), (10, 4, 40.0), (10, 4, 100.0)],
)
def test_it_is_never_below_max_min(workers, antennas, spread_db):
    far = np.random.default_rng(1).uniform(-spread_db, 0, (30, workers, 1))
    h = gains(30, workers, antennas, seed=workers) * 10 ** (far / 20)
    assert np.all(smallest(SCA.weights(h), h) >= (1 - 1e-10) * smallest(MaxMin().weights(h), h))
    pairs = gains(30, workers, antennas, 2, seed=workers) * 10 ** (far / 20)[..., None]
    sca_weights, max_min_weights = (made.weights_of_matrices(pairs) for made in (SCA, MaxMin()))
    assert np.all(smallest(sca_weights, pairs) >= (1 - 1e-10) * smallest(max_min_weights, pairs))


@pytest.mark.parametrize(
    ("weights", "shape", "most_db"), [(SCA.weights, (10, 20, 5), 0.02), (SCA.weights_of_matrices, (5, 10, 4, 3), 0.05)]
)
def test_many_more_starts_find_hardly_more(weights, shape, most_db):
    """20 workers, 5 antennas; and 10 workers, 4 × 3 antennas, whose beams match at every step: 200 other starts."""
    h = gains(*shape, seed=shape[1])
    best = weights(h)
    h /= smallest(best, h).reshape(-1, *(1,) * (len(shape) - 1))
    drawn = gains(200, shape[0], shape[2], seed=3)
    starts = drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)
    found = smallest(climbed(np.broadcast_to(h, (200, *shape)), starts, 50), h[None]).max(axis=0)
    assert np.mean(20 * np.log10(found)) < most_db


def relaxed(h):
    """Least upper bound on min|w^H·h_n|² by semidefinite relaxation: min over shares λ of the largest eigenvalue of
    Σ_n λ_n·h_n·h_n^H."""

    def bound(logits):
        shares = np.exp(logits - logits.max())
        shares /= shares.sum()
        values, vectors = np.linalg.eigh((h.T * shares) @ h.conj())
        powers = np.abs(h.conj() @ vectors[:, -1]) ** 2
        return values[-1], shares * (powers - values[-1])

    return min(minimize(bound, seed * gains(len(h), seed=1).real, jac=True).fun for seed in range(3))


@pytest.mark.parametrize(("channels", "workers", "least"), [(15, 3, 0.999), (3, 8, 0.0)])
def test_no_power_is_above_the_bound_of_semidefinite_relaxation(channels, workers, least):
    """With up to three workers that bound is tight."""
    h = gains(channels, workers, 4, seed=8)
    power, bound = smallest(SCA.weights(h), h) ** 2, np.array([relaxed(channel) for channel in h])
    assert np.all(power <= bound * (1 + 1e-6))
    assert np.all(power >= bound * least)


def test_a_step_climbs_the_barrier_and_stays_inside():
    """μt + Σ_n log(|w^H·h_n|² - t) + log(1 - ‖w‖²), of which a step climbs a tangent lower bound, never falls."""
    h = gains(40, 12, 4)
    h /= smallest(MaxMin().weights(h), h)[:, None, None]
    weights = 0.9 * MaxMin().weights(h)
    level, weight, before = smallest(weights, h) ** 2 - 0.5, 12.0, np.full(40, -np.inf)
    for _ in range(40):
        weights, level = step(h, weights, level, weight)
        slack, room = np.abs(left(weights, h)) ** 2 - level[:, None], 1 - np.sum(np.abs(weights) ** 2, axis=-1)
        assert slack.min() > 0
        assert room.min() > 0
        after = weight * level + np.log(slack).sum(axis=-1) + np.log(room)
        assert np.all(after >= before - 1e-9)
        before = after


def test_it_ends_where_no_direction_rises():
    """Stationary: w is the direction of Σ_n λ_n·(h_n^H·w)·h_n with shares λ_n = 1/(μ(|w^H·h_n|² - t)) of sum 1."""
    h = gains(10, 12, 4, seed=2)
    h /= smallest(MaxMin().weights(h), h)[:, None, None]
    weights, weight = 0.9 * MaxMin().weights(h), 12.0
    level = smallest(weights, h) ** 2 - 0.5
    for _ in range(300):
        weights, level = step(h, weights, level, weight)
        weight = min(1.1 * weight, 1e4)
    found = left(weights, h)
    shares = 1 / (weight * (np.abs(found) ** 2 - level[:, None]))
    np.testing.assert_allclose(shares.sum(axis=-1), 1.0, rtol=1e-2)
    pull = np.einsum("cn,cn,cnm->cm", shares, found.conj(), h)
    along = np.abs(np.sum(weights.conj() * pull, axis=-1)) / np.linalg.norm(pull, axis=-1)
    np.testing.assert_allclose(along, 1.0, rtol=1e-3)


def test_channels_do_not_depend_on_those_beside_them(monkeypatch):
    h = gains(7, 4, 3)
    alone = np.concatenate([SCA.weights(one[None]) for one in h])
    np.testing.assert_allclose(SCA.weights(h), alone, atol=1e-9)
    monkeypatch.setattr(sca, "PIECE", 2)
    np.testing.assert_allclose(SCA.weights(h.reshape(7, 1, 4, 3))[:, 0], alone, atol=1e-9)
