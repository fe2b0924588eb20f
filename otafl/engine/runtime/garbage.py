"""Python's garbage collection, put off where it takes long and frees nothing: in imports, and at a process's end."""

import atexit
import contextlib
import functools
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def put_off() -> Iterator[None]:
    """Disable garbage collection for the time of a context, such as an import, whose objects stay."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


@functools.cache
def spare_libraries() -> None:
    """Enable garbage collection, but exempt the objects that exist now, and at the end of the process all others.

    To be called when the libraries are imported; further calls do nothing. Only a process of otafl's own may do so.
    """
    gc.freeze()
    gc.enable()
    atexit.register(gc.freeze)
