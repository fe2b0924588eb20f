"""Interface of receivers, and the receivers by name."""

from typing import TYPE_CHECKING, ClassVar

from otafl.channels.precoding import Precoder
from otafl.channels.precoding.precoder import SideInformation
from otafl.channels.receive_scaling import AsReceived, ReceiveScaling
from otafl.channels.registry import Part, Registry
from otafl.numerics.tensors import Estimate, Received, Scalar, SentNumbers, tf

if TYPE_CHECKING:
    from otafl.algorithms import Method
    from otafl.settings.keys import Settings
    from otafl.uplinks.chain import Chain


class Receiver(Part):
    """Base of receivers, which estimate the sum of all workers' vectors; by default it is taken as it arrives."""

    from_measurements: ClassVar[bool] = False
    """True where it finds vectors from random measurements."""
    non_coherent: ClassVar[bool] = False
    """True where it takes real and imaginary parts of symbols alike, and knows no channel."""
    from_codewords: ClassVar[bool] = False
    """True where it finds vectors from codewords of a codebook."""
    needs_all: ClassVar[bool] = False
    """True where the server's step is right only if all workers are heard."""
    by_worker: ClassVar[str] = ""
    """Reason for which it cannot do with a sum over the air, as it reads each worker's vector; empty: it can."""

    def requires(self, chain: "Chain", settings: "Settings", method: "Method") -> str:
        """Return the reason why a run cannot have this part, the end of an error message; by default empty: it can."""
        return ""

    def remark(self, chain: "Chain", settings: "Settings") -> str:
        """Return a remark for the user on an effect that is easily overlooked; empty without one, as by default."""
        return ""

    def receive_scaling(self, precoder: Precoder) -> ReceiveScaling:
        """Return the complex weights of the received symbol of each subcarrier, by default 1."""
        return AsReceived()

    def asks(self, precoder: Precoder) -> SideInformation:
        """Return what the receiver asks of workers: "", "silence" on each subcarrier, or "gains", |h|² of each."""
        return ""

    def decided(self, total: Received, weight: Received | None) -> Received:
        """Return the sum after decisions on what was sent; by default as it arrives. Weight: receive scaling, or 1."""
        return total

    def combined(self, arrived: SentNumbers) -> Received:
        """Return what vectors of all workers are together, by default their sum."""
        return tf.reduce_sum(arrived, axis=0)

    def estimate(self, total: Received, elements: int, draw: Scalar) -> Estimate:
        """Return the server's estimate of a sum of d elements, by default what arrives; draw: the vector's number."""
        return total

    def target(self, target_sum: Estimate) -> Estimate:
        """Return the estimate that would have no error, by default the wanted sum of all workers' vectors."""
        return target_sum


RECEIVERS = Registry("receiver", Receiver)
register = RECEIVERS.register
