"""What federated methods have in common: workers train on mini-batches from round to round, and some take part."""

from typing import Any, ClassVar, NamedTuple

from otafl.algorithms.method import PARTICIPATION, TRAINING, Limit, Method
from otafl.arrays import Tensor
from otafl.settings.keys import Settings

WORK = (*TRAINING, "local.steps", "local.epochs", "local.work")
SINGLE = "its server divides by a sum of the workers' numbers, which noise may bring to zero"


class PrimalDual(NamedTuple):
    """A worker's model w_i and its dual. Shapes [participants, d, runs]."""

    model: Tensor
    dual: Tensor


class FederatedMethod(Method):
    """A method of which workers train for some epochs or steps, by default with plain SGD at rate 0.1."""

    reads = (*PARTICIPATION, "federation.labelled", *WORK)
    defaults: ClassVar[dict[str, Any]] = {"learning_rate": 0.1, "optimizer": "sgd", "epochs": 5}


def plain(reason: str) -> Limit:
    """Local training must be plain SGD."""
    rule = f"must be 'sgd' with {{method}}: {reason}"
    return Limit("local.optimizer", lambda settings: settings.local.optimizer in (None, "sgd"), rule)


def equal_probabilities(settings: Settings) -> bool:
    """Whether all workers take part with the same probability."""
    return not settings.federation.probabilities and settings.federation.sampling == "uniform"


COUNTED_ONCE = Limit(
    "federation.weights",
    lambda settings: settings.federation.weights == "equal" or settings.federation.sampling != "weighted",
    "must be 'equal' where federation.sampling = 'weighted', or volumes would count twice",
)
CONTROL = "its control variates are mean gradients of plain SGD"
