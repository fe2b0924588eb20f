"""Digests of what files hold."""

import functools
import hashlib
import os
import time
from pathlib import Path

UNSETTLED_S = 2.0
"""Seconds after a change within which a coarse clock may give another change of the file the same time."""


def digest(path: str | Path) -> str:
    """Digest of what a file holds now; empty where there is none.

    It is not read again where its inode, its size and its times are those of before. The time of a change of the
    inode is the system's own, which no program can set back.
    """
    if not os.path.isfile(path):
        return ""
    whole = os.path.realpath(path)
    found = os.stat(whole)
    if time.time() - found.st_ctime < UNSETTLED_S:
        return _read(whole)
    return _settled(whole, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


@functools.lru_cache(maxsize=512)
def _settled(path: str, *state: int) -> str:
    """Digest of a file in a state that it cannot come back to once it has been written."""
    return _read(path)


def _read(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
