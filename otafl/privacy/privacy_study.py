"""What can be learned of workers over the runs of a scenario, as a dataset."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from otafl import process
from otafl.data.user_data import anew
from otafl.engine.group import Group
from otafl.engine.run_spec import RunSpec
from otafl.privacy import accountant, counting, estimate, identifiability
from otafl.privacy.counting import Count
from otafl.privacy.identifiability import Case
from otafl.privacy.observation import Observation, observe
from otafl.scenario import file, privacy_rules
from otafl.scenario.scenario import Scenario
from otafl.scenario.sweeps import dimensions
from otafl.settings.keys import Settings

MEMORY = 8
"""Latest iterations of which an estimate uses what was received."""
VARIABLES = {
    "unknowns": "Unknowns of one element of a worker's trajectory",
    "equations": "Equations for them",
    "private": "Share of uploads whose model does not follow from what is received, at the server (definition 1)",
    "private_elsewhere": "The same at an eavesdropper",
    "private_converged": "The same at the server, if all have converged at the end (theorem 3)",
    "model_nmse": "Error of the best linear estimate of a model, at the server",
    "gradient_nmse": "The same of a gradient",
    "model_nmse_elsewhere": "Error of the best linear estimate of a model, at an eavesdropper",
    "gradient_nmse_elsewhere": "The same of a gradient",
    "epsilon": "ε of differential privacy by the receiver's noise, as zero-concentrated privacy bounds it",
    "epsilon_exact": "The same, exactly for Gaussian noise",
}
"""Variables of the dataset, in words; none has a unit."""


def assess(
    scenario: str | Scenario, overrides: Mapping[str, Any] | None = None, delta: float = 1e-5, worker: int = 0
) -> xr.Dataset:
    """What the server, honest but curious, and an eavesdropper elsewhere learn of a worker in the runs of a scenario.

    Arguments:
        scenario: or its name, or the path of its file.
        overrides: dotted scenario keys; a list sweeps a key.
        delta: δ of (ε, δ)-differential privacy.
        worker: whose model and gradient are estimated.

    Returns:
        VARIABLES over the swept keys, seeds and iterations. Counts are those at the end of a run. Shares of an
        iteration are of its uploads, by all that is received in the run, which for an eavesdropper includes the new
        global model; they are of gradients where these are sent, and NaN where nobody uploads. Errors are over those of
        who knows only the global models up to the iteration: 1 where what was received is of no further use, 0 where
        the model is known to all, as where gradients are taken at the global one. ε is NaN where
        scaling factors follow from what is sent, or channels are estimated or amplifiers clip, which voids it, and
        infinite without noise; it is that of one worker's data replaced by others.

    Raises:
        OtaflError: a run in which not all workers take part, or with an uplink of which nothing is said; bad input.
    """
    anew()
    resolved = scenario if isinstance(scenario, Scenario) else file.load(scenario)
    resolved = file.computable(resolved.override(overrides) if overrides else resolved)
    privacy_rules.check(resolved, worker, delta)
    with process.alone():
        found = [_of_point(settings, delta, worker) for _, settings in resolved.points()]
    dims = swept(resolved) | {"iteration": np.arange(1, len(found[0]["private"][0]) + 1)}
    shape = tuple(map(len, dims.values()))
    values = {name: np.reshape([one[name] for one in found], shape) for name in VARIABLES}
    data = xr.Dataset({name: (tuple(dims), each) for name, each in values.items()}, dims)
    for name, words in VARIABLES.items():
        data[name].attrs = {"units": "1", "long_name": words}
    return data.assign_attrs(name=resolved.name, scenario=resolved.to_toml(), delta=delta, worker=worker)


def swept(scenario: Scenario) -> dict[str, Any]:
    """Swept keys and seeds with their values, as coordinates."""
    values = dict(zip(dimensions(scenario.sweep), map(list, scenario.sweep.values()), strict=True))
    return values | {"seed": list(scenario.settings.run.seed_range)}


class Seen(NamedTuple):
    """What matters of an iteration for one worker. Shapes [d], of what there is of it [features, d]."""

    known: np.ndarray
    model: np.ndarray
    gradient: np.ndarray
    speakers: np.ndarray
    here: np.ndarray
    elsewhere: np.ndarray


def _of_point(settings: Settings, delta: float, worker: int) -> dict[str, list[np.ndarray]]:
    """The curves of every seed, by variable."""
    runs = [_of_run(Group([RunSpec(settings, seed)]), delta, worker) for seed in settings.run.seed_range]
    return {name: [run[name] for run in runs] for name in VARIABLES}


def _of_run(group: Group, delta: float, worker: int) -> dict[str, np.ndarray]:
    seen = [_seen(group, one, worker) for one in observe(group)]
    speakers = np.array([one.speakers for one in seen])
    budgeted_power = _counted(group, len(seen), max(1, int(speakers.min())))
    estimated = {
        f"{what}_nmse{where}": _errors(seen, at, what)
        for what in ("model", "gradient")
        for where, at in (("", "here"), ("_elsewhere", "elsewhere"))
    }
    rho = _rho(group, len(seen))
    bounds = {"epsilon": accountant.epsilon(rho, delta), "epsilon_exact": accountant.exact_epsilon(rho, delta)}
    curves = estimated | _shares(group, speakers) | bounds
    whole = {"unknowns": budgeted_power.unknowns, "equations": budgeted_power.equations}
    return curves | {name: np.full(len(seen), float(value)) for name, value in whole.items()}


def _seen(group: Group, one: Observation, worker: int) -> Seen:
    elsewhere = one.overheard[[worker]] if group.uplink.exact else one.overheard
    here, speakers = at_server(group, one, worker), one.spoke.sum(axis=0)
    return Seen(one.known, one.model[worker], one.gradient[worker], speakers, here, elsewhere)


def _counted(group: Group, iterations: int, speakers: int) -> Count:
    """Count unknowns and equations at the server, at elements that so many workers upload."""
    dual, random_start = not group.method.truncates, group.settings.algorithm.start == "random"
    if group.uplink.exact:
        return counting.single(iterations, dual, random_start)
    if not dual:
        return counting.summed(iterations, speakers)
    blocks = sum(_blocks(group, iterations))
    return counting.weighted(
        iterations, blocks, speakers, random_start, _told(group), group.method.flips(group.settings)
    )


def _blocks(group: Group, iterations: int) -> tuple[bool, ...]:
    """Mark the iterations with which a coherence block begins."""
    return tuple(i == 0 or i % group.coherence == 0 for i in range(iterations))


def _case(group: Group, iterations: int) -> Case:
    """Case of a run as the server observes it, at an element that one worker uploads."""
    dual, digital = not group.method.truncates, group.uplink.exact
    weighed = "told" if digital or _told(group) else "summed"
    return Case(
        speakers=1,
        blocks=_blocks(group, iterations),
        gains=weighed if group.method.weighs_by_gain(group.settings) else "one",
        digital=digital,
        dual=dual,
        random_start=dual and group.settings.algorithm.start == "random",
        flips=group.method.flips(group.settings),
        solves=group.method.exact,
    )


def _shares(group: Group, speakers: np.ndarray) -> dict[str, np.ndarray]:
    """Share of uploaded models that cannot be derived from what is received, by iteration; NaN where nobody uploads."""
    server = _case(group, len(speakers))
    gains = "one" if server.gains == "one" else "unknown"
    cases = {
        "private": server,
        "private_elsewhere": server._replace(gains=gains, elsewhere=not server.digital),
        "private_converged": server._replace(converged=server.dual),
    }
    uploads, alone = speakers.sum(axis=1), np.sum(speakers == 1, axis=1)
    shares = {}
    for name, case in cases.items():
        counts = {1: alone, 2: uploads - alone}
        hides = [identifiability.hidden(case._replace(speakers=n)) * count for n, count in counts.items() if any(count)]
        with np.errstate(invalid="ignore"):
            shares[name] = sum(hides, np.zeros(len(uploads))) / uploads
    return shares


def _errors(seen: list[Seen], at: str, what: str) -> np.ndarray:
    """Errors of the best estimates after each iteration, from what has arrived until then."""
    found = []
    for now, one in enumerate(seen):
        latest = seen[max(0, now - MEMORY + 1) : now + 1]
        known, arrived = np.stack([earlier.known for earlier in latest]), [getattr(earlier, at) for earlier in latest]
        found.append(estimate.error(getattr(one, what), np.vstack(arrived), known))
    return np.array(found)


def at_server(group: Group, one: Observation, worker: int) -> np.ndarray:
    """What the server has of a worker at each element: its message; or the sum over the sum of gains, from which the
    global model is taken where whole models are sent, apart where the worker speaks and where it is silent, and weighed
    by its own gain where that is told. Shape [features, d]."""
    if group.uplink.exact:
        return one.received[[worker]]
    gains, models = one.gain.sum(axis=0), not group.method.truncates or group.method.sends_models(group.settings)
    mean, spoke = one.received[0] / gains - (one.known if models else 0), one.spoke[worker]
    weighed = [mean * one.gain[worker] / gains] if _told(group) else []
    return np.stack([mean * spoke, mean * ~spoke, *weighed])


def _told(group: Group) -> bool:
    """Tell whether the server of an analog upload knows every worker's gain, and not their sum alone."""
    settings = group.settings
    return bool(settings.channel.pilots or settings.uplink.charge_side_information) and not group.method.truncates


def _rho(group: Group, iterations: int) -> np.ndarray:
    """ρ of zero-concentrated differential privacy after each iteration; NaN where nothing is known of it."""
    settings, channel = group.settings, group.settings.channel
    errs = channel.pilots or channel.phase_error_rad or channel.timing_error_s
    chain = group.uplink.chain
    norms = chain.power_control.expected_norm(1.0 + np.arange(iterations))
    if group.uplink.exact or norms is None or errs or math.isfinite(settings.uplink.peak_backoff_db):
        return np.full(iterations, np.nan)
    radio = group.uplink.radio(group.settings, group.uplink.elements)
    factors = np.sqrt(radio.budget / chain.precoder.most_power()) / norms
    with np.errstate(invalid="ignore"):
        noise = group.settings.uplink.noise_psd_w_per_hz
        return accountant.concentrated(norms, factors, radio.symbol_s, noise) * group.method.vectors
