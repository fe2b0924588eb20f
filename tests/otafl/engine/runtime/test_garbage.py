"""Garbage collection is put off for a context, and comes back as it was."""

import gc
import subprocess
import sys

import pytest

from otafl.engine.runtime import garbage

SPARED = """
import gc
from otafl.engine.runtime import garbage
gc.disable()
libraries = [[] for _ in range(1000)]
garbage.spare_libraries()
assert gc.isenabled() and gc.get_freeze_count() > 1000
import weakref
class Node: pass
node = Node()
node.itself, gone = node, weakref.ref(node)
del node
gc.collect()
assert gone() is None
"""


def fail_without_collection():
    with garbage.put_off():
        assert not gc.isenabled()
        raise ZeroDivisionError


def test_collection_is_put_off_and_comes_back_after_an_error():
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError):
        fail_without_collection()
    assert gc.isenabled()


def test_collection_that_is_off_stays_off():
    gc.disable()
    try:
        with garbage.put_off():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_libraries_are_spared_and_later_cycles_are_not():
    subprocess.run([sys.executable, "-c", SPARED], check=True)
