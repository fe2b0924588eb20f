"""Sums of plane waves against their definition, wherever one begins."""

import numpy as np
import pytest

from otafl.channels.fading import plane_waves
from otafl.channels.fading.plane_waves import BATCH, WAVES, Waves

GAINS = (3, 2, 100)


def drawn():
    return plane_waves.draw(np.random.default_rng(0), GAINS)


@pytest.mark.parametrize("periods", [0.0, 0.093, 3.7, 250.0])
@pytest.mark.parametrize("block", [0, 1, BATCH - 1, BATCH, 10 * BATCH + 37, 10**6])
def test_gains_are_the_sum_of_waves(periods, block):
    """In double precision, what single precision leaves of it: some 1e-6, in any number of periods."""
    angles, phases = drawn()
    rates = periods * np.cos(angles)
    turns = block * (rates - np.rint(rates))
    expected = np.exp(1j * (2 * np.pi * turns + phases)).sum(axis=0) / np.sqrt(WAVES)
    found = Waves(drawn(), periods).gains(block)
    assert found.shape == GAINS
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("periods", [np.inf, np.nan])
def test_one_block_for_ever_is_kept_alone(periods):
    made = Waves(drawn(), periods)
    np.testing.assert_allclose(made.gains(0), np.exp(1j * drawn()[1]).sum(axis=0) / np.sqrt(WAVES), atol=1e-5)
    assert made.kept.shape == (1, np.prod(GAINS))
