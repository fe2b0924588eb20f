"""Final models of runs as Keras models, and training that begins from the file of one."""

import keras
import numpy as np
import pytest

import otafl
from otafl.algorithms import METHODS
from otafl.data import images
from otafl.problems.training_task import Training
from otafl.results import result_file
from otafl.settings.keys import Settings
from otafl.store.identity import run_name
from otafl.study import compute
from tests.otafl.small import settings_of

KEYS = {"method": ["A-SFADMM", "FedAvg"], "problem.model": "mlp_small", "run.iterations": 3, "run.seeds": 2}
KEYS |= {"run.evaluate_every": 1, "federation.workers": 3}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Folder of a study of two methods and two seeds, and its result."""
    folder = tmp_path_factory.mktemp("saved")
    return folder, otafl.run("digits_quickstart", KEYS, out=folder, store=False, engine="in_process")


def accuracy(model: keras.Model) -> float:
    """Return the share of raw test images that a model classifies correctly."""
    data = images.digits()
    outputs = model.predict(data.test_features, verbose=0)
    return float(np.mean(np.argmax(outputs, axis=1) == data.test_targets))


@pytest.mark.parametrize("method", KEYS["method"])
@pytest.mark.parametrize("seed", [0, 1])
def test_model_of_a_run_is_as_accurate_as_its_result_says(saved, method, seed):
    """Also where the result is cut to a scheme, or to its last iteration."""
    folder, data = saved
    told = data["test_accuracy"].sel(scheme=method, seed=seed).isel(iteration=-1)
    part = data.isel(iteration=-1) if seed else data.sel(scheme=[method])
    for result in (part, folder / "digits_quickstart.nc"):
        assert accuracy(otafl.model(result, method=method, seed=seed)) == pytest.approx(float(told), abs=1e-6)


def test_a_model_is_that_of_the_result_or_refused_where_its_folder_has_other_runs_since(tmp_path):
    keys, again = KEYS | {"method": "FedAvg", "problem.model": "linear", "run.seeds": 1}, {"overwrite": True}
    first = otafl.run("digits_quickstart", keys, out=tmp_path)
    otafl.run("digits_quickstart", keys, out=tmp_path)
    assert accuracy(otafl.model(first)) == pytest.approx(float(first["test_accuracy"][0, -1]), abs=1e-6)
    for other, rule in ({"run.iterations": 5}, "iteration 3 is not kept"), ({"local.learning_rate": 1e-4}, "no other"):
        otafl.run("digits_quickstart", keys | other, out=tmp_path, **again)
        with pytest.raises(otafl.OtaflError, match=rule):
            otafl.model(first)


def started(path: object, **more: object) -> Settings:
    keys = {"method": "FedAvg", "problem.model": "mlp_small", "problem.start": str(path), **more}
    return settings_of("digits_quickstart", keys)


def weights(model: keras.Model) -> np.ndarray:
    return np.concatenate([variable.numpy().ravel() for variable in model.trainable_variables])


def test_training_begins_from_a_file_also_beneath_adapters(saved, tmp_path):
    model = otafl.model(saved[1], method="FedAvg", seed=0)
    model.save(path := tmp_path / "start.keras")
    plain, adapted = (
        Training(started(path, **{"problem.adapter_rank": rank}), METHODS["FedAvg"], [5]).shared(np.zeros(1, int))
        for rank in (0, 2)
    )
    np.testing.assert_array_equal(plain.start[0, :, 0], weights(model))
    np.testing.assert_array_equal(adapted.base[0], weights(model))


def test_a_run_is_named_by_the_content_of_its_first_model(saved, tmp_path):
    path, names = tmp_path / "start.keras", set()
    for seed in (0, 1):
        otafl.model(saved[1], method="FedAvg", seed=seed).save(path)
        names.add(run_name(started(path), 0))
    assert len(names) == 2


def refused(folder, monkeypatch, keys) -> str:
    monkeypatch.chdir(folder)
    before = set(folder.iterdir())
    with pytest.raises(otafl.OtaflError) as refusal:
        otafl.run("digits_quickstart", {**KEYS, **keys}, out=folder / "out", store=False, engine="in_process")
    assert set(folder.iterdir()) == before
    return str(refusal.value)


def test_other_files_are_refused(tmp_path, monkeypatch):
    (tmp_path / "damaged.keras").write_bytes(b"PK\x03\x04" + bytes(100))
    keras.Sequential([keras.Input([8, 8]), keras.layers.Flatten(), keras.layers.Dense(10)]).save(tmp_path / "o.keras")
    (tmp_path / "empty.keras").touch()
    (tmp_path / "cut.keras").write_bytes((tmp_path / "o.keras").read_bytes()[:-30])
    for name, rule in {
        "empty.keras": "but is empty",
        "cut.keras": "cut short",
        "none.keras": "no such file",
        "damaged.keras": "cut short",
        "o.keras": "shapes [(64, 32), ",
    }.items():
        message = refused(tmp_path, monkeypatch, {"problem.start": name})
        assert message.startswith(f"problem.start = '{name}': ")
        assert rule in message
    assert "contradicts" in refused(tmp_path, monkeypatch, {"problem.start": "o.keras", "problem.pretraining": 0.1})
    random = {"problem.start": "o.keras", "algorithm.start": "random", "method": "A-SFADMM"}
    assert "'common'" in refused(tmp_path, monkeypatch, random)


def test_model_of_a_run_whose_state_is_large_is_kept_and_a_longer_run_begins_anew(saved, tmp_path, monkeypatch):
    monkeypatch.setattr(compute, "LARGE", 0)
    keys, whole = KEYS | {"method": "FedAvg", "run.seeds": 1}, {"store": tmp_path / "store", "engine": "in_process"}
    short = otafl.run("digits_quickstart", keys | {"run.iterations": 2}, out=tmp_path / "short", **whole)
    assert accuracy(otafl.model(short)) == pytest.approx(float(short["test_accuracy"][0, -1]), abs=1e-6)
    longer = otafl.run("digits_quickstart", keys, out=tmp_path / "longer", **whole)
    np.testing.assert_array_equal(longer["loss"], saved[1]["loss"].sel(scheme="FedAvg", seed=[0]))
    assert not list(tmp_path.rglob("*.state"))


def test_models_that_cannot_be_had_are_refused(saved, tmp_path):
    folder, data = saved
    store, short = folder / "digits_quickstart.runs", KEYS | {"run.iterations": 2}
    shorter = otafl.run("digits_quickstart", short, out=tmp_path / "short", store=store)
    regression = otafl.run(
        "quickstart", {"run.iterations": 1, "run.seeds": 1, "method": "A-GD"}, out=tmp_path, store=False
    )
    cases = [
        (data, {"method": "FedAvg"}, "one run, but has 2"),
        (data, {"snr_db": 1}, "must be one of"),
        (data, {"method": "FedAvg@analog"}, "is of no run; method has A-SFADMM, FedAvg; scheme has A-SFADMM, FedAvg"),
        (shorter, {"method": "FedAvg", "seed": 0}, "after iteration 2 is not kept"),
        (data.isel(iteration=slice(2)), {"method": "FedAvg", "seed": 0}, "lacks later iterations"),
        (data.isel(scheme=1, drop=True), {"seed": 0}, "'scheme': must be a coordinate"),
        (data.drop_encoding(), {"method": "FedAvg", "seed": 0}, "NAME.runs beside it"),
        (regression, {"seed": 0}, "not networks"),
    ]
    for result, selection, rule in cases:
        with pytest.raises(otafl.OtaflError, match=rule):
            otafl.model(result, **selection)


def test_command_writes_a_model_of_each_run(tmp_path, call):
    words = "run digits_quickstart --method FedAvg --problem.model mlp_small --run.iterations 2 --run.seeds 1 --out out"
    done = call(*words.split(), "--no-store", "--save-model", "--processes", "0")
    assert done.code == 0, done
    (path,) = (tmp_path / "out").glob("*.keras")
    assert path.name == "digits_quickstart-seed=0.keras"
    told = result_file.load(tmp_path / "out" / "digits_quickstart.nc")["test_accuracy"].values.flat[-1]
    assert accuracy(keras.saving.load_model(path)) == pytest.approx(told, abs=1e-6)
    assert call("run", "quickstart", "--save-model", "--out", "none").code == 2
    assert not (tmp_path / "none").exists()
