"""Readings of the A-FADMM paper's claims: power, bounds, privacy, and costs that two results tell together."""

import math

import numpy as np
import xarray as xr

from figures.afadmm import inversion, noise_free
from figures.afadmm.networks import with_few
from figures.gallery import readings
from figures.gallery.evaluation import stored
from figures.gallery.readings import Bounded
from otafl.privacy.identifiability import Case, hidden
from otafl.results import analysis

DEEP = 1e-3
"""Power gain |h|² of a deep fade."""
BLOCKS = ([True] + [False] * 9) * 2
"""Rounds of two coherence blocks, True where one begins."""
DENSITY_W_PER_HZ, BITS = 1e-9, 32
"""Density of the noise, and bits of an element that digital uploads send."""


def power_in_fade(part: str) -> float:
    """Return the mean power of a symbol in a deep fade over that without fading, at the fixed point (section II-D).

    Arguments:
        part: "model" or "dual" of what a worker sends, whose other part is zero then.
    """
    point = inversion.rest()
    other = {"model": {"mu": 0 * point.mu}, "dual": {"theta": 0 * point.theta}}[part]
    deep, plain = (inversion.power(point._replace(**other), np.full((1, 1), gain)) for gain in (DEEP, 1.0))
    return float(deep.mean() / plain.mean())


def rises(of: str, rule: str) -> int:
    """Return at how many changes of the channel a gap rises, without noise.

    Arguments:
        of: "loss", the optimality gap, or "lyapunov", the sum of (22).
        rule: rule for the dual there (``noise_free.RULES``).
    """
    trace, block = noise_free.run(rule), noise_free.BLOCK
    before, after = (abs(trace.gap),) * 2 if of == "loss" else trace.lyapunov[::-1]
    return int((after[block::block] > before[block - 1 : -1 : block]).sum())


def within_bound(name: str) -> float:
    """Return the share of iterations without noise in which a bound of lemma 1 holds.

    Arguments:
        name: "(20)" as printed, "(34)" as proven, or "(21)".
    """
    trace = noise_free.run()
    lower, upper = trace.bounds
    return float({"(20)": -lower <= trace.gap, "(34)": lower <= trace.gap, "(21)": trace.gap <= upper}[name].mean())


def largest_factor(of: str) -> float:
    """Return the largest factor by which the sum of (22) grows, without noise.

    Arguments:
        of: "iteration", or "change" of the channel, from the end of a block to the new gains and duals.
    """
    (begins, ends), block = noise_free.run().lyapunov, noise_free.BLOCK
    changes = begins[block::block] / ends[block - 1 : -1 : block]
    return float((ends / begins if of == "iteration" else changes).max())


def by_decade(data: xr.Dataset, variable: str) -> xr.DataArray:
    """Return the largest of the seeds' values of a variable after 10, 100, 1,000 and 10,000 iterations.

    Arguments:
        data: the part of a result.
        variable: name of the variable.
    """
    return data[variable].sel(iteration=[10, 100, 1000, 10000], method="nearest").max("seed")


def hidden_rounds(what: str, first: int = 1, last: int | None = None, **case: object) -> float:
    """Return the share of rounds in which an observer cannot tell a worker's model or gradient (definition 1).

    Arguments:
        what: "model" or "gradient".
        first: number of the first round.
        last: number of the last one, from the end if it is negative; None: that of the run.
        case: what differs from two workers with random first duals and 2 blocks of 10 rounds; ``kept = true``: the run
            ends with a change of the channel.
    """
    blocks = (*BLOCKS, *[True] * bool(case.pop("kept", False)))
    run = Case(**{"speakers": 2, "blocks": blocks, "random_start": True, **case})
    return float(hidden(run, what)[first - 1 : last].mean())


def silent(threshold: float) -> float:
    """Return the share of gains of Rayleigh fading with |h|² below a threshold."""
    return -math.expm1(-threshold)


