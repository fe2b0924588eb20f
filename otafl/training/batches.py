"""Mini-batches: every worker reads its samples in random order, shuffled for every pass over them."""

import tensorflow as tf

from otafl.numerics.tensors import Counts, Scalar, Slots, Tensor
from otafl.training.local import Samples


def order(key: Scalar, iteration: Scalar, count: Counts, passes: int, places: int) -> Tensor:
    """Return the order in which workers read own samples: a permutation a pass. [workers, passes · places], int32."""
    # Sample slots are put in the order of random integers, which are the same in every kind of program.
    seed = tf.stack([key, tf.cast(iteration, key.dtype)])
    shape = count.shape[0], passes, places
    whole_range: Tensor = None
    marks = tf.random.stateless_uniform(shape, seed, whole_range, whole_range, tf.int32, alg="philox")
    absent = (tf.range(places) >= count[:, None])[:, None]
    shuffled = tf.argsort(tf.where(absent, tf.int32.max, marks), axis=-1, stable=True)
    place = tf.range(passes * places)
    turn = tf.minimum(place // count[:, None], passes - 1)
    flat = turn * places + place % count[:, None]
    return tf.gather(tf.reshape(shuffled, [shape[0], -1]), flat, batch_dims=1)


def at(samples: Samples, step: Scalar, size: int) -> tuple[Tensor, Tensor]:
    """Return features and targets of the mini-batch of a step, counted from 0. Shape [workers, size, ...] each."""
    return rows(samples, tf.slice(samples.order, [0, step * size], [samples.index.shape[0], size]))


def of_epoch(samples: Samples, epoch: Scalar, k: Scalar, size: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return features, targets and shares in the mean of a pass's k-th mini-batch, 0 beyond the last sample."""
    count = samples.count[:, None]
    place = k * size + tf.range(size)
    inside = tf.cast(place < count, tf.float32)
    index = tf.gather(samples.order, epoch * count + tf.minimum(place, count - 1), batch_dims=1)
    share = tf.math.divide_no_nan(inside, tf.reduce_sum(inside, axis=1, keepdims=True))
    features, targets = rows(samples, index)
    return features, targets, share


def rows(samples: Samples, place: Slots) -> tuple[Tensor, Tensor]:
    """Return features and targets at some places among each worker's own samples, [workers, some, ...] each."""
    index = tf.gather(samples.index, place, batch_dims=1)
    return tf.gather(samples.features[0], index), tf.gather(samples.targets, place, batch_dims=1)
