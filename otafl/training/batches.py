"""Mini-batches: every worker reads its samples in random order, shuffled anew for every pass over them."""

import tensorflow as tf

from otafl.arrays import Tensor
from otafl.training.local import Samples
from otafl.training.loops import rows_from


def passes(batch_size: int, steps: int, fewest: int) -> int:
    """How often the worker with the fewest samples passes over them in a round."""
    return -(-batch_size * steps // fewest)


def order(
    key: Tensor, iteration: Tensor, count: Tensor, shape: tuple[int, int, int], first: Tensor | int, length: int
) -> Tensor:
    """The order in which workers read their samples in a round: uniformly random permutations, one after the other.

    Arguments:
        key: of the run's stream. Scalar, int64.
        iteration: number of the round. Scalar.
        count: number of samples that each worker has. Shape [workers].
        shape: number of all workers, of passes, and of places for samples that a worker has.
        first: the first worker whose order is wanted.
        length: how many are wanted.

    Returns:
        Indices of samples, [length, passes · places].
    """
    seed = tf.stack([key, tf.cast(iteration, key.dtype)])
    marks = rows_from(tf.random.stateless_uniform(shape, seed, alg="philox"), first, length)
    count = rows_from(count, first, length)
    absent = tf.range(shape[2]) >= count[:, None]
    shuffled = tf.argsort(marks + tf.cast(absent, tf.float32)[:, None], axis=-1)
    place = tf.range(shape[1] * shape[2])
    turn = tf.minimum(place // count[:, None], shape[1] - 1)
    flat = turn * shape[2] + place % count[:, None]
    return tf.gather(tf.reshape(shuffled, [shuffled.shape[0], -1]), flat, batch_dims=1)


def at(samples: Samples, step: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """Features and targets of a step's mini-batch."""
    return rows(samples, tf.slice(samples.order, [0, step * size], [samples.index.shape[0], size]))


def of_epoch(samples: Samples, epoch: Tensor, k: Tensor, size: int) -> tuple[Tensor, Tensor, Tensor]:
    """Features, targets and shares of the k-th mini-batch of a pass; the last one holds what is left."""
    count = samples.count[:, None]
    place = k * size + tf.range(size)
    inside = tf.cast(place < count, tf.float32)
    index = tf.gather(samples.order, epoch * count + tf.minimum(place, count - 1), batch_dims=1)
    share = tf.math.divide_no_nan(inside, tf.reduce_sum(inside, axis=1, keepdims=True))
    return *rows(samples, index), share


def rows(samples: Samples, place: Tensor) -> tuple[Tensor, Tensor]:
    """Features and targets of some of each worker's samples, by their places [n, samples]."""
    index = tf.gather(samples.index, place, batch_dims=1)
    return tf.gather(samples.features[0], index), tf.gather(samples.targets, place, batch_dims=1)
