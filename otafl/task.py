"""What a group of runs learns: its data dealt to workers, ready to be put into tensors."""

import os
from typing import Any

import numpy as np
import tensorflow as tf

from otafl import algorithms, partition, seeds
from otafl.datasets import images, regression
from otafl.problems import linear_regression
from otafl.problems.classification import Classification, cross_entropy
from otafl.problems.linear_regression import LinearRegression
from otafl.scenario import Settings
from otafl.training import batches
from otafl.training.learner import Learner
from otafl.training.networks import Network, network
from otafl.training.optimizers import OPTIMIZERS

GPU_WEIGHTS = 500_000_000
"""Weights of workers trained at once on a GPU: with Adam's slots, gradients and the penalty about 20 GB."""


class Regression:
    """Linear regression of runs side by side.

    Raises:
        OtaflError: the data cannot be had, or there are fewer samples than workers.
    """

    learner = None
    whole = True
    remark = ""
    dtype = np.float64

    def __init__(self, settings: Settings, run_seeds: list[int]) -> None:
        self.stacked = linear_regression.stack([self._build(settings, seed) for seed in run_seeds])
        self.elements = self.stacked.linear.shape[1]

    def _build(self, settings: Settings, seed: int) -> LinearRegression:
        problem = settings.problem
        data = regression.load(problem, seed)
        shares = partition.iid(len(data.target), settings.federation.workers, seeds.generator(seed, "partition"))
        return linear_regression.build(data, shares, problem.loss_reduction)

    def problem(self, seed_index: np.ndarray) -> LinearRegression:
        """The problems of some columns, by the places of their seeds."""
        return LinearRegression(*(tf.constant(array[..., seed_index]) for array in self.stacked))

    def start(self, problem: LinearRegression) -> Any:
        """The model that training starts from."""
        return problem.start


class Training:
    """Training of networks in one run.

    Raises:
        OtaflError: the data or the model cannot be had, or there are fewer samples than workers.
    """

    dtype = np.float32

    def __init__(self, settings: Settings, run_seeds: list[int]) -> None:
        (self.seed,) = run_seeds
        self.settings = settings
        workers, local = settings.federation.workers, settings.local
        data = self._images()
        fewest = partition.fewest(len(data.labels), workers)
        net = self._network()
        steps = 1 if algorithms.parse(settings.method)[0].one_batch else local.steps
        self.elements = net.elements
        self.whole = bool(tf.config.list_physical_devices("GPU"))
        self.learner = Learner(
            net,
            cross_entropy,
            OPTIMIZERS[local.optimizer],
            data.scale,
            local.batch_size,
            steps,
            settings.run.worker_chunk or self._chunk(),
            1 if self.whole else min(cores(), workers),
            batches.passes(local.batch_size, steps, fewest),
        )

    @property
    def remark(self) -> str:
        """What a user may not expect."""
        size, data = self.settings.local.batch_size, self._images()
        places = len(data.labels) // self.settings.federation.workers
        rule = f"is more than the {places} samples of a worker, some of which then stand in a batch more than once"
        remarks = [f"local.batch_size = {size} {rule}"] if size > places else []
        counts = f"{len(data.labels):,} training and {len(data.test_labels):,} test samples"
        if data.subset:
            remarks.append(
                f"problem.dataset = {self.settings.problem.dataset!r} is a subset of {counts}, {data.subset}"
            )
        return "; ".join(remarks)

    def _images(self) -> images.Images:
        return images.load(self.settings.problem.dataset)

    def _network(self) -> Network:
        problem = self.settings.problem
        shape = self._images().features.shape[1:]
        return network(problem.model, shape, images.CLASSES, self.settings.run.precision)

    def _chunk(self) -> int:
        return max(1, GPU_WEIGHTS // self.elements) if self.whole else 1

    def problem(self, seed_index: np.ndarray) -> tuple:
        """What the run learns from, in tensors: ``Classification`` without its learner."""
        data, seed = self._images(), self.seed
        workers = self.settings.federation.workers
        shares = partition.iid(len(data.labels), workers, seeds.generator(seed, "partition"))
        count = np.array([len(share) for share in shares], np.int32)
        index = np.stack([np.resize(share, count.max()) for share in shares])
        return (
            tf.constant(data.features[index]),
            tf.constant(data.labels[index]),
            tf.constant(count),
            tf.constant(data.test_features[None]),
            tf.constant(data.test_labels[None]),
            tf.constant(self._network().initial(seeds.number(seed, "model"))[None, :, None]),
            tf.constant([self.settings.learning_rate], tf.float32),
            tf.constant(seeds.number(seed, "batches"), tf.int64),
            tf.constant(0),
        )

    def start(self, problem: tuple) -> Any:
        """The model that training starts from."""
        return Classification(self.learner, *problem).start


TASKS = {"linear_regression": Regression, "classification": Training}


def task(settings: Settings, run_seeds: list[int]) -> Any:
    """The task of a scenario's kind of problem."""
    return TASKS[settings.problem.kind](settings, run_seeds)


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
