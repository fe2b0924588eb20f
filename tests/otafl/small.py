"""What tests are small with: a regression of few unknowns, whose programs are compiled soon, and methods once each."""

from otafl.algorithms import METHODS
from otafl.algorithms.federated import FederatedMethod
from otafl.algorithms.pseudo_labels import PseudoLabels

SMALL = {"problem.dataset": "synthetic", "problem.dimension": 4, "problem.samples": 300}
DISTINCT = [name for name, one in METHODS.items() if not isinstance(one, PseudoLabels) or name == "FedVRA-U"]
"""Methods that engines could treat differently: all with pseudo labels are alike to them."""
FEDERATED = [name for name in DISTINCT if isinstance(METHODS[name], FederatedMethod)]
