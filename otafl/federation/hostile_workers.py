"""Alterations of updates before they are uploaded: attacks of Byzantine workers, and bounds on the norms.

Attacks come before compression, precoding and power control, so that over the air all keep to their power budgets.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from otafl.numerics.tensors import PerRun, Scalar, Tensor, Vectors, WorkerScalars, tf

if TYPE_CHECKING:
    from otafl.settings.keys import Settings

ATTACKS: dict[str, Callable[[float], tuple[float, float]]] = {
    "sign_flip": lambda strength: (-strength, 0.0),
    "norm": lambda strength: (strength, 0.0),
    "gaussian": lambda strength: (0.0, strength),
}
"""Factor on an attacker's own update, and standard deviation of the normal elements that it adds, by attack."""


class Alteration(NamedTuple):
    """Changes of workers' updates before upload: a factor, added normal elements of a spread, and a bound on the norm.

    Honest workers have a factor of 1 and a spread of 0. A bound of inf is none. None: no worker has a spread, or bound.
    """

    factor: WorkerScalars
    spread: WorkerScalars | None
    bound: WorkerScalars | None
    seed: PerRun

    def of(self, workers: Tensor | slice) -> "Alteration":
        """Return the alterations of some workers, given by their indices from 0 or a slice."""
        factor, spread, bound = (None if part is None else part[workers] for part in self[:3])
        return Alteration(factor, spread, bound, self.seed)


def alteration_of(
    settings: "Settings", superposes: bool, seeds: list[int], dtype: type[np.floating]
) -> Alteration | None:
    """Return the alterations of all workers; None where all are honest and nothing bounds their updates."""
    count = round(settings.federation.hostile * settings.federation.workers)  # the first ones are Byzantine
    clip = settings.uplink.clip_norm
    if not count and clip is None:
        return None
    attacks = np.arange(settings.federation.workers)[:, None, None] < count
    factor, spread = ATTACKS[settings.federation.attack](settings.federation.attack_strength)
    bound = None if clip is None else np.where(attacks & superposes, np.inf, clip).astype(dtype)
    added = np.where(attacks, spread, 0.0).astype(dtype) if count and spread else None
    return Alteration(np.where(attacks, factor, 1.0).astype(dtype), added, bound, np.array(seeds, np.int32))


def altered(update: Vectors, weight: WorkerScalars, alteration: Alteration | None, number: Scalar) -> Vectors:
    """Return the weighted updates ω_n Δ_n that workers upload in a round, after attacks and bounds."""
    if alteration is None:
        return update
    update = alteration.factor * update
    if alteration.spread is not None:
        update += alteration.spread * weight * normal(alteration.seed, number, update)
    if alteration.bound is None:
        return update
    length = tf.sqrt(tf.reduce_sum(tf.square(update), axis=1, keepdims=True))
    return update * tf.minimum(tf.math.divide_no_nan(alteration.bound * weight, length), tf.ones_like(length))


def normal(seeds: PerRun, number: Scalar, like: Vectors) -> Vectors:
    """Return samples N(0, 1) of shape and type of ``like``, each run's from its seed and the number of the round."""
    pairs = [tf.stack([seed, tf.cast(number, tf.int32)]) for seed in tf.unstack(tf.cast(seeds, tf.int32))]
    drawn = [tf.random.stateless_normal(like.shape[:2], pair, dtype=like.dtype, alg="philox") for pair in pairs]
    return tf.stack(drawn, axis=-1)
