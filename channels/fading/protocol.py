"""What a fading model offers."""

from typing import Any, ClassVar, Protocol

import numpy as np


class Fading(Protocol):
    """A distribution of channel gains: a frozen dataclass, whose fields are the model's parameters."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    name: ClassVar[str]
    """What scenarios call it."""
    static: ClassVar[bool]
    """True where the gains never change, so that no coherence time applies."""

    def sample(self, rng: np.random.Generator, num_workers: int, num_subcarriers: int) -> np.ndarray:
        """Draw the gains h of one coherence block, complex, of mean square 1. Shape [num_workers, num_subcarriers].

        Subcarriers are drawn one after the other: under the same stream a wider band extends a narrower one, and pieces
        of a band drawn one by one are the band.
        """
        ...
