"""Approximate message passing against its theory, median and trimmed mean of vectors against NumPy and SciPy."""

import numpy as np
import pytest
import tensorflow as tf
from scipy.stats import norm, trim_mean

from otafl.receivers import Median, Sum, TrimmedMean, amp

ELEMENTS, TAKEN, DRAWS, COLUMNS = 2048, 410, 24, 4


def sparse(seed: int, share: float) -> np.ndarray:
    """Vectors of a share of elements ±1. Shape [1, d, columns]."""
    rng = np.random.default_rng(seed)
    return rng.choice([-1.0, 0.0, 1.0], (1, ELEMENTS, COLUMNS), p=[share / 2, 1 - share, share / 2])


def evolution(vector: np.ndarray, ratio: float, noise: float, multiplier: float, rounds: int) -> np.ndarray:
    """Mean-squared errors of an element after each round, as state evolution predicts them for long vectors:
    τ² ← σ² + d/s·E(η(x + τz; aτ) - x)², σ² the variance of the noise, s/d the ratio and a the multiplier."""
    errors, level = [], noise + np.mean(vector**2) / ratio
    for _ in range(rounds):
        errors.append(np.mean(soft_risk(vector, np.sqrt(level), multiplier)))
        level = noise + errors[-1] / ratio
    return np.array(errors)


def soft_risk(vector: np.ndarray, deviation: float, multiplier: float) -> np.ndarray:
    """E(η(x + τz; aτ) - x)² of soft thresholding in normal noise of standard deviation τ. Shape of the vector."""
    place = vector / deviation
    low, high = -multiplier - place, multiplier - place
    outside = (1 + multiplier**2) * (norm.cdf(low) + norm.sf(high))
    edges = (low + 2 * multiplier) * norm.pdf(low) - (high - 2 * multiplier) * norm.pdf(high)
    inside = place**2 * (norm.cdf(high) - norm.cdf(low))
    return deviation**2 * (outside + inside - edges)


