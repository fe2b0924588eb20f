"""Studies that train networks, from the scenario to the dataset; on digits, and on MNIST where the file is there."""

import dataclasses
import os
from concurrent.futures import ThreadPoolExecutor

import keras
import numpy as np
import pytest
import tensorflow as tf
from channels.inversion import silent_probability
from otafl.algorithms.hyperparameters import Hyperparameters

import otafl
from otafl import algorithms, seeds
from otafl.algorithms import fadmm
from otafl.data import images
from otafl.engine import ledger, resident
from otafl.engine import simulate as engine
from otafl.errors import OtaflError, Remark
from otafl.problems.classification import Classification
from otafl.results import analysis, file, report
from otafl.study.plan import prepare
from otafl.study.run import Stopped
from otafl.training import networks
from otafl.uplinks.analog import AnalogLink, Radio, amplification, signal_power

DIGITS = {
    "run.seeds": 1,
    "run.iterations": 6,
    "federation.workers": 6,
    "local.steps": 5,
    "local.batch_size": 20,
    "method": "A-SFADMM",
    "channel.coherence_iterations": 3.0,
}
needs_mnist = pytest.mark.skipif(
    not os.path.isfile(os.path.join(os.environ.get("OTAFL_DATA_DIR", ""), "mnist.npz")),
    reason="needs mnist.npz in OTAFL_DATA_DIR",
)


def run(overrides=None, name="digits_quickstart", **keys):
    return otafl.run(name, DIGITS | (overrides or {}), **keys)


@pytest.fixture(scope="module")
def result():
    return run({"method": ["A-SFADMM", "D-SFADMM", "A-SGD", "D-SGD"]})


def test_result_holds_what_it_should(result):
    assert set(result.data_vars) == {
        "loss",
        "test_accuracy",
        "time_slots",
        "channel_uses",
        "energy",
        "uplink_elements",
        "local_epochs",
        "primal_residual",
        "dual_residual",
        "outcome",
    }
    assert result["test_accuracy"].dims == ("method", "seed", "iteration")
    assert result["test_accuracy"].notnull().all()
    assert (result["outcome"] == "completed").all()
    assert result["loss"].attrs["long_name"] == "Training loss"
    assert all(variable.attrs["units"] for variable in result.data_vars.values())


def test_training_learns(result):
    for method in ("A-SFADMM", "D-SFADMM"):
        curve = result.sel({"method": method}).isel(seed=0)
        assert curve["test_accuracy"][-1] > curve["test_accuracy"][0] + 0.2
        assert curve["loss"][-1] < curve["loss"][0]


def test_gradient_methods_start_from_the_same_loss(result):
    """At the common initial model, on the same first batches, whatever carries the gradients."""
    first = result["loss"].isel(iteration=0, seed=0)
    assert first.sel({"method": "A-SGD"}) == pytest.approx(first.sel({"method": "D-SGD"}).item(), rel=1e-6)


def test_ledger_of_the_paper():
    """d = 109,184: 27 slots at 4,096 subcarriers, 3 at ten times as many, 109,184 uses an upload (section V-A)."""
    for method, slots in (("A-SFADMM", 27), ("A-SFADMM-10x", 3), ("A-SGD", 27)):
        scenario = otafl.load("mnist_communication").override({"method": method, "problem.dataset": "digits"})
        (group, _), *_ = prepare(scenario.override({"problem.model": f"{__name__}:wide"})).groups
        cost = ledger.analog_cost(group.grid, group.elements, 1)
        assert group.elements == 109_184
        assert (cost.slots[0], cost.uses[0]) == (slots, 109_184)


def wide(input_shape, outputs):
    """A model of the paper's size for smaller images: 64 · 848 + 848 · 64 + 64 · 10 = 109,184 weights."""
    return networks.mlp(input_shape, outputs, hidden=(848, 64))


def test_costs_accumulate(result):
    analog = result.sel({"method": "A-SFADMM"}).isel(seed=0)
    np.testing.assert_array_equal(analog["time_slots"], 10 * np.arange(1, 7))  # 2,368 elements on 256 subcarriers
    np.testing.assert_array_equal(analog["channel_uses"], 2368 * np.arange(1, 7))
    assert (result["energy"].diff("iteration") > 0).all()


