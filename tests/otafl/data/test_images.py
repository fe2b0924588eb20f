"""Labelled images: files, EMNIST of OpenML, FEMNIST as Hugging Face's package saves it, and embedded digits."""

import socket
import sys

import numpy as np
import pytest
import sklearn.datasets
from sklearn.datasets import load_digits

import otafl
from otafl.data import femnist, images
from otafl.errors import OtaflError


@pytest.mark.parametrize(("name", "classes", "shape"), [("cifar100", 100, (32, 32, 3)), ("emnist", 47, (28, 28))])
def test_files_with_more_classes(tmp_path, monkeypatch, name, classes, shape):
    monkeypatch.setenv("OTAFL_DATA_DIR", str(tmp_path))
    arrays = {"x_train": np.zeros((classes, *shape), np.uint8), "x_test": np.zeros((2, *shape), np.uint8)}
    arrays |= {"y_train": np.arange(classes)[:, None], "y_test": np.array([0, classes - 1])}
    np.savez(tmp_path / f"{name}.npz", **arrays)
    found = images.load(name)
    assert found.classes == classes
    assert found.features.shape == (classes, *shape[:2], 3 if len(shape) > 2 else 1)
    np.savez(tmp_path / f"{name}.npz", **arrays | {"y_test": np.array([0, classes])})
    with pytest.raises(OtaflError, match=f"labels from 0 to {classes - 1}"):
        images.load(name)


def test_emnist_of_openml_has_one_in_seven_for_tests(monkeypatch):
    labels = np.arange(94) % 47
    table = np.repeat(labels[:, None], 784, axis=1).astype(float)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda *given, **options: (table, labels.astype(str)))
    features, targets, test_features, test_targets = images._openml()
    assert (len(targets), len(test_targets)) == (81, 13)
    np.testing.assert_array_equal(test_targets, labels[6::7])
    np.testing.assert_array_equal(features[:, 0, 0], targets)
    np.testing.assert_array_equal(test_features[:, 27, 27], test_targets)


def test_digits_are_those_of_scikit_learn_with_every_class_in_both_parts():
    data = images.digits()
    assert (len(data.targets), len(data.test_targets)) == (1438, 359)
    assert set(data.targets) == set(data.test_targets) == set(range(10))
    assert data.features.max() * data.scale == 1.0
    features, labels = load_digits(return_X_y=True)
    test = np.arange(len(labels)) % images.TEST_EVERY == images.TEST_EVERY - 1
    np.testing.assert_array_equal(data.features.reshape(-1, 64), np.asarray(features)[~test])
    np.testing.assert_array_equal(data.test_targets, np.asarray(labels)[test])


def test_tests_download_nothing():
    with pytest.raises(OtaflError, match=r"problem\.dataset = 'mnist': could not be downloaded"):
        images.load("mnist")
    with pytest.raises(OSError, match=r"tests have no network, and 192\.0\.2\.1 is another machine"):
        socket.create_connection(("192.0.2.1", 80))


WRITERS = np.repeat(["f0002_01", "f0000_14", "f0001_41"], [25, 10, 7])


def saved(folder, monkeypatch, columns=None):
    datasets = pytest.importorskip("datasets", reason="the extra otafl[data] is not installed")
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (len(WRITERS), 28, 28), np.uint8)
    order = rng.permutation(len(WRITERS))
    rows = {"image": list(images), "character": np.arange(len(WRITERS)) % 5, "writer_id": WRITERS[order]}
    form = {"image": datasets.Array2D((28, 28), "uint8"), "character": datasets.Value("int64")}
    form["writer_id"] = datasets.Value("string")
    made = datasets.Dataset.from_dict(rows, features=datasets.Features(form))
    made.select_columns(columns or list(rows)).save_to_disk(str(folder / "femnist"))
    monkeypatch.setenv("OTAFL_DATA_DIR", str(folder))
    return images, WRITERS[order]


def test_writers_are_workers_and_a_tenth_of_each_is_for_tests(tmp_path, monkeypatch):
    images, writers = saved(tmp_path, monkeypatch)
    found = femnist.load()
    assert [len(share) for share in found.shares] == [9, 7, 23]
    assert len(found.test_targets) == 3
    for name, share in zip(np.unique(writers), found.shares, strict=True):
        own = images[writers == name]
        own = own[np.arange(len(own)) % 10 != 9]
        np.testing.assert_array_equal(found.features[share][..., 0], own)


def test_a_study_learns_from_the_writers(tmp_path, monkeypatch):
    saved(tmp_path, monkeypatch)
    keys = {"problem.dataset": "femnist", "problem.model": "linear", "federation.partition": "natural"}
    keys |= {"federation.workers": 3, "method": "FedAvg", "run.iterations": 2, "run.seeds": 1}
    assert otafl.run("digits_quickstart", keys, store=False)["loss"].notnull().all()
    with pytest.raises(OtaflError, match=r"federation\.workers = 2: must be 3, the number of workers"):
        otafl.run("digits_quickstart", keys | {"federation.workers": 2}, store=False)


def test_folders_that_are_none_and_the_missing_extra_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("OTAFL_DATA_DIR", str(tmp_path))
    with pytest.raises(OtaflError, match="must be a folder that holds femnist"):
        femnist.load()
    saved(tmp_path / "columns", monkeypatch, ["image", "character"])
    with pytest.raises(OtaflError, match="missing: writer_id"):
        femnist.load()
    (tmp_path / "other" / "femnist").mkdir(parents=True)
    monkeypatch.setenv("OTAFL_DATA_DIR", str(tmp_path / "other"))
    with pytest.raises(OtaflError, match="must be a folder as save_to_disk makes it"):
        femnist.load()
    (tmp_path / "femnist").mkdir()
    monkeypatch.setenv("OTAFL_DATA_DIR", str(tmp_path))
    monkeypatch.setitem(sys.modules, "datasets", None)
    femnist._load.cache_clear()
    with pytest.raises(OtaflError, match=r"install otafl with the extra otafl\[data\]"):
        femnist.load()
