"""What is learned in whole runs, what is refused, and the best linear estimate against its closed form."""

import numpy as np
import pytest

from otafl import privacy
from otafl.engine.simulate import simulate
from otafl.errors import OtaflError
from otafl.privacy import estimate
from otafl.privacy.observation import observe
from otafl.privacy.reconstruction import likeness, pictures
from otafl.scenario.dotted_keys import without
from tests.otafl.engine.executors.test_by_parts import Last
from tests.otafl.privacy.test_identifiability import exact_delta
from tests.otafl.small import dotted, group_of

SMALL = {"federation.workers": 4, "run.iterations": 4, "run.seeds": 1, "channel.snr_db": 10.0}
ONE_IMAGE = {"local.optimizer": "sgd", "local.steps": 1, "local.batch_size": 1, "local.learning_rate": 0.1}


def assess(**keys):
    return privacy.assess("digits_quickstart", SMALL | dotted(keys))


@pytest.mark.slow
def test_a_worker_alone_is_found_but_for_noise():
    """N = 1, no noise: the model itself, which is the global one then, so that whoever hears that has it; definition 1
    fails for A-SFADMM, too, and holds with a random first dual in the first round."""
    alone = {"federation__workers": 1, "channel__snr_db": np.inf}
    staying = assess(method="A-SFADMM", **alone)
    random = assess(method="A-SFADMM", algorithm__start="random", channel__coherence_iterations=2.0, **alone)
    for where in ("private", "private_elsewhere"):
        assert (staying[where] == 0).all()
        np.testing.assert_array_equal(random[where].squeeze(), [1, 0, 0, 0])
    assert random["model_nmse"].squeeze()[0] > 0.9
    assert (random["model_nmse"].squeeze()[1:] < 1e-6).all()
    summed = {"method": "FedAvg@analog", "local__steps": 2}
    assert (assess(**summed, **alone)["model_nmse"] < 1e-6).all()
    silent = assess(**summed, federation__workers=1, uplink__inversion_threshold=1e3)
    for name in ("private", "private_elsewhere", "private_converged"):
        assert np.isnan(silent[name]).all()


@pytest.mark.slow
def test_a_model_that_all_know_has_no_error():
    """Gradients are taken at the global model, over either uplink; only the gradient is anybody's own."""
    found = assess(method=["A-SGD", "D-SGD"])
    for where in ("", "_elsewhere"):
        assert (found[f"model_nmse{where}"] == 0).all()
        assert (found[f"gradient_nmse{where}"] > 0).all()
    assert (found["private"].sel(scheme="A-SGD") == 1).all()
    assert (found["private"].sel(scheme="D-SGD") == 0).all()


def test_uploads_of_the_only_speaker_are_not_private():
    """Truncated inversion with two workers: the share of uploads from subcarriers on which both speak."""
    data = assess(method="FedAvg@analog", federation__workers=2, local__steps=2, uplink__inversion_threshold=1.0)
    speaking = np.exp(-1.0)
    assert data["private"].mean().item() == pytest.approx(speaking, abs=0.1)
    assert np.isnan(data["epsilon"]).all(), "as nobody knows the factor beforehand"


@pytest.mark.slow
def test_noise_gives_privacy_only_where_factors_are_scheduled():
    keys = {"uplink__scheme": "COTAF", "uplink__inversion_threshold": 0.3, "local__steps": 2}
    both = assess(method="FedAvg@analog", channel__snr_db=[-40.0, np.inf], **keys)
    assert np.isinf(both["epsilon"].sel(snr_db=np.inf)).all()
    scheduled = both.sel(snr_db=-40.0).squeeze()
    epsilon = scheduled["epsilon"]
    assert (np.diff(epsilon) > 0).all()
    radio = 1e-4 * 15 * 2368 * 0.09
    rho = 4 * radio * np.arange(1, 5)
    np.testing.assert_allclose(epsilon, rho + 2 * np.sqrt(rho * np.log(1e5)), rtol=1e-6)
    exact = scheduled["epsilon_exact"]
    np.testing.assert_allclose(exact_delta(exact.values, rho), 1e-5, rtol=1e-5)
    assert (exact < epsilon).all()


