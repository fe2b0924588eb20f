"""What a group of runs learns: its data dealt to workers, ready to be put into tensors."""

import functools
import os
from typing import Any

import numpy as np
import tensorflow as tf

from otafl import algorithms, partition, seeds
from otafl.datasets import images, regression, synthetic
from otafl.problems import linear_regression, trained_regression
from otafl.problems.classification import Classification, cross_entropy
from otafl.problems.linear_regression import LinearRegression
from otafl.problems.trained_regression import TrainedRegression, squared_error
from otafl.settings import Settings
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
    local_epochs = np.nan

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
        OtaflError: the data or the model cannot be had, or cannot be dealt to so many workers.
    """

    dtype = np.float32

    def __init__(self, settings: Settings, run_seeds: list[int]) -> None:
        (self.seed,) = run_seeds
        self.settings = settings
        data, local = self._images(), settings.local
        self.shares = self._shares()
        self.counts = np.array([len(share) for share in self.shares], np.int32)
        net = self._network()
        steps = 1 if algorithms.parse(settings.method)[0].one_batch else local.steps or 0
        size = min(local.batch_size, self.counts.max()) if local.epochs else local.batch_size
        self.elements = net.elements
        self.whole = bool(tf.config.list_physical_devices("GPU"))
        self.learner = Learner(
            net,
            squared_error if settings.problem.kind == "linear_regression" else cross_entropy,
            OPTIMIZERS[local.optimizer or "sgd"],
            data.scale,
            int(size),
            steps,
            settings.run.worker_chunk or self._chunk(),
            1 if self.whole else min(cores(), settings.participants),
            local.epochs or batches.passes(int(size), steps, int(self.counts.min())),
            self.whole or not net.convolves,
        )

    @property
    def local_epochs(self) -> float:
        """Passes over its samples that a worker makes in a round, on average, where that is the same in all rounds."""
        return float(np.mean(self.learner.steps * self.learner.batch_size / self.counts))

    def _shares(self) -> partition.Shares:
        """The training samples of each worker."""
        generator = seeds.generator(self.seed, "partition")
        data, federation = self._images(), self.settings.federation
        return list(data.shares) or partition.deal(data.labels, federation, generator)

    @property
    def remark(self) -> str:
        """What a user may not expect."""
        size, data, places = self.settings.local.batch_size, self._images(), int(self.counts.min())
        rule = f"is more than the {places} samples of a worker, some of which then stand in a batch more than once"
        repeats = size != "all" and self.learner.steps > 0 and size > places
        remarks = [f"local.batch_size = {size} {rule}"] if repeats else []
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
        count, index = self.counts, _table(self.shares)
        return (
            tf.constant(data.features[index]),
            tf.constant(data.labels[index]),
            tf.constant(count),
            tf.constant(data.test_features[None]),
            tf.constant(data.test_labels[None]),
            tf.constant(self._network().initial(seeds.number(seed, "model"))[None, :, None]),
            tf.constant([self.settings.local.learning_rate or np.nan], tf.float32),
            tf.constant(seeds.number(seed, "batches"), tf.int64),
            tf.constant(0),
        )

    def start(self, problem: tuple) -> Any:
        """The model that training starts from."""
        return Classification(self.learner, *problem).start


class Federated(Training):
    """Training of which some workers take part in a round: samples lie in one array, and workers have places in it.

    Raises:
        OtaflError: as ``Training`` does, and where what workers keep does not fit into memory.
    """

    def __init__(self, settings: Settings, run_seeds: list[int]) -> None:
        super().__init__(settings, run_seeds)
        self.kind = Classification if settings.problem.kind == "classification" else TrainedRegression
        self.index = _table(self.shares)
        self.targets = self._images().labels[self.index]
        self.labelled = self._labelled()

    def _images(self) -> images.Images:
        problem, workers = self.settings.problem, self.settings.federation.workers
        if problem.kind == "linear_regression":
            return _samples(problem, workers, self.seed)
        if problem.dataset == "synthetic":
            return _synthetic(problem, workers, self.seed)
        return images.load(problem.dataset)

    def _network(self) -> Network:
        problem, regression = self.settings.problem, self.settings.problem.kind == "linear_regression"
        name, outputs = ("linear", 1) if regression else (problem.model, images.CLASSES)
        return network(name, self._images().features.shape[1:], outputs, self.settings.run.precision)

    def _shares(self) -> partition.Shares:
        """The samples that workers use: all, or those with a label where the method has no use for others."""
        shares = super()._shares()
        if self.settings.federation.labelled == 1:
            return shares
        rng = seeds.generator(self.seed, "labels")
        shares = [rng.permutation(share) for share in shares]
        return shares if self.settings.method == "FedVRA-U" else [share[: self._kept(share)] for share in shares]

    def _kept(self, share: np.ndarray) -> int:
        """How many of a worker's samples have a label, the first ones."""
        return max(1, round(self.settings.federation.labelled * len(share)))

    def _labelled(self) -> np.ndarray | None:
        """Which places have a label that may be used, for the method that uses the others too."""
        if self.settings.method != "FedVRA-U":
            return None
        return np.arange(self.index.shape[1]) < np.array([[self._kept(share)] for share in self.shares])

    @property
    def weights(self) -> np.ndarray:
        """ω, the workers' weights in the objective, which add up to 1. Shape [workers]."""
        equal = self.settings.federation.weights == "equal"
        return np.full(len(self.counts), 1 / len(self.counts)) if equal else self.counts / self.counts.sum()

    def shared(self) -> dict[str, Any]:
        """What the problems of all rounds have in common, in tensors."""
        data = self._images()
        start = self._network().initial(seeds.number(self.seed, "model"))[None, :, None]
        features = tf.constant(data.features[None])
        exact = self.kind is TrainedRegression
        return {
            "features": features,
            "test_features": features if exact else tf.constant(data.test_features[None]),
            "test_labels": tf.constant(self._targets() if exact else data.test_labels[None]),
            "start": tf.constant(start),
            "rate": tf.constant([self.settings.local.learning_rate or np.nan], tf.float32),
            "key": tf.constant(seeds.number(self.seed, "batches"), tf.int64),
        }

    def _targets(self) -> np.ndarray:
        """Targets, shares and minimum as ``TrainedRegression`` has them."""
        data = self._images()
        shares, value = trained_regression.minimum(data.features, data.labels, self.shares)
        return np.stack([data.labels, shares, np.full_like(shares, value)], axis=-1)[None]

    def samples(self, workers: np.ndarray, epochs: np.ndarray, iteration: int) -> dict[str, Any]:
        """The problems of a round's participants, in tensors."""
        chosen = {
            "index": self.index[workers],
            "labels": self.targets[workers],
            "count": self.counts[workers],
            "iteration": np.int32(iteration),
        }
        chosen |= {"epochs": epochs} if self.settings.local.epochs else {}
        chosen |= {} if self.labelled is None else {"labelled": self.labelled[workers]}
        return {name: tf.constant(values) for name, values in chosen.items()}

    def steps(self, workers: np.ndarray, epochs: np.ndarray) -> np.ndarray:
        """Local steps of a round's participants."""
        if self.learner.steps:
            return np.full(len(workers), self.learner.steps)
        return epochs * -(-self.counts[workers] // self.learner.batch_size)


@functools.lru_cache(maxsize=1)
def _samples(problem: Any, workers: int, seed: int) -> images.Images:
    """Samples for regression, in single precision, in the form of images."""
    data = regression.load(problem, seed)
    features, target = data.features.astype(np.float32), data.target.astype(np.float32)
    return images.Images(features, target, features[:1], target[:1], scale=1.0)


_synthetic = functools.lru_cache(maxsize=1)(synthetic.load)


def _table(shares: partition.Shares) -> np.ndarray:
    """The workers' samples as rows of one length, short ones repeated. Shape [workers, places], int32."""
    places = max(map(len, shares))
    return np.stack([np.resize(share, places) for share in shares]).astype(np.int32)


def task(settings: Settings, run_seeds: list[int]) -> Any:
    """The task of a method on a scenario's kind of problem."""
    if algorithms.parse(settings.method)[0].federated:
        return Federated(settings, run_seeds)
    return (Training if settings.problem.kind == "classification" else Regression)(settings, run_seeds)


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
