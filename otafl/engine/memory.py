"""What a run will need of a machine's memory, as far as its data and its model tell.

Figures are of peaks as measured, over what a process takes that has imported TensorFlow, which is some 750 MiB.
"""

import math
import os
import shutil
import tempfile

import numpy as np

from otafl.data.memory import GIB, Demand, available, require
from otafl.engine.group import Group
from otafl.engine.inputs import chunk_shape
from otafl.engine.schedule import recorded
from otafl.errors import OtaflError
from otafl.training.learner import Learner

PART = 2**25
"""Numbers in an array of the models of a part's workers: 128 MiB in single precision."""
WORTH_SAYING = GIB // 4
"""Bytes from which on a run says beforehand what it will need."""
MEASURED = 210
"""Bytes that are kept of a recorded iteration of a run until its end."""
PLANNED = 20
"""Bytes for each iteration, recorded or not, while it is planned what is."""
COPIES = 4
"""Of what is drawn or gathered, while it is made and moved."""
OF_GAINS = 5
"""Likewise, of complex gains and the real arrays that they are reduced to."""
DATA = 3
"""Times that training samples lie in memory: as read, put together by worker, and in the program."""
PROGRAMS = 115 * 2**20
"""Bytes that compiling takes, and what is compiled."""
COMFORT = 0.8
"""Share of the memory that is left, above which rows of workers lie in a file."""


def remark(group: Group) -> str:
    """What a run takes, where what its workers keep and compute on is worth saying.

    Raises:
        OtaflError: a run does not fit.
    """
    states, mapped = _states(group), in_file(group)
    require(_demands(group), available())
    if mapped and _rows(group) > room():
        rule = f"keep {_in_gib(_rows(group))} in a file in {tempfile.gettempdir()}, which has {_in_gib(room())} left"
        raise OtaflError("federation.workers", group.workers, f"{rule}; TMPDIR names another folder")
    if states.size + mapped * _rows(group) < WORTH_SAYING:
        return ""
    kept = f", and {_in_gib(_rows(group))} in a file in {tempfile.gettempdir()}" if mapped else ""
    return f"{states.text}{kept}; the run takes about {_in_gib(estimate(group))} in all"


def estimate(group: Group) -> float:
    """Bytes of memory that the run takes at most, besides what TensorFlow's import takes."""
    return sum(demand.size for demand in _demands(group))


def in_file(group: Group) -> bool:
    """Whether what workers keep lies in a file, as it would fill what memory is left; no result depends on it."""
    if group.resident or not hasattr(os, "posix_fallocate") or _rows(group) < WORTH_SAYING:
        return False
    others = sum(demand.size for demand in _others(group))
    return _rows(group) + _round(group) + others > COMFORT * available()


def room() -> int:
    """Bytes that the disk has left for files that are soon removed."""
    return shutil.disk_usage(tempfile.gettempdir()).free


def _in_gib(size: float) -> str:
    return f"{size / GIB:,.2f} GiB"


def _demands(group: Group) -> list[Demand]:
    return [_states(group), *_others(group)]


def _others(group: Group) -> list[Demand]:
    """All but what workers keep and compute on."""
    demands = [_program(group), _measured(group), _draws(group), _gains(group)]
    return demands + (_batches(group, group.task.learner) if group.task.learner else [])


def _states(group: Group) -> Demand:
    workers, active = group.workers, group.settings.participants
    size = _round(group) + (0 if in_file(group) else _rows(group))
    who = f"{group.settings.method} with {workers:,} workers, {active:,} of them in a round, takes"
    return Demand("federation.workers", workers, size, f"{who} {{size}} of memory for their models and duals")


def _rows(group: Group) -> int:
    """Bytes for rows of all workers, where a round takes them from there."""
    return 0 if group.resident else group.workers * group.kept


def _round(group: Group) -> int:
    """Bytes for those workers that are in a program at a time; where problems are solved exactly, in all runs, with
    their equations."""
    if not group.trains:
        equations = 3 * group.elements**2 * np.dtype(group.task.dtype).itemsize
        return group.workers * (len(group.columns) * (group.kept + equations) + group.round_bytes)
    active = group.settings.participants
    return group.round_bytes * (min(active, most_in_part(group.elements)) if group.in_parts else active)


def _program(group: Group) -> Demand:
    """Samples, as the program has them, and the program."""
    size, problem = group.task.samples_bytes, group.settings.problem
    text = f"problem.dataset = {problem.dataset!r} takes {{size}} of memory with the programs that learn from it"
    return Demand("problem.dataset", problem.dataset, DATA * size + PROGRAMS, text)


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
    """Gains of a coherence block, and what channels keep from block to block."""
    runs, workers, subcarriers = len(group.columns), group.workers, group.uplink.most_subcarriers
    antennas = max(group.settings.cell.antennas, group.settings.cell.worker_antennas)
    what = f"gains of {workers:,} workers on {subcarriers:,} subcarriers in {runs:,} runs take {{size}} of memory"
    value = group.settings.uplink.subcarriers
    size = 16 * OF_GAINS * runs * workers * subcarriers * antennas + group.air.memory(subcarriers)
    return Demand("uplink.subcarriers", value, size, what)


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


def most_in_part(elements: int) -> int:
    """Most workers of a part, whose models have so many elements."""
    return max(1, PART // elements)
