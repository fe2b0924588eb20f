"""Release of compiled programs before they take all memory maps that Linux allows a process."""

import contextlib
import gc
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import tensorflow as tf

MAPS = Path("/proc/self/maps")
LIMIT = Path("/proc/sys/vm/max_map_count")
SHARE = 0.2
"""Share of the allowed memory maps above which programs are released: some 70 kinds of run."""
COMPILER = "N10tensorflow14DeviceCompilerIN3xla15LocalExecutableENS1_11LocalClientEEE"
"""Type that owns the compiled programs of a device, by its mangled C++ name."""

CHECK_EVERY_S = 1.0
"""Least time between two countings of memory maps [s], in which few programs can be compiled."""

_lock = threading.Lock()
_users = 0
_counted = 0.0


@contextlib.contextmanager
def in_use(forget: Callable[[], object] = lambda: None, most: int | None = None) -> Iterator[None]:
    """Return a context manager inside which compiled programs are used.

    Where it is entered with nobody else inside and with too many memory maps, all programs are released first.
    """
    global _users
    with _lock:
        if not _users and _due(most) and maps() > (_most() if most is None else most):
            forget()
            release()
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1


def _due(most: int | None) -> bool:
    """Return True if memory maps are to be counted now: whenever a number is prescribed, else from time to time."""
    global _counted
    before, now = _counted, time.monotonic()
    if most is None and now - before < CHECK_EVERY_S:
        return False
    _counted = now
    return True


def maps() -> int:
    """Return the number of memory maps of this process; 0 where the system does not tell."""
    try:
        return MAPS.read_bytes().count(b"\n")
    except OSError:
        return 0


def _most() -> float:
    try:
        return SHARE * int(LIMIT.read_text())
    except (OSError, ValueError):
        return float("inf")


def release() -> bool:
    """Release all programs compiled for the processor, and return True if there were any.

    None may be running. Tensors and functions stay; functions are compiled again at their next call.
    """
    gc.collect()
    with tf.device("CPU:0"):
        handle = tf.io.parse_tensor(_handle(tf.zeros([]).device), tf.resource)
        try:
            tf.raw_ops.DestroyResourceOp(resource=handle, ignore_lookup_error=False)
        except tf.errors.NotFoundError:
            return False
    return True


def _handle(device: str) -> bytes:
    """Return a serialised handle of the resource with a device's compiled programs."""
    proto = type(tf.make_tensor_proto(0.0))(dtype=tf.resource.as_datatype_enum)
    proto.resource_handle_val.add(
        device=device, container="localhost", name="xla_device_compiler", hash_code=_hash(COMPILER)
    )
    return proto.SerializeToString()


def _hash(text: str) -> int:
    """Return TensorFlow's 64-bit hash, which tells types apart: its last 62 bits, and from 2^62 = 1 the first two."""
    last, total = (int(tf.strings.to_hash_bucket(text, buckets)) for buckets in (2**62, 2**62 - 1))
    return ((total - last) % (2**62 - 1) << 62) | last
