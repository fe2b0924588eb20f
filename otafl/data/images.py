"""Labelled images: MNIST, Fashion-MNIST and CIFAR-10 from files or Keras' downloads, and scikit-learn's digits."""

import dataclasses
import functools
import importlib
from pathlib import Path

import numpy as np

from channels import file_digests
from otafl.data.files import FILE, archive, data_file, embedded, require
from otafl.data.samples import Samples
from otafl.errors import OtaflError

FILES = {
    "mnist": ("mnist.npz",),
    "fashion_mnist": ("fashion_mnist.npz",),
    "cifar10": ("cifar10.npz", "cifar10_subset.npz"),
}
"""Names of files by data set, the preferred one first."""
ARRAYS = ("x_train", "y_train", "x_test", "y_test")
"""Names of the arrays in a file."""
CLASSES = 10
"""Number of classes of every data set."""
TEST_EVERY = 5
"""Distance of test samples among the digits: every fifth is one."""


def load(name: str) -> Samples:
    """Return a data set of labelled images, from a file in OTAFL_DATA_DIR, or else downloaded by Keras.

    Arguments:
        name: "mnist", "fashion_mnist" or "cifar10".

    Returns:
        ``Samples`` for training and for testing, with images [samples, height, width, channels], uint8, which are
        divided by 255 before use, and labels [samples] from 0 to 9, int32.

    Raises:
        OtaflError: a file is missing, cut short, or holds something else, or the download fails.
    """
    path = data_file(*FILES[name])
    return _download(name) if path is None else _read(path, file_digests.digest(path))


@functools.cache
def digits() -> Samples:
    """Return scikit-learn's 1,797 handwritten digits of 8 x 8 pixels; every fifth is a test sample.

    Returns:
        Images [samples, 8, 8, 1] of whole numbers from 0 to 16, uint8, which are divided by 16 before use, and labels
        [samples] from 0 to 9, int32.
    """
    table = embedded("digits.csv.gz", delimiter=",")
    features = table[:, :-1].astype(np.uint8).reshape(-1, 8, 8, 1)
    labels = table[:, -1].astype(np.int32)
    test = np.arange(len(labels)) % TEST_EVERY == TEST_EVERY - 1
    return Samples(features[~test], labels[~test], features[test], labels[test], scale=1 / 16)


@functools.lru_cache(maxsize=1)
def _read(path: Path, digest: str) -> Samples:
    """Return the samples of a file in the layout of keras.datasets, kept as long as the file has a digest."""
    arrays = archive(path, ARRAYS)
    require(path, digest)
    subset = path.name if path.stem.endswith("_subset") else ""
    return dataclasses.replace(_checked([arrays[name] for name in ARRAYS], str(path)), subset=subset)


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
            raise OtaflError(FILE, source, "must hold uint8 images and one label for each of them")
        if names.dtype.kind not in "iu":
            raise OtaflError(FILE, source, f"must hold whole numbers as labels, not {names.dtype}")
        if names.min() < 0 or names.max() >= CLASSES:
            raise OtaflError(FILE, source, f"must hold labels from 0 to {CLASSES - 1}")
    features, test_features = (images.reshape(*images.shape[:3], -1) for images in (features, test_features))
    if features.shape[1:] != test_features.shape[1:]:
        rule = f"must hold images of one size, not {features.shape[1:]} for training and {test_features.shape[1:]}"
        raise OtaflError(FILE, source, rule)
    return Samples(features, labels.astype(np.int32), test_features, test_labels.astype(np.int32), scale=1 / 255)
