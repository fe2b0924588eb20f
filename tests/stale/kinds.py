"""Inputs of a run beside its keys, each in two versions: files of one size, and the keys that name them."""

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import otafl
from otafl.errors import OtaflError

WORKERS = (2, 3)
SMALL = {"run.iterations": 2, "run.seeds": 1, "federation.workers": 2}
EXACT = SMALL | {"method": "A-GD", "channel.snr_db": 10.0}
TRAINED = SMALL | {"method": "FedAvg", "local.steps": 1, "local.batch_size": 2}
SECOND = 10**9
"""When all files of data say that they were written; those of code say another second for each version."""
RNG = np.random.default_rng(0)
X, Y, LABELS = RNG.normal(size=(24, 3)), RNG.normal(size=24), np.arange(24) % 2
GAINS = RNG.normal(size=(4, 3, 1, 16)) + 1j * RNG.normal(size=(4, 3, 1, 16))


class Kind(NamedTuple):
    """A kind of input: what files hold in a version, 1 or 2, by their names, in which ``{N}`` stands for one that
    nothing else has; keys of a run with it, and the study that has the others; and whether it is code, which this
    process has imported, so that it is not what the files of version 2 hold."""

    files: dict[str, Callable[[int], str | bytes]]
    keys: dict[str, Any]
    study: str = "quickstart"
    code: bool = False


def archive(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def samples(version: int) -> bytes:
    return archive(x_train=X * version, y_train=Y)


def classes(version: int) -> bytes:
    """A classification, of which standardisation sees the version only in one of the channels."""
    moved = X + np.array([version, 0, 0]) * LABELS[:, None]
    return archive(x_train=moved, y_train=LABELS, x_test=moved, y_test=LABELS)


FADING = """
from dataclasses import dataclass
import numpy as np
from otafl.channels import fading

@fading.register("{N}")
@dataclass(frozen=True)
class Mine:
    def sample(self, rng, n, s):
        return np.full((n, s), SCALE + 0j)
"""
METHOD = """
import otafl
from otafl.algorithms import METHODS

@otafl.method("{N}")
class Mine(type(METHODS["A-GD"])):
    def global_update(self, server, totals, now):
        after = super().global_update(server, totals, now)
        return after._replace(model=SCALE * after.model)
"""
NET = """
import keras

def make(shape, outputs):
    layers = [keras.layers.Flatten(), keras.layers.Rescaling(SCALE), keras.layers.Dense(outputs)]
    return keras.Sequential([keras.Input(shape), *layers])
"""
MAKES = "import numpy as np\n\ndef make():\n    x = np.arange(24.0).reshape(8, 3)\n    return SCALE * x**2, x[:, 0]\n"
READS = "import numpy as np\n\ndef make():\n    return dict(np.load('{N}.npz'))\n"
DATA, MODEL = {"problem.dataset": "{N}:make"}, TRAINED | {"problem.dataset": "{N}.npz", "problem.model": "{N}:make"}
FILE = {"problem.dataset": "{N}.npz"}


def number(version: int) -> str:
    return f"SCALE = {version}.0\n"


def in_files(source: str, helper: str = "") -> dict[str, Callable[[int], str | bytes]]:
    """A module with a number of its own, or with that of a helper; and data that do not change."""
    own = {"{N}.py": lambda version: (f"from {helper} import SCALE\n" if helper else number(version)) + source}
    return own | ({f"{helper}.py": number} if helper else {}) | {"{N}.npz": lambda _: classes(1)}


KINDS: dict[str, Kind] = {
    "data file": Kind({"{N}.npz": samples}, EXACT | FILE),
    "data file, standardised": Kind(
        {"{N}.npz": classes},
        TRAINED | FILE | {"problem.model": "linear", "problem.standardise": True},
        "digits_quickstart",
    ),
    "data function that reads a file": Kind({"{N}.py": lambda _: READS, "{N}.npz": samples}, EXACT | DATA),
    "data function": Kind(in_files(MAKES), EXACT | DATA, code=True),
    "channel file": Kind(
        {"{N}.npz": lambda version: archive(h=GAINS * version)},
        EXACT | {"channel.fading": "file", "channel.file": "{N}.npz"},
    ),
    "model": Kind(in_files(NET), MODEL, "digits_quickstart", code=True),
    "method's helper": Kind(in_files(METHOD, "{N}_helper"), EXACT | {"method": "{N}", "plugins": ["{N}"]}, code=True),
    "method": Kind(in_files(METHOD), EXACT | {"method": "{N}", "plugins": ["{N}.py"]}, code=True),
    "fading": Kind(in_files(FADING), EXACT | {"channel.fading": "{N}", "plugins": ["{N}.py"]}, code=True),
}


def put(kind: str, name: str, version: int, folder: Path) -> None:
    """Write the files of a kind in a version over those that are there, with the same size."""
    for file, content in KINDS[kind].files.items():
        path, made = folder / file.replace("{N}", name), content(version)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(made.replace("{N}", name).encode() if isinstance(made, str) else made)
        second = SECOND + version * (path.suffix == ".py")
        os.utime(path, (second, second))


def outcome(kind: str, name: str, workers: Any = 2, **how: Any) -> list[float] | str:
    """Numbers of each run with a kind of input, or a refusal."""
    one = KINDS[kind]
    keys = {key: _named(value, name) for key, value in one.keys.items()} | {"federation.workers": workers}
    try:
        data = otafl.run(one.study, keys, progress=how.pop("progress", False), **how)
    except OtaflError as refusal:
        return str(refusal)
    each = data.sum("iteration").squeeze()
    return [float(value) for curve in ("loss", "channel_uses", "energy") for value in np.atleast_1d(each[curve])]


def _named(value: Any, name: str) -> Any:
    if isinstance(value, list):
        return [_named(one, name) for one in value]
    return value.replace("{N}", name) if isinstance(value, str) else value
