"""The way to the server and back in one iteration, however it is realised."""

from typing import Literal, NamedTuple, Protocol

from otafl.arrays import Tensor

Downlink = Literal["digital", "analog"]


class Upload(NamedTuple):
    """The sum over workers as it arrives, [1, d, runs], and the energy sent as analog symbols [J], [runs]."""

    total: Tensor
    energy: Tensor


class Link(Protocol):
    """What a method may ask of a link: what is sent is the method's affair, how it is carried the link's."""

    def superpose(self, contribution: Tensor) -> Upload:
        """Carry what should arrive as it is, [workers, d, runs], where the method has made its peace with fading."""
        ...

    def sum(self, message: Tensor) -> Upload:
        """Carry messages of which the server wants the plain sum, [workers, d, runs]."""
        ...

    def broadcast(self, model: Tensor) -> Tensor:
        """Carry a model [1, d, runs] to the workers: as it is, or [workers, d, runs] with noise."""
        ...
