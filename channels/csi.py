"""Channel state information (CSI) of workers and server: gains as they arrive, and as pilots let them be estimated.

Pilots: each worker sends n_p symbols on every subcarrier in every coherence block. The server forms an estimate, of
least mean square error or of least squares, uses it as its CSI, and feeds it back to the worker without error. Phase
and timing errors come afterwards, so neither side knows them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .array_types import AntennaGains, Gains, MeanGains, PerSubcarrier, WorkerGains
from .grid import CYCLIC_PREFIX
from .imperfections import Imperfections, overlap
from .noise import complex_normal
from .random_streams import of_block


class ChannelState(NamedTuple):
    """Gains of a coherence block, and the CSI of workers and server.

    Arguments:
        h: actual gains.
        worker: each worker's estimate of its own gains.
        server: the server's estimate of all gains.
        interference_ratio: power of interference from a worker's timing error over its received power; None: there is
            none. Shape [..., workers, 1].
        mean: mean square over fading of each worker's estimated gains, or of all, which all know.
        perfect: True where estimates are the actual gains, so that closed forms of what arrives hold exactly.
        neighbours: power that arrives from neighbouring cells over a worker's power; None: there is none.
            Shape [..., 1, subcarriers].
    """

    h: Gains | AntennaGains
    worker: Gains | AntennaGains
    server: Gains | AntennaGains
    interference_ratio: np.ndarray | None = None
    mean: MeanGains | float = 1.0
    perfect: bool = False
    neighbours: PerSubcarrier | None = None

    def each(self, change: Callable[[np.ndarray], np.ndarray]) -> "ChannelState":
        """Return the state, without interference, with a function applied to actual and estimated gains."""
        if self.perfect:
            return known(change(self.h))
        return ChannelState(change(self.h), change(self.worker), change(self.server))


def known(h: Gains | AntennaGains) -> ChannelState:
    """Return the channel of perfect CSI at workers and server (Elgabli et al., section II-D)."""
    return ChannelState(h, h, h, perfect=True)


@dataclass(frozen=True)
class Sounding:
    """Estimates and errors of coherence blocks, drawn from streams that depend on seed and block alone."""

    imperfections: Imperfections
    seed: np.random.SeedSequence

    def sound(self, h: AntennaGains, block: int, power: WorkerGains = 1.0) -> ChannelState:
        """Return the gains of a block as they arrive with errors, and as they are estimated."""
        if self.imperfections.perfect:
            return known(h)
        estimate, (arriving, interference_ratio) = self.estimate(h, block, power), self._turned(h, block)
        return ChannelState(arriving, estimate, estimate, interference_ratio)

    def estimate(self, h: AntennaGains, block: int, power: WorkerGains = 1.0) -> AntennaGains:
        """Return the estimate ĥ = a·(h + z) of gains of mean square β, z ~ CN(0, 1/E); the gains without pilots."""
        energy = self.imperfections.energy
        if not energy:
            return h
        noise = complex_normal(of_block(self.seed, block), (h.shape[-1], *h.shape[:-1]), 1 / energy)
        shrunk = np.reshape(self.imperfections.factor(power), (-1, *(1,) * (h.ndim - 1)))
        return shrunk * (h + np.moveaxis(noise, 0, -1))

    def _turned(self, h: AntennaGains, block: int) -> tuple[AntennaGains, np.ndarray | None]:
        """Return gains a·h·e^(jφ)·e^(-j2πkW·τ), k from the band's centre, window share a, and the interference."""
        if self.imperfections.synchronous:
            return h, None
        rng = of_block(self.seed, block, purpose=1)
        phases = self.imperfections.phase_error_rad * rng.standard_normal(len(h))
        ramp = self.imperfections.ramp * rng.uniform(-1, 1, len(h))
        from_centre = np.arange(h.shape[-1]) - (h.shape[-1] - 1) / 2
        turn = np.exp(1j * (phases[:, None] - 2 * np.pi * np.outer(ramp, from_centre)))
        if not self.imperfections.mixes:
            return h * np.expand_dims(turn, tuple(range(1, h.ndim - 1))), None
        beyond = np.maximum(np.abs(ramp) - CYCLIC_PREFIX / 2, 0.0)[:, None]
        share, interference = overlap(beyond, self.imperfections.spacing_hz * self.imperfections.symbol_s)
        return h * np.expand_dims(share * turn, tuple(range(1, h.ndim - 1))), interference / share**2
