"""Several antennas against closed forms, brute force and the complex path."""

import itertools

import numpy as np
import pytest

from otafl.channels import antennas, beams
from otafl.channels.combiners import COMBINERS, Combiner, GainSum
from otafl.channels.csi import ChannelState, Sounding, known
from otafl.channels.effective_channel import reduce
from otafl.channels.imperfections import Imperfections
from otafl.channels.precoding import ChannelInversion
from otafl.channels.receive_scaling import BlindSum
from tests.channels.draws import directions, gains

SEEING = [name for name, combiner in COMBINERS.items() if not combiner.blind]


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
    assert antennas.of_workers(known(h)).perfect


@pytest.mark.parametrize("combiner", COMBINERS)
def test_weights_of_a_combiner_are_directions_and_what_it_leaves_is_their_product(combiner):
    """Weights are of norm one, and the same for all gains times a number, over any distance."""
    h, made = gains(2, 5, 3, 7), COMBINERS[combiner]()
    by_antenna = np.moveaxis(h, -1, -3)
    weights, left = made.weights(by_antenna), antennas.of_server(known(h), made)
    np.testing.assert_allclose(np.linalg.norm(weights, axis=-1), 1.0)
    assert left.perfect
    np.testing.assert_allclose(left.h, np.einsum("rsm,rnms->rns", weights.conj(), h), atol=1e-12)
    for scale in (1e-4, 1e4):
        np.testing.assert_allclose(made.weights(scale * by_antenna), weights, atol=1e-9)


@pytest.mark.parametrize("combiner", COMBINERS)
def test_one_worker_has_all_antennas_but_behind_the_first(combiner):
    h = gains(1, 4, 6)
    left = antennas.of_server(known(h), COMBINERS[combiner]()).h
    if combiner == "first":
        np.testing.assert_array_equal(left, h[:, 0])
    else:
        np.testing.assert_allclose(np.abs(left), antennas.amplitude(h))


@pytest.mark.parametrize("workers", [2, 3, 6])
@pytest.mark.parametrize(
    ("combiner", "reduce_workers", "least", "mean"),
    [("principal", np.linalg.norm, 0.9999, 0.9999), ("max_min", np.min, 0.6, 0.97), ("sca", np.min, 0.999, 0.9999)],
)
def test_a_combiner_of_two_antennas_against_brute_force(combiner, reduce_workers, least, mean, workers):
    """Shares of the best direction's total power or smallest gain, which points between those of a grid exceed."""
    h = gains(workers, 2, 60, seed=workers)
    best = reduce_workers(np.abs(np.einsum("gm,nms->gns", directions().conj(), h)), axis=1).max(axis=0)
    ratio = reduce_workers(np.abs(antennas.of_server(known(h), COMBINERS[combiner]()).h), axis=0) / best
    assert ratio.max() < 1.03
    assert ratio.min() > least
    assert ratio.mean() > mean


@pytest.mark.parametrize("combiner", SEEING)
def test_one_worker_with_antennas_on_both_sides_has_its_largest_singular_value(combiner):
    """Also where it is received alone; behind the first antenna it has the norm of that antenna's row."""
    h = gains(1, 3 * 2, 6)
    matrices = np.moveaxis(h.reshape(3, 2, 6), -1, 0)
    largest = np.linalg.svd(matrices)[1][:, 0]
    left = antennas.of_both(known(h), COMBINERS[combiner](), 2).h
    expected = np.linalg.norm(matrices[:, 0], axis=-1) if combiner == "first" else largest
    np.testing.assert_allclose(left[0], expected, atol=1e-12)
    np.testing.assert_allclose(antennas.alone(h, 2)[0], largest)


@pytest.mark.parametrize("combiner", SEEING)
def test_one_antenna_on_either_side_is_that_of_the_other_side_alone(combiner):
    """Up to phases, as a beam of a single antenna has one; bit by bit where a worker is received alone."""
    h, made = gains(4, 3, 5), COMBINERS[combiner]()
    at_server, at_workers = (np.abs(antennas.of_both(known(h), made, count).h) for count in (1, 3))
    np.testing.assert_allclose(at_server, np.abs(antennas.of_server(known(h), made).h))
    np.testing.assert_allclose(at_workers, antennas.of_workers(known(h)).h)
    for count in (1, 3):
        np.testing.assert_array_equal(antennas.alone(h, count), antennas.amplitude(h))


