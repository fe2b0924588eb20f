"""Origin of a result: versions of otafl and its libraries, and the revision of a checkout."""

import functools
import platform
import subprocess
from importlib import metadata
from pathlib import Path

VERSIONED = ("otafl", "numpy", "tensorflow")
PROVENANCE = ("git_revision", "python_version", *(f"{name}_version" for name in VERSIONED))
"""Attributes of a result that say what has computed it."""


@functools.cache
def provenance() -> dict[str, str]:
    """Return versions of otafl, Python and libraries, and the git revision of a checkout, by names of attributes.

    They are read once a process, as the code that it has loaded does not change.

    Returns:
        Texts under "git_revision" ("none" outside a checkout), "python_version", "otafl_version", "numpy_version" and
        "tensorflow_version".
    """
    versions = map(metadata.version, VERSIONED)
    return dict(zip(PROVENANCE, (_git_revision(), platform.python_version(), *versions), strict=True))


def _git_revision() -> str:
    source = Path(__file__).parents[2]
    if not (source / ".git").exists():
        return "none"
    command = ["git", "-C", str(source), "describe", "--always", "--dirty", "--abbrev=40"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "none"
