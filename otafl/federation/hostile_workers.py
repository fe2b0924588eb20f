"""Conduct of workers in uploads: attacks of hostile ones, and bounds on the norms of updates.

An attack is made before compression, precoding and power control. So a hostile worker over the air keeps to its power
budget as all others do.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from otafl.numerics.tensors import Tensor, tf

ATTACKS: dict[str, Callable[[float], tuple[float, float]]] = {
    "sign_flip": lambda strength: (-strength, 0.0),
    "norm": lambda strength: (strength, 0.0),
    "gaussian": lambda strength: (0.0, strength),
}
"""Factor on an attacker's own update, and standard deviation of the normal elements that it adds, by attack."""


class Conduct(NamedTuple):
    """Numbers of what workers make of their updates before they upload them.

    Arguments:
        factor: factor on a worker's update, 1 for honest ones, no unit. Shape [workers, 1, 1].
        spread: standard deviation of added normal elements, in the unit of an update; 0 for honest workers. None: no
            worker adds any. Shape [workers, 1, 1].
        bound: largest 2-norm of an update, inf for workers whom nothing binds; None: there is none. Shape [workers, 1,
            1].
        seed: whole number from 0 for the normal elements of each run. Shape [runs].
    """

    factor: Any
    spread: Any
    bound: Any
    seed: Any

    def of(self, workers: Any) -> "Conduct":
        """Return the conduct of some workers.

        Arguments:
            workers: indices of the workers, from 0, or a slice.
        """
        factor, spread, bound = (None if part is None else part[workers] for part in self[:3])
        return Conduct(factor, spread, bound, self.seed)


def hostile(settings: Any) -> int:
    """Return the number of hostile workers, a share of all; they are the first ones.

    Arguments:
        settings: the run's ``Settings``, of which ``federation.hostile`` and ``workers`` are read.
    """
    return round(settings.federation.hostile * settings.federation.workers)


def conduct(settings: Any, superposes: bool, seeds: list[int], dtype: Any) -> Conduct | None:
    """Return the conduct of all workers; None where all are honest and nothing bounds their updates.

    Honest workers clip their own updates. Hostile ones do not, and a server that hears them alone clips theirs.

    Arguments:
        settings: the run's ``Settings``, of which the tables federation and uplink are read.
        superposes: True where workers' signals add up over the air, so that the server cannot clip a single one.
        seeds: a whole number for the draws of each run.
        dtype: real NumPy type of the arrays.
    """
    count, clip = hostile(settings), settings.uplink.clip_norm
    if not count and clip is None:
        return None
    attacks = np.arange(settings.federation.workers)[:, None, None] < count
    factor, spread = ATTACKS[settings.federation.attack](settings.federation.attack_strength)
    bound = None if clip is None else np.where(attacks & superposes, np.inf, clip).astype(dtype)
    added = np.where(attacks, spread, 0.0).astype(dtype) if count and spread else None
    return Conduct(np.where(attacks, factor, 1.0).astype(dtype), added, bound, np.array(seeds, np.int32))


def conducted(update: Tensor, weight: Tensor, own: Conduct, number: Tensor) -> Tensor:
    """Return the weighted updates that workers upload, after attacks and bounds. Shape [workers, d, runs].

    Arguments:
        update: weighted updates ω_n Δ_n of the workers, d elements each. Shape [workers, d, runs].
        weight: weights ω_n of the workers. Shape [workers, 1, 1].
        own: conduct of the workers.
        number: number of the round, from 0, on which the draws depend. Scalar.
    """
    update = own.factor * update
    if own.spread is not None:
        update += own.spread * weight * normal(own.seed, number, update)
    if own.bound is None:
        return update
    length = tf.sqrt(tf.reduce_sum(tf.square(update), axis=1, keepdims=True))
    return update * tf.minimum(tf.math.divide_no_nan(own.bound * weight, length), tf.ones_like(length))


def normal(seed: Tensor, number: Tensor, like: Tensor) -> Tensor:
    """Return samples N(0, 1), each run's from a seed of its own and the number of the round. Shape [workers, d, runs].

    Arguments:
        seed: whole number of each run. Shape [runs].
        number: number of the round, from 0. Scalar.
        like: tensor whose shape [workers, d, runs] and type the samples have.
    """
    seeds = [tf.stack([one, tf.cast(number, tf.int32)]) for one in tf.unstack(tf.cast(seed, tf.int32))]
    drawn = [tf.random.stateless_normal(like.shape[:2], one, dtype=like.dtype, alg="philox") for one in seeds]
    return tf.stack(drawn, axis=-1)
