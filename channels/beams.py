"""Beams of workers: unit vectors v of their antennas, with which a server of several antennas receives H·v of a symbol.

A worker sends on one stream, so that its matrix H of gains acts as one vector. A unit vector keeps its power.
"""

import numpy as np

from .array_types import AntennaWeights, Beams, ChannelMatrices, ChannelVectors


def strongest(h: ChannelMatrices) -> Beams:
    """Return the beam of each worker that arrives with most power: the first right singular vector of H."""
    return np.linalg.svd(h, full_matrices=False)[2][..., 0, :].conj()


def matched(weights: AntennaWeights, h: ChannelMatrices) -> Beams:
    """Return the beam of each worker that arrives best behind weights w: H^H·w over its norm, or 0 where that is 0."""
    towards = np.einsum("...nmk,...m->...nk", h.conj(), weights)
    norm = np.linalg.norm(towards, axis=-1, keepdims=True)
    return np.divide(towards, norm, out=np.zeros_like(towards), where=norm > 0)


def behind(h: ChannelMatrices, beams: Beams) -> ChannelVectors:
    """Return the gains H·v of workers at the server's antennas behind their beams."""
    return np.einsum("...nmk,...nk->...nm", h, beams)
