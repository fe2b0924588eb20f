"""States of a session that no file tells: what this process computes with code of one's own is computed each time."""

import os
import sys
from pathlib import Path

import pytest

import otafl
from otafl.errors import OtaflError
from otafl.study.engines.in_process import InProcess
from otafl.study.engines.local import Local
from otafl.study.plan import Study
from tests.registries import forgotten

FADING = """
import argparse
from dataclasses import dataclass

from otafl.channels.fading import register


class Plain:
    k = 1.0


@dataclass(slots=True)
class Slots:
    k: float = 1.0


PLAIN, SLOTS, ARGS, ORDER = Plain(), Slots(), argparse.Namespace(k=1.0), {"a": 1.0, "b": 2.0}


def default(k=1.0):
    return k


@register("NAME")
@dataclass(frozen=True)
class Mine:
    def sample(self, rng, workers, subcarriers):
        first = next(iter(ORDER.values())) * getattr(default, "k", 1.0)
        factor = PLAIN.k * Plain.k * SLOTS.k * ARGS.k * default() * first
        return factor * (rng.standard_normal((workers, subcarriers)) + 1j)
"""
CHANGES = {
    "an instance": lambda module: setattr(module.PLAIN, "k", 2.0),
    "a class": lambda module: setattr(module.Plain, "k", 2.0),
    "a record with slots": lambda module: setattr(module.SLOTS, "k", 2.0),
    "arguments": lambda module: setattr(module.ARGS, "k", 2.0),
    "a default": lambda module: setattr(module.default, "__defaults__", (2.0,)),
    "an attribute of a function": lambda module: setattr(module.default, "k", 2.0),
    "an order": lambda module: setattr(module, "ORDER", {"b": 2.0, "a": 1.0}),
}
SMALL = {"method": "A-GD", "run.iterations": 3, "run.seeds": 1, "federation.workers": 4}


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def loss(name: str, **how) -> list[float]:
    keys = SMALL | {"channel.fading": name, "plugins": [f"{name}.py"]}
    return otafl.run("quickstart", keys, progress=False, engine=InProcess(), **how)["loss"].values.ravel().tolist()


@pytest.mark.filterwarnings("ignore::otafl.errors.Remark")
def test_any_state_that_a_session_changes_is_heeded(folder):
    with forgotten():
        (folder / "stateful.py").write_text(FADING.replace("NAME", "stateful"))
        kept = {"out": folder / "out", "store": folder / "store", "overwrite": True}
        before = loss("stateful", **kept)
        module = next(one for one in list(sys.modules.values()) if hasattr(one, "SLOTS") and hasattr(one, "Mine"))
        for what, change in CHANGES.items():
            change(module)
            after = loss("stateful", **kept)
            assert after != before, what
            assert after == loss("stateful"), what
            before = after


def names(**keys) -> list[str]:
    return Study(otafl.load("quickstart", SMALL | {key.replace("__", "."): value for key, value in keys.items()})).names


def test_all_plugins_that_a_run_names_count(folder):
    """One may change what is otafl's own."""
    with forgotten("patching"):
        (folder / "patching.py").write_text("VALUE = 1\n")
        assert names(plugins=["patching"]) != names()


def test_code_of_ones_own_may_read_how_many_iterations_there_are(folder):
    with forgotten():
        (folder / "counting.py").write_text(FADING.replace("NAME", "counting"))
        own = {"channel__fading": "counting", "plugins": ["counting.py"]}
        assert names(run__iterations=5, **own) != names(run__iterations=8, **own)
        assert names(run__iterations=5) == names(run__iterations=8)


def test_a_plugin_of_a_name_that_means_another_file_now_is_refused(folder):
    with forgotten("plug"):
        for place in ("a", "b"):
            (folder / place).mkdir()
            (folder / place / "plug.py").write_text(f"VALUE = {place!r}\n")
        os.chdir(folder / "a")
        otafl.load("quickstart", {"plugins": ["plug"]})
        os.chdir(folder / "b")
        with pytest.raises(OtaflError, match="is loaded under that name"):
            otafl.load("quickstart", {"plugins": ["plug"]})


@pytest.mark.slow
def test_a_module_that_is_imported_late_and_without_a_statement_is_refused(folder):
    with forgotten():
        hidden = '__import__("importlib").import_module("hidden").K * PLAIN'
        late = FADING.replace("NAME", "late").replace("factor = PLAIN", f"factor = {hidden}")
        (folder / "late.py").write_text(late)
        (folder / "hidden.py").write_text("K = 1.0\n")
        keys = SMALL | {"channel.fading": "late", "plugins": ["late.py"]}
        with pytest.raises(OtaflError, match="hidden"):
            otafl.run("quickstart", keys, progress=False, engine=Local(1), out=folder / "out", store=folder / "store")
        assert not list(folder.glob("store/**/*.run"))
