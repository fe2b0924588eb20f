"""Base of problems that are trained on mini-batches in float32: classification and regression.

Arrays have a last axis of one run, which keeps them in the layout of ``otafl.algorithms.local_problem``.
"""

from typing import Any, NamedTuple

import tensorflow as tf

from otafl.algorithms.local_problem import Accuracy, Gradient, Minimiser
from otafl.numerics.tensors import Tensor
from otafl.training import batches
from otafl.training.learner import Learner
from otafl.training.local import Penalty, Samples, Work


class Shared(NamedTuple):
    """Data that all workers have in common, of one run.

    Arguments:
        features: values of all training samples, before they are scaled. Shape [1, samples, ...].
        evaluation: ``Tests``, the test samples of a classification, or ``Minimum``, the least loss of a regression.
        start: initial model of d elements. Shape [1, d, 1].
        rate: learning rate η of the local optimiser. Shape [1].
        key: seed of the order in which samples are read. Scalar, int64.
        base: frozen weights beneath adapters; None: the whole model is trained. Shape [1, weights].
        masks: seed for layers that draw random numbers, such as dropout; None: there are none. Scalar, int64.
    """

    features: Tensor
    evaluation: Any
    start: Tensor
    rate: Tensor
    key: Tensor
    base: Tensor | None = None
    masks: Tensor | None = None


class Own(NamedTuple):
    """Data that belong to some workers, of one run.

    Places are slots for samples of a worker, as many as the largest number of samples; workers with fewer repeat some.

    Arguments:
        index: indices of a worker's samples along the second axis of ``Shared.features``. Shape [workers, places],
            int32.
        targets: targets of these samples: labels, probabilities of classes, or real targets of a regression. Shape
            [workers, places, ...].
        count: number of samples of each worker. Shape [workers].
        labelled: True where a label may be used; None: everywhere. Shape [workers, places].
        order: order in which a round reads the samples, where it is drawn for more workers than these; None: it is
            drawn for them. Shape [workers, passes · places], a pass being one over all samples.
    """

    index: Tensor
    targets: Tensor
    count: Tensor
    labelled: Tensor | None
    order: Tensor | None = None


class Trained(NamedTuple):
    """Local problems of some workers in one round of a run; local losses f_n are means over the samples of a worker n.

    Arguments:
        learner: ``Learner``, which has the network, the optimiser and the mini-batches.
        shared: ``Shared`` data of all workers: features, test samples, initial model, learning rate, seed of the order.
        own: indices of these workers' samples, their targets, and the number of each worker's samples.
        iteration: number of the round, whose mini-batches are its own. Scalar.
        epochs: passes of each worker over its samples; None: steps are counted. Shape [workers].
    """

    learner: Learner
    shared: Shared
    own: Own
    iteration: Tensor
    epochs: Tensor | None

    @property
    def start(self) -> Tensor:
        return self.shared.start

    @property
    def unordered(self) -> Samples:
        """Samples of the workers, without an order in which training reads them.

        They are features of all samples [1, samples, ...], indices and targets [workers, places] (places are slots for
        samples of a worker), and numbers of samples [workers].
        """
        masks = self.shared.masks
        masks = None if masks is None else tf.stack([masks, tf.cast(self.iteration, masks.dtype)])[None]
        return Samples(self.shared.features, *self.own[:3], None, self.shared.base, masks)

    @property
    def samples(self) -> Samples:
        """Samples of the workers, with the order in which the round reads them.

        They are features of all samples [1, samples, ...], indices and targets [workers, places] (places are slots for
        samples of a worker), numbers of samples [workers], and the order [workers, passes · places].
        """
        return self.unordered._replace(order=self.order if self.own.order is None else self.own.order)

    @property
    def order(self) -> Tensor:
        """Order in which the round reads samples, random permutations of each worker's samples for its passes.

        Shape [workers, passes · places], int32; places are slots for samples of a worker.
        """
        own, passes = self.own, self.learner.passes
        return batches.order(self.shared.key, self.iteration, own.count, passes, own.index.shape[1])

    def gradient(self, theta: Tensor) -> Gradient:
        """Return gradients ∇f_n(θ_n) of local losses over all samples of each worker n."""
        return _with_runs(Gradient, self.learner.gradient(self.unordered, theta[..., 0]))

    def sampled_gradient(self, theta: Tensor) -> Gradient:
        """Return gradients ∇f_n(θ_n) of local losses on one mini-batch of each worker n."""
        return _with_runs(Gradient, self.learner.sampled_gradient(self.samples, theta[..., 0]))

    def penalise(self, weight: Tensor) -> None:
        """Return None, as training prepares nothing for penalties."""

    def solve(
        self,
        start: Tensor,
        dual: Tensor | None = None,
        weight: Tensor | None = None,
        anchor: Tensor | None = None,
        accuracy: Accuracy | None = None,
        penalised: None = None,
    ) -> Minimiser:
        """Train for some epochs or steps on f_n(θ) + ⟨μ_n, θ⟩ + ½ Σ_i w_{n,i}(θ_i − Θ_i)² for each worker n.

        The local loss f_n is a mean over the worker's samples.
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
