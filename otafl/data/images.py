"""Labelled images: MNIST, Fashion-MNIST and CIFAR-10 from files or Keras' downloads, and scikit-learn's digits."""

import dataclasses
import functools
import importlib
import zipfile
from pathlib import Path

import numpy as np

from otafl.data import memory
from otafl.data.files import data_file
from otafl.data.samples import Samples
from otafl.errors import OtaflError

FILES = {
    "mnist": ("mnist.npz",),
    "fashion_mnist": ("fashion_mnist.npz",),
    "cifar10": ("cifar10.npz", "cifar10_subset.npz"),
}
ARRAYS = ("x_train", "y_train", "x_test", "y_test")
CLASSES = 10
TEST_EVERY = 5
"""Every fifth of the digits is a test sample."""


def load(name: str) -> Samples:
    """A data set of FILES, or the digits: images as uint8, [samples, height, width, channels], labels 0 to 9.

    Raises:
        OtaflError: a file that is missing, cut short, or holds something else.
    """
    if name == "digits":
        return digits()
    path = data_file(*FILES[name])
    return _download(name) if path is None else _read(path, path.stat().st_mtime_ns)


@functools.cache
def digits() -> Samples:
    """1,797 handwritten digits of 8 x 8 pixels with values from 0 to 16; every fifth is a test sample."""
    from sklearn.datasets import load_digits

    features, labels = load_digits(return_X_y=True)
    features = np.asarray(features).astype(np.uint8).reshape(-1, 8, 8, 1)
    labels = np.asarray(labels).astype(np.int32)
    test = np.arange(len(labels)) % TEST_EVERY == TEST_EVERY - 1
    return Samples(features[~test], labels[~test], features[test], labels[test], scale=1 / 16)


@functools.lru_cache(maxsize=1)
def _read(path: Path, modified: int) -> Samples:
    """A file in the layout of keras.datasets; ``modified`` makes a changed file another one to the cache."""
    try:
        memory.require([_unpacked(path)], memory.available())
        with np.load(path, allow_pickle=False) as file:
            arrays = [np.asarray(file[name]) for name in ARRAYS]
    except OtaflError:
        raise
    except Exception as error:  # whatever a damaged archive makes its reader raise
        rule = f"must be a whole .npz file with the arrays {', '.join(ARRAYS)}; {str(error) or type(error).__name__}"
        raise OtaflError("problem.dataset file", str(path), rule) from None
    subset = path.name if path.stem.endswith("_subset") else ""
    return dataclasses.replace(_checked(arrays, str(path)), subset=subset)


def _unpacked(path: Path) -> memory.Demand:
    """What the arrays of a file take, compressed as they may be; all of it is read, and put together by workers."""
    with zipfile.ZipFile(path) as archive:
        size = 2 * sum(entry.file_size for entry in archive.infolist())
    return memory.Demand("problem.dataset file", str(path), size, "takes {size} of memory")


@functools.lru_cache(maxsize=1)
def _download(name: str) -> Samples:
    module = importlib.import_module(f"keras.datasets.{name}")
    try:
        (features, labels), (test_features, test_labels) = module.load_data()
    except Exception as error:
        rule = f"could not be downloaded ({error}); set OTAFL_DATA_DIR to a folder with {FILES[name][0]}"
        raise OtaflError("problem.dataset", name, rule) from None
    return _checked([features, labels, test_features, test_labels], name)


def _checked(arrays: list[np.ndarray], source: str) -> Samples:
    features, labels, test_features, test_labels = arrays
    labels, test_labels = labels.reshape(-1), test_labels.reshape(-1)
    for images, names in ((features, labels), (test_features, test_labels)):
        if images.dtype != np.uint8 or images.ndim not in (3, 4) or len(images) != len(names) or not images.size:
            raise OtaflError("problem.dataset file", source, "must hold uint8 images and one label for each of them")
        if names.dtype.kind not in "iu":
            raise OtaflError("problem.dataset file", source, f"must hold whole numbers as labels, not {names.dtype}")
        if names.min() < 0 or names.max() >= CLASSES:
            raise OtaflError("problem.dataset file", source, f"must hold labels from 0 to {CLASSES - 1}")
    features, test_features = (images.reshape(*images.shape[:3], -1) for images in (features, test_features))
    if features.shape[1:] != test_features.shape[1:]:
        rule = f"must hold images of one size, not {features.shape[1:]} for training and {test_features.shape[1:]}"
        raise OtaflError("problem.dataset file", source, rule)
    return Samples(features, labels.astype(np.int32), test_features, test_labels.astype(np.int32), scale=1 / 255)
