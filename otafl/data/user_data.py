"""Data of the user's own: a file, the result of a function, or what a call is given, checked on loading."""

import functools
import hashlib
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from otafl.channels import file_digests
from otafl.data import tables
from otafl.data.files import archive, require
from otafl.data.samples import Samples
from otafl.errors import OtaflError
from otafl.user_code import plugins

KEY = "problem.dataset"
TRAINING, TESTING, OWNER = ("x_train", "y_train"), ("x_test", "y_test"), tables.OWNER
"""Names of arrays: features and targets for training and for testing, and the worker of each training sample."""
IN_MEMORY = "data=:"
"""Beginning of the name of a data set that a call of otafl.run is given; no file or module has such a name."""
MOST_CLASSES = 100_000
MOST_FEATURE = 1e30
"""Largest absolute value of features and targets with which single precision can compute."""


def is_own(dataset: str) -> bool:
    """Return True for the name of a data set of the user's own: a path to a file, or ``package.module:function``."""
    return dataset.endswith((".npz", *tables.SUFFIXES)) or ":" in dataset


def is_function(dataset: str) -> bool:
    """Return True for the name of a function that returns data, ``package.module:function``."""
    return ":" in dataset and not dataset.startswith(IN_MEMORY)


def keys(dataset: str) -> tuple[str, ...]:
    """Return the dotted scenario keys that a data set of the user's own reads: the target of what may be a table."""
    return (tables.TARGET,) if is_function(dataset) or dataset.endswith(tables.SUFFIXES) else ()


def remedy(kind: str, path: str) -> str:
    """Return how the data of a file of another kind are handed over, the end of an error message."""
    names = (*TRAINING, *(TESTING if kind == "classification" else ()))
    arrays = ", ".join(f"{name}=..." for name in names)
    saved = f"numpy.savez({Path(path).with_suffix('.npz').name!r}, {arrays}) writes"
    kinds = f"must be a .csv or .parquet file with the column {tables.TARGET}, a .npz file, as {saved}"
    return f"{kinds}, or package.module:function, a function of yours that returns a DataFrame or these arrays"


def load(kind: str, dataset: str, target: str | None) -> Samples:
    if dataset.startswith(IN_MEMORY):
        raise OtaflError(KEY, dataset, "was given as data= to a call of otafl.run, and exists only in its process")
    if ":" in dataset:
        return _returned(kind, dataset, target)
    return _read(kind, dataset, target, file_digests.digest(dataset))


def anew() -> None:
    """Forget the data that functions of the user's have returned, as they may return others in the next study."""
    _returned.cache_clear()


@functools.lru_cache(maxsize=2)
def _read(kind: str, path: str, target: str | None, digest: str) -> Samples:
    """Return the samples of a file, kept as long as its content has a digest."""
    if not digest:  # as of a path that leads to no file
        raise OtaflError(KEY, path, f"there is no such file in {Path.cwd()}")
    data = tables.read(Path(path)) if path.endswith(tables.SUFFIXES) else archive(path)
    require(path, digest)
    return checked(kind, named(kind, data, target, path), path)


@functools.lru_cache(maxsize=2)
def _returned(kind: str, dataset: str, target: str | None) -> Samples:
    """Return the samples that a function of the user's returns, which is called once for a study in a process."""
    function = plugins.function(KEY, dataset)
    try:
        with plugins.from_working_folder():
            data = function()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise OtaflError(KEY, dataset, f"the function fails: {plugins.why(error)}") from None
    return checked(kind, named(kind, data, target, dataset), dataset)


