"""Tasks of training on mini-batches in one run: data dealt to workers, and the learner that trains on them."""

import dataclasses
import functools

import keras
import numpy as np
import tensorflow as tf

from otafl.algorithms import Method
from otafl.data import samples
from otafl.data import shares as dealing
from otafl.errors import OtaflError
from otafl.losses import ConvexLoss, loss_of
from otafl.numerics import seeds
from otafl.numerics.optimizers import OPTIMIZERS, Adam
from otafl.numerics.tensors import Tensor
from otafl.problems.classification import Classification, Tests, cross_entropy
from otafl.problems.reference_optimum import reference_optimum, require_usable
from otafl.problems.task import Task, data_demand, unscaled
from otafl.problems.trained import Own, Shared
from otafl.problems.trained_regression import Minimum, TrainedRegression, least_loss, sample_shares, squared_error
from otafl.settings.federation import Federation
from otafl.settings.keys import Settings
from otafl.settings.problem import Problem
from otafl.system.machine import cores
from otafl.system.memory import COPIES, Demand
from otafl.training import batches, model_check, start_file
from otafl.training.adapters import with_adapters
from otafl.training.learner import Learner
from otafl.training.local import Loss, Samples, Work
from otafl.training.networks import Network, named_network
from otafl.training.whole_model import LossOfModel, model_of_features

GPU_WEIGHTS = 500_000_000
"""Weights of workers trained at once on a GPU: with Adam's slots, gradients and the penalty about 20 GB."""
HELD = 3
"""Copies of training samples in memory: as read, put together by worker, and in the program."""
LEAST_RANGE = 0.1
"""Range of inputs below which a remark says that a model's own scaling has brought them close together."""
MOST_SHOWN = 5
"""Most labels that a remark lists."""


