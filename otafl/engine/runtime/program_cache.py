"""Cache of compiled programs on the disk, so that a study like an earlier one starts sooner.

TensorFlow fails on a damaged entry, and in a folder that it cannot write. So it works in a folder of the process, with
links to the sound entries. New entries are kept under a name that ends in a digest of their bytes. TensorFlow checks
that an entry is for the same program; the name of the folder stands for the machine.
"""

import atexit
import contextlib
import ctypes
import functools
import hashlib
import itertools
import mmap
import os
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import tensorflow as tf

from otafl.channels.cache import folder

MOST_BYTES = 256 * 2**20
"""Largest size of the cache; the oldest entries are removed first."""
FREE_BYTES = 2**30
"""Free disk space below which nothing is kept, since TensorFlow fails when it cannot write."""
STALE_SECONDS = 7 * 24 * 3600
"""Age from which a process's folder counts as left by a killed process."""
CARDS = Path("/proc/driver/nvidia/gpus")
"""Folder in which the driver of NVIDIA's cards describes each."""
OWN = "process-"
FATAL = 3
_CPU_TRAITS = ("flags", "Features", "model name", "CPU implementer", "CPU part")
_lock = threading.Lock()


def machine() -> str:
    """Return a digest of all that machine code depends on besides its program, 16 hexadecimal digits."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    traits = sorted({line for line in lines if line.startswith(_CPU_TRAITS)})
    threads = len(os.sched_getaffinity(0)), os.environ.get("TF_NUM_INTRAOP_THREADS")
    flags = os.environ.get("XLA_FLAGS"), os.environ.get("TF_XLA_FLAGS")
    cards = (file.read_text().splitlines()[0] for file in sorted(CARDS.glob("*/information")))
    return hashlib.sha256(repr((tf.__version__, traits, threads, flags, *cards)).encode()).hexdigest()[:16]


@functools.cache
def cache() -> "Cache | None":
    """Return this process's cache, if there is one, set up at the first call, before TensorFlow looks for devices."""
    where = folder("programs")
    if where is None or "persistent_cache" in os.environ.get("TF_XLA_FLAGS", ""):
        return None
    try:
        return Cache(where / machine())
    except (OSError, AttributeError):  # no such folder, or a system that does not tell its processor or cores
        return None


class Cache:
    """Cache of this machine's programs, files NAME.pb.SHA256, and TensorFlow's folder; OSError if it cannot be used."""

    def __init__(self, entries: Path) -> None:
        entries.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(entries).free < FREE_BYTES:
            raise OSError("the disk is almost full")
        self.entries = entries
        _tidy(entries)
        self.own = Path(tempfile.mkdtemp(prefix=OWN, dir=entries))
        atexit.register(shutil.rmtree, self.own, ignore_errors=True)
        self.offered = {entry.stem for entry in entries.glob("*.pb.*") if self._offer(entry)}
        self.known = set(self.offered)
        quieten()
        chosen = f"--tf_xla_persistent_cache_directory={self.own} --tf_xla_persistent_cache_device_types=CPU"
        with _flags(chosen):
            tf.config.list_physical_devices()  # TensorFlow reads its flags here, once

    def _offer(self, entry: Path) -> bool:
        """Show TensorFlow an entry if it is sound, else remove it; return if it is sound."""
        try:
            if hashlib.sha256(entry.read_bytes()).hexdigest() == entry.suffix[1:]:
                os.link(entry, self.own / entry.stem)
                return True
            entry.unlink()
        except OSError:  # another process has removed it, or there is one of that name already
            pass
        return False

    def keep(self) -> None:
        """Keep the programs that TensorFlow has added to its folder since the last call."""
        with _lock, contextlib.suppress(OSError):  # another process has removed the folder as stale
            for name in set(os.listdir(self.own)) - self.known:
                if name.endswith(".pb"):
                    self.known.add(name)
                    digest = hashlib.sha256((self.own / name).read_bytes()).hexdigest()
                    with contextlib.suppress(FileExistsError):  # another process has kept it, too
                        os.link(self.own / name, self.entries / f"{name}.{digest}")


@contextlib.contextmanager
def _flags(more: str) -> Iterator[None]:
    """Give TensorFlow more flags, hidden from processes started later; a context manager."""
    before = os.environ.get("TF_XLA_FLAGS")
    os.environ["TF_XLA_FLAGS"] = " ".join(filter(None, (before, more)))
    try:
        yield
    finally:
        if before is None:
            del os.environ["TF_XLA_FLAGS"]
        else:
            os.environ["TF_XLA_FLAGS"] = before


def _tidy(entries: Path) -> None:
    """Remove folders of killed processes, and the oldest entries beyond MOST_BYTES."""
    for of_process in entries.glob(f"{OWN}*"):
        with contextlib.suppress(OSError):
            if time.time() - of_process.stat().st_mtime > STALE_SECONDS:
                shutil.rmtree(of_process, ignore_errors=True)
    with contextlib.suppress(OSError):  # another process removes some, too
        newest_first = sorted(entries.glob("*.pb.*"), key=lambda entry: entry.stat().st_mtime, reverse=True)
        sizes = itertools.accumulate(entry.stat().st_size for entry in newest_first)
        for entry, total in zip(newest_first, sizes, strict=True):
            if total > MOST_BYTES:
                entry.unlink(missing_ok=True)


def quieten() -> None:
    """Limit TensorFlow's log to fatal errors, by a function named after the version: it complains of all entries."""
    for library in Path(tf.__file__).parent.glob("libtensorflow_framework*"):
        with contextlib.suppress(OSError, AttributeError, ValueError), library.open("rb") as file:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                symbol = re.search(rb"_ZN4absl\d+lts_\d+14SetMinLogLevelENS0_18LogSeverityAtLeastE", content)
                name = symbol[0].decode() if symbol else ""
            getattr(ctypes.CDLL(str(library)), name)(FATAL)
