"""Several antennas, at every worker or at the server, as one channel g of each worker and subcarrier.

All workers share every subcarrier, so one combiner w of the server's M antennas cannot be matched to each of them. It
leaves worker n the gain g_n = w^H·h_n. Where w does not depend on the worker, the mean square of g_n stays 1; a worker
that is received alone has M. M antennas at a worker raise its mean square to M.

Combiners have norm 1, so the variance of the receiver's noise does not change. A worker whose gains are 0 at all
antennas has g = 0.
"""

import numpy as np

from channels.csi import ChannelState, known

ROUNDS = 60
"""Steps of the search for the combiner ``max_min``."""


def of_workers(channel: ChannelState) -> ChannelState:
    """Return the channel after maximum-ratio transmission: antenna m of a worker sends conj(ĥ_m)/‖ĥ‖ of a symbol.

    ĥ_m is the gain of antenna m as the worker knows it, and ‖ĥ‖ the Euclidean norm over its antennas.

    Arguments:
        channel: gains of every antenna of the workers. Shape [..., workers, antennas, subcarriers] each.

    Returns:
        One gain of each worker, g = ‖ĥ‖ where its CSI is perfect. Shape [..., workers, subcarriers] each.
    """
    norm = amplitude(channel.worker)
    beam = _over(channel.worker.conj(), norm[..., None, :])
    believed = norm.astype(complex)
    if channel.perfect:
        return known(believed)
    return ChannelState(np.sum(channel.h * beam, axis=-2), believed, believed)


def of_server(channel: ChannelState, combiner: str) -> ChannelState:
    """Return the channel g = w^H·h behind a combiner w of the server's antennas, chosen by the server's CSI.

    CSI is the knowledge of gains, here ``channel.server``; h are the gains at all antennas, and w has norm 1.

    Arguments:
        channel: gains at every antenna of the server. Shape [..., workers, antennas, subcarriers] each.
        combiner: "first" antenna alone, "principal" direction of the most received power, "max_min" for a large
            smallest |g|, or "sum" along the sum of gains.

    Returns:
        One gain of each worker. Shape [..., workers, subcarriers] each.
    """
    weights = COMBINERS[combiner](np.moveaxis(channel.server, -1, -3))
    return channel.each(lambda h: np.einsum("...sm,...nms->...ns", weights.conj(), h))


def blind(channel: ChannelState) -> ChannelState:
    """Return the channel of workers without CSI, ĥ = 1, behind a combiner along the sum of all gains, w ∝ Σ_k h_k.

    CSI is the knowledge of gains, ĥ what a worker takes its gain for, and h_k the gains of worker k as the server knows
    them.

    Arguments:
        channel: gains at every antenna of the server. Shape [..., workers, antennas, subcarriers] each.

    Returns:
        One gain of each worker, and 1 in place of its CSI. Shape [..., workers, subcarriers] each.

    Source: Amiri, Duman and Gündüz, "Collaborative Machine Learning at the Wireless Edge with Blind Transmitters".
    """
    combined = of_server(channel, "sum")
    return combined._replace(worker=np.ones_like(combined.h), perfect=False)


def amplitude(h: np.ndarray) -> np.ndarray:
    """Return the Euclidean norm ‖h‖ over antennas, a worker's gain under maximum-ratio combining or transmission.

    Arguments:
        h: complex gains. Shape [..., workers, antennas, subcarriers].

    Returns:
        Real gains. Shape [..., workers, subcarriers].
    """
    return np.sqrt(np.sum(h.real**2 + h.imag**2, axis=-2))


def _first(h: np.ndarray) -> np.ndarray:
    """Return the combiner that takes the first antenna alone. Shapes as in COMBINERS."""
    return np.broadcast_to(np.eye(1, h.shape[-1], dtype=complex)[0], (*h.shape[:-2], h.shape[-1]))


def _principal(h: np.ndarray) -> np.ndarray:
    """Return the direction of most received power, the eigenvector of Σ_n h_n·h_n^H with the largest eigenvalue."""
    return np.linalg.eigh(np.einsum("...nm,...nk->...mk", h, h.conj()))[1][..., -1]


def _sum(h: np.ndarray) -> np.ndarray:
    """Return the direction of Σ_n h_n, or the first antenna where that sum is 0."""
    total = h.sum(axis=-2)
    norm = np.linalg.norm(total, axis=-1, keepdims=True)
    return np.where(norm > 0, _over(total, norm), _first(h))


def _max_min(h: np.ndarray) -> np.ndarray:
    """Return a combiner that makes the smallest |g_n| large, by a search from the principal direction on.

    For fixed phases φ_n of g_n the best w is the point of the convex hull of h_n·e^(-jφ_n) that is nearest to the
    origin. Gilbert's algorithm takes a step towards the weakest worker's h; then the phases are updated. The result is
    a local optimum.
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
    """Return w^H·h_n from w [..., antennas] and h [..., workers, antennas]. Shape [..., workers]."""
    return np.einsum("...m,...nm->...n", weights.conj(), h)


def _over(values: np.ndarray, norm: np.ndarray) -> np.ndarray:
    """Return values over a norm, 0 where the norm is 0. Shape of values."""
    return np.divide(values, norm, out=np.zeros_like(values), where=norm > 0)


def _turn(gains: np.ndarray) -> np.ndarray:
    """Return e^(-jφ) for gains of phases φ. Shape of gains."""
    return np.exp(-1j * np.angle(gains))


COMBINERS = {"first": _first, "principal": _principal, "max_min": _max_min, "sum": _sum}
"""Combiners of antennas by name: functions from gains [..., workers, antennas] to w of norm 1, [..., antennas]."""
MOST_ANTENNAS = {"principal": 256, "max_min": 256}
"""Largest number of antennas by combiner, for those found by eigenvectors, whose time grows with its cube."""
