"""Registries of schemes, left as they were before a test."""

import contextlib
import sys
from collections.abc import Iterator

from channels.fading import FADING
from channels.precoding import PRECODERS
from otafl import plugins
from otafl.algorithms import METHODS
from otafl.settings import own
from otafl.settings.keys import Settings
from otafl.uplinks import UPLINKS
from otafl.uplinks.analog import SCHEMES

REGISTRIES = METHODS, FADING, UPLINKS, PRECODERS, SCHEMES, own.ADDED


@contextlib.contextmanager
def forgotten(*modules: str) -> Iterator[None]:
    """A context of which methods, fading models, uplinks, precoders and keys are unknown behind it, and so are some
    modules, and those that were loaded by their paths."""
    before, loaded = [dict(registry) for registry in REGISTRIES], set(sys.modules)
    try:
        yield
    finally:
        for name in set(sys.modules) - loaded:
            if name in modules or name.startswith(plugins.FROM_FILE):
                del sys.modules[name]
        for key in own.ADDED.keys() - before[-1].keys():
            table, name = key.split(".")
            type(Settings.model_fields[table].default).__pydantic_fields__.pop(name)
            own._rebuild()
        for registry, content in zip(REGISTRIES, before, strict=True):
            registry.clear()
            registry.update(content)
