"""The channels that a fading model makes."""

from typing import Any

import numpy as np

from channels.fading.block import BlockFading
from channels.fading.protocol import Layout, Realisation


def realise(fading: Any, layout: Layout, seed: np.random.SeedSequence) -> Realisation:
    """Return the channels of some workers under a model: its own, or independent blocks of what it samples.

    Raises:
        ValueError: its own are no Realisation.
    """
    found = fading.realise(layout, seed) if hasattr(fading, "realise") else BlockFading(fading, layout, seed)
    if not isinstance(found, Realisation):
        raise ValueError(f"fading = {fading!r}: realise must make a channels.fading.Realisation, not {found!r}")
    return found
