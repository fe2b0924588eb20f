"""Inputs of a run beside its keys, each in two versions: files of one size and time, and the keys that name them."""

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
LOCAL = {"method": "FedAvg", "local.steps": 1, "local.batch_size": 2}
TRAINED = SMALL | LOCAL
SECOND = 10**9
"""When all files say that they were written."""
RNG = np.random.default_rng(0)
X, Y, LABELS = RNG.normal(size=(24, 3)), RNG.normal(size=24), np.arange(24) % 2
IMAGES = (RNG.random((24, 4, 4)) * 99).astype(np.uint8)
GAINS = RNG.normal(size=(4, 3, 1, 16)) + 1j * RNG.normal(size=(4, 3, 1, 16))


class Kind(NamedTuple):
    """A kind of input.

    Arguments:
        files: by name, in which ``{N}`` stands for one that nothing else has, what they hold in a version, 1 or 2.
        keys: of a run with it.
        study: that has the other keys.
        code: whether this process imports it, and refuses another version from then on.
        compiles: whether a program is compiled for it, which takes seconds.
        variable: whether OTAFL_DATA_DIR names the files' folder, another one for each version.
    """

    files: dict[str, Callable[[int], str | bytes]]
    keys: dict[str, Any]
    study: str = "quickstart"
    code: bool = False
    compiles: bool = False
    variable: bool = False


def archive(**arrays: np.ndarray) -> bytes:
    """The content of a .npz file."""
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def samples(version: int) -> bytes:
    """A regression."""
    return archive(x_train=X * version, y_train=Y)


def classes(version: int) -> bytes:
    """A classification, of which standardisation sees the version only in one of the channels."""
    moved = X + np.array([version, 0, 0]) * LABELS[:, None]
    return archive(x_train=moved, y_train=LABELS, x_test=moved, y_test=LABELS)


def images(version: int) -> bytes:
    """Images as Keras' files have them."""
    return archive(x_train=IMAGES * version, y_train=LABELS, x_test=IMAGES * version, y_test=LABELS)


def number(version: int) -> str:
    """A helper module."""
    return f"SCALE = {version}.0\n"


def using(source: str, helper: str = "") -> Callable[[int], str]:
    """A module with a number of its own, or with that of a helper."""
    return lambda version: (f"from {helper} import SCALE\n" if helper else number(version)) + source


