"""Mini-batches: every worker reads its samples in random order, shuffled for every pass over them."""

from typing import Any

import tensorflow as tf

from otafl.numerics.tensors import Tensor
from otafl.training.local import Samples


def order(key: Tensor, iteration: Tensor, count: Tensor, passes: int, places: int) -> Tensor:
    """Return the order in which workers read their samples in a round: random permutations, one after the other.

    Places are slots for samples of a worker, as many as the largest number of samples. They are put in the order of
    random integers, which are the same in every kind of program.

    Arguments:
        key: seed of the run's stream. Scalar, int64.
        iteration: number of the round. Scalar.
        count: number of samples of each worker. Shape [workers].
        passes: number of permutations for each worker, one for each pass over its samples.
        places: number of sample slots of a worker.

    Returns:
        Indices of samples among the worker's own, from 0. Shape [workers, passes · places], int32.
    """
    seed = tf.stack([key, tf.cast(iteration, key.dtype)])
    shape = count.shape[0], passes, places
    integers: Any = None  # of the whole range
    marks = tf.random.stateless_uniform(shape, seed, integers, integers, tf.int32, alg="philox")
    absent = (tf.range(places) >= count[:, None])[:, None]
    shuffled = tf.argsort(tf.where(absent, tf.int32.max, marks), axis=-1, stable=True)
    place = tf.range(passes * places)
    turn = tf.minimum(place // count[:, None], passes - 1)
    flat = turn * places + place % count[:, None]
    return tf.gather(tf.reshape(shuffled, [shape[0], -1]), flat, batch_dims=1)


def at(samples: Samples, step: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """Return features and targets of a step's mini-batch, for n workers.

    Arguments:
        samples: samples of the workers, with an order in which they are read.
        step: number of the step, from 0. Scalar.
        size: number of samples in a mini-batch.

    Returns:
        Features and targets. Shape [n, size, ...] each.
    """
    return rows(samples, tf.slice(samples.order, [0, step * size], [samples.index.shape[0], size]))


def of_epoch(samples: Samples, epoch: Tensor, k: Tensor, size: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the k-th mini-batch of a pass of n workers over their samples; the last one holds what is left.

    Arguments:
        samples: samples of the workers, with an order in which they are read.
        epoch: number of the pass, from 0. Scalar.
        k: number of the mini-batch in it, from 0. Scalar.
        size: number of samples in a mini-batch.

    Returns:
        Features [n, size, ...], targets [n, size, ...], and the share of each sample in the mean, [n, size]. A share is
        0 beyond the worker's last sample, and those of a mini-batch add up to 1, or to 0 without any sample.
    """
    count = samples.count[:, None]
    place = k * size + tf.range(size)
    inside = tf.cast(place < count, tf.float32)
    index = tf.gather(samples.order, epoch * count + tf.minimum(place, count - 1), batch_dims=1)
    share = tf.math.divide_no_nan(inside, tf.reduce_sum(inside, axis=1, keepdims=True))
    return *rows(samples, index), share


def rows(samples: Samples, place: Tensor) -> tuple[Tensor, Tensor]:
    """Return features and targets of some of each worker's samples.

    Arguments:
        samples: samples of n workers.
        place: indices of the samples among the worker's own, from 0. Shape [n, some].

    Returns:
        Features and targets. Shape [n, some, ...] each.
    """
    index = tf.gather(samples.index, place, batch_dims=1)
    return tf.gather(samples.features[0], index), tf.gather(samples.targets, place, batch_dims=1)