def test_analog_energy_keeps_to_the_budgets(result):
    """No more than P·d·T a worker and upload, and the binding worker uses all of it."""
    power = 10**4 * 15e3 * 1e-9
    most = power * 2368 * 1e-3
    for method in ("A-SFADMM", "A-SGD"):
        spent = result["energy"].sel({"method": method}).isel(seed=0).values
        each = np.diff(spent, prepend=0.0)
        assert (each <= 6 * most * (1 + 1e-5)).all()
        assert (each >= most * (1 - 1e-5)).all()


def test_same_seed_same_result_whatever_runs_beside(result):
    alone = run({"method": "A-SFADMM"})
    beside = result.sel({"method": "A-SFADMM"})
    for name in ("loss", "test_accuracy", "energy", "primal_residual"):
        np.testing.assert_array_equal(alone[name], beside[name])
    other = run({"run.seed": 1})
    assert not np.array_equal(other["loss"], alone["loss"])


def test_digital_training_does_not_depend_on_the_snr():
    data = run({"method": "D-SFADMM", "channel.snr_db": [0.0, 20.0], "run.iterations": 3})
    np.testing.assert_array_equal(data["loss"].sel(snr_db=0.0), data["loss"].sel(snr_db=20.0))
    assert (data["time_slots"].sel(snr_db=0.0) > data["time_slots"].sel(snr_db=20.0)).all()


def test_error_free_analog_channel_is_the_digital_one():
    """Without noise and fading A-SFADMM is D-SFADMM."""
    data = run({"method": ["A-SFADMM", "D-SFADMM"], "channel.fading": "none", "channel.snr_db": float("inf")})
    np.testing.assert_allclose(*(data["loss"].sel({"method": name}) for name in data["method"].values), rtol=1e-4)
    accuracies = [data["test_accuracy"].sel({"method": name}).values for name in data["method"].values]
    np.testing.assert_allclose(*accuracies, atol=0.01)


def test_dual_flip_keeps_local_models_over_a_change():
    """Where the channel changes no worker trains: the loss is that of the kept models on all samples, and the dual is
    what makes them stationary, (31)."""
    problem = classification_of(DIGITS)
    start = tf.repeat(problem.start, 6, axis=0)
    model, gain = 0.9 * problem.start, tf.constant(np.random.default_rng(0).exponential(size=start.shape), tf.float32)
    parameters = Hyperparameters(tf.constant([0.5]), tf.constant([0.0]))
    state = fadmm.State(start, tf.zeros_like(start), model, model)

    def flip():
        block = fadmm.prepare(problem, gain, parameters)
        return fadmm.local_update(state, problem, block, changed=True), problem.gradient(start)

    local, (slope, losses) = tf.function(flip, autograph=False)()
    np.testing.assert_array_equal(local.theta, start)
    np.testing.assert_array_equal(local.losses, losses)
    np.testing.assert_allclose(slope + local.mu + 0.5 * gain * (start - model), 0.0, atol=1e-6)


def test_change_of_channel_in_a_run():
    """Before the first change both ways are one; in the round of the change they differ."""
    data = run({"algorithm.on_channel_change": ["train", "dual_flip"], "run.iterations": 4})
    train, flip = (data.sel(on_channel_change=name) for name in ("train", "dual_flip"))
    np.testing.assert_array_equal(train["loss"][..., :3], flip["loss"][..., :3])
    assert (train["loss"][..., 3] != flip["loss"][..., 3]).all()


def classification_of(overrides: dict) -> Classification:
    """The local problems of a scenario's first run."""
    (group, _), *_ = prepare(otafl.load("digits_quickstart").override(overrides)).groups
    return Classification(group.task.learner, *group.task.problem(np.array([0])))