@pytest.mark.parametrize("workers", [2, 3])
@pytest.mark.parametrize(("combiner", "least", "mean"), [("max_min", 0.7, 0.95), ("sca", 0.999, 0.9999)])
def test_two_antennas_on_both_sides_against_brute_force(combiner, least, mean, workers):
    """Shares of the smallest gain with the best of all unit vectors of a grid, of the server and of each worker."""
    h, grid = gains(workers, 2 * 2, 30, seed=workers), directions(15)
    by_server = np.einsum("gm,nmks->gnks", grid.conj(), antennas.in_matrices(h, 2))
    best = np.abs(np.einsum("gnks,bk->bgns", by_server, grid)).max(axis=0).min(axis=1).max(axis=0)
    ratio = np.abs(antennas.of_both(known(h), COMBINERS[combiner](), 2).h).min(axis=0) / best
    assert ratio.max() < 1.03
    assert ratio.min() > least
    assert ratio.mean() > mean


def test_no_beam_arrives_better_than_the_matched_and_no_matrix_carries_more_than_its_strongest():
    h, weights, grid = gains(7, 5, 3, 2), gains(7, 3, seed=1), directions()
    through = np.einsum("cm,cnmk->cnk", weights.conj(), h)
    matched, strongest = beams.matched(weights, h), beams.strongest(h)
    assert np.all(np.abs(through @ grid.T).max(axis=-1) <= np.abs(np.sum(through * matched, axis=-1)) * (1 + 1e-12))
    powers = np.linalg.norm(np.einsum("cnmk,gk->gcnm", h, grid), axis=-1)
    assert np.all(powers.max(axis=0) <= np.linalg.norm(beams.behind(h, strongest), axis=-1) * (1 + 1e-12))
    for sent in (matched, strongest):
        np.testing.assert_allclose(np.linalg.norm(sent, axis=-1), 1.0)


@pytest.mark.parametrize("combiner", ["principal", "max_min", "sca"])
def test_gains_rise_with_the_antennas_of_either_side(combiner):
    """The mean over 100 channels of 4 workers: of all power for the principal direction, else of the weakest one's."""
    h, reduce_workers = gains(4, 3, 3, 100, seed=5), np.sum if combiner == "principal" else np.min

    def mean(at_server, at_workers):
        pairs = h[:, :at_server, :at_workers].reshape(4, -1, 100)
        power = np.abs(antennas.of_both(known(pairs), COMBINERS[combiner](), at_workers).h) ** 2
        return reduce_workers(power, axis=0).mean()

    means = np.array([[mean(at_server, at_workers) for at_workers in (1, 2, 3)] for at_server in (1, 2, 3)])
    assert np.all(np.diff(means, axis=0) > 0)
    assert np.all(np.diff(means, axis=1) > 0)


@pytest.mark.parametrize("combiner", SEEING)
def test_beams_and_weights_follow_from_what_pilots_tell(combiner):
    """The actual gains w^H·H·v change with H, and neither w nor v does: ĝ = ‖Ĥ^H·w‖ is the same, and g is linear."""
    h, believed, made = gains(3, 3 * 2, 4), gains(3, 3 * 2, 4, seed=1), COMBINERS[combiner]()
    first, second, both = (
        antennas.of_both(ChannelState(actual, believed, believed), made, 2) for actual in (h, 2j * h, h + believed)
    )
    assert not first.perfect
    np.testing.assert_allclose(first.worker, antennas.of_both(known(believed), made, 2).h)
    np.testing.assert_array_equal(first.server, second.server)
    np.testing.assert_allclose(second.h, 2j * first.h)
    np.testing.assert_allclose(both.h, first.h + first.server)


@pytest.mark.parametrize(("workers", "count"), [(2, 4), (5, 16)])
def test_blind_workers(workers, count):
    """The estimate of Σ_n x_n has a mean square error of (N‖x‖² + (Σx)² + Nσ²)/2M, real parts and noise of both kinds:
    E|w^H·y - Σx|² halved, over 20,000 channels."""
    draws, noise = 20_000, 0.5
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
    h = gains(2, 4, 6, 5)
    h[:, silent, :, 2] = 0
    made = {name: antennas.of_server(known(h), COMBINERS[name]()).h for name in COMBINERS}
    made |= {
        "workers": antennas.of_workers(known(h)).h,
        **{f"both {name}": antennas.of_both(known(h), COMBINERS[name](), 2).h for name in SEEING},
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
    mine = type("Mine", (Combiner,), {"weights": lambda self, h: weights(h)})
    with pytest.raises(ValueError, match=rf"Mine.weights: must have (the )?{rule}"):
        antennas.of_server(known(gains(3, 4, 5)), mine())
