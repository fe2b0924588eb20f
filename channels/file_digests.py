"""Digests of the contents of files."""

import functools
import hashlib
import os
import time
from pathlib import Path

UNSETTLED_S = 2.0
"""Seconds after a change of a file within which a coarse clock may give a second change the same time."""


def digest(path: str | Path) -> str:
    """Return the SHA-256 digest of a file, read again after a change of inode, size or times; empty without a file."""
    if not os.path.isfile(path):
        return ""
    whole = os.path.realpath(path)
    state = os.stat(whole)
    if time.time() - state.st_ctime < UNSETTLED_S:
        return _read(whole)
    return _settled(whole, state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)


@functools.lru_cache(maxsize=512)
def _settled(path: str, *state: int) -> str:
    """Return the digest of a file in a state of inode, size and times that does not recur after a change."""
    return _read(path)


def _read(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