def test_no_worker_exceeds_its_budget_in_training():
    """Per worker: the one that binds meets the budget with equality, in uploads of models and of gradients."""
    problem = classification_of(DIGITS)
    budget, gain = 0.3, tf.constant(np.random.default_rng(1).exponential(size=(6, 2368, 1)), tf.float32)
    radio = Radio(*(tf.constant([value], tf.float32) for value in (budget, 0.0, 1e-6, 1e-3)))
    link = AnalogLink(1 / gain, tf.zeros([2368, 1]), None, radio)
    anchor, zeros = problem.start, tf.zeros_like(gain)
    start = tf.repeat(anchor, 6, axis=0)
    train = tf.function(lambda: (problem.minimise(None, 0.5 * gain, zeros, anchor, start).theta,
                                 problem.sampled_gradient(anchor).slope), autograph=False)  # fmt: skip
    theta, slope = train()
    for contribution in (gain * theta, slope):
        power = signal_power(contribution, 1 / gain)
        transmitted = power / amplification(tf.reduce_max(power, axis=0), radio) ** 2
        assert np.max(transmitted) == pytest.approx(budget, rel=1e-5)
        assert (transmitted.numpy() <= budget * (1 + 1e-5)).all()
        energy = link.superpose(contribution).energy.numpy()[0]
        assert energy == pytest.approx(np.sum(transmitted) * 1e-3, rel=1e-5)


COMBINATIONS = {
    "one worker": {"federation.workers": 1},
    "workers that do not divide": {"federation.workers": 7, "run.worker_chunk": 3},
    "constant channel": {"channel.coherence_iterations": float("inf")},
    "weighted consensus with flips": {
        "method": "D-SFADMM",
        "algorithm.consensus": "channel_weighted",
        "algorithm.on_channel_change": "dual_flip",
    },
    "one slot": {"method": ["A-SFADMM", "D-SFADMM"], "uplink.subcarriers": "one_slot"},
    "bfloat16": {"run.precision": ["float32", "bfloat16"]},
}


@pytest.mark.parametrize("case", COMBINATIONS)
def test_combinations_run_to_their_end(case):
    data = run(COMBINATIONS[case])
    assert (data["outcome"] == "completed").all()
    assert np.isfinite(data["loss"]).all()
    assert (data["test_accuracy"].isel(iteration=-1) > data["test_accuracy"].isel(iteration=0)).all()


def test_budget_of_uses_ends_a_run():
    """Rounds beyond the budget are missing, also where accuracy is read at some rounds only."""
    data = run({"run.max_channel_uses": 4 * 2368.0, "run.evaluate_every": 3}).isel(seed=0)
    assert list(data["iteration"].values[data["time_slots"].notnull()]) == [1, 2, 3, 4]
    assert list(data["iteration"].values[data["test_accuracy"].notnull()]) == [3]
    assert data["outcome"] == "completed"


def test_gradient_methods_do_not_depend_on_local_steps():
    data = run({"method": "A-SGD", "local.steps": [1, 40], "run.iterations": 3})
    np.testing.assert_array_equal(*(data["loss"].sel(steps=steps) for steps in (1, 40)))


def test_interruption_before_anything_is_done(tmp_path, monkeypatch):
    """An interrupt while a run is being set up keeps what was finished before, and nothing where nothing was."""
    monkeypatch.setattr(engine, "Streams", interrupted)
    with pytest.raises(Stopped) as stopped:
        run(out=tmp_path / "new")
    assert (stopped.value.data["outcome"] == "stopped").all()
    assert not (tmp_path / "new").exists()


def interrupted(group):
    raise KeyboardInterrupt


def test_interruption_leaves_a_finished_result_alone(tmp_path):
    whole = run({"run.seeds": 2, "run.iterations": 2}, out=tmp_path)
    with pytest.raises(Stopped):
        run({"run.seeds": 2, "run.iterations": 2}, out=tmp_path, progress=interrupt_after(2))
    assert file.load(tmp_path / "digits_quickstart.nc").equals(whole)
    assert (tmp_path / "digits_quickstart.part.nc").is_file()


def test_numbers_alone_compile_nothing_anew():
    """SNR, ρ, learning rate and seed are inputs of the program, not parts of it."""
    base = run()
    form_count = resident.compiled.cache_info().misses
    traced = [form.experimental_get_tracing_count() for form in compiled_programs()]
    run({"channel.snr_db": [0.0, 10.0], "algorithm.rho": 0.7, "local.learning_rate": 0.02, "run.seed": 4})
    assert resident.compiled.cache_info().misses == form_count
    assert [form.experimental_get_tracing_count() for form in compiled_programs()] == traced
    assert base["loss"].size


