"""Labelled images, uint8: MNIST, Fashion-MNIST, CIFAR-10, CIFAR-100, EMNIST, and scikit-learn's digits."""

import dataclasses
import functools
import importlib
from pathlib import Path

import numpy as np

from otafl.channels import file_digests
from otafl.data.files import FILE, archive, data_file, embedded, require
from otafl.data.samples import Samples
from otafl.errors import OtaflError

NAMES = ("mnist", "fashion_mnist", "cifar10", "cifar100", "emnist")
FILES: dict[str, tuple[str, ...]] = {name: (f"{name}.npz",) for name in NAMES}
FILES["cifar10"] += ("cifar10_subset.npz",)
"""Names of files by data set, the preferred one first."""
ARRAYS = ("x_train", "y_train", "x_test", "y_test")
CLASSES = 10
"""Number of classes of all other data sets."""
MORE_CLASSES = {"cifar100": 100, "emnist": 47}
TEST_EVERY = 5
"""Distance of test samples among the digits: every fifth is one."""
OPENML, OPENML_TEST_EVERY = "EMNIST_Balanced", 7
"""Name of EMNIST's balanced set at OpenML, and the distance of test samples in it: one in seven, as published."""


def load(name: str) -> Samples:
    """Return a data set by name, of OTAFL_DATA_DIR or downloaded; CIFAR-100 has fine labels, EMNIST is balanced."""
    path = data_file(*FILES[name])
    return _download(name) if path is None else _read(path, file_digests.digest(path), MORE_CLASSES.get(name, CLASSES))


@functools.cache
def digits() -> Samples:
    """Return scikit-learn's 1,797 handwritten digits of 8 x 8 pixels; every fifth is a test sample."""
    table = embedded("digits.csv.gz", delimiter=",")
    features = table[:, :-1].astype(np.uint8).reshape(-1, 8, 8, 1)
    labels = table[:, -1].astype(np.int32)
    test = np.arange(len(labels)) % TEST_EVERY == TEST_EVERY - 1
    return Samples(features[~test], labels[~test], features[test], labels[test], scale=1 / 16)


@functools.lru_cache(maxsize=1)
def _read(path: Path, digest: str, classes: int) -> Samples:
    """Return the samples of a file in the layout of keras.datasets, kept as long as the file has a digest."""
    arrays = archive(path, ARRAYS)
    require(path, digest)  # else a file that is replaced meanwhile would be kept under the digest of the other
    subset = path.name if path.stem.endswith("_subset") else ""
    return dataclasses.replace(_checked([arrays[name] for name in ARRAYS], str(path), classes), subset=subset)


@functools.lru_cache(maxsize=1)
def _download(name: str) -> Samples:
    try:
        if name == "emnist":
            arrays = _openml()
        else:
            (x, y), (x_test, y_test) = importlib.import_module(f"keras.datasets.{name}").load_data()
            arrays = [x, y, x_test, y_test]
    except Exception as error:
        rule = f"could not be downloaded ({error}); set OTAFL_DATA_DIR to a folder with {FILES[name][0]}"
        raise OtaflError("problem.dataset", name, rule) from None
    return _checked(arrays, name, MORE_CLASSES.get(name, CLASSES))


def _openml() -> list[np.ndarray]:
    """Return EMNIST's balanced set in the order of ARRAYS."""
    from sklearn.datasets import fetch_openml

    pixels, classes = fetch_openml(OPENML, version=1, as_frame=False, parser="pandas", return_X_y=True)
    images, labels = np.asarray(pixels, np.uint8).reshape(-1, 28, 28), np.asarray(classes).astype(np.int32)
    test = np.arange(len(labels)) % OPENML_TEST_EVERY == OPENML_TEST_EVERY - 1
    return [images[~test], labels[~test], images[test], labels[test]]


def _checked(arrays: list[np.ndarray], source: str, classes: int) -> Samples:
    parts = []
    for images, labels in (arrays[:2], arrays[2:]):
        labels = labels.reshape(-1)
        if images.dtype != np.uint8 or images.ndim not in (3, 4) or len(images) != len(labels) or not images.size:
            raise OtaflError(FILE, source, "must hold uint8 images and one label for each of them")
        if labels.dtype.kind not in "iu":
            raise OtaflError(FILE, source, f"must hold whole numbers as labels, not {labels.dtype}")
        if labels.min() < 0 or labels.max() >= classes:
            raise OtaflError(FILE, source, f"must hold labels from 0 to {classes - 1}")
        parts += [images.reshape(*images.shape[:3], -1), labels.astype(np.int32)]
    size, of_tests = parts[0].shape[1:], parts[2].shape[1:]
    if size != of_tests:
        raise OtaflError(FILE, source, f"must hold images of one size, not {size} for training and {of_tests}")
    return Samples(*parts, scale=1 / 255, classes=classes)
