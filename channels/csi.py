"""Channel state information: what workers and server believe of the channel, who never see the gains themselves."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np


class Csi(Protocol):
    """Beliefs ĥ about complex gains h. Shapes [..., workers, subcarriers]."""

    perfect: ClassVar[bool]
    """True where everyone believes what is, so that closed forms of what arrives hold exactly."""

    def workers(self, h: np.ndarray) -> np.ndarray:
        """What each worker believes of its own gains; its arithmetic and its precoder use them."""
        ...

    def server(self, h: np.ndarray) -> np.ndarray:
        """What the server believes of all gains; it combines with them."""
        ...


@dataclass(frozen=True)
class PerfectCsi:
    """Everyone knows the gains, ĥ = h, as Elgabli et al. assume in section II-D."""

    perfect: ClassVar[bool] = True

    def workers(self, h: np.ndarray) -> np.ndarray:
        """The gains themselves. Shape of h."""
        return h

    def server(self, h: np.ndarray) -> np.ndarray:
        """The gains themselves. Shape of h."""
        return h


PERFECT = PerfectCsi()
