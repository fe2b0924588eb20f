"""Training of the initial model at the server, before the first round, on samples that no worker has."""

import dataclasses

import numpy as np
import tensorflow as tf

from otafl.data import samples, shares
from otafl.numerics import seeds
from otafl.numerics.optimizers import Adam
from otafl.settings.keys import Settings
from otafl.training import batches
from otafl.training.learner import Learner
from otafl.training.local import Samples, Work
from otafl.training.networks import Network

BATCH_SIZE, RATE = 32, 0.001
"""Samples in a mini-batch of pre-training, and its learning rate."""


def pretrained(
    learner: Learner, network: Network, start: np.ndarray, data: samples.Samples, settings: Settings, seed: int
) -> np.ndarray:
    """Return the weights of a whole network after training on the server's samples with Adam. Shape [weights]."""
    chosen = shares.at_server(settings, seed, len(data.targets))
    count = tf.constant([len(chosen)])
    epochs = settings.problem.pretraining_epochs
    size = min(BATCH_SIZE, len(chosen))
    at_server = dataclasses.replace(
        learner, network=network, optimizer=Adam(), batch_size=size, steps=0, chunk=1, parts=1, passes=epochs
    )
    key = tf.constant(seeds.number(seed, "pretraining"), tf.int64)
    read = Samples(
        tf.constant(data.features[chosen][None]),
        tf.range(len(chosen))[None],
        tf.constant(data.targets[chosen][None]),
        count,
        batches.order(key, tf.constant(0), count, epochs, len(chosen)),
        masks=tf.stack([key, tf.constant(-1, tf.int64)])[None] if network.draws else None,
    )
    done = at_server.train(read, tf.constant(start[None]), None, tf.constant([RATE]), Work(tf.constant([epochs])))
    return done.theta.numpy()[0]
