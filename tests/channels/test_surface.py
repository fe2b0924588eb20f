"""A reconfigurable surface against closed forms, brute force and limits."""

import itertools

import numpy as np
import pytest

from otafl.channels.combiners import COMBINERS
from otafl.channels.fading import Layout, RayleighFading, realise
from otafl.channels.surface import Surface, aligned, design, searched, slope_of_phases, two_hop_db
from tests.channels.draws import gains

MAX_MIN, FIRST = COMBINERS["max_min"](), COMBINERS["first"]()


def drawn(workers, antennas, elements, subcarriers=1, seed=0):
    """Direct gains of mean square 1, and paths of a tenth of that power over each element."""
    direct = gains(workers, antennas, subcarriers, seed=seed)
    return direct, gains(workers, 1, elements, seed=seed + 1000) * gains(antennas, elements, seed=seed + 2000) / 10**0.5


def surface(workers, antennas, elements, amplitude=1.0, seed=0):
    direct = realise(RayleighFading(), Layout(workers, antennas), np.random.SeedSequence(seed))
    combiner = MAX_MIN if antennas > 1 else FIRST
    return Surface(
        direct, np.full(workers, amplitude), elements, antennas, combiner, np.random.SeedSequence(seed, spawn_key=(1,))
    )


@pytest.mark.parametrize("elements", [1, 7, 40])
def test_one_link_has_all_paths_in_phase(elements):
    """The optimum for one worker and one antenna is |h_d| + Σ_k|g_k·h_k|."""
    direct, paths = drawn(1, 1, elements)
    found = design(direct, paths, FIRST)
    assert found.floors[-1] ** 0.5 == pytest.approx(np.abs(direct).sum() + np.abs(paths).sum(), rel=1e-12)


@pytest.mark.parametrize(("workers", "antennas", "subcarriers"), [(6, 1, 1), (10, 5, 1), (5, 3, 4)])
@pytest.mark.parametrize("combiner", ["max_min", "principal", "first"])
def test_the_smallest_gain_rises_in_every_step(workers, antennas, subcarriers, combiner):
    for seed in range(2):
        direct, paths = drawn(workers, antennas, 12, subcarriers, seed)
        found = design(direct, paths, COMBINERS[combiner]())
        assert np.all(np.diff(found.floors) > 0)
        np.testing.assert_allclose(np.abs(found.factors), 1.0, rtol=1e-12)


@pytest.mark.parametrize("links", [2, 4, 20])
def test_a_search_against_brute_force(links):
    """Two elements: the best of a grid of 1° over both phases is reached, and more between its points."""
    turn = np.exp(1j * np.deg2rad(np.arange(360)))
    grid = np.stack(np.meshgrid(turn, turn), axis=-1).reshape(-1, 2)
    for seed in range(8):
        direct, paths = gains(links, seed=seed), gains(links, 2, seed=seed + 100)
        best = np.abs(direct[:, None] + paths @ grid.T).min(axis=0).max()
        ratio = np.abs(direct + paths @ searched(direct, paths, np.ones(2, complex))).min() / best
        assert 0.995 < ratio < 1.05


@pytest.mark.parametrize("few", [False, True])
def test_no_search_falls_below_its_start(monkeypatch, few):
    """Also where links and elements are many and searches few, which bounds the time of a step."""
    if few:
        monkeypatch.setattr("otafl.channels.surface.PRODUCTS", 0)
    for seed in range(10):
        direct, paths, start = gains(8, seed=seed), gains(8, 5, seed=seed + 50), np.exp(1j * np.arange(5.0) * seed)
        ours = np.abs(direct + paths @ searched(direct, paths, start)).min()
        assert ours >= np.abs(direct + paths @ start).min()


def test_the_slope_of_the_search_is_that_of_differences():
    direct, paths, phases = gains(4), gains(4, 3, seed=1), np.array([0.3, -1.0, 2.0])

    def level(at):
        return -np.log(np.sum(np.abs(direct + paths @ np.exp(1j * at)) ** -10.0)) / 5.0

    slope = [(level(phases + 1e-6 * one) - level(phases - 1e-6 * one)) / 2e-6 for one in np.eye(3)]
    found = slope_of_phases(direct, paths, np.exp(1j * phases)[None], 5.0)[0]
    np.testing.assert_allclose(found, slope, rtol=1e-6, atol=1e-8)


def test_alignment_raises_the_mean_logarithm_of_gains():
    for seed in range(10):
        direct, paths, start = gains(5, seed=seed), gains(5, 8, seed=seed + 50), np.ones(8, complex)
        powers = [np.log(np.abs(direct + paths @ factors)).sum() for factors in (start, aligned(direct, paths, start))]
        assert powers[1] > powers[0]


@pytest.mark.parametrize("elements", [1, 16, 64])
def test_power_gain_of_a_surface_without_a_direct_path(elements):
    """E|Σ_k|g_k·h_k||² = K²π²/16 + K(1 - π²/16) over Rayleigh fading, times the power gain of a path."""
    made, share = surface(1, 1, elements, amplitude=0.5), np.pi**2 / 16
    paths, nothing = map(made.paths_over_elements, range(400)), np.zeros((1, 1, 1))
    powers = np.array([design(nothing, over_elements, FIRST).floors[-1] for over_elements in paths])
    theirs = 0.25 * (elements**2 * share + elements * (1 - share))
    assert powers.mean() == pytest.approx(theirs, abs=3 * powers.std() / len(powers) ** 0.5)


@pytest.mark.parametrize(("elements", "amplitude"), [(0, 1.0), (8, 0.0)])
def test_no_element_or_power_leaves_the_direct_channel(elements, amplitude):
    made = surface(4, 3, elements, amplitude)
    np.testing.assert_array_equal(made.gains(2, 5), made.fading.gains(2, 5))


def test_gains_are_the_sum_of_all_paths():
    """h_n + Σ_k G_k·θ_k·h_r,nk, summed path by path, of which a larger surface has the same and more; workers share the
    hop to the server, so that the ratio of their paths is the same at all antennas."""
    made = surface(3, 2, 6)
    direct, paths = made.fading.gains(1, 4), made.paths_over_elements(1)
    factors, found = design(direct, paths, MAX_MIN).factors, made.gains(1, 4)
    for n, m, s in itertools.product(range(3), range(2), range(4)):
        assert found[n, m, s] == pytest.approx(direct[n, m, s] + sum(paths[n, m, k] * factors[k] for k in range(6)))
    np.testing.assert_array_equal(surface(3, 2, 9).paths_over_elements(1)[..., :6], paths)
    ratio = paths[0] / paths[1]
    np.testing.assert_allclose(ratio, np.broadcast_to(ratio[:1], ratio.shape))


def test_mean_power_under_fixed_phases():
    """Without a choice by the channel, E|h|² = 1 + K·a²."""
    made = surface(1, 1, 10, amplitude=0.4)
    h = [made.fading.gains(block, 1).sum() + made.paths_over_elements(block).sum() for block in range(4000)]
    power = np.abs(h) ** 2
    assert made.power[0] == pytest.approx(1 + 10 * 0.16)
    assert power.mean() == pytest.approx(made.power[0], abs=3 * power.std() / len(power) ** 0.5)


def test_path_gain_of_both_hops():
    """3 m to the surface and 4 m on, in free space with 30 dB at 1 m each; a worker at the surface is 1 m away."""
    places = np.array([[4.0, 3.0], [4.0, 0.0]])
    expected = [-60 - 20 * np.log10(12), -60 - 20 * np.log10(4)]
    np.testing.assert_allclose(two_hop_db(places, 4.0, 30.0, 2.0), expected)
