"""The way of messages to the server and back, inside a program."""

from typing import Any, NamedTuple, Protocol

from channels.effective import Effective
from otafl.arrays import Tensor, tf


class Sent(NamedTuple):
    """What some workers have sent, as it adds up on the way.

    Arguments:
        arrived: the sum of their contributions as they arrive. Shape [d, runs].
        largest: signal power, before power control, of the worker that has most; 0 over exact uplinks. Shape [runs].
        power: that of all of them. Shape [runs].
        spread: power of distortion and interference of all of them, as it adds up over an upload; None where there is
            neither. Shape [d, runs].
    """

    arrived: Tensor
    largest: Tensor
    power: Tensor
    spread: Tensor | None = None

    def beside(self, others: "Sent") -> "Sent":
        """What these and others have sent at the same time."""
        largest = tf.maximum(self.largest, others.largest)
        spread = None if self.spread is None else self.spread + others.spread
        return Sent(self.arrived + others.arrived, largest, self.power + others.power, spread)


class Upload(NamedTuple):
    """The sum over workers as it arrives, [1, d, runs], and the energy sent as analog symbols [J], [runs]."""

    total: Tensor
    energy: Tensor


class Link(Protocol):
    """The way to the server and back in one iteration, inside a program.

    What is sent may be put together from parts of the workers; the receiver, its noise and the power control, which is
    that of the largest signal of all, come in once.
    """

    def sent(self, message: Tensor) -> Sent:
        """Put messages, of which the server wants the sum, on their way. Shape [workers, d, runs]."""
        ...

    def received(self, sent: Sent, vector: int = 0) -> Upload:
        """What arrives of all that workers have sent, as that vector of the upload."""
        ...

    def broadcast(self, message: Tensor, vector: int = 0) -> Tensor:
        """Carry a message [1, d, runs] to the workers, as that vector of the broadcast: as it is, or [workers, d, runs]
        with noise."""
        ...


class Inputs(NamedTuple):
    """What a link is made of in an iteration.

    Arguments:
        channel: the effective channel on elements. Shapes [workers or 1, d or 1, runs].
        noise: real samples N(0, 1) of the server's receiver. Shape [vectors, d, runs].
        downlink_noise: likewise of the workers' receivers. Shape [vectors, workers, d, runs], without an analog
            downlink empty.
        radio: numbers of ``Uplink.radio``, each of shape [runs].
    """

    channel: Effective
    noise: Tensor
    downlink_noise: Tensor
    radio: Any
