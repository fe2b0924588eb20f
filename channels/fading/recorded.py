"""Channels from a file, measured or by another simulator."""

import functools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import file_digests
from ..array_types import AntennaGains, WorkerGains
from ..errors import ParameterError
from ..random_streams import persistent
from ..registry import parameter
from .fading_model import Fading, Realisation, register
from .layout import Layout

LEAST, MOST = 1e-12, 1e12
"""Bounds on |h| between which single precision holds products and ratios of power gains."""
FAR_DB = 20.0
"""Distance of the mean square of gains from 0 dB that causes a remark [dB]."""


@register("file")
@dataclass(frozen=True)
class RecordedFading(Fading):
    """Gains from a file .npz or .nc with a complex array `h` of shape [blocks, workers, antennas, subcarriers].

    A .nc has no complex numbers, but `h_real` and `h_imag`. Each seed begins at a random block, and goes on with the
    first block after the last. Gains are not normalised: a mean square other than 1 adds to the SNR.
    """

    file: str = parameter("", "channels from a file: path of a .npz or .nc")
    correlated: ClassVar[bool] = True
    costly: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.file:
            raise _wrong(self.file, "must be the path of a file of channels")

    @property
    def digest(self) -> str:
        """SHA-256 digest of the file, 64 hexadecimal digits; empty where there is no such file."""
        return file_digests.digest(self.file)

    def realise(self, layout: Layout, seed: np.random.SeedSequence) -> Realisation:
        """Return the channels of the first workers of the file, from a random block on."""
        h = read(self.file, self.digest)
        if 1 < layout.worker_antennas < layout.antennas:
            raise _wrong(self.file, "has one axis of antennas, but both the server and workers have several")
        if h.shape[1] < layout.workers or h.shape[2] != layout.antennas:
            has = f"has {h.shape[1]} workers and {h.shape[2]} antennas"
            raise _wrong(self.file, f"{has}, but {layout.workers} and {layout.antennas} are needed")
        silent = np.flatnonzero(~h[:, : layout.workers].any(axis=(2, 3)).all(axis=0))
        if silent.size:
            gains = f"all gains of worker {silent[0]}, counted from 0, are 0"
            raise _wrong(self.file, f"has a block in which {gains}: nothing arrives")
        first = int(persistent(seed).integers(len(h)))
        return _Recorded(h[:, : layout.workers], first, self.file)


@functools.lru_cache(maxsize=4)
def read(path: str, digest: str) -> np.ndarray:
    """Read the complex gains of a file of channels with a digest. Shape [blocks, workers, antennas, subcarriers]."""
    if not digest:
        raise _wrong(path, "there is no such file")
    try:
        h = _of_netcdf(path) if path.endswith(".nc") else _of_npz(path)
    except Exception as error:  # whatever a damaged file makes its reader raise
        rule = "must be a complete .npz file with an array h, or a .nc file with h_real and h_imag"
        raise _wrong(path, f"{rule} ({str(error) or type(error).__name__})") from None
    if file_digests.digest(path) != digest:
        raise _wrong(path, "has changed while it was read")
    if h.ndim != 4 or not h.size:
        raise _wrong(path, f"h must be [blocks, workers, antennas, subcarriers], not of shape {list(h.shape)}")
    if not np.isfinite(h).all():
        raise _wrong(path, "h must be finite, but has NaN or infinite gains")
    size = np.abs(h[h != 0])
    if size.size and not LEAST <= size.min() <= size.max() <= MOST:
        rule = f"|h| must be from {LEAST:g} to {MOST:g}, or 0"
        raise _wrong(path, f"{rule}, but is from {size.min():.3g} to {size.max():.3g}")
    return h


def _wrong(path: str, rule: str) -> ParameterError:
    return ParameterError("file", path, rule)


def _of_npz(path: str) -> np.ndarray:
    with np.load(path, allow_pickle=False) as held:
        return np.asarray(held["h"], complex)


def _of_netcdf(path: str) -> np.ndarray:
    import xarray as xr

    with xr.open_dataset(path) as held:
        return held["h_real"].values + 1j * held["h_imag"].values


@dataclass(frozen=True)
class _Recorded(Realisation):
    h: np.ndarray
    first: int
    path: str

    @property
    def power(self) -> WorkerGains:
        return np.mean(np.abs(self.h) ** 2, axis=(0, 2, 3))

    @property
    def most_subcarriers(self) -> int:
        return self.h.shape[-1]

    @property
    def remark(self) -> str:
        mean_db = 10 * np.log10(np.mean(self.power))
        if abs(mean_db) < FAR_DB:
            return ""
        return f"gains of {self.path} have a mean square of {mean_db:.0f} dB, which adds to channel.snr_db"

    def gains(self, block: int, subcarriers: int) -> AntennaGains:
        if subcarriers > self.h.shape[-1]:
            raise _wrong(self.path, f"has {self.h.shape[-1]} subcarriers, but {subcarriers} are in use")
        return self.h[(self.first + block) % len(self.h), ..., :subcarriers]
