"""Groups of runs that are computed side by side, as they differ in numbers alone."""

import math
from typing import Any

import numpy as np
import tensorflow as tf

from channels.effective_channel import Effective
from otafl import algorithms, uplinks
from otafl.algorithms.method import named_tuple
from otafl.engine.channel_process import ChannelProcess
from otafl.engine.checkpoint import Leaves
from otafl.engine.iteration import ProgramSpec
from otafl.engine.run_spec import RunSpec
from otafl.problems.task import task
from otafl.scenario import user_classes
from otafl.user_code import loaded

WHOLE = 16 * 2**30
"""Largest memory in bytes of a round that one program computes with all participants."""
PART = 2**25
"""Numbers in an array of the models of a part's workers: 128 MiB in single precision."""


class Group:
    """Runs of one method on problems of one shape, with data and channels.

    Arguments:
        columns: the runs, with one ``group_key``.

    Raises:
        OtaflError: data that cannot be loaded or dealt to the workers, a model that cannot be trained, or uploads that
            would not end.
    """

    def __init__(self, columns: list[RunSpec]) -> None:
        self.columns = columns
        self.settings = columns[0].settings
        self.method = algorithms.parse(self.settings.method)[0]
        self.seeds = sorted({column.seed for column in columns})
        self.seed_index = np.array([self.seeds.index(column.seed) for column in columns])
        self.task = task(self.settings, self.method, self.seeds)
        self.workers, self.elements = self.settings.federation.workers, self.task.elements
        carrier = uplinks.uplink(str(self.settings.uplink.kind))
        self.uplink = carrier(self.settings, self.method, carrier.carried(self.settings, self.elements))
        for settings in {column.settings.channel.snr_db: column.settings for column in columns}.values():
            self.uplink.check(settings)
        self.air = ChannelProcess(self.settings, self.seeds)
        self.air.require(self.uplink.most_subcarriers)
        self.coherence = self.air.coherence

    @property
    def most_uses(self) -> float:
        """Channel uses after which a run ends; inf without a limit."""
        return self.settings.run.max_channel_uses or math.inf

    def finished(self, uses: np.ndarray) -> np.ndarray:
        """Mark runs that have used up their channel uses. Shape [runs].

        Arguments:
            uses: so far; NaN after a run's end. Shape [runs].
        """
        return ~(uses < self.most_uses)

    @property
    def trains(self) -> bool:
        """True where workers train on mini-batches, and do not solve their problems exactly."""
        return not self.method.solves_exactly

    @property
    def in_epochs(self) -> bool:
        """True where workers train in epochs, and not for a number of steps."""
        return self.task.learner is not None and not self.task.learner.steps

    @property
    def partial(self) -> bool:
        """True where only some workers take part in a round."""
        return self.settings.participants < self.workers

    @property
    def resident(self) -> bool:
        """True where the state of all workers stays in the program.

        That is faster, unless idle workers would be trained for nothing. Parameters that change from round to round
        need the other executors.
        """
        rounds = self.partial or self.in_parts or self.method.is_scheduled(self.settings)
        return self.method.solves_exactly or not rounds

    @property
    def in_parts(self) -> bool:
        """True where a round takes its participants part by part, as all would take too much memory.

        Sums over workers then differ by rounding, so only a run's settings may decide it.
        """
        if self.settings.uplink.downlink == "analog":
            return False
        return self.trains and self.settings.participants * self.round_bytes > WHOLE

    @property
    def kept(self) -> int:
        """State of one worker of a run in bytes."""
        start = tf.zeros([1, self.elements, 1], self.task.dtype)
        _, client = self.method.init(start, self.options, self.parameters([0]))
        leaves = [*client, *self.form.memory(start)]
        return sum(leaf.dtype.size * leaf.shape.num_elements() for leaf in leaves)

    @property
    def round_bytes(self) -> int:
        """Memory of one participant in a program in bytes, as measured: its state before and after, its model twice
        while it is put together, and on a lossy uplink the channel and the transmitted signal."""
        models = 2 if self.uplink.exact else 4
        return 2 * self.kept + models * self.elements * np.dtype(self.task.dtype).itemsize

    @property
    def rows_bytes(self) -> int:
        """Memory in bytes for rows of all workers on the host; 0 where their state stays in the program."""
        return 0 if self.resident else self.workers * self.kept

    @property
    def program_bytes(self) -> int:
        """Memory in bytes for the workers in a program at a time; where problems are solved exactly, of all runs."""
        if not self.trains:
            each = self.kept + self.task.equations_bytes
            return self.workers * (len(self.columns) * each + self.round_bytes)
        active = self.settings.participants
        return self.round_bytes * (min(active, most_in_part(self.elements)) if self.in_parts else active)

    @property
    def options(self) -> Any:
        """Options of the method that shape its program."""
        classes = self.task.learner.network.outputs if self.task.learner else 0
        return self.method.options(self.settings, self.task.places, classes)

    @property
    def form(self) -> ProgramSpec:
        """Specification of the compiled program of these runs."""
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
            call=loaded.calls if user_classes.theirs(self.settings) else 0,
        )

    def scattered(self, run: int, state: Leaves) -> Leaves:
        """Return a run's state in which every worker has its own model and dual (Elgabli et al., algorithm 1).

        Arguments:
            run: index of the run.
            state: its state before.
        """
        model, theta, mu, *heard = state
        column = self.columns[run]
        models, duals = self.task.starts(column.seed).astype(theta.dtype)
        duals *= column.settings.algorithm.rho
        return [model, models.reshape(theta.shape), duals.reshape(mu.shape), *heard]

    def parameters(self, where: list[int], iteration: int = 1) -> Any:
        """Return the method's parameters of some runs in an iteration, by name, as tensors [runs].

        Arguments:
            where: indices of the runs.
            iteration: counted from 1.
        """
        found = [self.method.parameters(self.columns[at].settings, iteration) for at in where]
        return named_tuple(**{name: tf.constant([one[name] for one in found], self.task.dtype) for name in found[0]})

    def channel(self, block: int, workers: Any = slice(None)) -> Effective:
        """Return the effective channel of workers in a coherence block, the seeds on the last axis.

        Arguments:
            block: number of the coherence block.
            workers: index of the workers.

        Returns:
            Estimated power gains |ĥ|², arrival factors and powers, real, shape [workers or 1, subcarriers or 1, seeds].
        """
        return self.channels([block], workers).each(lambda part: part[0])

    def channels(self, blocks: list[int], workers: Any = slice(None)) -> Effective:
        """Return the effective channels of workers in several blocks: blocks on the first axis, seeds on the last.

        Arguments:
            blocks: numbers of the coherence blocks.
            workers: index of the workers.

        Returns:
            Estimated power gains |ĥ|², arrival factors and powers, real, shape [blocks, workers or 1, subcarriers or 1,
            seeds].
        """
        count, runs = len(np.arange(self.workers)[workers]), len(blocks) * len(self.seeds)
        heard = self.air.each if self.uplink.exact else self.air.shared
        found = self.uplink.channel(
            lambda subcarriers: heard(blocks, subcarriers, workers), count, runs, self.task.dtype
        )
        return found.each(lambda part: np.moveaxis(part.reshape(*part.shape[:-1], len(blocks), -1), -2, 0))


def most_in_part(elements: int) -> int:
    """Return the largest number of workers of a part of a round, for models of some number of elements."""
    return max(1, PART // elements)
