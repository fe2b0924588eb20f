"""Receiver that takes the majority of signs."""

from dataclasses import dataclass

from otafl.numerics.tensors import Estimate, Received, Scalar, tf
from otafl.receivers.receiver import Receiver, register


@register("majority")
@dataclass(frozen=True)
class Majority(Receiver):
    """Sign of each element of the received sum; the model moves by ``algorithm.server_step`` in each element.

    Source: G. Zhu, Y. Du, D. Gündüz, K. Huang, "One-Bit Over-the-Air Aggregation for Communication-Efficient Federated
    Edge Learning: Design and Convergence Analysis", section II-B.
    """

    needs_all = True

    def requires(self, chain, settings, method) -> str:
        federation = settings.federation
        if federation.weights != "equal":
            return "contradicts federation.weights: votes have equal weights"
        if not method.by_signs:
            return f"gives signs, but {settings.method} needs sums of vectors"
        if settings.partial:
            return "needs all workers in every round, as its server steps by a majority of all"
        return ""

    def remark(self, chain, settings) -> str:
        if settings.algorithm.server_step != 1 or chain.compressor.unit:
            return ""
        return "every element of the model moves by algorithm.server_step = 1 in a round; 0.005 to 0.02 are usual"

    def estimate(self, total: Received, elements: int, draw: Scalar) -> Estimate:
        return tf.sign(total)

    def target(self, target_sum: Estimate) -> Estimate:
        return tf.sign(target_sum)
