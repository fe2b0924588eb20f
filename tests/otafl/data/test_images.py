"""Labelled images: files, EMNIST of OpenML, and the embedded digits."""

import numpy as np
import pytest
import sklearn.datasets
from sklearn.datasets import load_digits

from otafl.data import images
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