READS = "import numpy as np\n\ndef seven():\n    return dict(np.load('{N}.npz'))\n"
MAKES = "import numpy as np\n\ndef seven():\n    x = np.arange(24.0).reshape(8, 3)\n    return SCALE * x**2, x[:, 0]\n"
METHOD = """
import otafl
from otafl.algorithms import METHODS

@otafl.method("{N}")
class Mine(type(METHODS["A-GD"])):
    def global_update(self, server, totals, now):
        after = super().global_update(server, totals, now)
        return after._replace(model=SCALE * after.model)
"""
FADING = """
from dataclasses import dataclass
import numpy as np
import otafl.channels.fading

@otafl.channels.fading.register("{N}")
@dataclass(frozen=True)
class Mine:
    def sample(self, rng, num_workers, num_subcarriers):
        return np.full((num_workers, num_subcarriers), SCALE + 0j)
"""
UPLINK = """
import otafl
from otafl.uplinks import Digital

@otafl.uplink("{N}")
class Mine(Digital):
    @property
    def bits(self):
        return 20 * SCALE * super().bits
"""
PRECODER = """
from dataclasses import dataclass
from otafl.channels import precoding

@precoding.register("{N}")
@dataclass(frozen=True)
class Mine(precoding.PhaseCompensation):
    def coefficients(self, h):
        return SCALE**0.5 * super().coefficients(h)
    def power(self, gain):
        return SCALE * super().power(gain)
    def arrival(self, gain):
        return SCALE**0.5 * super().arrival(gain)
"""
COMPRESSOR = """
from dataclasses import dataclass
from otafl import compressors

@compressors.register("{N}")
@dataclass(frozen=True)
class Mine(compressors.Compressor):
    def packed(self, message, random, draw):
        return compressors.Packet(SCALE * message, message)
"""
POWER_CONTROL = """
from dataclasses import dataclass
import numpy as np
from otafl.channels import power_control

@power_control.register("{N}")
@dataclass(frozen=True)
class Mine(power_control.PowerControl):
    def budgeted_power(self, precoder, mean):
        return np.full_like(mean, SCALE)
"""
RECEIVER = """
from dataclasses import dataclass
from otafl import receivers

@receivers.register("{N}")
@dataclass(frozen=True)
class Mine(receivers.Receiver):
    def estimate(self, total, elements, draw):
        return SCALE * total
"""
CODE = """
from dataclasses import dataclass
from otafl.channels import codes

@codes.register("{N}")
@dataclass(frozen=True)
class Mine(codes.Code):
    def rate(self, capacity):
        return capacity / (20 * SCALE)
"""
ALLOCATION = """
from dataclasses import dataclass
from otafl.channels import allocation

@allocation.register("{N}")
@dataclass(frozen=True)
class Mine(allocation.Equal):
    def shares(self, rates, subcarriers):
        return super().shares(rates, subcarriers) / (20 * SCALE)
"""
NET = """
import keras

def net(shape, outputs):
    layers = [keras.layers.Flatten(), keras.layers.Rescaling(SCALE), keras.layers.Dense(outputs)]
    return keras.Sequential([keras.Input(shape), *layers])
"""
SCHEMES = {
    "method": (METHOD, {"method": "{N}"}),
    "fading": (FADING, {"channel.fading": "{N}"}),
    "uplink": (UPLINK, {"uplink.kind": "{N}", "method": "D-FADMM"}),
    "precoder": (PRECODER, {"uplink.precoder": "{N}", "channel.fading": "rayleigh"}),
    "compressor": (COMPRESSOR, {"uplink.compressor": "{N}"}),
    "power control": (POWER_CONTROL, {"uplink.power_control": "{N}", "channel.fading": "rayleigh"}),
    "receiver": (RECEIVER, {"uplink.receiver": "{N}"}),
    "code": (CODE, {"uplink.code": "{N}", "method": "D-FADMM"}),
    "allocation": (ALLOCATION, {"uplink.allocation": "{N}", "method": "D-FADMM"}),
}
CLASSES = {"problem.dataset": "{N}.npz"}
MODEL = TRAINED | CLASSES
OWN = {"{N}.npz": lambda _: classes(1)}
"""Data that do not change."""
RELATIVE = "def name():\n    from .inner import net\n\nfrom .inner import net\n"
KINDS: dict[str, Kind] = {
    "data file": Kind({"{N}.npz": samples}, EXACT | CLASSES),
    "data file, trained": Kind({"{N}.npz": samples}, TRAINED | CLASSES, compiles=True),
    "data file, standardised": Kind(
        {"{N}.npz": classes},
        MODEL | {"problem.model": "linear", "problem.standardise": True},
        "digits_quickstart",
        compiles=True,
    ),
    "data function that reads a file": Kind(
        {"{N}.py": lambda _: READS, "{N}.npz": samples}, EXACT | {"problem.dataset": "{N}:seven"}
    ),
    "data function": Kind({"{N}.py": using(MAKES)}, EXACT | {"problem.dataset": "{N}:seven"}, code=True),
    "data function's helper": Kind(
        {"{N}.py": using(MAKES, "{N}_helper"), "{N}_helper.py": number},
        EXACT | {"problem.dataset": "{N}:seven"},
        code=True,
    ),
    "data folder": Kind(
        {"mnist.npz": images},
        TRAINED | {"problem.dataset": "mnist", "problem.model": "linear"},
        "digits_quickstart",
        compiles=True,
        variable=True,
    ),
    "channel file": Kind(
        {"{N}.npz": lambda version: archive(h=GAINS * version)},
        EXACT | {"channel.fading": "file", "channel.file": "{N}.npz"},
    ),
    "model": Kind(
        OWN | {"{N}.py": using(NET)},
        MODEL | {"problem.model": "{N}:net"},
        "digits_quickstart",
        code=True,
        compiles=True,
    ),
    "model of a package that imports it": Kind(
        OWN | {"{N}/__init__.py": lambda _: RELATIVE, "{N}/inner.py": using(NET)},
        MODEL | {"problem.model": "{N}:net"},
        "digits_quickstart",
        code=True,
        compiles=True,
    ),
    "model's helper": Kind(
        OWN | {"{N}.py": using(NET, "{N}_helper"), "{N}_helper.py": number},
        MODEL | {"problem.model": "{N}:net"},
        "digits_quickstart",
        code=True,
        compiles=True,
    ),
}
for _name, (_source, _keys) in SCHEMES.items():
    _how = {"code": True, "compiles": _name in ("uplink", "compressor", "receiver", "code", "allocation")}
    KINDS[_name] = Kind({"{N}.py": using(_source)}, EXACT | _keys | {"plugins": ["{N}.py"]}, **_how)
    KINDS[f"{_name}'s helper"] = Kind(
        {"{N}.py": using(_source, "{N}_helper"), "{N}_helper.py": number}, EXACT | _keys | {"plugins": ["{N}"]}, **_how
    )
KINDS["method of another file's class"] = Kind(
    {
        "{N}.py": using("from {N}_made import make\n\nmake(SCALE)\n"),
        "{N}_made.py": lambda _: "def make(SCALE):\n" + METHOD.replace("\n", "\n    "),
    },
    EXACT | {"method": "{N}", "plugins": ["{N}.py"]},
    code=True,
)


def put(kind: str, name: str, version: int, folder: Path) -> None:
    """Write the files of a kind in a version over those that are there, with the same size and time."""
    one = KINDS[kind]
    folder = folder / f"{name}-{version}" if one.variable else folder
    for file, content in one.files.items():
        path, made = folder / file.replace("{N}", name), content(version)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(made.replace("{N}", name).encode() if isinstance(made, str) else made)
        os.utime(path, (SECOND, SECOND))
    if one.variable:
        os.environ["OTAFL_DATA_DIR"] = str(folder)


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
