"""Global model at the end of a run, as a Keras model, from the checkpoint that the run has left."""

import itertools
import re
import shutil
import tempfile
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf
import xarray as xr

from otafl import algorithms
from otafl.algorithms.method import named_tuple
from otafl.engine.checkpoint import Leaves
from otafl.engine.outcome import AT_TARGET, reached
from otafl.errors import OtaflError
from otafl.problems.training_task import Training
from otafl.results import result_file
from otafl.scenario import rules
from otafl.scenario.scenario import Scenario
from otafl.settings.keys import Settings
from otafl.store.store import Store
from otafl.study.manifest import SUFFIX, manifest
from otafl.study.study_curves import coordinates
from otafl.system import process
from otafl.system.whole_files import atomic_file

WHY_LOST = "was pruned or replaced by a longer run's (--no-store or store=False computes it), or "
WHY_LOST += "run.max_channel_uses ended the run between two checkpoints, or the result lacks later iterations"


def model(result: xr.Dataset | str | Path, plugins: Sequence[str] = (), **selection: Any) -> keras.Model:
    """Return the global model at the end of one run of a classification, with weights, as a Keras model.

    Its inputs are samples as data sets have them, such as pixels from 0 to 255, and its outputs are logits.

    Arguments:
        result: file of a result in the folder in which it was computed, with NAME.runs beside it; or that result, as
            loaded from there or returned by ``otafl.run`` with ``out``, or a part of it with the last iteration.
        plugins: modules of the user's own to import, in which the study's methods and parts are registered.
        selection: values of coordinates that one run has alone, such as ``method="FedAvg", seed=0``.

    Raises:
        OtaflError: no run or several have these values, the run's last state is not kept, or it has no network.
    """
    data = result if isinstance(result, xr.Dataset) else result_file.load(result)
    path = Path(result if isinstance(result, str | PathLike) else data.encoding.get("source", "in memory"))
    return _of_run(_only_run(data, selection), path, result_file.scenario_of(data, plugins))


def save(data: xr.Dataset, scenario: Scenario, path: Path) -> list[Path]:
    """Write the final model of every run that is done, unless it diverged, as .keras files beside a result's file."""
    done = [_run(data, int(place)) for place in np.flatnonzero(data["outcome"].isin(["completed", AT_TARGET]))]
    labels = [re.sub(r"[^\w.+=@-]", "_", _label(run, scenario)) for run in done]
    files = [path.with_name(f"{path.stem}-{label}.keras") for label in labels]
    return [_written(_of_run(run, path, scenario), file) for run, file in zip(done, files, strict=True)]


def _only_run(data: xr.Dataset, selection: dict[str, Any]) -> xr.Dataset:
    """Return the part of a result that is the one run with some values of coordinates."""
    outcomes = data["outcome"]
    chosen = xr.ones_like(outcomes, bool)
    for name, value in selection.items():
        if name not in outcomes.coords:
            raise OtaflError("selection", name, f"must be one of {', '.join(map(str, outcomes.coords))}")
        if not outcomes[name].isin([value]).any():
            known = {key: ", ".join(map(str, np.unique(outcomes[key]))) for key in (name, "scheme")}
            raise OtaflError(name, value, f"is of no run; {'; '.join(f'{key} has {of}' for key, of in known.items())}")
        chosen = chosen & outcomes[name].isin([value])
    places = np.flatnonzero(chosen)
    if len(places) != 1:
        names = ", ".join(map(str, outcomes.dims))
        raise OtaflError("selection", selection, f"must have one run, but has {len(places)}; give {names}")
    return _run(data, int(places[0]))


def _run(data: xr.Dataset, place: int) -> xr.Dataset:
    outcomes = data["outcome"]
    return data.isel(dict(zip(outcomes.dims, np.unravel_index(place, outcomes.shape), strict=True)))


def _label(run: xr.Dataset, scenario: Scenario) -> str:
    """Return the coordinates of a run in words, such as "scheme=FedAvg-seed=0"."""
    return "-".join(f"{name}={run[name].item()}" for name in coordinates(scenario))


def _of_run(run: xr.Dataset, path: Path, scenario: Scenario) -> keras.Model:
    rules.require_networks(scenario.settings)
    runs, listed = path.with_suffix(SUFFIX), manifest(path.with_suffix(SUFFIX))
    if listed is None or listed.digest != run.attrs.get("runs"):
        rule = f"must be a result with its runs in NAME{SUFFIX} beside it, as otafl run and otafl.run(out=...) leave it"
        raise OtaflError("result", str(path), f"{rule}, and no other study's")
    place = _place(run, scenario)
    settings = list(scenario.points())[place // scenario.settings.run.seeds][1]
    stores = [Store(runs, only_read=True), Store(Path(listed.store), only_read=True)]
    with process.alone():
        state = _last_state(run, listed.runs[place].name, _label(run, scenario), stores)
        return _network(settings, listed.runs[place].seed, state)


def _place(run: xr.Dataset, scenario: Scenario) -> int:
    """Return the index of a run in the order of its study, of which the result may be a part."""
    axes, at = coordinates(scenario), []
    for name, values in axes.items():
        found = np.flatnonzero(np.isin(values, run[name].item())) if name in run.coords else []
        if len(found) != 1:
            raise OtaflError("result", name, "must be a coordinate of the result, with a value of its study")
        at.append(found[0])
    return int(np.ravel_multi_index(at, [len(values) for values in axes.values()]))


def _last_state(run: xr.Dataset, name: str, label: str, stores: list[Store]) -> Leaves:
    """Return the state of server and workers after the last iteration of a run, from the store that has it."""
    there = reached({"time_slots": np.atleast_1d(run["time_slots"])})
    last = np.atleast_1d(run["iteration"])[there].max(initial=0)
    for store, kind in itertools.product(stores, ("state", "model")):
        if store.start(name, kind) == last and (checkpoint := store.checkpoint(name, kind)):
            return checkpoint.state
    raise OtaflError("model", label, f"its state after iteration {last} is not kept: it {WHY_LOST}")


def _network(settings: Settings, seed: int, state: Leaves) -> keras.Model:
    """Return the global model in the state of a run, behind a layer that scales its inputs."""
    method = algorithms.parse(settings.method)[0]
    task = Training(settings, method, [seed])
    shared, options = task.shared(np.array([0])), method.options(settings, task.places, task.network.outputs)
    numbers = {name: tf.constant([value], tf.float32) for name, value in method.parameters(settings, 1).items()}
    server, _ = method.init(shared.start, options, named_tuple(**numbers))
    weights = tf.nest.pack_sequence_as(server, state[: len(tf.nest.flatten(server))]).model.reshape(-1)
    if len(weights) != task.elements:
        rule = f"builds {task.elements} weights now, and the run had {len(weights)}: the code or the data have changed"
        raise OtaflError("problem.model", settings.problem.model, rule)
    return task.keras_model(weights, shared.base)


def _written(network: keras.Model, path: Path) -> Path:
    with atomic_file(path) as temporary, tempfile.TemporaryDirectory() as folder:
        network.save(Path(folder, "model.keras"))
        shutil.copyfile(Path(folder, "model.keras"), temporary)
    return path
