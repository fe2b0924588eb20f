"""Examples in docstrings bring what they show."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = [path for room in ("otafl", "channels") for path in sorted((ROOT / room).rglob("*.py"))]
NAMES = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in FILES if ">>> " in path.read_text("utf-8")]
MODULES = {f"otafl.{name.removeprefix('otafl.')}".removesuffix(".__init__") for name in NAMES}


@pytest.mark.parametrize("name", sorted(MODULES))
def test_examples_bring_what_they_show(name):
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried
    assert not failed
