"""Several antennas, at every worker, at the server or at both, as one channel g of each worker and subcarrier.

All workers share every subcarrier, so one combiner w of the server's M antennas cannot be matched to each of them. It
leaves worker n the gain g_n = w^H·h_n. Where w does not depend on the worker, the mean square of g_n stays 1; a worker
that is received alone has M. M antennas at a worker raise its mean square to M. With several on both sides a worker
has a matrix H_n, sends on one stream by a unit vector v_n, and g_n = w^H·H_n·v_n.

Combiners have norm 1, so the variance of the receiver's noise does not change. Gains of 0 have g = 0.
"""

import numpy as np

from .array_types import AntennaGains, AntennaWeights, ChannelVectors, Gains
from .beams import matched
from .combiners import Combiner
from .combiners.combiner import over
from .csi import ChannelState, known

TOLERANCE = 1e-6
"""Amount by which the norm of a combiner's weights may miss 1."""


def of_workers(channel: ChannelState) -> ChannelState:
    """Return the channel if antenna m of a worker sends conj(ĥ_m)/‖ĥ‖ of a symbol, by gains ĥ_m that it knows."""
    norm = amplitude(channel.worker)
    estimate = norm.astype(complex)
    if channel.perfect:
        return known(estimate)
    beam = over(channel.worker.conj(), norm[..., None, :])
    return ChannelState(np.sum(channel.h * beam, axis=-2), estimate, estimate)


def of_server(channel: ChannelState, combiner: Combiner) -> ChannelState:
    """Return the channel g = w^H·h behind a combiner w of the server's antennas, chosen by the server's CSI."""
    vectors = np.moveaxis(channel.server, -1, -3)
    weights = combiner.weights(vectors)
    require_unit(combiner, weights, vectors)
    return channel.each(lambda h: np.einsum("...sm,...nms->...ns", weights.conj(), h))


def of_both(channel: ChannelState, combiner: Combiner, worker_antennas: int) -> ChannelState:
    """Return the channel g = w^H·H·v behind a combiner w and each worker's beam v that matches it, by the server's CSI.

    No other beam of norm 1 has a larger estimated |g| behind the same w.
    """
    matrices = np.moveaxis(in_matrices(channel.server, worker_antennas), -1, -4)
    weights = combiner.weights_of_matrices(matrices)
    require_unit(combiner, weights, matrices[..., 0])
    beams = matched(weights, matrices)
    return channel.each(
        lambda h: np.einsum("...sm,...nmks,...snk->...ns", weights.conj(), in_matrices(h, worker_antennas), beams)
    )


def in_matrices(h: AntennaGains, worker_antennas: int) -> np.ndarray:
    """Return the gains of pairs of antennas as matrices. Shape [..., workers, antennas, worker antennas, S]."""
    return h.reshape(*h.shape[:-2], -1, worker_antennas, h.shape[-1])


def require_unit(combiner: Combiner, weights: AntennaWeights, vectors: ChannelVectors) -> None:
    """Refuse weights of a combiner that have another shape than one for each antenna, or another norm than 1."""
    name, shape = type(combiner).__name__, (*vectors.shape[:-2], vectors.shape[-1])
    if np.shape(weights) != shape:
        raise ValueError(f"{name}.weights: must have the shape {shape}, not {np.shape(weights)}")
    norm = np.linalg.norm(weights, axis=-1)
    if not np.all(np.abs(norm - 1) < TOLERANCE):
        raise ValueError(f"{name}.weights: must have norm 1, which keeps the noise as it is, not {norm.flat[0]:.3g}")


def blind(channel: ChannelState) -> ChannelState:
    """Return the channel of workers without CSI: each takes its gain for 1.

    Source: Amiri, Duman and Gündüz, "Collaborative Machine Learning at the Wireless Edge with Blind Transmitters".
    """
    return channel._replace(worker=np.ones_like(channel.h), perfect=False)


def alone(h: AntennaGains, worker_antennas: int) -> Gains:
    """Return the gain of each worker that is received alone: of one antenna, else the largest singular value, real."""
    if h.shape[-2] == 1:
        return h[..., 0, :]
    if worker_antennas in (1, h.shape[-2]):
        return amplitude(h)
    return np.linalg.norm(in_matrices(h, worker_antennas), ord=2, axis=(-3, -2))


def amplitude(h: AntennaGains) -> Gains:
    """Return the norm ‖h‖ over antennas, real: a worker's gain under maximum-ratio combining or transmission."""
    return np.sqrt(np.sum(h.real**2 + h.imag**2, axis=-2))
