"""Pseudo labels for a federated method, on which workers train where samples have no label.

They are the second block y_i of S. Wang et al., "Beyond ADMM", algorithm 2: class probabilities of every sample without
a label, and f_i(x, y_i) = 1/n_i [Σ of cross-entropies with the labels + Σ of cross-entropies with y_i]. Steps on y_i
are along n_i·∂f_i/∂y_i, so that they do not shrink with n_i.
"""

from typing import cast

from otafl.algorithms.local_problem import ClassificationProblem, Local, Options, Parameters, Round, State
from otafl.algorithms.method import CLASSIFICATION, Method, named_tuple
from otafl.numerics.tensors import GlobalModel, Tensor, tf
from otafl.settings.part_keys import key
from otafl.settings.types import Positive

LABELLING = {
    "pseudo_steps": key(
        5, "FedVRA-U and other -U methods: steps on pseudo labels in a round, all held by a program", ge=1, le=100
    ),
    "pseudo_learning_rate": key(
        1e-3,
        "FedVRA-U and other -U methods: learning rate of pseudo labels; from 0.01 on they confirm the model's errors",
        takes=Positive,
    ),
}
"""Parameters of methods with pseudo labels."""


class PseudoLabels(Method):
    """First base of a method that gives pseudo labels, which are class probabilities, to samples without a label.

    A worker's state has a further field ``labels``, [workers, sample slots, classes].
    """

    problems = (CLASSIFICATION,)
    unlabelled = True

    def init(self, start: GlobalModel, options: Options, parameters: Parameters) -> tuple[State, State]:
        server, client = super().init(start, options, parameters)
        labels = tf.fill([1, options.places, options.classes], tf.constant(1 / options.classes, start.dtype))
        return server, _with_labels(client, labels)

    def local_update(self, server: State, client: State, now: Round) -> Local:
        """Return the method's local update after projected gradient steps on pseudo labels at the global model."""
        problem = cast(ClassificationProblem, now.problem)
        slope = -problem.log_probabilities(server.model)
        labels = client.labels
        for _ in range(now.options.pseudo_steps):
            labels = on_simplex(labels - now.parameters.pseudo_learning_rate * slope)
        now = now._replace(problem=problem.with_pseudo_labels(labels))
        local = super().local_update(server, client, now)
        return local._replace(client=_with_labels(local.client, labels))


def _with_labels(client: State, labels: Tensor) -> State:
    return named_tuple(**(client._asdict() | {"labels": labels}))


def on_simplex(values: Tensor) -> Tensor:
    """Return the Euclidean projection of the last axis onto the probability simplex (Duchi et al., 2008)."""
    ordered = tf.sort(values, direction="DESCENDING")
    excess = tf.cumsum(ordered, axis=-1) - 1
    count = tf.range(1, values.shape[-1] + 1, dtype=values.dtype)
    support = tf.reduce_sum(tf.cast(ordered * count > excess, tf.int32), axis=-1, keepdims=True)
    support = tf.maximum(support, 1)  # none is where values are not finite
    threshold = tf.gather(excess, support - 1, batch_dims=len(values.shape) - 1)
    return tf.nn.relu(values - threshold / tf.cast(support, values.dtype))
