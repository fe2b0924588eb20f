"""Privacy of a worker over the runs of a scenario, as a dataset."""

import itertools
import math
from collections.abc import Mapping

import numpy as np
import xarray as xr

from otafl.data.user_data import anew
from otafl.engine.group import Group
from otafl.engine.run_spec import RunSpec
from otafl.privacy import accountant, estimate, identifiability
from otafl.privacy.identifiability import Case, Count
from otafl.privacy.observation import Observation, observe
from otafl.scenario import file, privacy_rules
from otafl.scenario.scenario import Scenario
from otafl.settings.types import Value
from otafl.study.study_curves import coordinates
from otafl.system import process
from otafl.uplinks.analog_link import Radio

MEMORY = 8
"""Number of latest iterations whose received signals an estimate uses."""
VARIABLES = {
    "unknowns": "Unknowns of one element of a worker's trajectory",
    "equations": "Equations for one element of a worker's trajectory",
    "private": "Share of uploads whose model does not follow from what is received, at the server (definition 1)",
    "private_elsewhere": "Share of uploads whose model does not follow from what is received, at an eavesdropper",
    "private_converged": "Share of such uploads at the server, if all models have converged at the end (theorem 3)",
    "model_nmse": "Error of the best linear estimate of a model, at the server",
    "gradient_nmse": "Error of the best linear estimate of a gradient, at the server",
    "model_nmse_elsewhere": "Error of the best linear estimate of a model, at an eavesdropper",
    "gradient_nmse_elsewhere": "Error of the best linear estimate of a gradient, at an eavesdropper",
    "epsilon": "ε of differential privacy by the receiver's noise, as zero-concentrated privacy bounds it",
    "epsilon_exact": "ε of differential privacy by the receiver's noise, exact for Gaussian noise",
}


def assess(
    scenario: str | Scenario, overrides: Mapping[str, Value] | None = None, delta: float = 1e-5, worker: int = 0
) -> xr.Dataset:
    """Assess the privacy of a worker towards an honest but curious server and an eavesdropper elsewhere.

    Arguments:
        scenario: a scenario, its name, or the path of its file.
        overrides: dotted scenario keys and their values; a list sweeps a key.
        delta: δ of (ε, δ)-differential privacy, between 0 and 1.
        worker: number of the worker whose model and gradient are estimated, from 0.

    Returns:
        A dataset over the swept keys, ``seed`` and ``iteration``, without units. The counts ``unknowns`` and
        ``equations`` are those at the end of a run.

        Shares ``private`` (server), ``private_elsewhere`` (eavesdropper) and ``private_converged`` are of the uploads
        of an iteration whose model does not follow from all that is received in the run; an eavesdropper hears the new
        global model, too. They are of gradients for methods that send these, and NaN in an iteration without upload.

        Errors ``model_nmse`` and ``gradient_nmse``, at an eavesdropper with ``_elsewhere`` behind, are over those of an
        observer that knows the global models up to the iteration alone: 1 if signals do not help, 0 if all know it.

        The bounds ``epsilon`` and ``epsilon_exact`` on ε are for one worker's data replaced by others. They are
        infinite without noise, and NaN if scaling factors depend on the data, channels are estimated or amplifiers
        clip, as no bound holds then.

    Raises:
        OtaflError: bad input, workers that do not all take part, or an uplink that the analysis does not cover.
    """
    anew()
    resolved = scenario if isinstance(scenario, Scenario) else file.load(scenario)
    resolved = resolved.override(overrides) if overrides else resolved
    privacy_rules.check(resolved, worker, delta)
    with process.alone():
        runs = [RunSpec(settings, seed) for _, settings in resolved.points() for seed in settings.run.seed_range]
        curves = [_of_run(Group([run]), delta, worker) for run in runs]
    dims = coordinates(resolved) | {"iteration": np.arange(1, len(curves[0]["private"]) + 1)}
    shape = tuple(map(len, dims.values()))
    variables = {
        name: (tuple(dims), np.reshape([of_run[name] for of_run in curves], shape), {"units": "1", "long_name": words})
        for name, words in VARIABLES.items()
    }
    about = {"name": resolved.name, "scenario": resolved.to_toml(), "delta": delta, "worker": worker}
    return xr.Dataset(variables, dims, about)


def _of_run(group: Group, delta: float, worker: int) -> dict[str, np.ndarray]:
    signals = [_signals(group, observed, worker) for observed in observe(group)]
    speakers = np.array([of_iteration["speakers"] for of_iteration in signals])
    count = _counted(group, len(signals), max(1, int(speakers.min())))
    places = itertools.product(("model", "gradient"), ("", "_elsewhere"))
    rho = _rho(group, len(signals))
    return {
        **{f"{what}_nmse{where}": _errors(signals, where, what) for what, where in places},
        **_shares(group, speakers),
        "epsilon": accountant.epsilon(rho, delta),
        "epsilon_exact": accountant.exact_epsilon(rho, delta),
        **{name: np.full(len(signals), float(number)) for name, number in count._asdict().items()},
    }


