"""Base of problems that are trained on mini-batches in float32, with a last axis of one run."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import tensorflow as tf

from otafl.algorithms.local_problem import Accuracy, Gradient, Minimiser
from otafl.numerics.tensors import Counts, GlobalModel, Models, ModelsOrOne, PerRun, Scalar, Slots, Tensor
from otafl.training import batches
from otafl.training.learner import Learner
from otafl.training.local import Penalty, Samples, Work

Kind = TypeVar("Kind")


class Shared(NamedTuple):
    """Data that all workers have in common, of one run.

    Arguments:
        features: values of all training samples, before they are scaled. Shape [1, samples, ...].
        evaluation: ``Tests``, the test samples of a classification, or ``Minimum``, the least loss of a regression.
        rate: learning rate η of the local optimiser.
        key: seed of the order in which samples are read, int64.
        base: frozen weights beneath adapters; None: the whole model is trained. Shape [1, weights].
        masks: seed for layers that draw random numbers, such as dropout, int64; None: there are none.
    """

    features: Tensor
    evaluation: tuple[Tensor, ...]
    start: GlobalModel
    rate: PerRun
    key: Scalar
    base: Tensor | None = None
    masks: Scalar | None = None


class Own(NamedTuple):
    """Data that belong to some workers, of one run. Workers with fewer samples than slots repeat some.

    Arguments:
        index: indices of a worker's samples along the second axis of ``Shared.features``, int32.
        targets: labels or real targets of these samples, or probabilities of classes, [workers, slots, classes].
        labelled: True where a label may be used; None: everywhere.
        order: result of ``batches.order``, where it is drawn for more workers than these; None: it is drawn for them.
    """

    index: Slots
    targets: Slots
    count: Counts
    labelled: Slots
    order: Tensor | None = None


class Trained(NamedTuple):
    """Local problems of a round, f_n means over a worker's samples; epochs of workers, or None: steps are counted."""

    learner: Learner
    shared: Shared
    own: Own
    iteration: Scalar
    epochs: Counts | None

    @property
    def start(self) -> GlobalModel:
        return self.shared.start

    @property
    def unordered(self) -> Samples:
        """Samples of the workers, without an order in which training reads them."""
        masks, own = self.shared.masks, self.own
        masks = None if masks is None else tf.stack([masks, tf.cast(self.iteration, masks.dtype)])[None]
        return Samples(self.shared.features, own.index, own.targets, own.count, None, self.shared.base, masks)

    @property
    def samples(self) -> Samples:
        """Samples of the workers, with the order in which the round reads them."""
        return self.unordered._replace(order=self.order if self.own.order is None else self.own.order)

    @property
    def order(self) -> Tensor:
        """Order in which the round reads samples, by ``batches.order``."""
        own, passes = self.own, self.learner.passes
        return batches.order(self.shared.key, self.iteration, own.count, passes, own.index.shape[1])

    def gradient(self, theta: ModelsOrOne) -> Gradient:
        return _with_runs(Gradient, self.learner.gradient(self.unordered, theta[..., 0]))

    def sampled_gradient(self, theta: ModelsOrOne) -> Gradient:
        return _with_runs(Gradient, self.learner.sampled_gradient(self.samples, theta[..., 0]))

    def penalise(self, weight: Models) -> None:
        return None

    def solve(self, start, dual=None, weight=None, anchor=None, accuracy=None, penalised=None) -> Minimiser:
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


def _with_runs(kind: Callable[..., Kind], done: tuple[Tensor, ...]) -> Kind:
    """Return results of the learner with an axis for the run."""
    return kind(*(result[..., None] for result in done))
