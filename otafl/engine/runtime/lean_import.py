"""Import of TensorFlow and of Keras without libraries that they load besides, and that no run needs."""

import contextlib
import importlib
import sys
from collections.abc import Iterator

OPTIONAL = ("sklearn", "matplotlib", "pandas")
"""Libraries without which Keras does as well, but for wrappers, plots and tables that no run uses."""


def tensorflow() -> None:
    """Import TensorFlow without Keras, which it otherwise loads at its end; whoever needs Keras still imports it."""
    with _without("keras.src.optimizers"):
        importlib.import_module("tensorflow")


def keras() -> None:
    """Import Keras as if OPTIONAL were not installed; only a process of otafl's own may do so."""
    with _without(*OPTIONAL):
        importlib.import_module("keras")


@contextlib.contextmanager
def _without(*names: str) -> Iterator[None]:
    """Refuse the import of modules that are not imported yet, for the time of a context."""
    refused = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(refused))  # pyright: ignore[reportCallIssue, reportArgumentType]
    try:
        yield
    finally:
        for name in refused:
            del sys.modules[name]
