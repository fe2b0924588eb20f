"""Metrics in all executors: they change a run by rounding alone, and agree with what is known by another route."""

import numpy as np
import pytest
import tensorflow as tf

import otafl
from otafl.engine import group as groups
from otafl.engine.simulate import simulate
from otafl.errors import OtaflError
from tests.otafl.engine.test_checkpoint import goes_on
from tests.otafl.small import group_of, some
from tests.rounding import DOUBLE, SINGLE, assert_close

FEW = {"run.iterations": 4, "run.seeds": 1, "federation.workers": 6}
EXACT = FEW | {"problem.dataset": "synthetic", "problem.dimension": 4, "problem.samples": 300}
NOISY = {"uplink.kind": "analog", "channel.snr_db": 5.0, "channel.coherence_iterations": 2.0}
HALF = {"federation.participation": 0.5}
STUDIES = {
    "A-FADMM": ("quickstart", EXACT | {"method": "A-FADMM", "channel.snr_db": 5.0}),
    "A-GD": ("quickstart", EXACT | {"method": "A-GD", "channel.snr_db": 5.0}),
    "A-FADMM, some": ("quickstart", EXACT | {"method": "A-FADMM", "channel.snr_db": 5.0} | HALF),
    "A-SFADMM": ("digits_quickstart", FEW | {"method": "A-SFADMM", "channel.snr_db": 5.0}),
    "FedAvg": ("digits_quickstart", FEW | {"method": "FedAvg"} | NOISY),
    "FedAvg, some": ("digits_quickstart", FEW | {"method": "FedAvg"} | NOISY | HALF),
    "SCAFFOLD, top-k": ("digits_quickstart", FEW | {"method": "SCAFFOLD", "uplink.compressor": "top_k"}),
    "FedPD": ("digits_quickstart", FEW | {"method": "FedPD", "run.evaluate_every": 2}),
}
READ = ("squared_error", "mean_loss", "step", "spread")


@pytest.fixture(autouse=True)
def _registered(registries):
    for name in READ:
        otafl.metric(name, every="evaluation" if name == "step" else "round")(globals()[name])


def squared_error(seen):
    """The relative squared error of the received sums of vectors, of which ``aggregation_nmse`` is another route."""
    pairs = [pair for pair in zip(seen.received, seen.meant, strict=True) if pair[0].shape[1] > 1]
    error = tf.add_n([tf.reduce_sum((got - meant) ** 2, axis=[0, 1]) for got, meant in pairs])
    return error / tf.add_n([tf.reduce_sum(meant**2, axis=[0, 1]) for _, meant in pairs])


def mean_loss(seen):
    return seen.mean(seen.losses)


def step(seen):
    """The distance of FedAvg's step from that of its rule; how far others go."""
    went = seen.server.model - seen.before.model
    return tf.norm(went - seen.received[0] / tf.reduce_sum(seen.weight * seen.active), axis=1)[0]


def spread(seen):
    away = seen.models - seen.mean(seen.models)
    return tf.sqrt(seen.mean(tf.reduce_sum(away**2, axis=1)))


def curves(name: str, *metrics: str, **keys) -> dict[str, np.ndarray]:
    scenario, given = STUDIES[name]
    return simulate(group_of(scenario, given | keys | {"run.metrics": list(metrics)})).values


@pytest.mark.parametrize("name", some(STUDIES, ("A-FADMM, some",)))
def test_metrics_change_nothing_and_agree_with_the_engine(name):
    watched, plain = curves(name, *READ), curves(name)
    tolerance = DOUBLE if STUDIES[name][0] == "quickstart" else SINGLE
    for variable, values in plain.items():
        assert_close(watched[variable], values, tolerance, variable)
    assert set(watched) == {*plain, *READ}
    assert np.isfinite(watched["spread"]).all()
    if name not in ("SCAFFOLD, top-k", "FedPD"):
        np.testing.assert_allclose(watched["squared_error"], watched["aggregation_nmse"], rtol=1e-3)
        assert (watched["squared_error"] > 0).all()
    if name.startswith("FedAvg"):
        np.testing.assert_allclose(watched["mean_loss"], watched["loss"], rtol=1e-6)
        np.testing.assert_allclose(watched["step"], 0, atol=1e-5)


def test_gradients_are_taken_at_one_model():
    np.testing.assert_allclose(curves("A-GD", "spread")["spread"], 0, atol=DOUBLE)


@pytest.mark.slow
def test_metrics_are_read_with_the_test_accuracy_or_in_every_round():
    found = curves("FedPD", "step", "spread", "worker_accuracy")
    for name in ("step", "worker_accuracy"):
        np.testing.assert_array_equal(np.isnan(found[name]), np.isnan(found["test_accuracy"]))
    assert np.isnan(found["step"]).any()
    assert np.isfinite(curves("A-FADMM", "step")["step"]).all()


@pytest.mark.slow
def test_a_run_in_pieces_has_the_metrics_of_one_piece():
    name, keys = STUDIES["FedAvg, some"]
    keys = keys | {"run.metrics": list(READ), "run.evaluate_every": 2}
    goes_on(lambda: group_of(name, keys), chunks=1)


@pytest.mark.slow
def test_parts_of_the_workers_have_what_the_server_has(monkeypatch):
    metrics = ("worker_accuracy", "worker_accuracy_worst", "step")
    name, keys = STUDIES["FedAvg"]
    keys = keys | {"run.metrics": list(metrics), "local.optimizer": "sgd", "local.learning_rate": 0.1}
    whole = simulate(group_of(name, keys)).values
    monkeypatch.setattr(groups, "PART", 2 * group_of(name, keys).elements)
    monkeypatch.setattr(groups, "WHOLE", 0)
    assert group_of(name, keys).in_parts
    for metric in metrics[:2]:
        np.testing.assert_allclose(simulate(group_of(name, keys)).values[metric], whole[metric], atol=0.02)
    with pytest.raises(OtaflError, match=r"run\.metrics = 'spread': reads models or messages of all participants"):
        simulate(group_of(name, keys | {"run.metrics": ["spread"]}))


@pytest.mark.slow
def test_networks_report_no_loss_of_other_models_but_their_gradients_do(registries):
    """At the initial model; the mean over workers of losses [nats] of ten classes is near log 10."""
    otafl.metric("reported")(lambda seen: seen.problem.loss(seen.before.model, 0.0))
    otafl.metric("initial")(lambda seen: seen.mean(seen.problem.gradient(seen.before.model).losses))
    keys = FEW | {"method": "FedAvg", "run.iterations": 1}
    with pytest.raises(OtaflError, match="reported"):
        otafl.run("digits_quickstart", keys | {"run.metrics": ["reported"]}, store=False)
    found = otafl.run("digits_quickstart", keys | {"run.metrics": ["initial"]}, store=False)["initial"].item()
    assert abs(found - np.log(10)) < 0.5
