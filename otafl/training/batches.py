"""Mini-batches: every worker reads its samples in random order, shuffled anew for every pass over them."""

import tensorflow as tf

from otafl.arrays import Tensor


def passes(batch_size: int, steps: int, fewest: int) -> int:
    """How often the worker with the fewest samples passes over them in a round."""
    return -(-batch_size * steps // fewest)


def order(key: Tensor, iteration: Tensor, count: Tensor, shape: tuple[int, int, int], workers: range) -> Tensor:
    """The order in which workers read their samples in a round: uniformly random permutations, one after the other.

    Arguments:
        key: of the run's stream. Scalar, int64.
        iteration: number of the round. Scalar.
        count: number of samples that each worker has. Shape [workers].
        shape: number of all workers, of passes, and of places for samples that a worker has.
        workers: the consecutive ones whose order is wanted.

    Returns:
        Indices of samples, [len(workers), passes · places].
    """
    seed = tf.stack([key, tf.cast(iteration, key.dtype)])
    marks = tf.random.stateless_uniform(shape, seed, alg="philox")[workers.start : workers.stop]
    count = count[workers.start : workers.stop]
    absent = tf.range(shape[2]) >= count[:, None]
    shuffled = tf.argsort(marks + tf.cast(absent, marks.dtype)[:, None], axis=-1)
    place = tf.range(shape[1] * shape[2])
    turn = tf.minimum(place // count[:, None], shape[1] - 1)
    flat = turn * shape[2] + place % count[:, None]
    return tf.gather(tf.reshape(shuffled, [shuffled.shape[0], -1]), flat, batch_dims=1)
