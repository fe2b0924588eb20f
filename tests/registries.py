"""Registries of schemes, left as they were before a test."""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

from otafl.algorithms import METHODS
from otafl.channels.allocation import ALLOCATIONS
from otafl.channels.codes import CODES
from otafl.channels.fading import FADING
from otafl.channels.power_control import POWER_CONTROLS
from otafl.channels.precoding import PRECODERS
from otafl.compressors import COMPRESSORS
from otafl.losses import PROBLEMS
from otafl.metrics import REGISTERED
from otafl.metrics.result_variables import OF_KEYS, TABLES
from otafl.receivers import RECEIVERS
from otafl.settings import user_keys
from otafl.settings.keys import KEY_TABLES
from otafl.uplinks import UPLINKS
from otafl.user_code import modules as user_modules

PARTS = PROBLEMS, COMPRESSORS, PRECODERS, POWER_CONTROLS, RECEIVERS, CODES, ALLOCATIONS
REGISTRIES: tuple[dict[str, Any], ...] = METHODS, FADING, UPLINKS, *PARTS, REGISTERED, *TABLES, user_keys.ADDED


@contextlib.contextmanager
def forgotten(*modules: str) -> Iterator[None]:
    """A context of which methods, fading models, uplinks, their parts, keys and metrics are unknown behind it. So are
    some modules, and those that were loaded by their paths."""
    before, loaded, named = [dict(registry) for registry in REGISTRIES], set(sys.modules), set(OF_KEYS)
    try:
        yield
    finally:
        for name in set(sys.modules) - loaded:
            if name in modules or name.startswith(user_modules.FROM_FILE):
                del sys.modules[name]
        for key in user_keys.ADDED.keys() - before[-1].keys():
            table, name = key.split(".")
            KEY_TABLES[table].__pydantic_fields__.pop(name)
            user_keys._rebuild(table)
        for registry, content in zip(REGISTRIES, before, strict=True):
            registry.clear()
            registry.update(content)
        OF_KEYS.intersection_update(named)
