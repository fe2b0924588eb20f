"""Groups of runs that are computed side by side, as they differ in numbers alone."""

import functools
import math

import numpy as np
import tensorflow as tf

from otafl import algorithms, uplinks
from otafl.algorithms.method import named_tuple
from otafl.channels.effective_channel import BlockChannels
from otafl.engine.channel_process import ChannelProcess
from otafl.engine.checkpoint import Leaves
from otafl.engine.computation import Computation
from otafl.engine.iteration import Fields, ProgramSpec
from otafl.engine.realisations import Which
from otafl.engine.run_spec import RunSpec
from otafl.federation.hostile_workers import Alteration, alteration_of
from otafl.losses import loss_of
from otafl.metrics import registry
from otafl.numerics import seeds
from otafl.problems.exact_regression import Exact, ExactConvex
from otafl.problems.task import Task
from otafl.scenario import user_classes
from otafl.settings.keys import common
from otafl.user_code import modules

WHOLE = 16 * 2**30
"""Largest memory in bytes of a round that one program computes with all participants."""
PART = 2**25
"""Numbers in an array of the models of a part's workers: 128 MiB in single precision."""


class Group:
    """Runs of one method on problems of one shape, computed side by side, with their data and channels.

    Attributes: ``settings`` that all runs have in common, without a value of keys in which they differ; their
    ``method``; the ``seeds`` of all runs, ascending, without repetition; ``seed_index``, the index in them of each
    run's seed, [runs]; the ``task``, data dealt to the workers; their ``computation``; the numbers of ``workers`` and
    of ``elements`` (d) of a model; the ``uplink``; the channels ``air``; and ``coherence``, the iterations of a
    coherence block (iterations with one channel), inf for one channel throughout.

    Arguments:
        columns: settings and seed of each run, all of one ``group_key``.
    """

    def __init__(self, columns: list[RunSpec]) -> None:
        self.columns = columns
        self.settings = common(column.settings for column in columns)
        self.method = algorithms.parse(self.settings.method)[0]
        self.seeds = sorted({column.seed for column in columns})
        self.seed_index = np.array([self.seeds.index(column.seed) for column in columns])
        self.task = self._task()
        self.computation = Computation(self.settings, self.task, [column.seed for column in columns])
        self.workers, self.elements = self.settings.federation.workers, self.task.elements
        self.uplink = uplinks.uplink_of(self.settings, self.method, self.elements)
        for settings in {column.settings.channel.snr_db: column.settings for column in columns}.values():
            self.uplink.check(settings)
        self.air = ChannelProcess(self.settings, self.seeds)
        self.air.require(self.uplink.most_subcarriers)
        self.coherence = self.air.coherence

    def _task(self) -> Task:
        if self.trains:
            from otafl.problems.training_task import Training  # here, as Keras takes long to import

            return Training(self.settings, self.method, self.seeds)
        convex = loss_of(self.settings.problem)
        return ExactConvex(self.settings, convex, self.seeds) if convex else Exact(self.settings, self.seeds)

    @property
    def most_uses(self) -> float:
        """Number of channel uses (symbols on subcarriers) after which a run ends; inf without a limit."""
        return self.settings.run.max_channel_uses or math.inf

    def finished(self, uses: np.ndarray) -> np.ndarray:
        """Return True for each run that has used up its channel uses, or has ended before. Shape [runs], boolean."""
        return ~(uses < self.most_uses)

    @property
    def trains(self) -> bool:
        """True where workers train on mini-batches, and do not solve their problems exactly."""
        return not self.method.solves_exactly

    @property
    def paced(self) -> bool:
        """True where the time at which a round begins depends on how long workers have trained in those before."""
        clocked = self.settings.channel.coherence_s is not None
        return clocked and self.trains and self.settings.local.compute_s == "by_clock"

    @property
    def uploads_alike(self) -> float:
        """Number of iterations whose uploads have one channel: those of a block, or 1 where each has its own pilots."""
        return 1.0 if self.air.by_upload else self.coherence

    @property
    def partial(self) -> bool:
        """True where workers may be left out of a round."""
        return self.settings.partial or self.loses

    @property
    def loses(self) -> bool:
        """True where cut uploads are lost, as the server hears each worker alone and checks what it receives."""
        return self.settings.federation.cut_chance > 0 and not self.uplink.superposes

    @property
    def resident(self) -> bool:
        """True where all workers' states stay in the program: all are trained, with the same numbers in each round."""
        rounds = self.partial or self.in_parts or self.method.is_scheduled(self.settings)
        return self.method.solves_exactly or not rounds

    @property
    def in_parts(self) -> bool:
        """True where participants are computed part by part, to save memory; by settings alone, as sums are rounded."""
        chain = self.uplink.chain
        if self.settings.uplink.downlink == "analog" or chain.receiver.by_worker or chain.power_control.edges > 1:
            return False
        if self.method.couples:
            return False
        return self.trains and self.settings.participants * self.round_bytes > WHOLE

    @property
    def state_bytes(self) -> int:
        """Size of the state of one worker in one run, such as model, dual and memory of its uploads [bytes]."""
        start = tf.zeros([1, self.elements, 1], self.task.dtype)
        _, client = self.method.init(start, self.options, self.parameters([0]))
        leaves = [*client, *self.form.memory(start)]
        return sum(leaf.dtype.size * leaf.shape.num_elements() for leaf in leaves)

    @property
    def round_bytes(self) -> int:
        """Memory of one participant of a round in a program [bytes]: its state twice, and copies of its model."""
        models = 2 if self.uplink.exact else 4
        return 2 * self.state_bytes + models * self.elements * np.dtype(self.task.dtype).itemsize

    @property
    def rows_bytes(self) -> int:
        """Memory for the states of all workers in rows on the host [bytes]; 0 where they stay in the program."""
        return 0 if self.resident else self.workers * self.state_bytes

    @property
    def program_bytes(self) -> int:
        """Memory for the workers in a program at a time [bytes]; where problems are solved exactly, for all runs."""
        if not self.trains:
            worker_bytes = self.state_bytes + self.task.equations_bytes
            return self.workers * (len(self.columns) * worker_bytes + self.round_bytes)
        active = self.settings.participants
        return self.round_bytes * (min(active, most_in_part(self.elements)) if self.in_parts else active)

    @property
    def options(self) -> Fields:
        """Values that shape the method's program, such as the numbers of workers, of their samples and of classes."""
        classes = self.task.learner.network.outputs if self.task.learner else 0
        return self.method.options(self.settings, self.task.places, classes)

    @property
    def form(self) -> ProgramSpec:
        task, carried = self.task, self.uplink.elements if self.uplink.elements != self.elements else None
        return ProgramSpec(
            method=self.method,
            options=self.options,
            uplink=type(self.uplink),
            chain=self.uplink.chain.form,
            kind=task.kind,
            learner=task.learner,
            flips=self.method.flips(self.settings),
            whole=task.whole,
            carried=carried,
            call=modules.studies if user_classes.all_modules([self.settings]) else 0,
            metrics=registry.named(self.settings.run.metrics),
        )

    def scattered(self, run: int, state: Leaves) -> Leaves:
        """Return a run's state with a random model and dual of each worker (Elgabli et al., algorithm 1)."""
        model, theta, mu, *others = state
        column = self.columns[run]
        models, duals = self.task.starts(column.seed).astype(theta.dtype)
        duals *= column.settings.algorithm.rho
        return [model, models.reshape(theta.shape), duals.reshape(mu.shape), *others]

    @property
    def alteration(self) -> Alteration | None:
        """Alteration of all uploads, as by attacks, with a number for the draws of each seed."""
        numbers = [seeds.number(seed, "attack") for seed in self.seeds]
        return alteration_of(self.settings, self.uplink.superposes, numbers, self.task.dtype)

    def parameters(self, where: list[int], iteration: int = 1) -> Fields:
        """Return the method's parameters of some runs in one iteration, such as ``rho``. Shape [len(where)] each."""
        of_runs = [self.method.parameters(self.columns[run].settings, iteration) for run in where]
        dtype = self.task.dtype
        return named_tuple(**{name: tf.constant([run[name] for run in of_runs], dtype) for name in of_runs[0]})

    def channels(self, blocks: list[int], workers: Which = slice(None), upload: int = 0) -> BlockChannels:
        """Return the channels of workers in coherence blocks, in one of the uploads of each."""
        air = self.air.of_upload(upload)
        count, runs = len(np.arange(self.workers)[workers]), len(blocks) * len(self.seeds)
        gains = air.each if self.uplink.exact else air.during
        channel = self.uplink.channel(functools.partial(gains, blocks, workers=workers), count, runs, self.task.dtype)
        # from [..., blocks · seeds] to [blocks, ..., seeds]
        parts = channel.each(lambda part: np.moveaxis(part.reshape(*part.shape[:-1], len(blocks), -1), -2, 0))
        return BlockChannels(*parts)


def most_in_part(elements: int) -> int:
    """Return the largest number of workers that are computed at once in a round that goes part by part, at least 1."""
    return max(1, PART // elements)
