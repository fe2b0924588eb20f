"""Whole runs in the limits where one method or reading is another, and their noise floors."""

import numpy as np
import pytest

import otafl
from otafl.engine.simulate import _Simulation
from tests.otafl.engine.test_curves import run
from tests.otafl.engine.test_networks import run as train
from tests.otafl.small import group_of
from tests.rounding import SINGLE, assert_close

QUIET = {"channel.snr_db": float("inf")}
DOUBLE = {"uplink.bits_per_element": 64}
"""Digital uploads that are not rounded."""
DIGITAL = {"method": "D-FADMM"} | DOUBLE
UNIT = {"channel.fading": "none"}
CELL = {"cell.radius_m": 200.0, "cell.shadowing_db": 6.0}
HALF = {"federation.participation": 0.5}
P, KAPPA = "algorithm.weight_exponent", "algorithm.path_loss_compensation"
WEIGHTED = DIGITAL | {"algorithm.consensus": "channel_weighted"}


@pytest.mark.parametrize(
    ("keys", "others"),
    [
        pytest.param(UNIT, UNIT | DIGITAL, id="over a unit channel it is D-FADMM"),
        pytest.param({}, WEIGHTED, id="the channel's weights in D-FADMM"),
        pytest.param({"method": "A-GD"}, {"method": "D-GD"} | DOUBLE, id="gradient descent"),
        pytest.param({P: 0.0}, DIGITAL, id="without fading in its weights it is plain ADMM, (3) to (5)"),
        pytest.param(CELL | {P: 1.0, KAPPA: 0.5}, {P: 1.0}, id="path loss compensated in full, κ = p/2, is none"),
        pytest.param(CELL | {P: 2.0, KAPPA: 1.0}, {P: 2.0}, id="also of weights |h|²"),
        pytest.param(CELL | {P: 1.0}, CELL | WEIGHTED | {P: 1.0}, id="both uplinks have the same weights"),
        pytest.param(CELL | {P: 1.0, KAPPA: 0.3}, CELL | WEIGHTED | {P: 1.0, KAPPA: 0.3}, id="also with compensation"),
        pytest.param(CELL | HALF | {P: 1.0}, CELL | HALF | WEIGHTED | {P: 1.0}, id="also of some workers"),
        pytest.param({P: 1.0, "uplink.downlink": "analog"}, {P: 1.0}, id="an analog downlink is a digital one"),
    ],
)
def test_without_noise_a_fadmm_is_another_study(keys, others):
    common = QUIET | {"method": "A-FADMM", "run.iterations": 40}
    found, expected = (run(common | given).squeeze() for given in (keys, others))
    for name in {"loss", "primal_residual", "dual_residual"} & set(expected):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-9)


def test_a_channel_that_changes_every_iteration_stops_training():
    """Algorithm 1 then only flips duals: the local models stay what the first iteration made them."""
    loss = run({**QUIET, "method": "A-FADMM", "channel.coherence_iterations": 1})["loss"]
    np.testing.assert_allclose(loss, np.broadcast_to(loss[:, :1], loss.shape), rtol=1e-12)


def test_summed_local_loss_with_scaled_penalty_is_the_mean():
    """f_n times m with ρ times m is the same recursion; the loss is m times as large."""
    data = {"problem.dataset": "synthetic", "problem.samples": 120, "method": "D-FADMM"}
    mean, total = run(data), run({**data, "problem.loss_reduction": "sum", "algorithm.rho": 5.0})
    np.testing.assert_allclose(10 * mean["loss"], total["loss"], rtol=1e-6)


LEARNING = {"federation.workers": 4, "run.iterations": 4, "run.seeds": 1, "problem.model": "mlp_small"}


@pytest.mark.slow
@pytest.mark.parametrize("method", ["FedAvg@analog", "SCAFFOLD@analog", "A-SFADMM", "A-SGD"])
def test_networks_that_hear_a_noisy_downlink(method):
    keys = LEARNING | {"method": method, "uplink.downlink": ["digital", "analog"]}
    keys |= {"local.steps": 1 if method == "A-SGD" else 2}

    def losses(snr_db: float):
        data = otafl.run("digits_quickstart", keys | {"channel.snr_db": snr_db})["loss"].squeeze(drop=True)
        return data.sel(downlink="digital").to_numpy(), data.sel(downlink="analog").to_numpy()

    np.testing.assert_allclose(*losses(np.inf), rtol=1e-4)
    far, near = (np.abs(np.subtract(*losses(snr_db)))[1:] for snr_db in (10.0, 60.0))
    assert (near > 0).all()
    assert far.max() > 5 * near.max()


def test_noise_floor_of_a_fadmm_falls_by_root_ten_per_ten_decibels():
    overrides = {"method": "A-FADMM", "run.seeds": 8, "run.iterations": 4000, "federation.workers": 20}
    loss = run(overrides, **{"channel.snr_db": [40.0, 50.0, 60.0, 70.0]})["loss"].isel(iteration=slice(-2000, None))
    exponents = np.log10(loss.mean("iteration")).polyfit("snr_db", 1)["polyfit_coefficients"].sel(degree=1) * 10
    error = exponents.std("seed", ddof=1) / np.sqrt(exponents.sizes["seed"])
    assert abs(exponents.mean("seed") + 0.5) < 3 * error


def test_only_the_ratio_of_power_and_noise_matters():
    """P for d = 4 elements at d times the SNR is P·d; energies are those of the noise."""
    keys = {"method": "A-FADMM", "channel.snr_db": 40.0 - 10 * np.log10(4)}
    plain, loud = run(keys), run(keys | {"uplink.noise_psd_w_per_hz": 1e-6})
    upload = run(keys | {"uplink.power_budget": "per_upload", "channel.snr_db": 40.0})
    for other, factor in ((upload, 1), (loud, 1e3)):
        np.testing.assert_allclose(other["loss"], plain["loss"], rtol=1e-9)
        np.testing.assert_allclose(other["energy"], factor * plain["energy"], rtol=1e-9)


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


@pytest.mark.daily(1)
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
    """First models have the distribution of the common first model; duals are as large, times the penalty."""
    keys = {"method": "A-FADMM", "run.iterations": 9, "federation.workers": 6, "algorithm.rho": 0.25}
    made = group_of("quickstart", keys | RANDOM)
    (state,) = _Simulation(made, None).executor.states()
    _, theta, mu, *_ = state
    assert len(np.unique(theta.round(6), axis=0)) == len(theta) == made.workers
    assert np.std(mu) == pytest.approx(np.std(theta) * made.settings.algorithm.rho, rel=0.5)


def test_data_that_grow_with_the_workers():
    """Each has as many samples, whatever their number."""
    for workers in (4, 8):
        made = group_of(
            "quickstart", {"federation.workers": workers, "federation.samples_per_worker": 11, "method": "D-GD"}
        )
        assert made.task.counts.tolist() == [11] * workers


@pytest.mark.slow
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
