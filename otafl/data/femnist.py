"""S. Caldas et al., "LEAF: a benchmark for federated settings": FEMNIST, handwritten characters with their writers."""

import functools
import importlib
import os
from pathlib import Path
from typing import Any

import numpy as np

from otafl.channels import file_digests
from otafl.data import user_data
from otafl.data.files import FILE, data_file
from otafl.data.samples import Samples
from otafl.errors import OtaflError

FOLDER, HUB = "femnist", "flwrlabs/femnist"
"""Name of the folder in OTAFL_DATA_DIR, as ``save_to_disk`` makes one, and of the data set at Hugging Face."""
COLUMNS = ("image", "character", "writer_id")
TEST_EVERY = 10
"""Distance of test samples among those of a writer: a tenth, as in LEAF."""
TOGETHER = 1000
"""Images that are decoded at a time."""


def load() -> Samples:
    """Return FEMNIST, workers numbered in the order of writers' names; every tenth sample of each is a test sample."""
    folder = data_file(FOLDER, is_there=os.path.isdir)
    files = sorted(path for path in folder.rglob("*") if path.is_file()) if folder else []
    return _load(folder, tuple(file_digests.digest(path) for path in files))


@functools.lru_cache(maxsize=1)
def _load(folder: Path | None, digests: tuple[str, ...]) -> Samples:
    """Return the samples of a folder whose files have some digests, or downloaded ones."""
    images, labels, writers = _columns(folder)
    owner = np.unique(writers, return_inverse=True)[1]
    order = np.argsort(owner, kind="stable")
    firsts = np.cumsum(counts := np.bincount(owner)) - counts
    test = np.zeros(len(owner), bool)
    test[order] = (np.arange(len(owner)) - firsts[owner[order]]) % TEST_EVERY == TEST_EVERY - 1
    arrays = {"x_train": images[~test], "y_train": labels[~test], "x_test": images[test], "y_test": labels[test]}
    return user_data.checked("classification", arrays | {user_data.OWNER: owner[~test]}, str(folder or HUB))


def _columns(folder: Path | None) -> list[np.ndarray]:
    dataset = _dataset(folder)
    if missing := [name for name in COLUMNS if name not in dataset.column_names]:
        raise OtaflError(FILE, str(folder or HUB), f"must have the columns {', '.join(COLUMNS)}; missing: {missing[0]}")
    parts = list(dataset.select_columns(COLUMNS).with_format("numpy").iter(TOGETHER))
    images, labels, writers = (np.concatenate([part[name] for part in parts]) for name in COLUMNS)
    return [images[..., None] if images.ndim == 3 else images, labels, writers]


def _dataset(folder: Path | None) -> Any:
    """Return the data set of Hugging Face's package, its part "train" where there are several."""
    try:
        datasets = importlib.import_module("datasets")
    except ImportError as error:
        rule = f"needs Hugging Face's datasets ({error}); install otafl with the extra otafl[data]"
        raise OtaflError("problem.dataset", FOLDER, rule) from None
    try:
        parts = datasets.load_from_disk(str(folder)) if folder else datasets.load_dataset(HUB)
        return parts["train"] if isinstance(parts, dict) else parts
    except Exception as error:
        rule = "must be a folder as save_to_disk makes it" if folder else "could not be downloaded"
        raise OtaflError(FILE, str(folder or HUB), f"{rule}; {error}") from None
