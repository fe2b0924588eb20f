"""Durations in seconds: workers' clocks, and the time of a run as far as it follows from slots and iterations."""

import numpy as np

from otafl.numerics import seeds
from otafl.settings.keys import Settings


def follows(settings: Settings) -> bool:
    """Return True where the time of a run follows from its time slots and its number of iterations."""
    return settings.local.compute_s != "by_clock" and not settings.uplink.charge_downlink


def time(settings: Settings, time_slots: np.ndarray, iterations: np.ndarray) -> np.ndarray:
    """Return the time of a run that follows from its time slots and iterations [s]. Shape [recorded]."""
    return time_slots * settings.uplink.slot_s + iterations * fixed_s(settings)


def fixed_s(settings: Settings) -> float:
    """Return the duration of local training that all workers have in common [s]; 0 where each has its own."""
    return 0.0 if settings.local.compute_s == "by_clock" else settings.local.compute_s


def clock_shares(settings: Settings, seed: int) -> np.ndarray:
    """Return each worker's clock over the highest one, u_n = f_n/f, uniform in [1 - spread, 1]. Shape [workers]."""
    return 1.0 - settings.energy.clock_spread * seeds.generator(seed, "clock").random(settings.federation.workers)
