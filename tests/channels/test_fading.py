"""Block fading: moments, distribution, and streams that depend on the seed and the block alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from channels.fading import FADING, BlockFading, NoFading, RayleighFading

SAMPLES = 200_000
LEVEL = 1e-3


def block_fading(seed: int = 0) -> BlockFading:
    return BlockFading(RayleighFading(), np.random.SeedSequence(seed))


@pytest.fixture(scope="module")
def gains():
    return block_fading().gains(0, 100, SAMPLES // 100)


def test_rayleigh_has_unit_mean_power(gains):
    assert np.mean(np.abs(gains) ** 2) == pytest.approx(1.0, abs=5 / np.sqrt(SAMPLES))


def test_rayleigh_is_centred_and_circular(gains):
    """E h = 0 with variance 1, and E h² = 0 with variance E|h|⁴ = 2."""
    assert abs(gains.mean()) < 5 / np.sqrt(SAMPLES)
    assert abs(np.mean(gains**2)) < 5 * np.sqrt(2 / SAMPLES)


def test_rayleigh_power_is_exponential(gains):
    assert stats.kstest(np.abs(gains.ravel()) ** 2, "expon").pvalue > LEVEL


def test_rayleigh_phase_is_uniform(gains):
    assert stats.kstest(np.angle(gains.ravel()), stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > LEVEL


@pytest.mark.parametrize("shift", [(1, 0), (0, 1)])
def test_neighbouring_workers_and_subcarriers_are_uncorrelated(gains, shift):
    other = np.roll(gains, shift, axis=(0, 1))
    assert abs(np.mean(gains * other.conj())) < 5 / np.sqrt(SAMPLES)


def test_gains_are_reproducible_per_seed_and_block():
    first = block_fading(3).gains(7, 5, 4)
    np.testing.assert_array_equal(first, block_fading(3).gains(7, 5, 4))
    assert not np.isin(first, block_fading(4).gains(7, 5, 4)).any()
    assert not np.isin(first, block_fading(3).gains(8, 5, 4)).any()


def test_gains_do_not_depend_on_the_order_of_calls():
    fading = block_fading()
    ahead = [fading.gains(block, 3, 2) for block in (2, 0, 1)]
    in_order = [fading.gains(block, 3, 2) for block in (0, 1, 2)]
    np.testing.assert_array_equal(ahead, [in_order[2], in_order[0], in_order[1]])


def test_blocks_are_independent():
    """Neither the gains nor the powers of successive blocks are correlated."""
    blocks = np.stack([block_fading().gains(block, 40, 50) for block in range(100)])
    now, then, bound = blocks[:-1], blocks[1:], 5 / np.sqrt(99 * 40 * 50)
    assert abs(np.mean(now * then.conj())) < bound
    assert abs(np.mean((np.abs(now) ** 2 - 1) * (np.abs(then) ** 2 - 1))) < bound


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**32), st.integers(0, 10**6), st.integers(1, 20), st.integers(1, 20), st.integers(0, 20))
def test_wider_band_extends_a_narrower_one(seed, block, workers, narrow, more):
    fading = block_fading(seed)
    wide = fading.gains(block, workers, narrow + more)
    assert wide.shape == (workers, narrow + more)
    np.testing.assert_array_equal(wide[:, :narrow], fading.gains(block, workers, narrow))


def test_no_fading_is_a_static_unit_gain():
    assert NoFading.static
    assert not RayleighFading.static
    gains = BlockFading(NoFading(), np.random.SeedSequence(0)).gains(5, 3, 4)
    np.testing.assert_array_equal(gains, np.ones((3, 4), complex))


def test_models_are_known_by_name():
    assert FADING["none"] is NoFading
    assert FADING["rayleigh"] is RayleighFading


def test_rayleigh_agrees_with_sionna(gains):
    """Two-sample Kolmogorov-Smirnov test on |h|² against Sionna's Rayleigh block fading, and equal means."""
    import sionna.phy
    from sionna.phy.channel import RayleighBlockFading

    sionna.phy.config.seed = 1
    theirs, _ = RayleighBlockFading(num_rx=1, num_rx_ant=1, num_tx=20, num_tx_ant=1)(1000, 1)
    power = np.abs(theirs.numpy().ravel()) ** 2
    assert stats.ks_2samp(np.abs(gains.ravel()[: power.size]) ** 2, power).pvalue > LEVEL
    assert power.mean() == pytest.approx(1.0, abs=5 / np.sqrt(power.size))