def compiled_programs():
    """All compiled programs so far."""
    import gc

    import tensorflow as tf

    kind = type(tf.function(lambda: 0))
    return [made for made in gc.get_objects() if isinstance(made, kind) and made.__name__ == "advance"]


def test_evaluation_where_it_is_asked_for():
    data = run({"run.evaluate_every": 4})
    every = run()
    read = data["test_accuracy"].isel(seed=0)
    assert list(data["iteration"].values[read.notnull()]) == [4, 6]
    np.testing.assert_array_equal(read.values[[3, 5]], every["test_accuracy"].isel(seed=0).values[[3, 5]])
    assert analysis.at_budget(data, "test_accuracy", "iteration", 5).item() == read.values[3]


def test_target_accuracy_never_reached_is_missing():
    data = run({"run.target_accuracy": 1.0})
    assert analysis.to_target(data, 1.0, "channel_uses", "test_accuracy").isnull().all()
    cells = [list(column.cells) for column in report.summary(data).columns]
    assert cells[1] == ["not reached"]


def test_divergence_ends_a_run_and_not_the_sweep():
    data = run({"local.learning_rate": [1e30, 0.01], "local.optimizer": "sgd"})
    bad, good = (data.sel(learning_rate=rate).isel(seed=0) for rate in (1e30, 0.01))
    assert (bad["outcome"].item(), good["outcome"].item()) == ("diverged", "completed")
    last = int(bad["time_slots"].notnull().sum())
    assert 1 <= last < 6
    assert not np.isfinite(bad["loss"][last - 1])
    assert np.isnan(bad["test_accuracy"][last - 1])
    assert bad["test_accuracy"][last:].isnull().all()
    assert [list(column.cells) for column in report.summary(data).columns][-1][0] == "diverged"


def interrupt_after(rounds: int):
    def listen(label, done, total):
        if done >= rounds:
            raise KeyboardInterrupt

    return listen


def test_interruption_keeps_a_valid_result_and_the_next_run_takes_it_up(tmp_path, monkeypatch):
    monkeypatch.setattr(file, "_git_revision", lambda: "0" * 40)
    keys = {"run.seeds": 2, "run.iterations": 4, "method": ["A-SFADMM", "D-SFADMM"]}
    whole = run(keys)
    with pytest.raises(Stopped):
        run(keys, out=tmp_path, progress=interrupt_after(5))
    saved = tmp_path / "digits_quickstart.nc"
    assert not saved.exists()
    part = file.load(tmp_path / "digits_quickstart.part.nc")
    assert part["outcome"].values.tolist() == [["completed", "stopped"], ["stopped", "stopped"]]
    np.testing.assert_array_equal(part["loss"][0, 0], whole["loss"][0, 0])
    seen = []
    with pytest.warns(Remark, match="1 of 4 runs are taken up"):
        data = run(keys, out=tmp_path, progress=lambda label, done, total: seen.append(label))
    assert data.equals(whole)
    assert not (tmp_path / "digits_quickstart.part.nc").exists()
    assert not any("A-SFADMM, seed 0, round" in label for label in seen)
    assert file.load(saved).equals(whole)


def test_result_of_other_source_is_not_taken_up(tmp_path, monkeypatch):
    monkeypatch.setattr(file, "_git_revision", lambda: "0" * 40)
    with pytest.raises(Stopped):
        run({"run.seeds": 2}, out=tmp_path, progress=interrupt_after(6))
    scenario = otafl.load("digits_quickstart").override(DIGITS | {"run.seeds": 2})
    assert file.unfinished(tmp_path, scenario) is not None
    assert file.unfinished(tmp_path, scenario.override({"channel.snr_db": 1.0})) is None
    monkeypatch.setattr(file, "_git_revision", lambda: "1" * 40)
    assert file.unfinished(tmp_path, scenario) is None


def test_progress_tells_round_accuracy_and_slots():
    labels = []
    run(progress=lambda label, done, total: labels.append((label, done, total)))
    assert labels[0][0] == "A-SFADMM, seed 0, starting"
    assert labels[-2][0].startswith("A-SFADMM, seed 0, round 6, accuracy 0.")
    assert labels[-2][0].endswith(" 60 slots")
    assert labels[-1] == ("done", 6, 6)


