"""Channel state information (CSI) of workers and server: gains as they arrive, and as pilots let them be estimated.

Pilots: each worker sends n_p symbols on every subcarrier, in every coherence block or, where gains change within it, in
every upload. The server forms an estimate, of least mean square error or of least squares, uses it as its CSI, and
feeds it back to the worker without error. Phase and timing errors come afterwards, so neither side knows them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .array_types import AntennaGains, Gains, MeanGains, PerSubcarrier, PerWorker, WorkerGains
from .frame import Frame
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
        interference_ratio: power of interference by timing errors over the received; None: none. [..., workers, 1].
        in_phase_ratio: of interference, what real numbers make in phase with theirs less what is in quadrature.
        mean: mean square over fading of each worker's estimated gains, or of all, which all know.
        perfect: True where estimates are the actual gains, so that closed forms of what arrives hold exactly.
        neighbours: power from neighbouring cells over a worker's power; None: none. Shape [..., 1, subcarriers].
    """

    h: Gains | AntennaGains
    worker: Gains | AntennaGains
    server: Gains | AntennaGains
    interference_ratio: np.ndarray | None = None
    in_phase_ratio: np.ndarray | float = 0.0
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
    """Estimates and errors of coherence blocks, drawn from streams that depend on seed, block and upload alone.

    Arguments:
        imperfections: pilots, and errors of phase and timing.
        seed: seed of all draws.
        upload: number of an upload in its block, from 0, where each has pilots of its own; 0: all have the same.
    """

    imperfections: Imperfections
    seed: np.random.SeedSequence
    upload: int = 0

    def sound(self, h: AntennaGains, block: int, power: WorkerGains = 1.0) -> ChannelState:
        """Return the gains of a block as they arrive with errors, and as they are estimated."""
        if self.imperfections.perfect:
            return known(h)
        estimate = self.estimate(h, block, power)
        factors, interference_ratio = self._errors(len(h), h.shape[-1], block)
        arriving = h if factors is None else h * np.expand_dims(factors, tuple(range(1, h.ndim - 1)))
        return ChannelState(arriving, estimate, estimate, interference_ratio)

    def follow(
        self,
        data: AntennaGains,
        pilots: AntennaGains,
        frame: Frame,
        block: int,
        power: WorkerGains,
        turn_rates: PerWorker | None = None,
    ) -> ChannelState:
        """Return the gains of an upload in which they change, as they arrive and as its pilots let them be known.

        From gains at data, [workers, antennas, symbols, S], and at pilots, with segments in place of symbols, to
        [workers, antennas, symbols · S]. Turn rates are those of ``Frame.known``.
        """
        flat = (*data.shape[:2], -1)
        estimates = self.estimate(pilots.reshape(flat), block, power).reshape(pilots.shape)
        known = frame.known(estimates, turn_rates).reshape(flat)
        factors, interference_ratio = self._errors(len(data), data.shape[-1], block)
        if factors is not None:
            data = data * factors[:, None, None]
        return ChannelState(data.reshape(flat), known, known, interference_ratio)

    def estimate(self, h: AntennaGains, block: int, power: WorkerGains = 1.0) -> AntennaGains:
        """Return the estimate ĥ = a·(h + z) of gains of mean square β, z ~ CN(0, 1/E); the gains without pilots."""
        energy = self.imperfections.energy
        if not energy:
            return h
        rng = of_block(self.seed, block, upload=self.upload)
        noise = complex_normal(rng, (h.shape[-1], *h.shape[:-1]), 1 / energy)
        shrunk = np.reshape(self.imperfections.factor(power), (-1, *(1,) * (h.ndim - 1)))
        return shrunk * (h + np.moveaxis(noise, 0, -1))

    def errors(self, block: int, workers: int) -> tuple[PerWorker, PerWorker]:
        """Return the phase [rad] of each worker in a block, and its delay in periods 1/W."""
        rng = of_block(self.seed, block, purpose=1, upload=self.upload)
        phases = self.imperfections.phase_error_rad * rng.standard_normal(workers)
        return phases, self.imperfections.ramp * rng.uniform(-1, 1, workers)

    def _errors(self, workers: int, subcarriers: int, block: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Return factors a·e^(jφ)·e^(-j2πkW·τ) of each worker's phase φ and delay τ, [workers, S], and interference.

        Subcarriers k count from the centre of the band; a is the share of a symbol in the window. None: no errors.
        """
        if self.imperfections.synchronous:
            return None, None
        phases, ramp = self.errors(block, workers)
        from_centre = np.arange(subcarriers) - (subcarriers - 1) / 2
        turn = np.exp(1j * (phases[:, None] - 2 * np.pi * np.outer(ramp, from_centre)))
        if not self.imperfections.mixes:
            return turn, None
        beyond = np.maximum(np.abs(ramp) - CYCLIC_PREFIX / 2, 0.0)[:, None]
        share, interference = overlap(beyond, self.imperfections.spacing_hz * self.imperfections.symbol_s, subcarriers)
        return share * turn, interference / share**2
