"""S. Wang et al., "Beyond ADMM: a unified client-variance-reduced adaptive federated learning framework", algorithm 2:
FedVRA-U, here for semi-supervised classification, and the methods that section 5.2 adapts to it for comparison.

The constraint on x is the box that ``algorithm.regulariser`` asks for. The paper does not say how the others were
adapted; here they train on the same pseudo labels, found in the same way.
"""

from otafl.algorithms import fedvra
from otafl.algorithms.fedavg import FedAvg
from otafl.algorithms.feddyn import FedDyn
from otafl.algorithms.fedprox import FedProx
from otafl.algorithms.local_problem import Round
from otafl.algorithms.method import Limit, method
from otafl.algorithms.proximal import PROXIMAL, REGULARISED
from otafl.algorithms.pseudo_labels import LABELLING, PseudoLabels
from otafl.algorithms.scaffold import Scaffold
from otafl.numerics.tensors import Totals, tf

BOX = Limit(
    "algorithm.regulariser",
    lambda settings: settings.value("algorithm.regulariser") in ("none", "box"),
    "must be 'none' or 'box' with {method}, which has no other regulariser",
)


@method("FedVRA-U", **REGULARISED, **LABELLING)
class FedVRAU(PseudoLabels, fedvra.FedVRA):
    """FedVRA-U: FedVRA with pseudo labels and models in a box."""

    limits = (*fedvra.FedVRA.limits, BOX)

    def global_update(self, server: fedvra.Server, totals: Totals, now: Round) -> fedvra.Server:
        after = super().global_update(server, totals, now)
        project = PROXIMAL[now.options.regulariser]
        return after._replace(model=project(after.model, tf.constant(1.0), now.parameters.regulariser_weight))


@method("FedAvg-U", **LABELLING)
class FedAvgU(PseudoLabels, FedAvg):
    """FedAvg with pseudo labels for samples without a label."""


@method("FedProx-U", **LABELLING)
class FedProxU(PseudoLabels, FedProx):
    """FedProx with pseudo labels for samples without a label."""


@method("SCAFFOLD-U", **LABELLING)
class ScaffoldU(PseudoLabels, Scaffold):
    """SCAFFOLD with pseudo labels for samples without a label."""


@method("FedDyn-U", **LABELLING)
class FedDynU(PseudoLabels, FedDyn):
    """FedDyn with pseudo labels for samples without a label."""