def test_an_exact_upload_shows_its_image_and_a_superposed_one_does_not():
    keys = SMALL | ONE_IMAGE | {"federation.workers": 5, "run.iterations": 2}
    exact = privacy.attack("digits_quickstart", keys | {"method": "FedAvg@digital"})
    assert (exact["likeness"] > 0.999).all()
    np.testing.assert_allclose(exact["original"], exact["reconstruction"], atol=1e-3)
    hidden = privacy.attack("digits_quickstart", keys | {"method": "FedAvg@analog"})
    assert (hidden["likeness"] < 0.97).all()


def test_a_rank_one_gradient_is_its_image():
    rng = np.random.default_rng(0)
    image = rng.uniform(size=12)
    gradient = np.concatenate([np.outer(image, rng.standard_normal(5)).ravel(), rng.standard_normal(7)])
    (found,) = pictures(gradient, 12, 5)
    np.testing.assert_allclose(found, image / np.linalg.norm(image), atol=1e-12)
    assert likeness(found, -3 * image) == pytest.approx(1)


ANALOG = {"method": "FedAvg@analog"}
NO_STUDIES = [
    (ANALOG | {"federation.participation": 0.5}, {}, "must leave all workers"),
    (ANALOG | {"uplink.scheme": "CA-DSGD"}, {}, "messages are taken as they are"),
    (ANALOG | {"channel.linewidth_hz": 1.0}, {}, "channel.linewidth_hz = 1.0: must be 0 for studies of privacy"),
    (ANALOG | {"federation.cut_chance": 0.5}, {}, "federation.cut_chance = 0.5: must be 0 for studies of privacy"),
    (ANALOG | {"cell.antennas": 2}, {}, "must be 1"),
    (ANALOG | {"uplink.elements_per_symbol": 2}, {}, "must be 1"),
    (ANALOG | {"run.max_channel_uses": 1e6}, {}, "all runs must have one length"),
    ({"method": "FedPD@analog", "algorithm.communication_probability": 0.5}, {}, "all rounds have an upload"),
    ({"method": "FedAvg@ideal"}, {}, "has no radio, so there is nothing to overhear"),
    (ANALOG, {"delta": 2}, "delta = 2: must be between 0 and 1"),
    (ANALOG, {"worker": 4}, "worker = 4: must be from 0 to 3"),
]
NO_ATTACKS = [
    ("digits_quickstart", ANALOG | {"local.steps": 1}, r"local\.batch_size = 20: must be 1"),
    ("digits_quickstart", ONE_IMAGE | {"problem.adapter_rank": 2}, r"problem\.adapter_rank = 2: must be 0"),
    ("quickstart", {}, r"problem\.kind"),
]


@pytest.mark.parametrize(("keys", "numbers", "rule"), NO_STUDIES)
def test_what_makes_no_sense_is_refused_with_its_reason(keys, numbers, rule):
    with pytest.raises(OtaflError, match=rule):
        privacy.assess("digits_quickstart", without(SMALL, ["channel.snr_db"]) | keys, **numbers)


@pytest.mark.parametrize(("name", "keys", "rule"), NO_ATTACKS)
def test_attacks_that_make_no_sense_are_refused(name, keys, rule):
    with pytest.raises(OtaflError, match=rule):
        privacy.attack(name, SMALL | keys)


@pytest.mark.slow
@pytest.mark.parametrize("keys", [{"method": "A-SFADMM"}, {"method": "FedAvg@analog", "uplink.downlink": "analog"}])
def test_what_is_observed_is_the_run_itself(keys):
    """The model that is known before each iteration against the state of the engine that computes runs."""
    seen = list(observe(group_of("digits_quickstart", SMALL | keys)))
    last = Last()
    simulate(group_of("digits_quickstart", SMALL | keys | {"run.iterations": 3}), last)
    np.testing.assert_allclose(seen[3].known, last.state[0].ravel(), rtol=1e-5, atol=1e-6)


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
