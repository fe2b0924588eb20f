"""Complex samples in files that radios and other programs read: SigMF, the Signal Metadata Format."""

import hashlib
import json
from pathlib import Path

import numpy as np


def write(stem: Path, samples: np.ndarray, rate_hz: float, carrier_hz: float, description: str) -> tuple[Path, Path]:
    """Write samples to STEM.sigmf-data and what they are to STEM.sigmf-meta, and return both paths.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     data, _ = write(Path(folder) / "tone", np.array([1, 1j, -1]), 1e6, 3.5e9, "a tone")
    ...     np.fromfile(data, "<c8")
    array([ 1.+0.j,  0.+1.j, -1.+0.j], dtype=complex64)

    Arguments:
        stem: path without the endings.
        samples: complex samples, of any shape.
        rate_hz: samples in a second [Hz].
        carrier_hz: frequency of 0 Hz on the air [Hz].
        description: what has been recorded.
    """
    data, meta = (stem.with_name(f"{stem.name}.sigmf-{part}") for part in ("data", "meta"))
    values = np.ascontiguousarray(samples.reshape(-1), "<c8").tobytes()
    whole = {
        "core:datatype": "cf32_le",
        "core:version": "1.2.0",
        "core:sample_rate": rate_hz,
        "core:num_channels": 1,
        "core:sha512": hashlib.sha512(values).hexdigest(),
        "core:description": description,
        "core:recorder": "otafl",
    }
    captures = [{"core:sample_start": 0, "core:frequency": carrier_hz}]
    data.write_bytes(values)
    meta.write_text(json.dumps({"global": whole, "captures": captures, "annotations": []}, indent=4), encoding="utf-8")
    return data, meta
