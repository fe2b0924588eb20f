"""Schemes that a test registers, forgotten after it."""

import sys

import pytest

from channels.fading import FADING
from otafl import plugins
from otafl.algorithms import METHODS
from otafl.settings import own
from otafl.settings.keys import Settings
from otafl.uplinks import UPLINKS

MODULES = ("my_schemes", "sent")
"""Modules that tests write."""


@pytest.fixture(autouse=True)
def forgotten():
    """What a test registers is unknown to the next one."""
    before = [(registry, dict(registry)) for registry in (METHODS, FADING, UPLINKS, own.ADDED)]
    modules = set(sys.modules)
    yield
    for name in set(sys.modules) - modules:
        if name in MODULES or name.startswith(plugins.FROM_FILE):
            del sys.modules[name]
    for key in own.ADDED.keys() - before[-1][1].keys():
        table, name = key.split(".")
        type(Settings.model_fields[table].default).__pydantic_fields__.pop(name)
        own._rebuild()
    for registry, content in before:
        registry.clear()
        registry.update(content)
