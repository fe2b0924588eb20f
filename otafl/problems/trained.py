"""Base of problems that are trained on mini-batches in float32: classification and regression.

Arrays have a last axis of one run, which keeps them in the layout of ``otafl.algorithms.protocol``.
"""

from typing import Any, NamedTuple

import tensorflow as tf

from otafl.algorithms.protocol import Accuracy, Gradient, Minimiser
from otafl.arrays import Tensor
from otafl.training import batches
from otafl.training.learner import Learner
from otafl.training.local import Penalty, Samples, Work


class Shared(NamedTuple):
    """Data that all workers have in common.

    Arguments:
        features: of all training samples. Shape [1, samples, ...].
        evaluation: test samples of a classification, or minimum of a regression.
        start: initial model. Shape [1, d, 1].
        rate: learning rate. Shape [1].
        key: seed of the order of samples. Scalar.
    """

    features: Tensor
    evaluation: Any
    start: Tensor
    rate: Tensor
    key: Tensor


class Own(NamedTuple):
    """Data that belong to some workers.

    Arguments:
        index: places of a worker's samples in ``Shared.features``. Shape [workers, places].
        targets: of these samples: labels, probabilities of classes, or numbers. Shape [workers, places, ...].
        count: number of places that hold a sample. Shape [workers].
        labelled: True where a label may be used; None: everywhere. Shape [workers, places].
        order: order in which a round reads the samples, where it is drawn for more workers than these; None: it is
            drawn for them. Shape [workers, passes · places].
    """

    index: Tensor
    targets: Tensor
    count: Tensor
    labelled: Tensor | None
    order: Tensor | None = None


class Trained(NamedTuple):
    """Local problems of some workers in one round of a run; local losses f_n are means over a worker's samples.

    Arguments:
        learner: settings of training.
        shared: data that all workers have in common.
        own: data of these workers.
        iteration: number of the round, whose batches are its own. Scalar.
        epochs: passes of each worker over its samples; None: steps are counted. Shape [workers].
    """

    learner: Learner
    shared: Shared
    own: Own
    iteration: Tensor
    epochs: Tensor | None

    @property
    def start(self) -> Tensor:
        """Initial model. Shape [1, d, 1]."""
        return self.shared.start

    @property
    def unordered(self) -> Samples:
        """The workers' samples, without an order."""
        return Samples(self.shared.features, self.own.index, self.own.targets, self.own.count, None)

    @property
    def samples(self) -> Samples:
        """The workers' samples with the order in which the round reads them."""
        return self.unordered._replace(order=self.order if self.own.order is None else self.own.order)

    @property
    def order(self) -> Tensor:
        """Order in which the round reads the samples, drawn for all workers. Shape [workers, passes · places]."""
        own, passes = self.own, self.learner.passes
        return batches.order(self.shared.key, self.iteration, own.count, passes, own.index.shape[1])

    def gradient(self, theta: Tensor) -> Gradient:
        """Return ∇f_n(θ_n) over all of a worker's samples.

        Arguments:
            theta: θ. Shape [workers or 1, d, 1].
        """
        return _with_runs(Gradient, self.learner.gradient(self.unordered, theta[..., 0]))

    def sampled_gradient(self, theta: Tensor) -> Gradient:
        """Return ∇f_n(θ_n) on one mini-batch.

        Arguments:
            theta: θ. Shape [workers or 1, d, 1].
        """
        return _with_runs(Gradient, self.learner.sampled_gradient(self.samples, theta[..., 0]))

    def penalise(self, weight: Tensor) -> None:
        """Return None, as training prepares nothing."""

    def solve(
        self,
        start: Tensor,
        dual: Tensor | None = None,
        weight: Tensor | None = None,
        anchor: Tensor | None = None,
        accuracy: Accuracy | None = None,
        penalised: None = None,
    ) -> Minimiser:
        """Train for some epochs or steps on f_n(θ) + ⟨μ_n, θ⟩ + ½ Σ_i w_{n,i}(θ_i − Θ_i)².

        Arguments:
            start: initial models. Shape [workers or 1, d, 1].
            dual: μ; None: 0. Shape [workers, d, 1].
            weight: w; None: 0. Shape [workers or 1, d or 1, 1].
            anchor: Θ; None: 0. Shape [workers or 1, d, 1].
            accuracy: rule that ends training in epochs before the last one.
            penalised: unused.
        """
        penalty = None
        if weight is not None or dual is not None:
            none: Tensor = tf.zeros([1, 1, 1])
            parts = (none if part is None else part for part in (dual, weight, anchor))
            penalty = Penalty(*(part[..., 0] for part in parts))
        if accuracy is not None:
            accuracy = Accuracy(accuracy.reference[..., 0], accuracy.share[:, 0, 0])
        work = None if self.epochs is None else Work(self.epochs, accuracy)
        trained = self.learner.train(self.samples, start[..., 0], penalty, self.shared.rate, work)
        return _with_runs(Minimiser, trained)


def _with_runs(kind: type, done: tuple[Tensor, ...]) -> Any:
    """Return results of the learner, [n, d] and [n], with an axis for the run."""
    return kind(*(result[..., None] for result in done))
