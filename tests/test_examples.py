"""Examples in docstrings bring what they show."""

import doctest
import importlib

import pytest

MODULES = ("otafl.engine.schedule", "otafl.study.engines", "otafl.study.plan")


@pytest.mark.parametrize("name", MODULES)
def test_examples_bring_what_they_show(name):
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried
    assert not failed
