"""Values that code of the user's own reads: which ones count, and that they are the same in every process."""

import functools
import importlib
import itertools
import os
import subprocess
import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import otafl
from otafl import origins, plain, plugins, values
from otafl.errors import OtaflError
from otafl.scenario import schemes
from otafl.store import identity

numbers = itertools.count()
MODULE = """
import functools
import numpy as np
from types import SimpleNamespace
import NAME_helper as helper

K, W, UNREAD, COUNT, TABLE, CONF, LOG, MEMO = 1.0, np.ones(3), 1.0, 0, [1, 2], SimpleNamespace(rate=1.0), [], {}
LAYER = abs

def inner():
    return W * helper.SCALE * helper.deep(2)

def wrapped(function):
    @functools.wraps(function)
    def call(*arguments):
        return function(*arguments)
    return call

@wrapped
def net(shape, outputs=1):
    global COUNT
    COUNT += 1
    LOG.append(COUNT)
    MEMO[shape] = [LAYER(x * K) for x in TABLE]
    return lambda: inner() * CONF.rate

def make(width):
    return lambda shape, outputs: width

made, part = make(3), functools.partial(net, outputs=2)

class Base:
    own = 1.0
    @property
    def value(self):
        return self.own * K

class Mine(Base):
    def __init__(self):
        self.own = 2.0
"""
HELPER = "SCALE = 1.0\nUNREAD = 1.0\nDEEP = 1.0\n\ndef deep(x):\n    return x * DEEP\n"
CHANGES = {
    "number": "module.K = 2.0",
    "array in place": "module.W[0] = 2.0",
    "list": "module.TABLE.append(3)",
    "record": "module.CONF.rate = 2.0",
    "function": "module.LAYER = round",
    "module's attribute": "module.helper.SCALE = 2.0",
    "called function's": "module.helper.DEEP = 2.0",
}
UNHEEDED = ["module.UNREAD = 2.0", "module.helper.UNREAD = 2.0", "module.net(1)"]


@pytest.fixture
def module(tmp_path, monkeypatch) -> Any:
    """A module of the user's that nothing else has."""
    monkeypatch.chdir(tmp_path)
    name = f"valued{next(numbers)}"
    for file, text in ((f"{name}.py", MODULE), (f"{name}_helper.py", HELPER)):
        Path(file).write_text(text.replace("NAME", name))
    with plugins.from_working_folder():
        return importlib.import_module(name)


def read(module: Any, name: str) -> values.Reading:
    """What a function or a class depends on now, where it is the model or a scheme."""
    held = getattr(module, name)
    return origins.reading([held]) if isinstance(held, type) else plugins.reading(f"{module.__name__}:{name}")


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", ["net", "part", "made"])
def test_what_code_reads_counts(change, name, module):
    before, stored = read(module, name), plugins.reading(f"{module.__name__}:{name}", late=True)
    assert not stored.values, "a model's files say what they hold from the start"
    exec(CHANGES[change], {"module": module})
    assert (read(module, name) == before) == (name == "made"), "which reads nothing"
    if change != "array in place" and name != "made":
        assert plugins.reading(f"{module.__name__}:{name}", late=True).values


@pytest.mark.parametrize("change", UNHEEDED)
def test_what_code_does_not_read_and_what_it_changes_itself_does_not_count(change, module):
    before = read(module, "net")
    exec(change, {"module": module})
    assert read(module, "net") == before
    assert not plugins.reading(f"{module.__name__}:net", late=True).values


def test_cells_partial_arguments_and_what_a_name_stands_for_count(module):
    before, part = read(module, "made"), read(module, "part")
    module.made, module.part = module.make(4), functools.partial(module.net, outputs=3)
    assert read(module, "made") != before
    assert read(module, "part") != part
    for name in ("made", "part"):
        assert plugins.reading(f"{module.__name__}:{name}", late=True).values


def test_a_class_counts_with_its_bases_and_with_attributes_that_are_set_anew(module):
    before = read(module, "Mine")
    assert {what for what, _ in before.values} == {f"{module.__name__}.py: K"}
    module.Base.own = 3.0
    assert {what for what, _ in read(module, "Mine").values - before.values} == {"Base.own"}
    module.K = 2.0
    assert len(read(module, "Mine").values ^ before.values) == 3


def test_a_run_that_would_be_computed_with_another_value_is_refused(module):
    settings = next(otafl.load("digits_quickstart", {"problem.model": f"{module.__name__}:net"}).points())[1]
    named = identity.inputs(settings)
    module.K = 2.0
    with pytest.raises(OtaflError, match=r"global = '\w+.py: K': has another value where the run is computed"):
        identity.require_unchanged(settings, named)
    assert identity.run_name(settings, 0) != identity.run_name(settings, 0, named)


def test_what_otafl_brings_reads_nothing():
    settings = next(otafl.load("quickstart").points())[1]
    assert schemes.reading(settings) == values.Reading()
    assert not [one for one in identity.inputs(settings) if one.key == identity.GLOBAL]


@dataclass
class Record:
    held: Any


PLAIN = (
    "1, -0.0, float('nan'), True, None, 'x', b'x', 1j, range(3), np.float32(1), np.arange(3), {'b': 1, 'a': [1, (2,)]}"
    ", {'x', 'y', 'z'}, frozenset('abc'), Path('x')"
    ", {'f': len, 'o': object()}, types.SimpleNamespace(a=1), Record({'a'})"
)


def test_plain_values_have_a_digest_that_is_the_same_in_every_process():
    found = [plain.digest(value) for value in eval(f"[{PLAIN}]")]
    assert all(found)
    assert len(set(found)) == len(found)
    program = f"from tests.otafl.test_values import *\nprint([plain.digest(value) for value in [{PLAIN}]])"
    environment = os.environ | {"PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout == f"{found}\n"


@pytest.mark.parametrize("value", [object(), np.random.default_rng(0), types, len])
def test_what_is_no_plain_value_has_none(value):
    assert not plain.digest(value)


def test_what_holds_itself_has_none():
    held = []
    held.append(held)
    assert not plain.digest(held)
