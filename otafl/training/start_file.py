"""Initial weights of a network, from the file of a Keras model."""

import functools
import zipfile
from pathlib import Path
from typing import Any

import keras
import numpy as np

from otafl.channels import file_digests
from otafl.errors import OtaflError
from otafl.training.models import Shape
from otafl.training.networks import Network, seeded
from otafl.user_code import plugins

KEY = "problem.start"


def weights(path: str, network: Network) -> np.ndarray:
    """Return the trainable weights, [d], float32, of the model in a .keras file; refuse it if it is no such model."""
    return _read(path, file_digests.digest(path), network.shapes)


@functools.lru_cache(maxsize=2)
def _read(path: str, digest: str, shapes: tuple[Shape, ...]) -> np.ndarray:
    """Return the weights in a file, kept as long as its content has a digest."""
    if not digest:
        raise OtaflError(KEY, path, f"there is no such file in {Path.cwd()}")
    values = [variable.numpy() for variable in _loaded(path).trainable_variables]
    if (given := tuple(value.shape for value in values)) != shapes:
        rule = f"must have the weights of problem.model, of shapes {list(shapes)}, not {list(given)}"
        raise OtaflError(KEY, path, rule)
    flat = np.concatenate([value.reshape(-1) for value in values]).astype(np.float32)
    if not np.isfinite(flat).all():
        raise OtaflError(KEY, path, "must have finite weights, as those of a diverged run are not")
    return flat


def _loaded(path: str) -> Any:
    """Load a model of Keras, which refuses code in the file."""
    if not path.endswith(".keras"):
        raise OtaflError(KEY, path, "must be a .keras file, as otafl run --save-model and keras.Model.save write it")
    if not zipfile.is_zipfile(path):
        state = "cut short, or of another kind" if Path(path).stat().st_size else "empty"
        raise OtaflError(KEY, path, f"must be a complete .keras file, but is {state}")
    try:
        with seeded(0):
            return keras.saving.load_model(path, compile=False)
    except Exception as error:  # whatever a damaged file makes its reader raise
        raise OtaflError(KEY, path, f"must be a .keras file that Keras loads: {plugins.why(error)}") from None