def test_batches_larger_than_a_workers_data_are_allowed_and_said():
    with pytest.warns(Remark, match=r"local\.batch_size = 20 is more than the 14 samples of a worker"):
        data = run({"federation.workers": 100, "run.iterations": 1})
    assert data["test_accuracy"].notnull().all()


def normalised(input_shape, outputs):
    return keras.Sequential(
        [
            keras.Input(input_shape),
            keras.layers.Flatten(),
            keras.layers.BatchNormalization(),
            keras.layers.Dense(outputs),
        ]
    )


def frozen(input_shape, outputs):
    model = normalised(input_shape, outputs)
    model.layers[1].trainable = False
    return model


def dropping(input_shape, outputs):
    return keras.Sequential(
        [keras.Input(input_shape), keras.layers.Flatten(), keras.layers.Dropout(0.5), keras.layers.Dense(outputs)]
    )


def two_headed(input_shape, outputs):
    return keras.Sequential([keras.Input(input_shape), keras.layers.Flatten(), keras.layers.Dense(outputs + 1)])


def not_a_model(input_shape, outputs):
    return 7


def failing(input_shape, outputs):
    raise RuntimeError("no such layer")


@keras.saving.register_keras_serializable()
class Centre(keras.layers.Layer):
    """Takes the mean over the batch away."""

    def call(self, inputs):
        return inputs - tf.reduce_mean(inputs, axis=0, keepdims=True)


def centred(input_shape, outputs):
    layers = [keras.layers.Flatten(), Centre(), keras.layers.Dense(outputs, kernel_initializer="zeros")]
    return keras.Sequential([keras.Input(input_shape), *layers])


def ending_in_softmax(input_shape, outputs):
    return keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(outputs, activation="softmax")])


def empty(input_shape, outputs):
    return keras.Sequential([keras.layers.Flatten(), keras.layers.Activation("relu")])


def without_input(input_shape, outputs):
    return keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(outputs)])


class Subclassed(keras.Model):
    """A model whose call takes no ``training``, with weights that it does not use."""

    def __init__(self, outputs):
        super().__init__()
        self.flatten, self.dense = keras.layers.Flatten(), keras.layers.Dense(outputs)
        self.unused = self.add_weight(shape=(3,), name="unused")

    def call(self, inputs):
        return self.dense(self.flatten(inputs))


def subclassed(input_shape, outputs):
    return Subclassed(outputs)


BAD_MODELS = {
    "nonsense": "cnn1, cnn2, resnet20, or package.module:function",
    "no_such_package.models:net": "cannot be imported",
    f"{__name__}:absent": "cannot be imported",
    f"{__name__}:normalised": "must not carry state across samples",
    f"{__name__}:dropping": "must not carry state across samples",
    f"{__name__}:two_headed": "must give 10 logits",
    f"{__name__}:not_a_model": "must return a keras.Model",
    f"{__name__}:failing": "no such layer",
    f"{__name__}:centred": "depends on the others in its batch",
    f"{__name__}:ending_in_softmax": "must end in logits",
    f"{__name__}:empty": "must have trainable weights",
}