def _signals(group: Group, observed: Observation, worker: int) -> dict[str, np.ndarray]:
    """Return what concerns a worker, [d], and what server and eavesdropper have received, [features, d]."""
    return {
        "known": observed.known,
        "model": observed.model[worker],
        "gradient": observed.gradient[worker],
        "speakers": observed.spoke.sum(axis=0),
        "received": at_server(group, observed, worker),
        "received_elsewhere": observed.overheard[[worker]] if group.uplink.exact else observed.overheard,
    }


def _counted(group: Group, iterations: int, speakers: int) -> Count:
    """Count unknowns and equations at the server, for an element that a number of workers upload."""
    dual, random_start = not group.method.truncates, group.settings.algorithm.start == "random"
    if group.uplink.exact:
        return identifiability.count_single(iterations, dual, random_start)
    if not dual:
        return identifiability.count_summed(iterations, speakers)
    blocks, flips = sum(_blocks(group, iterations)), group.method.flips(group.settings)
    return identifiability.count_weighted(iterations, blocks, speakers, random_start, _told(group), flips)


def _blocks(group: Group, iterations: int) -> tuple[bool, ...]:
    """Mark the iterations with which a coherence block begins."""
    return tuple(i == 0 or i % group.coherence == 0 for i in range(iterations))


def _case(group: Group, iterations: int) -> Case:
    """Return the case of a run as the server observes it, for an element that one worker uploads."""
    dual, digital = not group.method.truncates, group.uplink.exact
    weighed = "told" if digital or _told(group) else "summed"
    return Case(
        speakers=1,
        blocks=_blocks(group, iterations),
        gains=weighed if group.uplink.weighs else "one",
        digital=digital,
        dual=dual,
        random_start=dual and group.settings.algorithm.start == "random",
        flips=group.method.flips(group.settings),
        solves=group.method.solves_exactly,
    )


def _shares(group: Group, speakers: np.ndarray) -> dict[str, np.ndarray]:
    """Return the share of models that do not follow from received signals, NaN without upload. [iterations]."""
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
        counts = {1: alone, 2: uploads - alone}  # two stand for any number above one
        hides = [identifiability.hidden(case._replace(speakers=n)) * count for n, count in counts.items() if any(count)]
        with np.errstate(invalid="ignore"):
            shares[name] = sum(hides, np.zeros(len(uploads))) / uploads
    return shares


def _errors(signals: list[dict[str, np.ndarray]], where: str, what: str) -> np.ndarray:
    """Return the errors of the best linear estimates from the signals up to each iteration. Shape [iterations]."""
    errors = []
    for number, now in enumerate(signals, 1):
        latest = signals[max(0, number - MEMORY) : number]
        arrived, known = (np.vstack([before[part] for before in latest]) for part in (f"received{where}", "known"))
        errors.append(estimate.error(now[what], arrived, known))
    return np.array(errors)


def at_server(group: Group, observed: Observation, worker: int) -> np.ndarray:
    """Return values at the server from which a worker's model or gradient is estimated. Shape [features, d]."""
    if group.uplink.exact:
        return observed.received[[worker]]
    gains, spoke = observed.gain.sum(axis=0), observed.spoke[worker]
    models = not group.method.truncates or group.method.sends_models(group.settings)
    mean = observed.received[0] / gains - (observed.known if models else 0)
    weighed = [mean * observed.gain[worker] / gains] if _told(group) else []
    return np.stack([mean * spoke, mean * ~spoke, *weighed])


def _told(group: Group) -> bool:
    """Return True if the server of an analog upload knows each worker's gain, and not their sum alone."""
    settings = group.settings
    return bool(settings.channel.pilots or settings.uplink.charge_side_information) and not group.method.truncates


def _rho(group: Group, iterations: int) -> np.ndarray:
    """Return ρ of zero-concentrated differential privacy after each iteration, NaN if no bound holds."""
    settings, channel = group.settings, group.settings.channel
    errs = channel.pilots or channel.phase_error_rad or channel.timing_error_s
    chain, radio, rounds = group.uplink.chain, group.uplink.radio, 1.0 + np.arange(iterations)
    expected = chain.power_control.expected_norm(rounds)  # pyright: ignore[reportArgumentType]
    if not isinstance(radio, Radio) or expected is None or errs or math.isfinite(settings.uplink.peak_backoff_db):
        return np.full(iterations, np.nan)
    norms = np.asarray(expected)
    factors = np.sqrt(radio.budget / chain.precoder.most_power()) / norms
    with np.errstate(invalid="ignore"):
        noise = group.settings.uplink.noise_psd_w_per_hz
        return accountant.concentrated(norms, factors, radio.symbol_s, noise) * group.method.vectors
