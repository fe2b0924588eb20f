"""Receiver that takes the majority of signs."""

from dataclasses import dataclass
from typing import Any, ClassVar

from otafl.numerics.tensors import Tensor, tf
from otafl.receivers.receiver import Receiver, register


@register("majority")
@dataclass(frozen=True)
class Majority(Receiver):
    """Sign of each element of the received sum; the model moves by ``algorithm.server_step`` in each element.

    Source: G. Zhu, Y. Du, D. Gündüz, K. Huang, "One-Bit Over-the-Air Aggregation for Communication-Efficient Federated
    Edge Learning: Design and Convergence Analysis", section II-B.
    """

    needs_all: ClassVar[bool] = True

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Return why a run cannot have it: unequal weights, some workers only, or a server that needs sums; else empty.

        Arguments:
            chain: unused.
            settings: the run's ``Settings``, of which ``federation.weights`` and the numbers of workers and
                participants are read.
            method: the run's ``Method``, whose ``by_signs`` counts.

        Returns:
            Reason as the end of an error message; empty where the run can have it.
        """
        federation = settings.federation
        if federation.weights != "equal":
            return "contradicts federation.weights: votes have equal weights"
        if not method.by_signs:
            return f"gives signs, but {settings.method} needs sums of vectors"
        if settings.partial:
            return "needs all workers in every round, as its server steps by a majority of all"
        return ""

    def remark(self, chain: Any, settings: Any) -> str:
        """Return a remark on too large a step of the server, where ``algorithm.server_step`` is 1; else empty.

        With it every element of the model moves by 1 in a round. A compressor that sends signs remarks on it itself.

        Arguments:
            chain: the run's ``Chain``, whose field ``compressor`` counts.
            settings: the run's ``Settings``, of which ``algorithm.server_step`` is read.
        """
        if settings.algorithm.server_step != 1 or chain.compressor.unit:
            return ""
        return "every element of the model moves by algorithm.server_step = 1 in a round; 0.005 to 0.02 are usual"

    def estimate(self, total: Tensor, elements: int, draw: Tensor) -> Tensor:
        """Return the signs of the received sum: -1, 0 or 1. Shape [d, runs].

        Arguments:
            total: received sum of signs, noise included. Shape [d, runs].
            elements: unused.
            draw: unused.
        """
        return tf.sign(total)

    def target(self, target_sum: Tensor) -> Tensor:
        """Return the signs of the wanted sum: -1, 0 or 1. Shape [d, runs].

        Arguments:
            target_sum: wanted sum, without noise. Shape [d, runs].
        """
        return tf.sign(target_sum)
