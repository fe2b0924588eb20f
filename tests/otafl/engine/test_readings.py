"""Readings that the A-FADMM paper leaves open, in whole runs: their limits, and where they agree."""

import numpy as np
import pytest

from otafl.engine.simulate import _Simulation
from tests.otafl.engine.test_networks import run as train
from tests.otafl.engine.test_simulate import run
from tests.otafl.small import group_of
from tests.rounding import SINGLE, assert_close

RANDOM = {"algorithm.start": "random"}


def test_the_floor_of_the_loss_of_all_is_quadratic_in_the_noise():
    """The floor of the workers' own losses, at models that differ, is linear in the noise."""
    keys = {"method": "A-FADMM", "run.iterations": 1000, "channel.snr_db": [20.0, 40.0]}
    floors = [
        run(keys | {"problem.loss_function": f})["loss"].isel(iteration=slice(500, None)).median(["iteration", "seed"])
        for f in ("local", "global")
    ]
    linear, quadratic = (float(floor.sel(snr_db=20) / floor.sel(snr_db=40)) for floor in floors)
    assert 5 < linear < 20
    assert 50 < quadratic < 200


@pytest.mark.parametrize("method", ["A-FADMM", "D-FADMM"])
def test_random_starts_end_where_common_ones_do(method):
    """The minimum is one; the first iterations are others, and depend on the seed alone."""
    keys = {"method": method, "channel.snr_db": np.inf, "run.iterations": 4000}
    random, common = run(keys | RANDOM)["loss"], run(keys)["loss"]
    for loss in (random, common):
        assert (loss.isel(iteration=-1) < 1e-9).all()
    assert (abs(random / common - 1).isel(iteration=0) > 1e-3).all()
    np.testing.assert_array_equal(random, run(keys | RANDOM)["loss"])


def test_every_worker_starts_with_a_model_of_its_own():
    """Of the law of the model that all start with otherwise; duals are as large, times the penalty."""
    keys = {"method": "A-FADMM", "run.iterations": 9, "federation.workers": 6, "algorithm.rho": 0.25}
    made = group_of("quickstart", keys | RANDOM)
    (state,) = _Simulation(made, None).executor.states()
    _, theta, mu, *_ = state
    assert len(np.unique(theta.round(6), axis=0)) == len(theta) == made.workers
    assert np.std(mu) == pytest.approx(np.std(theta) * made.settings.algorithm.rho, rel=0.5)


@pytest.mark.slow
def test_models_after_sgd_are_those_of_federated_averaging():
    """D-SGD that uploads models is FedAvg in which all take part."""
    keys = {"local.steps": 3, "local.learning_rate": 0.1, "run.iterations": 3, "uplink.kind": "digital"}
    averaged, sgd = train(keys | {"method": "FedAvg"}), train(keys | {"method": "D-SGD"})
    np.testing.assert_allclose(sgd["loss"], averaged["loss"], rtol=1e-4)
    np.testing.assert_allclose(sgd["test_accuracy"], averaged["test_accuracy"], atol=0.01)


def test_data_that_grow_with_the_workers():
    """Each has as many samples, whatever their number."""
    for workers in (4, 8):
        made = group_of(
            "quickstart", {"federation.workers": workers, "federation.samples_per_worker": 11, "method": "D-GD"}
        )
        assert made.task.counts.tolist() == [11] * workers


def test_a_stored_model_is_the_global_one_in_the_first_round():
    """Which all workers store at first; afterwards the two readings of equation (4) send other changes."""
    keys = {"method": "FedADMM-Gong", "run.iterations": 3, "uplink.kind": "digital"}
    own, world = (train(keys | {"algorithm.stored_model": value})["loss"] for value in ("own", "global"))
    assert_close(own.isel(iteration=slice(2)), world.isel(iteration=slice(2)), SINGLE)
    assert (own.isel(iteration=2) != world.isel(iteration=2)).all()


def test_standardised_inputs_have_mean_zero_and_deviation_one():
    made = group_of("digits_quickstart", {"method": "FedAvg", "problem.standardise": True})
    features = made.task.shared(np.array([0])).features[0]
    seen = made.task.learner._inputs(features).numpy()
    assert abs(seen.mean()) < 1e-5
    assert seen.std() == pytest.approx(1, abs=1e-5)
