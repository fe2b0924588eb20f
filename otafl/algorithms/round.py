"""What a method is handed in every iteration: its hyperparameters and the link to the server.

What is sent is the method's affair; how it is carried, the link's.
"""

from typing import Literal, NamedTuple, Protocol

from otafl.arrays import Tensor

Downlink = Literal["digital", "analog"]


class Hyperparameters(NamedTuple):
    """Parameters of a method, each of shape [runs].

    Arguments:
        rho: ρ, the penalty of ADMM.
        step_size: what a gradient method multiplies the sum of gradients by.
    """

    rho: Tensor
    step_size: Tensor


class Upload(NamedTuple):
    """The sum over workers as it arrives, [1, d, runs], and the energy sent as analog symbols [J], [runs]."""

    total: Tensor
    energy: Tensor


class Link(Protocol):
    """The way to the server and back in one iteration."""

    def superpose(self, contribution: Tensor) -> Upload:
        """Carry what should arrive as it is, [workers, d, runs], where the method has made its peace with fading."""
        ...

    def sum(self, message: Tensor) -> Upload:
        """Carry messages of which the server wants the plain sum, [workers, d, runs]."""
        ...

    def broadcast(self, model: Tensor) -> Tensor:
        """Carry a model [1, d, runs] to the workers: as it is, or [workers, d, runs] with noise."""
        ...
