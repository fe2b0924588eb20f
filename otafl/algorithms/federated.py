"""Base class of federated methods, whose workers train on mini-batches and of whom some take part in a round."""

from typing import ClassVar, NamedTuple

from otafl.algorithms.method import PARTICIPATION, TRAINING, Limit, Method
from otafl.numerics.tensors import GlobalModel, Models
from otafl.settings.keys import Settings

WORK = (*TRAINING, "local.steps", "local.epochs", "local.work")
SINGLE = "its server divides by a sum of the workers' numbers, which noise may bring to zero"
"""Reason for which an analog uplink cannot carry single numbers of workers."""


class ModelAndMean(NamedTuple):
    """State of a server with the global model, and a mean over all workers, such as that of their gradients."""

    model: GlobalModel
    mean: GlobalModel


class PrimalDual(NamedTuple):
    """State of a worker of federated ADMM: its model, and its dual, the slope of a linear term added to its loss."""

    model: Models
    dual: Models


class FederatedMethod(Method):
    """Base of methods whose workers train for some epochs or steps, by default with plain SGD at rate 0.1."""

    reads = (*PARTICIPATION, "federation.labelled", *WORK)
    defaults: ClassVar[dict[str, float | int | str]] = {"learning_rate": 0.1, "optimizer": "sgd", "epochs": 5}


def plain(reason: str) -> Limit:
    """Return the limit that local training is plain SGD, with the reason for the message of a refusal."""
    rule = f"must be 'sgd' with {{method}}: {reason}"
    return Limit("local.optimizer", lambda settings: settings.local.optimizer in (None, "sgd"), rule)


def equal_probabilities(settings: Settings) -> bool:
    """Return True where all workers take part with the same probability."""
    return not settings.federation.probabilities and settings.federation.sampling == "uniform"


COUNTED_ONCE = Limit(
    "federation.weights",
    lambda settings: settings.federation.weights == "equal" or settings.federation.sampling != "weighted",
    "must be 'equal' where federation.sampling = 'weighted', or numbers of samples would count twice",
)
"""Limit that numbers of samples enter the sampling of workers or their weights, not both."""
CONTROL = "its control variates are mean gradients of plain SGD"
"""Reason for which methods with control variates need plain SGD."""
