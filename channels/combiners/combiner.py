"""Interface of combiners of antennas, and their registry."""

from typing import ClassVar

import numpy as np

from ..array_types import AntennaWeights, ChannelMatrices, ChannelVectors
from ..beams import behind, strongest
from ..receive_scaling import ReceiveScaling
from ..registry import Part, Registry


class Combiner(Part):
    """Combiner of a server's M antennas: a weight vector w of norm 1 on each subcarrier, the same for all workers."""

    blind: ClassVar[bool] = False
    """True where workers know nothing of their channels."""
    by_gains: ClassVar[bool] = True
    """True where the server needs the complex gains of all workers at all antennas."""
    most_antennas: ClassVar[float] = np.inf
    """Largest number of antennas, so that its computation ends in sensible time."""

    def weights(self, h: ChannelVectors) -> AntennaWeights:
        """Return complex weights w of norm 1, with which an antenna signal y becomes w^H·y, from the known gains."""
        raise NotImplementedError

    def weights_of_matrices(self, h: ChannelMatrices) -> AntennaWeights:
        """Return the weights for workers of several antennas, whose beams will match them: by default from H·v, where
        v is each worker's strongest beam."""
        return self.weights(behind(h, strongest(h)))

    def receive_scaling(self, antennas: int) -> ReceiveScaling | None:
        """Return the receive scaling behind M antennas; None: power control or receiver have one."""
        return None


COMBINERS = Registry("combiner", Combiner)
register = COMBINERS.register


def over(values: np.ndarray, norm: np.ndarray) -> np.ndarray:
    """Return values over a norm that broadcasts to them, 0 where the norm is 0."""
    return np.divide(values, norm, out=np.zeros_like(values), where=norm > 0)
