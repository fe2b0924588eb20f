"""Accuracy of the global model on each worker's own training samples: its mean over workers, its worst tenth, and an
interval that holds the middle 80% of the workers.

T. Li, M. Sanjabi, A. Beirami, V. Smith, "Fair resource allocation in federated learning", report the mean and the worst
tenth, too. Training samples are read, as none is then taken away from training, and the learning curve stays as it is.
All workers count alike, whether they take part in a round or not.
"""

import functools
import math

from otafl.metrics.registry import metric
from otafl.metrics.round_record import RoundRecord
from otafl.numerics.tensors import PerRun, Tensor, tf

TENTHS = 10
"""Number of parts of the workers, of which one is the worst, one lies below the interval, and one above it."""
accuracy = functools.partial(metric, every="evaluation", rises=True, linear=True)
"""Decorator of a metric that is an accuracy, read with the test accuracy."""


@accuracy("worker_accuracy", long_name="Mean accuracy of workers")
def mean(record: RoundRecord) -> PerRun:
    """Return the mean over all workers of the share of own samples that are classified correctly."""
    return tf.reduce_mean(record.accuracies, axis=0)


@accuracy("worker_accuracy_worst", long_name="Accuracy of the worst tenth of workers")
def worst(record: RoundRecord) -> PerRun:
    """Return the mean accuracy of the worst tenth of the workers, whose number is rounded up."""
    ascending = tf.sort(record.accuracies, axis=0)
    return tf.reduce_mean(ascending[: -(-ascending.shape[0] // TENTHS)], axis=0)


@accuracy("worker_accuracy_low", long_name="Accuracy that 90% of workers exceed")
def low(record: RoundRecord) -> PerRun:
    """Return the 10% quantile over workers of the accuracy on own samples."""
    return quantile(record.accuracies, 1 / TENTHS)


@accuracy("worker_accuracy_high", long_name="Accuracy that 10% of workers exceed")
def high(record: RoundRecord) -> PerRun:
    """Return the 90% quantile over workers of the accuracy on own samples."""
    return quantile(record.accuracies, 1 - 1 / TENTHS)


def quantile(values: Tensor, share: float) -> PerRun:
    """Return a quantile over workers, interpolated linearly between order statistics as NumPy does.

    >>> quantile(tf.constant([[0.25], [0.5], [1.0]]), 0.75).numpy().tolist()
    [0.75]
    """
    ascending = tf.sort(values, axis=0)
    place = share * (values.shape[0] - 1)
    below, above = ascending[math.floor(place)], ascending[math.ceil(place)]
    return below + (place - math.floor(place)) * (above - below)