def errors(seed: int, share: float, noise: float, multiplier: float, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean-squared errors of each round, and what state evolution says of them. Shape [rounds] each."""
    vectors, rng = sparse(seed, share), np.random.default_rng(100 + seed)
    operator = amp.matrix(ELEMENTS, TAKEN, tf.constant(seed), tf.float64)
    signal = amp.measured(operator, tf.constant(vectors))[0] + np.sqrt(noise) * rng.standard_normal((TAKEN, COLUMNS))
    found, residual, threshold = tf.zeros([ELEMENTS, COLUMNS], tf.float64), signal, tf.constant(multiplier, tf.float64)
    simulated = []
    for _ in range(rounds):
        found, residual = amp.passed(operator, signal, found, residual, threshold)
        simulated.append(np.mean((found - vectors[0]) ** 2))
    theory = [evolution(vectors[0, :, j], TAKEN / ELEMENTS, noise, multiplier, rounds) for j in range(COLUMNS)]
    return np.array(simulated), np.mean(theory, axis=0)


@pytest.mark.daily(1)
@pytest.mark.parametrize(("share", "noise"), [(0.02, 0.0), (0.02, 0.05), (0.06, 0.01), (0.15, 0.05)])
def test_errors_are_those_of_state_evolution(share, noise):
    """Within 3 standard errors of the mean over draws of matrix, vector and noise, below the transition and above."""
    simulated, theory = zip(*(errors(seed, share, noise, 1.6, 6) for seed in range(DRAWS)), strict=True)
    difference = np.array(simulated) - np.array(theory)
    standard_error = np.std(difference, axis=0, ddof=1) / np.sqrt(DRAWS)
    assert (np.abs(np.mean(difference, axis=0)) < 3 * standard_error).all(), np.mean(difference, 0) / standard_error


@pytest.mark.daily(1)
@pytest.mark.parametrize(("ratio", "multiplier", "most"), [(0.1, 1.74, 0.189), (0.5, 0.88, 0.386)])
def test_minimax_multipliers_find_what_the_transition_lets_through(ratio, multiplier, most):
    """Donoho and Tanner's transition: k/s of 0.189 at s/d = 0.1, and of 0.386 at 0.5; below it the error goes to 0."""
    assert amp.minimax(ratio) == pytest.approx(multiplier, abs=0.01)
    for share, lost in ((0.9, True), (1.1, False)):
        vector = np.zeros(10_000)
        vector[: int(share * most * ratio * 10_000)] = 1000.0
        last = evolution(vector, ratio, 0.0, amp.minimax(ratio), 300)[-1] / np.mean(vector**2)
        assert (last < 1e-6) == lost


@pytest.mark.parametrize("elements", [ELEMENTS, 5000])
def test_sparse_vectors_are_found(elements):
    """Vectors with 1% of elements are found without noise, in one block or three, and each column alone."""
    rng = np.random.default_rng(3)
    vectors = np.where(rng.random((2, elements, 3)) < 0.01, rng.standard_normal((2, elements, 3)), 0.0)
    taken = amp.measurements(elements, 0.2)
    assert 0.2 * elements <= taken < 0.2 * elements + amp.blocks(elements)
    operator = amp.matrix(elements, taken, tf.constant(5), tf.float64)
    found = amp.recovered(operator, amp.measured(operator, tf.constant(vectors))[0], elements)
    assert np.sum((found - vectors[0]) ** 2) < 1e-4 * np.sum(vectors[0] ** 2)
    alone = amp.recovered(operator, amp.measured(operator, tf.constant(vectors[..., 1:2]))[0], elements)
    np.testing.assert_allclose(alone[:, 0], found[:, 1], atol=1e-9)


def test_blocks_are_measured_by_one_matrix():
    """Element i is in block i mod B."""
    vectors = np.random.default_rng(4).standard_normal((2, 5000, 2))
    taken = amp.measurements(5000, 0.1)
    operator = amp.matrix(5000, taken, tf.constant(0), tf.float64)
    found = amp.measured(operator, tf.constant(vectors)).numpy()
    for block in range(3):
        own = vectors[:, block::3]
        wanted = np.einsum("sd,wdr->wsr", operator.numpy()[:, : own.shape[1]], own)
        np.testing.assert_allclose(found[:, block::3], wanted, atol=1e-9)


def test_matrices_differ_from_draw_to_draw_and_keep_norms():
    one, other = (amp.matrix(ELEMENTS, TAKEN, tf.constant(draw), tf.float64).numpy() for draw in (0, 1))
    assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 0.01
    assert np.mean(np.sum(one**2, axis=0)) == pytest.approx(1, abs=0.01)


def test_message_passing_by_hand():
    """ROUNDS of x ← η(x + Aᵀr; aτ), r ← y − Ax + r·‖x‖_0/s with τ² = Σr²/s, for each multiplier; the one that leaves
    the smallest residual is taken."""
    rng, (taken, elements) = np.random.default_rng(0), (60, 120)
    vector, operator = np.zeros(elements), rng.standard_normal((taken, elements)) / np.sqrt(taken)
    vector[:8] = rng.standard_normal(8)
    received = operator @ vector + 0.01 * rng.standard_normal(taken)
    found, left = [], []
    for multiple in amp.MULTIPLES:
        x, r = np.zeros(elements), received
        for _ in range(amp.ROUNDS):
            seen, level = x + operator.T @ r, multiple * amp.minimax(taken / elements) * np.sqrt(np.mean(r**2))
            x = np.sign(seen) * np.maximum(np.abs(seen) - level, 0.0)
            r = received - operator @ x + np.count_nonzero(x) / taken * r
        found.append(x)
        left.append(r @ r)
    recovered = amp.recovered(tf.constant(operator), tf.constant(received[:, None]), elements)[:, 0]
    np.testing.assert_allclose(recovered, found[np.argmin(left)], rtol=1e-6, atol=1e-9)


def vectors(workers: int) -> np.ndarray:
    return np.random.default_rng(workers).standard_normal((workers, 30, 2))


@pytest.mark.parametrize("workers", [1, 2, 5, 10])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 0.49])
def test_median_and_trimmed_mean_are_those_of_numpy_and_scipy(workers, share):
    given = vectors(workers)
    median, trimmed, total = (made.combined(tf.constant(given)) for made in (Median(), TrimmedMean(share), Sum()))
    np.testing.assert_allclose(median / workers, np.median(given, axis=0), rtol=1e-12)
    np.testing.assert_allclose(trimmed / workers, trim_mean(given, share), rtol=1e-12)
    np.testing.assert_allclose(total, given.sum(axis=0), rtol=1e-12)


def test_a_minority_cannot_move_the_middle_beyond_honest_values():
    given = vectors(9)
    given[:4] = 1e9
    honest = given[4:]
    for receiver in (Median(), TrimmedMean(0.45)):
        middle = receiver.combined(tf.constant(given)).numpy() / 9
        assert (honest.min(axis=0) - 1e-12 <= middle).all()
        assert (middle <= honest.max(axis=0) + 1e-12).all()
