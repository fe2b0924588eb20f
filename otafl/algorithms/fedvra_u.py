"""S. Wang et al., "Beyond ADMM: a unified client-variance-reduced adaptive federated learning framework", algorithm 2:
FedVRA-U, here for semi-supervised classification.

The second block y_i holds pseudo labels, probabilities of the classes for every sample without a label, and
f_i(x, y_i) = 1/n_i [Σ of cross-entropies with the labels + Σ of cross-entropies with y_i]. The constraint on x is the
box that ``algorithm.regulariser`` asks for. Steps on y_i are along n_i·∂f_i/∂y_i, so that they do not shrink with n_i.
"""

from typing import Any, NamedTuple

from otafl.algorithms import fedvra
from otafl.algorithms.method import CLASSIFICATION, Limit
from otafl.algorithms.protocol import Local, Round
from otafl.algorithms.proximal import PROXIMAL
from otafl.arrays import Tensor, tf


class Client(NamedTuple):
    """A worker's dual over its penalty, [participants, d, runs], and pseudo labels, [participants, places, classes]."""

    dual: Tensor
    labels: Tensor


BOX = Limit(
    "algorithm.regulariser",
    lambda settings: settings.algorithm.regulariser in ("none", "box"),
    "must be 'none' or 'box' with {method}, which has no other regulariser",
)
FEW_STEPS = Limit(
    "algorithm.pseudo_steps",
    lambda settings: settings.algorithm.pseudo_steps <= 100,
    "must be at most 100 with {method}, whose program holds each of them",
)


class FedVRAU(fedvra.FedVRA):
    """FedVRA-U."""

    name = "FedVRA-U"
    reads = (*fedvra.FedVRA.reads, "algorithm.pseudo_learning_rate", "algorithm.regulariser_weight")
    shapes = ("algorithm.pseudo_steps", "algorithm.regulariser")
    limits = (*fedvra.FedVRA.limits, BOX, FEW_STEPS)
    problems = (CLASSIFICATION,)
    unlabelled = True

    def init(self, start: Tensor, options: Any, parameters: Any) -> tuple[fedvra.Server, Client]:
        """FedVRA's, and pseudo labels that favour no class."""
        server, client = super().init(start, options, parameters)
        places, classes = options.places, options.classes
        return server, Client(client.dual, tf.fill([1, places, classes], tf.constant(1 / classes, start.dtype)))

    def local_update(self, server: fedvra.Server, client: Client, now: Round) -> Local:
        """Projected gradient steps on pseudo labels at x_0, then FedVRA's part with them in place of labels."""
        slope = -now.problem.log_probabilities(server.model)
        labels, rate = client.labels, now.parameters.pseudo_learning_rate
        for _ in range(now.options.pseudo_steps):
            labels = on_simplex(labels - rate * slope)
        now = now._replace(problem=now.problem.with_pseudo_labels(labels))
        sent = super().local_update(server, fedvra.Client(client.dual), now)
        return sent._replace(client=Client(sent.client.dual, labels))

    def global_update(self, server: fedvra.Server, totals: tuple[Tensor, ...], now: Round) -> fedvra.Server:
        """FedVRA's, projected."""
        after = super().global_update(server, totals, now)
        project = PROXIMAL[now.options.regulariser]
        return after._replace(model=project(after.model, tf.constant(1.0), now.parameters.regulariser_weight))


def on_simplex(values: Tensor) -> Tensor:
    """Euclidean projection of the last axis onto the probability simplex (Duchi et al., 2008)."""
    ordered = tf.sort(values, direction="DESCENDING")
    excess = tf.cumsum(ordered, axis=-1) - 1
    count = tf.range(1, values.shape[-1] + 1, dtype=values.dtype)
    support = tf.reduce_sum(tf.cast(ordered * count > excess, tf.int32), axis=-1, keepdims=True)
    support = tf.maximum(support, 1)  # none is where values are not finite
    threshold = tf.gather(excess, support - 1, batch_dims=len(values.shape) - 1)
    return tf.nn.relu(values - threshold / tf.cast(support, values.dtype))