class Training(Task):
    """Data of a run that trains networks, or a linear model, dealt to workers, and the learner that trains on them.

    Samples lie in one array, and each worker has indices in it. Those to classify are put together by worker, so that
    all that a worker reads in random order stays in a core's cache.
    """

    dtype = np.float32
    learner: Learner

    def __init__(self, settings: Settings, method: Method, run_seeds: list[int]) -> None:
        (self.seed,) = run_seeds
        self.settings, self.method = settings, method
        self.classifies = settings.problem.kind == "classification"
        self.kind = Classification if self.classifies else TrainedRegression
        loaded = dealing.samples(settings, self.seed)
        self.samples = loaded if self.classifies else loaded.single
        self.shares = dealing.shares(settings, self.seed, loaded)
        self.counts = np.array([len(share) for share in self.shares], np.int32)
        self.places = int(self.counts.max())
        self.width = int(np.prod(self.samples.features.shape[1:]))
        self.together = np.concatenate(self.shares)
        self.first = np.cumsum(self.counts) - self.counts
        self.convex = loss_of(settings.problem)
        if self.convex:
            require_usable(settings.problem, self.convex, self.samples)
        self.full = self._network()
        rank, alpha = settings.problem.adapter_rank, settings.problem.adapter_alpha
        self.network = with_adapters(self.full, rank, alpha) if rank else self.full
        self.elements = self.network.elements
        path = settings.problem.start
        self.initial = start_file.weights(path, self.full) if path else None
        self.whole = bool(tf.config.list_physical_devices("GPU"))
        self.learner = self._learner()
        self._check_even()
        equal = settings.federation.weights == "equal"
        self.weights = np.full(len(self.counts), 1 / len(self.counts)) if equal else self.counts / self.counts.sum()
        steps, size = self.learner.steps, self.learner.batch_size
        self.local_epochs = float(np.mean(steps * size / self.counts)) if steps else np.nan
        self.demands = self._demands()
        of_data = self._subset(), self._empty_classes(), self._scaled_again(), unscaled(settings, self.samples)
        remarks = self._repeats(), *of_data, method.remark(settings, self._most_steps())
        self.remark = "; ".join(filter(None, remarks))

    def _network(self) -> Network:
        if self.convex:
            return model_of_features(self.width, self.convex.call)
        model, outputs = (self.settings.problem.model, self.samples.classes) if self.classifies else ("linear", 1)
        return named_network(model, self.samples.features.shape[1:], outputs, self.settings.run.precision)

    @functools.cached_property
    def _symbols(self) -> bool:
        """True where features are numbers of symbols, which a model looks up and which are not scaled."""
        return model_check.looks_up(self.full, self.samples.features.shape[1:], self.samples.scale)

    def _learner(self) -> Learner:
        local, most = self.settings.local, int(self.counts.max())
        steps = local.steps or 0
        size = most if local.batch_size == "all" else min(local.batch_size, most) if local.epochs else local.batch_size
        renews = local.minibatch == "every_step"
        loss: Loss = cross_entropy if self.classifies else squared_error
        if self.convex:
            loss = LossOfModel(self.convex)
        whole_chunk = max(1, GPU_WEIGHTS // self.elements) if self.whole else 1
        scale, shift = (1.0 if self._symbols else self.samples.scale,), (0.0,)
        if self.settings.problem.standardise:
            mean, deviation = self.samples.moments
            scale = tuple((1 / deviation).tolist())
            shift = tuple((-mean / deviation).tolist())
        return Learner(
            network=self.network,
            loss=loss,
            optimizer=OPTIMIZERS[local.optimizer or "sgd"](local.momentum),
            scale=scale,
            shift=shift,
            batch_size=int(size),
            steps=steps,
            chunk=self.settings.run.worker_chunk or whole_chunk,
            parts=1 if self.whole else min(len(cores()), self.settings.participants),
            passes=local.epochs or -(-int(size) * (steps if renews else 1) // int(self.counts.min())),
            renews=renews,
            fuses=self.whole or not self.network.convolves,
        )

    def _check_even(self) -> None:
        """Refuse workers that make different numbers of steps where the method does not allow it."""
        steps = self._most_steps()
        if self.method.even and steps.min() < steps.max():
            rule = f"gives workers {steps.min()} to {steps.max()} steps, and {self.settings.method} needs equal numbers"
            raise OtaflError("local.epochs", self.settings.local.epochs, f"{rule}; give local.steps instead")

    def _demands(self) -> list[Demand]:
        """Return the memory of samples, of the order in which workers read them, and of a step's mini-batches."""
        size, active = self.learner.batch_size, self.settings.participants
        samples = self.samples.features.nbytes + self.samples.test_features.nbytes
        features = 4 * COPIES * self.learner.parts * min(self.learner.chunk, active) * size * self.width
        batch = f"mini-batches of {size:,} samples take {{size}} of memory"
        of_a_step = Demand("local.batch_size", size, features, batch)
        return [data_demand(self.settings, HELD * samples), self._order_demand(), of_a_step]

    def _order_demand(self) -> Demand:
        learner, active = self.learner, self.settings.participants
        steps, size = learner.steps or self.settings.local.epochs or 1, learner.batch_size
        counted = "steps" if learner.steps else "epochs"
        what = f"the order in which {active:,} workers read samples, {steps:,} {counted} of {size:,} each,"
        key, value = ("local.batch_size", size) if size > self.places else (f"local.{counted}", steps)
        return Demand(key, value, 4 * COPIES * active * learner.passes * self.places, f"{what} takes {{size}}")

    def steps(self, workers: np.ndarray, epochs: np.ndarray) -> np.ndarray:
        if self.learner.steps:
            return np.full(len(workers), self.learner.steps)
        return epochs * -(-self.counts[workers] // self.learner.batch_size)

    def _most_steps(self) -> np.ndarray:
        everybody = np.arange(len(self.counts))
        return self.steps(everybody, np.full(len(everybody), self.settings.local.epochs or 1))

    def _repeats(self) -> str:
        size, places = self.settings.local.batch_size, int(self.counts.min())
        if size == "all" or not self.learner.steps or size <= places:
            return ""
        rule = f"is more than the {places} samples of a worker, so that a batch repeats some of them"
        return f"local.batch_size = {size} {rule}"

    def _subset(self) -> str:
        data = self.samples
        counts = f"{len(data.targets):,} training and {len(data.test_targets):,} test samples"
        name = f"problem.dataset = {self.settings.problem.dataset!r}"
        return f"{name} is a subset of {counts}, {data.subset}" if data.subset else ""

    def _empty_classes(self) -> str:
        data = self.samples
        missing = np.setdiff1d(np.arange(data.classes), data.targets) if self.classifies else np.empty(0)
        if not len(missing):
            return ""
        shown = ", ".join(map(str, missing[:MOST_SHOWN])) + (", ..." if len(missing) > MOST_SHOWN else "")
        rule = f"{data.classes:,} classes, as labels count from 0, but no training sample has the label {shown}"
        return f"problem.dataset = {self.settings.problem.dataset!r} makes {rule}"

    def _scaled_again(self) -> str:
        """Return a remark on a model whose layer brings inputs, which are scaled already, close together."""
        least, most = self.samples.inputs(self.settings.problem.standardise, self._symbols)
        for layer in self.full.model._flatten_layers():
            factor = np.max(np.abs(layer.scale)) if isinstance(layer, keras.layers.Rescaling) else 1.0
            if (most - least) * factor < LEAST_RANGE <= most - least:
                inputs = f"scales inputs again, which reach from {least:g} to {most:g}, and learns little; leave it out"
                return f"problem.model = {self.settings.problem.model}: its layer {layer.name} {inputs}"
        return ""

    def shared(self, seed_index: np.ndarray) -> Shared:
        data, settings = self.samples, self.settings
        evaluation = Tests(data.test_features, data.test_targets) if self.classifies else self._minimum()
        start, base = self._start()
        return Shared(
            tf.constant((data.features[self.together] if self.classifies else data.features)[None]),
            type(evaluation)(*map(tf.constant, evaluation)),
            tf.constant(start[None, :, None]),
            tf.constant([settings.value("local.learning_rate")], tf.float32),
            tf.constant(seeds.number(self.seed, "batches"), tf.int64),
            base,
            tf.constant(seeds.number(self.seed, "masks"), tf.int64) if self.network.draws else None,
        )

    def _minimum(self) -> Minimum:
        """Return the minimum of the losses on all samples, kept for other runs, as many unknowns take a while."""
        data, problem, federation, convex = self.samples, self.settings.problem, self.settings.federation, self.convex
        minima = _minima(data.digest, problem, federation, self.seed, convex, convex.call if convex else 0)
        if minima:
            return minima[0]
        scales = np.ones(len(self.counts)) if federation.weights == "equal" else self.counts / self.counts.mean()
        if convex:
            value = np.asarray(reference_optimum(problem, convex, data, self.shares, scales)[1], np.float32)
            minima.append(Minimum(data.targets, sample_shares(data.features, self.shares, scales), value))
        else:
            minima.append(least_loss(data.features, data.targets, self.shares, scales))
        return minima[0]

    def _start(self) -> tuple[np.ndarray, Tensor | None]:
        """Return the initial model of d elements, [d], and the weights beneath adapters, [1, weights], or None."""
        whole = self.initial
        if whole is None:
            whole = self.full.initial(seeds.number(self.seed, "model"))
        if self.settings.problem.pretraining:
            whole = pretrained(self.learner, self.full, whole, self.samples, self.settings, self.seed)
        if self.network is self.full:
            return whole, None
        return self.network.initial(seeds.number(self.seed, "adapters")), tf.constant(whole[None])

    def keras_model(self, weights: np.ndarray, base: Tensor | None) -> keras.Model:
        """Return a Keras model of samples that are not scaled yet, from a model's d elements and frozen weights."""
        whole = self.network.merged(self.network.unflatten(tf.constant(weights)), base)
        scaling = keras.layers.Rescaling(self.learner.scale, self.learner.shift)  # pyright: ignore[reportArgumentType]
        return keras.Sequential([keras.Input(self.samples.features.shape[1:]), scaling, self.full.keras_model(whole)])

    def starts(self, seed: int) -> np.ndarray:
        drawn = seeds.generator(seed, "start").integers(2**31, size=(2, len(self.counts)))
        return np.stack([[self.network.initial(int(number)) for number in row] for row in drawn])

    def own(self, workers: np.ndarray) -> Own:
        position = self.first[workers, None] + np.arange(self.places) % self.counts[workers, None]
        index = self.together[position]
        labelled = None
        if self.method.unlabelled:
            known = np.array([[dealing.kept(self.settings, share)] for share in self.shares])
            labelled = tf.constant((np.arange(self.places) < known)[workers])
        targets = tf.constant(self.samples.targets[index])
        place = tf.constant((position if self.classifies else index).astype(np.int32))
        return Own(place, targets, tf.constant(self.counts[workers]), labelled)


@functools.lru_cache(maxsize=8)
def _minima(
    digest: str, problem: Problem, federation: Federation, seed: int, convex: ConvexLoss | None, call: int
) -> list[Minimum]:
    """Return a list that keeps the minimum on samples with a digest, without keeping the samples."""
    return []


BATCH_SIZE, RATE = 32, 0.001
"""Samples in a mini-batch of pre-training, and its learning rate."""


def pretrained(
    learner: Learner, network: Network, start: np.ndarray, data: samples.Samples, settings: Settings, seed: int
) -> np.ndarray:
    """Return the weights of a whole network after training on the server's samples with Adam. Shape [weights]."""
    chosen = dealing.at_server(settings, seed, len(data.targets))
    count = tf.constant([len(chosen)])
    epochs = settings.problem.pretraining_epochs
    size = min(BATCH_SIZE, len(chosen))
    work = {"batch_size": size, "steps": 0, "chunk": 1, "parts": 1, "passes": epochs}
    at_server = dataclasses.replace(learner, network=network, optimizer=Adam(), **work)
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