def reports(data: xr.Dataset, cost: str) -> xr.DataArray:
    """Return the uses of all reports over those of an upload, in an iteration in which the channel stays.

    Arguments:
        data: the part of a result.
        cost: "channel_uses".
    """
    upload = data["uplink_elements"].isel(iteration=0) / 100
    return (data[cost].isel(iteration=1) - data[cost].isel(iteration=0)) / upload - 1


def late(data: xr.Dataset, variable: str, cost: str, budget: float) -> xr.DataArray:
    """Return the median of a variable over the second half of a budget, which does not hang on one iteration's noise.

    Arguments:
        data: the part of a result.
        variable: name of the variable.
        cost: name of the cost.
        budget: largest cost, in its unit.
    """
    inside = (data[cost] <= budget) & (data[cost] >= budget / 2)
    return data[variable].where(inside).median("iteration")


def cost_per_worker(data: xr.Dataset, cost: str, to: float) -> Bounded:
    """Return the cost at which a loss reaches a target in proportion to the number of workers.

    Arguments:
        data: the part of a result, with the number of workers.
        cost: name of the cost.
        to: the target for one worker.
    """
    return readings.cost(data.assign(loss=data["loss"] / data["workers"]), cost, to)


def cost_with_few(data: xr.Dataset, cost: str, to: float, few: str) -> Bounded:
    """Return the cost of a test accuracy by number of workers, of which the fewest had more rounds.

    Arguments:
        data: the part of a result, over the number of workers.
        cost: name of the cost.
        to: the accuracy, 0 to 1.
        few: name of the study of the fewest workers.
    """
    more = stored(few)
    more = more.sel(scheme=data["scheme"].item()) if "scheme" in more.dims else more
    return readings.cost(with_few(data, more), cost, to, "test_accuracy")


def cost_at(data: xr.Dataset, cost: str, to: float, study: str) -> xr.DataArray:
    """Return the cost of the iterations in which another study of the same method reaches a loss.

    Arguments:
        data: the part of a result, of uploads without errors.
        cost: name of the cost.
        to: the loss.
        study: name of the other study, at several SNRs.
    """
    other = stored(study).sel(scheme=data["scheme"].item())
    return data[cost].sel(iteration=analysis.to_target(other, to, "iteration").min("snr_db"))


def least_energy(data: xr.Dataset, cost: str, to: float) -> xr.DataArray:
    """Return the least energy [J] that digital uploads to a test accuracy take over a wide band, at a mean gain of 1.

    Arguments:
        data: the part of a result, of uploads without errors.
        cost: "energy".
        to: the accuracy, 0 to 1.
    """
    rounds = analysis.to_target(data, to, "iteration", "test_accuracy")
    return rounds * DENSITY_W_PER_HZ * math.log(2) * BITS * data["uplink_elements"].isel(iteration=0)


def oscillation(data: xr.Dataset, variable: str, first: int = 1, last: int | None = None) -> xr.DataArray:
    """Return the mean fall of a variable from a round to the next, rises counted as 0.

    Arguments:
        data: the part of a result.
        variable: name of the variable.
        first: number of the first round.
        last: number of the last round; None: that of the run.
    """
    return (-data[variable].sel(iteration=slice(first, last)).diff("iteration")).clip(min=0).mean("iteration")


def late_rise(data: xr.Dataset, variable: str, rounds: int) -> xr.DataArray:
    """Return by how much a variable rises in the last rounds.

    Arguments:
        data: the part of a result.
        variable: name of the variable.
        rounds: number of the rounds.
    """
    before = data.isel(iteration=slice(None, -rounds))
    return readings.final(data, variable) - readings.final(before, variable)


def gain(data: xr.Dataset, variable: str, over: str, scheme: str) -> xr.DataArray:
    """Return by how much a variable ends higher than in another study with the same fading, seed by seed.

    Arguments:
        data: the part of a result.
        variable: name of the variable.
        over: name of the other study.
        scheme: its scheme.
    """
    other = stored(over).sel(scheme=scheme, fading=data["fading"].item())
    return readings.final(data, variable) - readings.final(other, variable)
