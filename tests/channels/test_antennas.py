"""Several antennas against closed forms, brute force and the complex path."""

import itertools

import numpy as np
import pytest

from otafl.channels import antennas
from otafl.channels.combiners import COMBINERS, Combiner, GainSum
from otafl.channels.csi import Sounding, known
from otafl.channels.effective_channel import reduce
from otafl.channels.imperfections import Imperfections
from otafl.channels.noise import complex_normal
from otafl.channels.precoding import ChannelInversion
from otafl.channels.receive_scaling import BlindSum

RNG = np.random.default_rng(0)


def gains(*shape, seed=0):
    return complex_normal(np.random.default_rng(seed), shape)


@pytest.mark.parametrize("count", [1, 2, 8])
def test_antennas_at_workers_gain_their_number(count):
    """‖h‖² is a sum of so many exponentials: its mean is M, its variance M."""
    channel = antennas.of_workers(known(gains(500, count, 200)))
    power = np.abs(channel.h) ** 2
    assert channel.perfect
    assert power.mean() == pytest.approx(count, abs=5 * np.sqrt(count / power.size))
    assert power.var() == pytest.approx(count, rel=0.05)


def test_a_beam_towards_a_belief_is_what_the_complex_path_makes_of_it():
    h = gains(4, 3, 10)
    channel = Sounding(Imperfections(pilots=1, pilot_snr=3.0), np.random.SeedSequence(0)).sound(h, 0)
    made = antennas.of_workers(channel)
    for worker, subcarrier in itertools.product(range(4), range(10)):
        believed = channel.worker[worker, :, subcarrier]
        sent = believed.conj() / np.linalg.norm(believed)
        assert made.h[worker, subcarrier] == pytest.approx(h[worker, :, subcarrier] @ sent)
        assert np.linalg.norm(sent) == pytest.approx(1)
    np.testing.assert_allclose(made.worker, antennas.amplitude(channel.worker))


@pytest.mark.parametrize("combiner", COMBINERS)
def test_a_combiner_has_norm_one_and_what_it_leaves_is_its_product(combiner):
    h = gains(2, 5, 3, 7)
    weights = COMBINERS[combiner]().weights(np.moveaxis(h, -1, -3))
    np.testing.assert_allclose(np.linalg.norm(weights, axis=-1), 1.0)
    left = antennas.of_server(known(h), COMBINERS[combiner]())
    assert left.perfect
    for seed, worker, subcarrier in itertools.product(range(2), range(5), range(7)):
        expected = np.vdot(weights[seed, subcarrier], h[seed, worker, :, subcarrier])
        assert left.h[seed, worker, subcarrier] == pytest.approx(expected)


@pytest.mark.parametrize("combiner", COMBINERS)
@pytest.mark.parametrize("scale", [1e-4, 1e4])
def test_a_combiner_is_the_same_over_any_distance(combiner, scale):
    """Weights are directions: of all gains times a number they stay."""
    h = complex_normal(np.random.default_rng(5), (7, 4, 3))
    np.testing.assert_allclose(COMBINERS[combiner]().weights(scale * h), COMBINERS[combiner]().weights(h), atol=1e-9)


def test_the_first_antenna_is_the_channel_of_one():
    h = gains(4, 3, 6)
    np.testing.assert_array_equal(antennas.of_server(known(h), COMBINERS["first"]()).h, h[:, 0])


def test_one_worker_gets_all_antennas_whatever_is_maximised():
    h = gains(1, 4, 6)
    for combiner in ("principal", "max_min", "sum"):
        left = antennas.of_server(known(h), COMBINERS[combiner]()).h
        np.testing.assert_allclose(np.abs(left), antennas.amplitude(h))


def test_principal_has_the_largest_total_power_of_all_directions():
    h = gains(6, 4, 5)
    ours = np.sum(np.abs(antennas.of_server(known(h), COMBINERS["principal"]()).h) ** 2, axis=0)
    for _ in range(200):
        other = gains(4, seed=int(RNG.integers(2**31)))
        power = np.abs(np.einsum("m,nms->ns", other.conj() / np.linalg.norm(other), h)) ** 2
        assert np.all(power.sum(axis=0) <= ours * (1 + 1e-12))


@pytest.mark.parametrize("workers", [2, 3, 6])
def test_max_min_against_brute_force(workers):
    """Two antennas: a grid over all directions, of whose best it reaches 60% at least, and 97% in the mean."""
    h = gains(workers, 2, 200, seed=workers)
    angle, phase = np.meshgrid(np.linspace(0, np.pi / 2, 181), np.linspace(0, 2 * np.pi, 361))
    grid = np.stack([np.cos(angle), np.sin(angle) * np.exp(1j * phase)], axis=-1).reshape(-1, 2)
    best = np.abs(np.einsum("gm,nms->gns", grid.conj(), h)).min(axis=1).max(axis=0)
    ours = np.abs(antennas.of_server(known(h), COMBINERS["max_min"]()).h).min(axis=0)
    assert np.all(ours <= best * 1.01)
    assert np.min(ours / best) > 0.6
    assert np.mean(ours / best) > 0.97


@pytest.mark.parametrize(("workers", "count"), [(2, 4), (5, 16), (5, 64)])
def test_blind_workers(workers, count):
    """The estimate of Σ_n x_n has a mean square error of (N‖x‖² + (Σx)² + Nσ²)/2M, real parts and noise of both kinds:
    E|w^H·y - Σx|² halved, over 100,000 channels."""
    draws, noise = 100_000, 0.5
    x = np.linspace(1.0, 2.0, workers)
    channel = antennas.blind(antennas.of_server(known(gains(workers, count, draws)), GainSum()))
    effective = reduce(channel, ChannelInversion(), BlindSum(count))
    np.testing.assert_array_equal(effective.power, 1.0)
    receiver = np.sqrt(noise / 2) * np.random.default_rng(9).standard_normal(draws)
    errors = (effective.arrival.T @ x + effective.noise_gain[0] * receiver - x.sum()) ** 2
    theirs = (workers * x @ x + x.sum() ** 2 + workers * noise) / (2 * count)
    assert errors.mean() == pytest.approx(theirs, abs=5 * errors.std() / np.sqrt(draws))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("silent", [slice(1, 2), slice(None)])
def test_nothing_of_a_worker_arrives_where_all_its_gains_are_zero(silent):
    """Of one of them, or of all; on a subcarrier beside others."""
    h = gains(2, 4, 3, 5)
    h[:, silent, :, 2] = 0
    made = {name: antennas.of_server(known(h), COMBINERS[name]()).h for name in COMBINERS}
    made |= {
        "workers": antennas.of_workers(known(h)).h,
        "blind": antennas.blind(antennas.of_server(known(h), GainSum())).h,
    }
    for name, g in made.items():
        assert np.isfinite(g).all(), name
        assert (g[:, silent, 2] == 0).all(), name
        assert (g[:, :, 3] != 0).all(), name


@pytest.mark.parametrize(
    ("weights", "rule"),
    [
        (lambda h: 2 * h[..., 0, :], "norm 1"),
        (lambda h: h[..., 0], "shape"),
        (lambda h: h[..., 0, :] * np.nan, "norm 1"),
    ],
)
def test_a_combiner_of_another_norm_or_shape_is_refused(weights, rule):
    class Mine(Combiner):
        def weights(self, h):
            return weights(h)

    with pytest.raises(ValueError, match=rf"Mine.weights: must have (the )?{rule}"):
        antennas.of_server(known(gains(3, 4, 5)), Mine())
