"""Several antennas, at every worker or at the server, as one channel g of each worker and subcarrier.

One combiner cannot be matched to all workers at once, who share every subcarrier: with M antennas at the server a
combiner of its choice leaves each worker the gain g_n = w^H·h_n, whose mean square is 1 still where w does not depend
on the worker, against M where a worker is received alone. Antennas at workers gain M for every one of them.

Combiners have norm 1, so the receiver's noise stays as it is. A worker of whom nothing arrives at any antenna has a
gain g = 0.
"""

import numpy as np

from channels.csi import ChannelState, known

ROUNDS = 60
"""Of the search for ``max_min``."""


def of_workers(channel: ChannelState) -> ChannelState:
    """Maximum-ratio transmission: a worker sends conj(ĥ_m)/‖ĥ‖ of a symbol over its antenna m, so that g = ‖ĥ‖.

    Arguments:
        channel: shape [..., workers, antennas, subcarriers] each.

    Returns:
        Shape [..., workers, subcarriers] each.
    """
    norm = amplitude(channel.worker)
    beam = _over(channel.worker.conj(), norm[..., None, :])
    believed = norm.astype(complex)
    if channel.perfect:
        return known(believed)
    return ChannelState(np.sum(channel.h * beam, axis=-2), believed, believed)


def of_server(channel: ChannelState, combiner: str) -> ChannelState:
    """What a combiner w leaves of the server's antennas, g = w^H·h, which is chosen by what the server believes.

    Arguments:
        channel: shape [..., workers, antennas, subcarriers] each.
        combiner: a name of COMBINERS.

    Returns:
        Shape [..., workers, subcarriers] each.
    """
    weights = COMBINERS[combiner](np.moveaxis(channel.server, -1, -3))
    return channel.each(lambda h: np.einsum("...sm,...nms->...ns", weights.conj(), h))


def blind(channel: ChannelState) -> ChannelState:
    """Workers that know nothing of their gains, ĥ = 1, and a server that combines by the sum of all, w ∝ Σ_k h_k.

    Source: Amiri, Duman and Gündüz, "Collaborative Machine Learning at the Wireless Edge with Blind Transmitters".
    """
    combined = of_server(channel, "sum")
    return combined._replace(worker=np.ones_like(combined.h), perfect=False)


def amplitude(h: np.ndarray) -> np.ndarray:
    """‖h‖ over antennas: the gain of a worker that is heard alone, by maximum-ratio combining, or that transmits so.

    Shape [..., workers, antennas, subcarriers], then [..., workers, subcarriers].
    """
    return np.sqrt(np.sum(h.real**2 + h.imag**2, axis=-2))


def _first(h: np.ndarray) -> np.ndarray:
    """The first antenna alone."""
    return np.broadcast_to(np.eye(1, h.shape[-1], dtype=complex)[0], (*h.shape[:-2], h.shape[-1]))


def _principal(h: np.ndarray) -> np.ndarray:
    """The direction from which most power comes, the eigenvector of Σ_n h_n·h_n^H with the largest eigenvalue."""
    return np.linalg.eigh(np.einsum("...nm,...nk->...mk", h, h.conj()))[1][..., -1]


def _sum(h: np.ndarray) -> np.ndarray:
    """The direction of Σ_n h_n."""
    total = h.sum(axis=-2)
    norm = np.linalg.norm(total, axis=-1, keepdims=True)
    return np.where(norm > 0, _over(total, norm), _first(h))


def _max_min(h: np.ndarray) -> np.ndarray:
    """The best found for the worker with the smallest |g|, from the principal direction on.

    With the phases of all g as they are, the best w is that point of the convex hull of h_n·e^(-jφ_n) which is next to
    the origin; so Gilbert's algorithm takes a step towards the weakest worker's h, and the phases are taken anew: a
    local optimum.
    """
    best = _principal(h)
    gains = _left(best, h)
    floor, point = np.abs(gains).min(axis=-1), np.mean(h * _turn(gains)[..., None], axis=-2)
    for _ in range(ROUNDS):
        gains, norm = _left(point, h), np.linalg.norm(point, axis=-1)
        least = _over(np.abs(gains).min(axis=-1), norm)
        best = np.where((least > floor)[..., None], _over(point, norm[..., None]), best)
        floor = np.maximum(least, floor)
        weakest = np.abs(gains).argmin(axis=-1)[..., None]
        turn = np.take_along_axis(_turn(gains), weakest, axis=-1)
        step = np.take_along_axis(h, weakest[..., None], axis=-2)[..., 0, :] * turn - point
        along, length = np.sum((step.conj() * point).real, axis=-1), np.sum(np.abs(step) ** 2, axis=-1)
        share = np.divide(-along, length, out=np.zeros_like(along), where=length > 0)
        point = point + np.clip(share, 0.0, 1.0)[..., None] * step
    return best


def _left(weights: np.ndarray, h: np.ndarray) -> np.ndarray:
    """w^H·h_n. Shapes [..., antennas], [..., workers, antennas], then [..., workers]."""
    return np.einsum("...m,...nm->...n", weights.conj(), h)


def _over(values: np.ndarray, norm: np.ndarray) -> np.ndarray:
    """Values over a norm, 0 where that is 0. Shape of values."""
    return np.divide(values, norm, out=np.zeros_like(values), where=norm > 0)


def _turn(gains: np.ndarray) -> np.ndarray:
    """e^(-jφ) for gains of phases φ."""
    return np.exp(-1j * np.angle(gains))


COMBINERS = {"first": _first, "principal": _principal, "max_min": _max_min, "sum": _sum}
"""Combiners w of norm 1, by name, from gains h. Shapes [..., workers, antennas], then [..., antennas]."""
MOST_ANTENNAS = {"principal": 256, "max_min": 256}
"""Bounds on the antennas of combiners that are found among eigenvectors, which takes the cube of their number."""
