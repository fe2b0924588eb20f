"""Several antennas, at every worker or at the server, as one channel g of each worker and subcarrier.

All workers share every subcarrier, so one combiner w of the server's M antennas cannot be matched to each of them. It
leaves worker n the gain g_n = w^H·h_n. Where w does not depend on the worker, the mean square of g_n stays 1; a worker
that is received alone has M. M antennas at a worker raise its mean square to M.

Combiners have norm 1, so the variance of the receiver's noise does not change. A worker whose gains are 0 at all
antennas has g = 0.
"""

import numpy as np

from .combiners import Combiner
from .combiners.combiner import over
from .csi import ChannelState, known

TOLERANCE = 1e-6
"""Amount by which the norm of a combiner's weights may miss 1."""


def of_workers(channel: ChannelState) -> ChannelState:
    """Return the channel after maximum-ratio transmission: antenna m of a worker sends conj(ĥ_m)/‖ĥ‖ of a symbol.

    ĥ_m is the gain of antenna m as the worker knows it, and ‖ĥ‖ the Euclidean norm over its antennas.

    Arguments:
        channel: a ``ChannelState`` with complex gains of every antenna of the workers. Shape [..., workers, antennas,
            subcarriers] each.

    Returns:
        A ``ChannelState`` with one gain of each worker, g = ‖ĥ‖ where its CSI is perfect. Shape [..., workers,
        subcarriers] each.
    """
    norm = amplitude(channel.worker)
    beam = over(channel.worker.conj(), norm[..., None, :])
    believed = norm.astype(complex)
    if channel.perfect:
        return known(believed)
    return ChannelState(np.sum(channel.h * beam, axis=-2), believed, believed)


def of_server(channel: ChannelState, combiner: Combiner) -> ChannelState:
    """Return the channel g = w^H·h behind a combiner w of the server's antennas, chosen by the server's CSI.

    CSI is the knowledge of gains, here ``channel.server``; h are the gains at all antennas, and w has norm 1.

    Arguments:
        channel: a ``ChannelState`` with complex gains at every antenna of the server. Shape [..., workers, antennas,
            subcarriers] each.
        combiner: a ``Combiner``, the rule that gives w from the gains.

    Returns:
        A ``ChannelState`` with one gain of each worker. Shape [..., workers, subcarriers] each.
    """
    gains = np.moveaxis(channel.server, -1, -3)
    weights = combiner.weights(gains)
    require_unit(combiner, weights, gains)
    return channel.each(lambda h: np.einsum("...sm,...nms->...ns", weights.conj(), h))


def require_unit(combiner: Combiner, weights: np.ndarray, gains: np.ndarray) -> None:
    """Refuse weights of a combiner that have another shape than one for each antenna, or another norm than 1.

    Arguments:
        combiner: combiner, which the error names.
        weights: its weights w. Shape [..., subcarriers, antennas].
        gains: complex gains that it was given. Shape [..., subcarriers, workers, antennas].

    Raises:
        ValueError: shape or norm are others.
    """
    name, wanted = type(combiner).__name__, (*gains.shape[:-2], gains.shape[-1])
    if np.shape(weights) != wanted:
        raise ValueError(f"{name}.weights: must have the shape {wanted}, not {np.shape(weights)}")
    norm = np.linalg.norm(weights, axis=-1)
    if not np.all(np.abs(norm - 1) < TOLERANCE):
        raise ValueError(f"{name}.weights: must have norm 1, which keeps the noise as it is, not {norm.flat[0]:.3g}")


def blind(channel: ChannelState) -> ChannelState:
    """Return the ``ChannelState`` of workers without CSI: each takes its gain for 1. Shapes stay.

    CSI is the knowledge of gains. Source: Amiri, Duman and Gündüz, "Collaborative Machine Learning at the Wireless Edge
    with Blind Transmitters".

    Arguments:
        channel: gains behind a combiner of antennas. Shape [..., workers, subcarriers] each.
    """
    return channel._replace(worker=np.ones_like(channel.h), perfect=False)


def amplitude(h: np.ndarray) -> np.ndarray:
    """Return the Euclidean norm ‖h‖ over antennas, a worker's gain under maximum-ratio combining or transmission.

    Arguments:
        h: complex gains, no unit. Shape [..., workers, antennas, subcarriers].

    Returns:
        Real gains. Shape [..., workers, subcarriers].
    """
    return np.sqrt(np.sum(h.real**2 + h.imag**2, axis=-2))
