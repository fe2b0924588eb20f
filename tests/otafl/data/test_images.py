"""Labelled images: files that are none, and the embedded digits."""

import numpy as np
import pytest
import sklearn.datasets
from sklearn.datasets import load_digits

from otafl.data import images
from otafl.errors import OtaflError


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
    """Without a network, in the form in which scikit-learn returns it."""
    labels = np.arange(94) % 47
    table = np.repeat(labels[:, None], 784, axis=1).astype(float)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda *given, **options: (table, labels.astype(str)))
    features, targets, test_features, test_targets = images._openml()
    assert (len(targets), len(test_targets)) == (81, 13)
    np.testing.assert_array_equal(test_targets, labels[6::7])
    np.testing.assert_array_equal(features[:, 0, 0], targets)
    np.testing.assert_array_equal(test_features[:, 27, 27], test_targets)


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
    assert (len(data.targets), len(data.test_targets)) == (1438, 359)
    assert set(data.targets) == set(data.test_targets) == set(range(10))
    assert data.features.max() * data.scale == 1.0


def test_digits_are_those_of_scikit_learn():
    features, labels = load_digits(return_X_y=True)
    data, test = images.digits(), np.arange(len(labels)) % images.TEST_EVERY == images.TEST_EVERY - 1
    np.testing.assert_array_equal(data.features.reshape(-1, 64), np.asarray(features)[~test])
    np.testing.assert_array_equal(data.test_targets, np.asarray(labels)[test])
