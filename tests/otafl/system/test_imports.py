"""Imports without libraries that are not needed."""

import subprocess
import sys

SCRIPT = """
import sys
from otafl.system.machine import import_without
import_without("keras", "matplotlib", "sklearn")
assert "keras" in sys.modules and "sklearn" not in sys.modules, "sklearn was imported"
import sklearn.base
"""


def test_what_was_left_out_can_be_imported_afterwards():
    subprocess.run([sys.executable, "-c", SCRIPT], check=True, timeout=120)
