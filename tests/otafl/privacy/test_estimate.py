"""The best linear estimate against its closed form and against brute force."""

import numpy as np
import pytest

from otafl.privacy import estimate


@pytest.mark.parametrize(("workers", "noise"), [(2, 0.0), (5, 0.5), (20, 3.0)])
def test_one_of_a_sum_in_noise(workers, noise):
    """y = Σx_n + z, independent of unit variance: 1 - 1/(N + σ²) is left."""
    rng = np.random.default_rng(0)
    parts = rng.standard_normal((workers, 200_000))
    seen = parts.sum(axis=0) + np.sqrt(noise) * rng.standard_normal(parts.shape[1])
    known = rng.standard_normal((1, parts.shape[1]))
    found = estimate.error(parts[0], seen[None], known)
    assert found == pytest.approx(1 - 1 / (workers + noise), abs=4 / np.sqrt(parts.shape[1]))


def test_no_other_coefficients_are_better():
    rng = np.random.default_rng(1)
    target, seen = rng.standard_normal(60), rng.standard_normal((2, 60))
    target = target + 0.7 * seen[0] - 0.2 * seen[1] + 0.3
    grid = np.linspace(-1.5, 1.5, 61)
    left = target - np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2) @ seen
    tried = [np.sum((left - constant) ** 2, axis=1).min() for constant in grid]
    least = estimate.residual(target, seen) * (60 - 3)
    assert least <= min(tried)
    assert least == pytest.approx(min(tried), rel=0.02)
    assert np.sum((target - estimate.best(target, seen)) ** 2) == pytest.approx(least)


def test_nothing_is_found_in_noise_and_all_in_the_message_itself():
    rng = np.random.default_rng(2)
    target, known = rng.standard_normal(500), rng.standard_normal((3, 500))
    useless = [estimate.error(target, rng.standard_normal((8, 500)), known) for _ in range(50)]
    assert np.mean(useless) == pytest.approx(1, abs=0.01)
    assert estimate.error(target, target[None], known) == pytest.approx(0, abs=1e-20)
    assert np.isnan(estimate.error(target[:50], rng.standard_normal((8, 50)), known[:, :50]))