@pytest.mark.parametrize("model", BAD_MODELS)
def test_models_that_cannot_be_trained_are_refused(model, tmp_path):
    with pytest.raises(OtaflError, match=r"problem\.model") as refused:
        run({"problem.model": model}, out=tmp_path)
    assert BAD_MODELS[model] in str(refused.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("model", ["frozen", "without_input", "subclassed"])
def test_a_model_of_the_users_own_trains(model):
    data = run({"problem.model": f"{__name__}:{model}", "run.iterations": 3})
    assert data["test_accuracy"].isel(seed=0, iteration=-1) > 0.3


def test_convolutions_train():
    data = run({"problem.model": "cnn", "run.iterations": 4, "local.steps": 10})
    assert data["test_accuracy"].isel(seed=0, iteration=-1) > 0.4


BAD_KEYS = {
    "more workers than samples": ({"federation.workers": 2000}, "federation.workers"),
    "data of another kind": ({"problem.dataset": "diabetes"}, "problem.dataset"),
    "method for another kind": ({"method": "A-FADMM"}, "method"),
    "no such optimiser": ({"local.optimizer": "adagrad"}, "local.optimizer"),
    "no steps": ({"local.steps": 0}, "local.steps"),
    "accuracy above one": ({"run.target_accuracy": 1.5}, "run.target_accuracy"),
    "thinned record": ({"run.record": "log"}, "run.record"),
    "noisy downlink": ({"uplink.downlink": "analog"}, "uplink.downlink"),
}


@pytest.mark.parametrize("case", BAD_KEYS)
def test_contradictions_are_refused(case, tmp_path):
    overrides, key = BAD_KEYS[case]
    with pytest.raises(OtaflError, match=key.replace(".", r"\.")):
        run(overrides, out=tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("method", ["A-FADMM", "A-GD"])
def test_network_methods_refuse_linear_regression(method):
    with pytest.raises(OtaflError, match=r"is for problem\.kind = 'classification'"):
        otafl.load("quickstart").override({"method": method.replace("A-FADMM", "A-SFADMM").replace("A-GD", "A-SGD")})


def test_files_of_images_that_are_none(tmp_path, monkeypatch):
    monkeypatch.setenv("OTAFL_DATA_DIR", str(tmp_path))
    with pytest.raises(OtaflError, match=r"must be a folder that holds mnist\.npz"):
        images.load("mnist")
    path, arrays = tmp_path / "mnist.npz", dict.fromkeys(images.ARRAYS, np.zeros(4, np.uint8))
    for content in (b"PK", b"", b"nonsense"):
        path.write_bytes(content)
        with pytest.raises(OtaflError, match="with the arrays"):
            images.load("mnist")
    np.savez(path, **{name: array for name, array in arrays.items() if name != "y_test"})
    with pytest.raises(OtaflError, match="with the arrays"):
        images.load("mnist")
    np.savez(path, **arrays)
    with pytest.raises(OtaflError, match="must hold uint8 images"):
        images.load("mnist")
    pictures = {name: np.zeros((4, 28, 28), np.uint8) for name in ("x_train", "x_test")}
    np.savez(path, **(arrays | pictures | {"y_test": np.full(4, 10, np.uint8)}))
    with pytest.raises(OtaflError, match="labels from 0 to 9"):
        images.load("mnist")
    np.savez(path, **(arrays | pictures | {"x_test": np.zeros((4, 20, 20), np.uint8)}))
    with pytest.raises(OtaflError, match="must hold images of one size"):
        images.load("mnist")
    np.savez(path, **(arrays | pictures))
    assert images.load("mnist").features.shape == (4, 28, 28, 1)


def test_mnist_file_cut_short(tmp_path, monkeypatch):
    monkeypatch.setenv("OTAFL_DATA_DIR", str(tmp_path))
    np.savez(tmp_path / "mnist.npz", **{name: np.zeros(400, np.uint8) for name in images.ARRAYS})
    whole = (tmp_path / "mnist.npz").read_bytes()
    (tmp_path / "mnist.npz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(OtaflError, match="with the arrays"):
        images.load("mnist")


def test_compressed_file_with_damaged_bytes(tmp_path, monkeypatch):
    monkeypatch.setenv("OTAFL_DATA_DIR", str(tmp_path))
    pictures = np.random.default_rng(0).integers(0, 255, (50, 28, 28), np.uint8)
    np.savez_compressed(tmp_path / "mnist.npz", **dict.fromkeys(images.ARRAYS, pictures))
    whole = bytearray((tmp_path / "mnist.npz").read_bytes())
    whole[2000:2200] = bytes(200)
    (tmp_path / "mnist.npz").write_bytes(whole)
    with pytest.raises(OtaflError, match="with the arrays"):
        images.load("mnist")


def test_digits_hold_every_class_in_both_parts():
    data = images.digits()
    assert (len(data.labels), len(data.test_labels)) == (1438, 359)
    assert set(data.labels) == set(data.test_labels) == set(range(10))
    assert data.features.max() * data.scale == 1.0


def test_truncation_of_the_paper_never_silences():
    """ε = 1e-6 mutes a subcarrier with probability 1e-12: none of the 109,184 · 100 · 60 in a run."""
    threshold = otafl.load("mnist_communication").settings.uplink.inversion_threshold
    assert silent_probability(threshold) * 109_184 * 100 * 60 < 1e-3


def test_defaults_are_the_papers():
    settings = otafl.load("mnist_communication").settings.resolved()
    assert (settings.algorithm.rho, settings.local.steps, settings.local.batch_size) == (0.5, 20, 100)
    assert settings.local.optimizer == "adam"
    rates = {name: algorithms.parse(name)[0].learning_rate for name in ("A-SFADMM", "D-SFADMM", "A-SGD")}
    assert rates == {"A-SFADMM": 0.01, "D-SFADMM": 0.01, "A-SGD": 0.005}


@needs_mnist
def test_mnist_accuracy_within_12_rounds():
    """A-SFADMM at 40 dB passes 0.90 on real MNIST within 12 rounds, with 109,184 uses and 27 slots each."""
    overrides = {"method": "A-SFADMM", "run.seeds": 1, "run.iterations": 12}
    data = otafl.run("mnist_communication", overrides).isel(seed=0)
    assert data["test_accuracy"].max() > 0.90
    np.testing.assert_array_equal(data["channel_uses"], 109_184 * np.arange(1, 13))
    np.testing.assert_array_equal(data["time_slots"], 27 * np.arange(1, 13))


@pytest.mark.slow
@needs_mnist
def test_mnist_over_noise():
    """A-SFADMM passes 0.93 within 60 rounds at 40 dB; at -10 dB it and D-SFADMM are within 0.03 of that at round 30."""
    overrides = {"run.seeds": 1, "channel.snr_db": [-10.0, 40.0]}
    analog = otafl.run("mnist_communication", overrides | {"method": "A-SFADMM"})["test_accuracy"].isel(seed=0)
    keys = overrides | {"method": "D-SFADMM", "run.iterations": 30}
    digital = otafl.run("mnist_communication", keys)["test_accuracy"].isel(seed=0)
    assert analog.sel(snr_db=40.0).max() > 0.93
    best = analog.sel(snr_db=40.0, iteration=30)
    for curve in (analog, digital):
        assert abs(curve.sel(snr_db=-10.0, iteration=30) - best) <= 0.03


def test_streams_of_seeds_do_not_move():
    """Purposes keep their places, so that results stay when others are added."""
    assert seeds.number(0, "model") != seeds.number(0, "batches")
    assert seeds.generator(0, "noise").standard_normal() == pytest.approx(
        np.random.Generator(np.random.Philox(np.random.SeedSequence(0, spawn_key=(3,)))).standard_normal()
    )


def streams_of(group):
    """METRICS of a group's first chunk."""
    inputs = engine.Draws(group).chunk(next(engine.chunks(group)))
    with ThreadPoolExecutor(1) as pool:
        return engine.Streams(group).advance(inputs, pool)


def test_the_form_for_gpus_computes_the_same():
    """All workers in one batch and everything in one program, as on a GPU, here compiled for the processor."""
    scenario = otafl.load("digits_quickstart").override(DIGITS)
    (group, _), *_ = prepare(scenario).groups
    expected = streams_of(group)
    group.task.whole = True
    group.task.learner = dataclasses.replace(group.task.learner, chunk=group.workers, parts=1)
    np.testing.assert_allclose(streams_of(group), expected, rtol=1e-3)


@pytest.mark.skipif(not tf.config.list_physical_devices("GPU"), reason="needs a GPU that TensorFlow sees")
def test_on_a_gpu_the_loop_stays_there():
    """The whole program is one compiled cluster on the GPU, without a transfer to the host inside."""
    scenario = otafl.load("digits_quickstart").override(DIGITS)
    (group, _), *_ = prepare(scenario).groups
    assert group.task.whole
    (stream,) = engine.Streams(group).streams
    inputs = engine.Draws(group).chunk(next(engine.chunks(group)))
    advance = engine.Streams(group).advance_stream
    code = advance.experimental_get_compiler_ir(stream.state, stream.problem, stream.vectors, inputs)(stage="hlo")
    assert not any(word in code for word in ("outfeed", "infeed", "send(", "recv(", "xla_ffi_python"))
    stream.advance(advance, inputs)
    assert all("GPU" in leaf.device for leaf in tf.nest.flatten(stream.state))
