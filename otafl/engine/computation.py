"""Local computation of a group's workers: samples, clocks, durations, and cycles that count by their energy."""

import functools

import numpy as np

from otafl.engine import duration
from otafl.problems.task import Task
from otafl.settings.keys import Settings


class Computation:
    """Local computation of the workers of runs that are computed side by side."""

    def __init__(self, settings: Settings, task: Task, run_seeds: list[int]) -> None:
        self.settings, self.task, self.run_seeds = settings, task, run_seeds

    @functools.cached_property
    def clocks(self) -> np.ndarray:
        """Clock of each worker over the highest one, u_n = f_n/f. Shape [runs, workers]."""
        known = {seed: duration.clock_shares(self.settings, seed) for seed in {*self.run_seeds}}
        return np.stack([known[seed] for seed in self.run_seeds])

    @property
    def in_epochs(self) -> bool:
        """True where workers train in epochs, and not for a number of steps."""
        return self.task.learner is not None and not self.task.learner.steps

    def samples(self, workers: np.ndarray) -> np.ndarray:
        """Return the samples of all steps of a round, or of one epoch where there are epochs. Shape [participants]."""
        steps = self.task.steps(workers, np.zeros(len(workers), int))
        batch = self.task.learner.batch_size if self.task.learner else 0
        return np.where(steps > 0, steps * batch, self.task.counts[workers])

    def energy_samples(self, workers: np.ndarray) -> np.ndarray:
        """Return samples_n·u_n² of participants, in which a sample counts as its energy does. Shape [runs, workers]."""
        return self.samples(workers) * self.clocks[:, workers] ** 2

    def planned(self, epochs: np.ndarray) -> np.ndarray:
        """Return how often participants go through their ``samples``, if none ends early. Shape [participants]."""
        return epochs if self.in_epochs and self.settings.local.epochs else np.ones_like(epochs)

    def seconds(self, workers: np.ndarray, passes: np.ndarray) -> np.ndarray:
        """Return the duration of each participant's local computation [s]. Shape [runs, participants]."""
        if self.settings.local.compute_s != "by_clock":
            return np.full((len(self.run_seeds), len(workers)), duration.fixed_s(self.settings))
        keys = self.settings.energy
        return self.samples(workers) * passes * keys.cycles_per_sample / (keys.clock_hz * self.clocks[:, workers])

    def planned_s(self, workers: np.ndarray, epochs: np.ndarray) -> np.ndarray:
        """Return the duration of local computation, if none ends early [s]. Shape [runs, participants]."""
        return self.seconds(workers, self.planned(epochs))
