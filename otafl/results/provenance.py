"""Origin of a result: versions of otafl and its libraries, and the revision of a checkout."""

import functools
import importlib
import platform
import subprocess
from importlib import metadata
from pathlib import Path

VERSIONED = ("otafl", "numpy", "tensorflow")
ORIGIN = ("git_revision", "python_version", *(f"{name}_version" for name in VERSIONED))
"""Attributes of a result that say what has computed it."""
SOURCE = Path(__file__).parents[2]
CODE = ("*.py", "*.toml")
"""Files of a checkout, by pattern, on which results depend."""


@functools.cache
def provenance() -> dict[str, str]:
    """Return versions, read once a process as its code stays, and the git revision, by the names of ORIGIN."""
    versions = map(_version, VERSIONED)
    return dict(zip(ORIGIN, (revision(SOURCE), platform.python_version(), *versions), strict=True))


def _version(name: str) -> str:
    """Return the version of a library, or that of its module, as of a source tree, or TensorFlow as tensorflow-cpu."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return importlib.import_module(name).__version__


def revision(source: Path) -> str:
    """Return the git revision of a checkout, "-dirty" behind it where code or scenarios are others, or "none"."""
    if not (source / ".git").exists():
        return "none"
    try:
        changed = _git(source, "status", "--porcelain", "--untracked-files=no", "--", *CODE)
        return _git(source, "rev-parse", "HEAD") + ("-dirty" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "none"


def _git(source: Path, *words: str) -> str:
    """Return what a git command prints in a folder, of which it writes nothing, not even its index."""
    command = ["git", "--no-optional-locks", "-C", str(source), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
