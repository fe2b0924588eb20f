"""What a run will need of a machine's memory, as far as its data and its model tell.

Figures are of peaks as measured, of what grows with a scenario's keys; what TensorFlow takes anyway is not counted.
"""

import math

import tensorflow as tf

from otafl.data.memory import GIB, Demand, available, require
from otafl.engine.group import Group
from otafl.engine.inputs import chunk_shape
from otafl.engine.schedule import recorded
from otafl.training.learner import Learner

WORTH_SAYING = GIB // 4
"""Bytes from which on a run says beforehand what it will need."""
MEASURED = 210
"""Bytes that are kept of a recorded iteration of a run until its end."""
PLANNED = 20
"""Bytes for each iteration, recorded or not, while it is planned what is."""
COPIES = 4
"""Of what is drawn or gathered, while it is made and moved."""


def remark(group: Group) -> str:
    """What the models and duals of all workers take, where that is worth saying.

    Raises:
        OtaflError: a run does not fit.
    """
    states = _states(group)
    demands = [states, _measured(group), _draws(group), _gains(group)]
    demands += _batches(group, group.task.learner) if group.task.learner else []
    require(demands, available())
    return states.text if states.size >= WORTH_SAYING else ""


def _states(group: Group) -> Demand:
    workers, active = group.workers, group.settings.participants
    who = f"{group.settings.method} with {workers:,} workers, {active:,} of them in a round, takes"
    return Demand("federation.workers", workers, needed(group), f"{who} {{size}} of memory for their models and duals")


def needed(group: Group) -> int:
    """Bytes for what all workers keep, and for a round: as measured, four times what its participants keep, and as many
    vectors as they upload and one; where problems are solved exactly, all runs at a time, with their equations."""
    start = tf.zeros([1, group.elements, 1], group.task.dtype)
    parameters = group.parameters([0])
    _, client = group.method.init(start, group.options, parameters)
    kept = sum(leaf.dtype.size * leaf.shape.num_elements() for leaf in client)
    participant = 4 * kept + (group.method.vectors + 1) * group.elements * start.dtype.size
    if not group.trains:
        kept = len(group.columns) * (kept + 3 * group.elements**2 * start.dtype.size)
    return group.workers * kept + group.settings.participants * participant


def _measured(group: Group) -> Demand:
    iterations, runs = group.settings.run.iterations, len(group.columns)
    size = MEASURED * len(recorded(group.settings.run)) * runs + PLANNED * iterations
    what = f"{runs:,} runs of {iterations:,} iterations side by side take {{size}} of memory for what is measured"
    return Demand("run.iterations", iterations, size, what)


def _draws(group: Group) -> Demand:
    """Noise of a chunk of iterations."""
    segments, longest = chunk_shape(group) if group.resident else (1, 1)
    shapes = group.uplink.noise_shape, group.uplink.downlink_noise_shape
    numbers = segments * longest * len(group.seeds) * sum(map(math.prod, shapes))
    what = f"the noise that {len(group.seeds):,} seeds draw at a time takes {{size}} of memory"
    return Demand("run.seeds", len(group.seeds), 8 * COPIES * numbers, what)


def _gains(group: Group) -> Demand:
    """Gains of a coherence block."""
    runs, workers, subcarriers = len(group.columns), group.workers, group.uplink.most_subcarriers
    what = f"gains of {workers:,} workers on {subcarriers:,} subcarriers in {runs:,} runs take {{size}} of memory"
    value = group.settings.uplink.subcarriers
    return Demand("uplink.subcarriers", value, 16 * COPIES * runs * workers * subcarriers, what)


def _batches(group: Group, learner: Learner) -> list[Demand]:
    """The order in which samples are read in a round, and the mini-batches of a step."""
    active, size = group.settings.participants, learner.batch_size
    order = 4 * COPIES * active * learner.passes * group.task.places
    features = 4 * COPIES * learner.parts * min(learner.chunk, active) * size * group.task.width
    steps = learner.steps or group.settings.local.epochs or 1
    long = "local.steps" if learner.steps else "local.epochs"
    what = f"the order in which {active:,} workers read samples, {steps:,} {long[6:]} of {size:,} each, takes {{size}}"
    key, value = ("local.batch_size", size) if size > group.task.places else (long, steps)
    batch = f"mini-batches of {size:,} samples take {{size}} of memory"
    return [Demand(key, value, order, what), Demand("local.batch_size", size, features, batch)]
