"""What a group of runs learns: its data dealt to workers, ready to be put into tensors."""

import functools
import os
from typing import Any

import numpy as np
import tensorflow as tf

from otafl import algorithms, seeds
from otafl.algorithms.federated import Options
from otafl.data import images, partition, regression, shares
from otafl.engine import memory
from otafl.errors import OtaflError
from otafl.problems import linear_regression, trained_regression
from otafl.problems.classification import Classification, cross_entropy
from otafl.problems.linear_regression import LinearRegression
from otafl.problems.trained_regression import TrainedRegression, squared_error
from otafl.scenario.keys import Federation, Problem, Settings
from otafl.training import batches
from otafl.training.learner import Learner
from otafl.training.networks import Network, network
from otafl.training.optimizers import OPTIMIZERS

WORTH_SAYING = 2**28
"""Bytes from which on a run says beforehand what it will need."""
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
        self.shares = shares.shares(settings, self.seed)
        self.counts = np.array([len(share) for share in self.shares], np.int32)
        net = self._network()
        steps = 1 if algorithms.parse(settings.method)[0].one_batch else local.steps or 0
        most = self.counts.max()
        size = most if local.batch_size == "all" else min(local.batch_size, most) if local.epochs else local.batch_size
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
        return shares.data(self.settings, self.seed)

    def _network(self) -> Network:
        problem, precision = self.settings.problem, self.settings.run.precision
        name, outputs = ("linear", 1) if problem.kind == "linear_regression" else (problem.model, images.CLASSES)
        return network(name, self._images().features.shape[1:], outputs, precision)

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
        self.method = algorithms.parse(settings.method)[0]
        self.kind = Classification if settings.problem.kind == "classification" else TrainedRegression
        self._check_even()
        self.index = _table(self.shares)
        self.targets = self._images().labels[self.index]
        self.labelled = self._labelled()

    def _check_even(self) -> None:
        """Refuse workers that make different numbers of steps where the method does not allow it."""
        workers = np.arange(len(self.counts))
        steps = self.steps(workers, np.full(len(workers), self.settings.local.epochs or 1))
        if self.method.even and steps.min() < steps.max():
            rule = f"gives workers {steps.min()} to {steps.max()} steps, and {self.settings.method} needs the same of "
            raise OtaflError("local.epochs", self.settings.local.epochs, rule + "all, so give local.steps instead")

    def _labelled(self) -> np.ndarray | None:
        """Which places have a label that may be used, for a method that uses the others too."""
        if not self.method.unlabelled:
            return None
        return np.arange(self.index.shape[1]) < np.array([[shares.kept(self.settings, share)] for share in self.shares])

    @property
    def options(self) -> Options:
        """What shapes the method's program."""
        algorithm, workers = self.settings.algorithm, self.settings.federation.workers
        start, places = self.settings.local.warm_start or "local", self.index.shape[1]
        fixed = (algorithm.regulariser, start, algorithm.residual_at, algorithm.pseudo_steps)
        return Options(workers, *fixed, (places, images.CLASSES))

    @property
    def needed_bytes(self) -> int:
        """Memory for what all workers keep, and for a round: as measured, four times what its participants keep, and
        as many vectors as they upload and one."""
        start = tf.zeros([1, self.elements, 1])
        _, client = self.method.load().init(start, self.options, tf.ones([1]))
        kept = sum(leaf.dtype.size * leaf.shape.num_elements() for leaf in client)
        participant = 4 * kept + (self.method.vectors + 1) * self.elements * start.dtype.size
        return self.settings.federation.workers * kept + self.settings.participants * participant

    @property
    def remark(self) -> str:
        """What a user may not expect, among it the memory that is needed."""
        return "; ".join(filter(None, (super().remark, self._memory_remark(), self._step_remark())))

    def _memory_remark(self) -> str:
        needed, has = self.needed_bytes, memory.available()
        workers, method = self.settings.federation.workers, self.settings.method
        need = f"{method} with {workers:,} workers, {self.settings.participants:,} of them in a round, takes "
        need += f"{needed / memory.GIB:.2f} GiB of memory for their models and duals"
        if needed > has:
            rule = f"{need}, and this machine has {has / memory.GIB:.2f} GiB left"
            raise OtaflError("federation.workers", workers, rule)
        return need if needed >= WORTH_SAYING else ""

    def _step_remark(self) -> str:
        """Where FedVRA's steps are beyond remark 1 of its paper, (a + d)·ηγQ̃ ≤ 1, Q̃ = Σ_t (1 − ηγ)^t over Q steps."""
        algorithm, local = self.settings.algorithm, self.settings.local
        if not self.settings.method.startswith("FedVRA"):
            return ""
        step, federation = algorithm.aggregation_step, self.settings.federation
        d = federation.workers / self.settings.participants if isinstance(step, str) else step
        shrinks = 1 - (local.learning_rate or 0) * algorithm.rho
        most = self.steps(np.arange(federation.workers), np.full(federation.workers, local.epochs or 1)).max()
        value = (algorithm.dual_step + d) * (1 - shrinks**most)
        if abs(shrinks) <= 1 and value <= 1:
            return ""
        return (
            f"algorithm.aggregation_step: (a + d)·ηγQ̃ = {value:.3g} with {self.settings.method}, whose paper advises 1"
        )

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
        targets = self._images().labels
        shares, value = _minimum(self.settings.problem, self.settings.federation, self.seed)
        return np.stack([targets, shares, np.full_like(shares, value)], axis=-1)[None]

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


@functools.lru_cache(maxsize=8)
def _minimum(problem: Problem, federation: Federation, seed: int) -> trained_regression.Minimum:
    """What all samples amount to, which takes a while where there are thousands of unknowns."""
    settings = Settings(problem=problem, federation=federation)
    data = shares.data(settings, seed)
    return trained_regression.minimum(data.features, data.labels, shares.shares(settings, seed))


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