def given(kind: str, data: object, target: str | None = None) -> tuple[str, dict[str, np.ndarray]]:
    """Return the digest of arrays that a user passes, 12 hexadecimal digits, and the arrays by name, checked."""
    parts, known = named(kind, data, target, "data"), (*TRAINING, *TESTING, OWNER)
    for name in parts:
        if name not in known:
            raise OtaflError(f"{KEY} data", name, f"must be the name of an array: {', '.join(known)}")
    arrays = {name: _numbers(name, values) for name, values in parts.items()}
    checked(kind, arrays, "data")
    digest = hashlib.sha256()
    for name in sorted(arrays):
        form = f"{name}{arrays[name].dtype.str}{arrays[name].shape}"
        digest.update(form.encode() + np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()[:12], arrays


def named(kind: str, data: object, target: str | None, source: str) -> Mapping[str, object]:
    """Return arrays by name: "x_train" and "y_train", "x_test" and "y_test", and others that are given by name."""
    if isinstance(data, Mapping):
        return data
    if tables.is_frame(data):
        return tables.arrays(data, kind == "classification", target)
    pairs = [_unrolled(pair) if _is_unread(pair) else pair for pair in _listed(data)]
    if not 1 <= len(pairs) <= 2 or not all(map(_is_pair, pairs)):
        rule = "must be (x, y), ((x_train, y_train), (x_test, y_test)), or arrays by name"
        raise OtaflError(KEY, source, f"{rule}, not {type(data).__name__}")
    return dict(zip((*TRAINING, *TESTING), itertools.chain(*pairs), strict=False))


def _listed(data: object) -> Sequence:
    """Return data as a list of pairs, for training and for testing; empty where they have another form."""
    if _is_unread(data) or (isinstance(data, tuple) and len(data) == 2 and not _is_pair(data[0])):
        return [data]
    return data if isinstance(data, tuple | list) else []


def _is_unread(value: object) -> bool:
    """Return True for a tf.data.Dataset, without loading TensorFlow."""
    return hasattr(value, "as_numpy_iterator")


def _unrolled(dataset: Any) -> tuple[np.ndarray, ...]:
    """Return all elements of a tf.data.Dataset of single samples as arrays."""
    try:
        return tuple(map(np.stack, zip(*dataset.as_numpy_iterator(), strict=True)))
    except ValueError as error:
        rule = f"must give single samples of one shape, not batches: {error}"
        raise OtaflError(KEY, type(dataset).__name__, rule) from None


def _is_pair(value: object) -> bool:
    return (isinstance(value, tuple | list) and len(value) == 2) or _is_unread(value)


def checked(kind: str, arrays: Mapping[str, object], source: str) -> Samples:
    """Return samples from arrays by name, checked for a kind of problem; messages name the source.

    Features have shape [samples, ...], targets and workers [samples]. Bytes (uint8) are divided by 255, as images are,
    unless the model looks them up as numbers of symbols. All other features keep their values, in single precision for
    a classifier, in double precision for a regression.
    """
    classifies = kind == "classification"
    needed = (*TRAINING, *(TESTING if classifies else ()))
    if missing := [name for name in needed if name not in arrays]:
        raise OtaflError(KEY, source, f"must hold the arrays {', '.join(needed)}; missing: {', '.join(missing)}")
    features, targets = _pair(arrays, TRAINING, classifies)
    tests = _pair(arrays, TESTING, classifies) if classifies else (features[:0], targets[:0])
    if tests[0].shape[1:] != features.shape[1:] or tests[0].dtype != features.dtype:
        rule = "must be of the shape and type that x_train has"
        raise OtaflError(f"{KEY} x_test", _form(tests[0]), f"{rule}, {_form(features)}")
    scale = 1 / 255 if features.dtype == np.uint8 else 1.0
    classes = int(targets.max()) + 1 if classifies else 0
    if classes == 1:
        raise OtaflError(f"{KEY} y_train", 0, "must have at least two classes")
    if classifies and tests[1].max() >= classes:
        raise OtaflError(f"{KEY} y_test", int(tests[1].max()), f"must be a class of y_train, 0 to {classes - 1}")
    return Samples(features, targets, *tests, scale=scale, shares=_shares(arrays, len(targets)), classes=classes)


def _pair(arrays: Mapping[str, object], names: tuple[str, str], classifies: bool) -> tuple[np.ndarray, ...]:
    features, targets = (_numbers(name, arrays[name]) for name in names)
    if classifies and targets.ndim > 1 and targets.size != len(targets):
        rule = "must be of shape [samples], with the number of each sample's class"
        raise OtaflError(f"{KEY} {names[1]}", _form(targets), rule)
    if features.ndim < 2 or len(features) != targets.size or not features.size:
        rule = f"must be of shape [samples, ...] with as many samples as {names[1]}, which has {targets.size:,}"
        raise OtaflError(f"{KEY} {names[0]}", _form(features), rule)
    _require_held(names[0], features)
    if not classifies:
        _require_held(names[1], targets)
        return features.reshape(len(features), -1).astype(np.float64), targets.reshape(-1).astype(np.float64)
    features = features.astype(np.uint8 if features.dtype == np.uint8 else np.float32)  # a copy, which nobody changes
    return features, _labels(names[1], targets.reshape(-1))


def _require_held(name: str, features: np.ndarray) -> None:
    largest = max(-float(features.min()), float(features.max()))
    if largest > MOST_FEATURE:
        rule = f"must be at most {MOST_FEATURE:g} in absolute value, as networks are trained in single precision"
        raise OtaflError(f"{KEY} {name}", largest, rule)


def _labels(name: str, labels: np.ndarray) -> np.ndarray:
    wrong = labels[(labels != np.round(labels)) | (labels < 0) | (labels >= MOST_CLASSES)]
    if wrong.size:
        raise OtaflError(f"{KEY} {name}", wrong[0].item(), "must be whole numbers from 0 on, a number for each class")
    return labels.astype(np.int32)


def _numbers(name: str, values: object) -> np.ndarray:
    if np.ma.is_masked(values):
        raise OtaflError(f"{KEY} {name}", type(values).__name__, "must not be masked: fill it, or leave samples out")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise OtaflError(f"{KEY} {name}", type(values).__name__, f"must be an array: {error}") from None
    if array.dtype.kind not in "buif":
        raise OtaflError(f"{KEY} {name}", str(array.dtype), "must be an array of real numbers")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        count = int((~np.isfinite(array)).sum())
        raise OtaflError(f"{KEY} {name}", f"{count:,} of {array.size:,}", "must not be NaN or infinite")
    return array


def _shares(arrays: Mapping[str, object], samples: int) -> tuple[np.ndarray, ...]:
    """Return the samples of each worker, where the data name workers 0, 1, ..., each with some samples."""
    if OWNER not in arrays:
        return ()
    owner = _numbers(OWNER, arrays[OWNER])
    if owner.shape != (samples,) or owner.dtype.kind not in "iu" or not samples:
        rule = f"must be whole numbers of shape ({samples},), one for each sample"
        raise OtaflError(f"{KEY} {OWNER}", _form(owner), rule)
    counts = np.bincount(owner) if 0 <= owner.min() <= owner.max() < samples else np.zeros(1, int)
    if not counts.all():
        rule = "must number workers from 0 on, with none left out"
        raise OtaflError(f"{KEY} {OWNER}", f"{owner.min()} to {owner.max()}", rule)
    return tuple(np.split(np.argsort(owner, kind="stable"), np.cumsum(counts)[:-1].tolist()))


def _form(array: np.ndarray) -> str:
    return f"{array.dtype} {array.shape}"
