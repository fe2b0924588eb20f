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
from otafl.study.manifest import SUFFIX, ListedRun, manifest
from otafl.system import process
from otafl.system.whole_files import atomic_file

WHY_LOST = "was pruned or replaced by a longer run's (--no-store or store=False computes it), or "
WHY_LOST += "run.max_channel_uses ended the run between two checkpoints"


def model(result: xr.Dataset | str | Path, plugins: Sequence[str] = (), **selection: Any) -> keras.Model:
    """Return the global model at the end of one run of a classification, with weights, as a Keras model.

    Its inputs are samples as data sets have them, such as pixels from 0 to 255, and its outputs are logits.

    Arguments:
        result: file of a result in the folder in which it was computed, with NAME.runs beside it; or that result, as
            loaded from there or returned by ``otafl.run`` with ``out``.
        plugins: modules of the user's own to import, in which the study's methods and parts are registered.
        selection: values of coordinates that one run has alone, such as ``method="FedAvg", seed=0``.

    Raises:
        OtaflError: no run or several have these values, the run's last state is not kept, or it has no network.
    """
    data = result if isinstance(result, xr.Dataset) else result_file.load(result)
    path = Path(result if isinstance(result, str | PathLike) else data.encoding.get("source", "in memory"))
    data = result_file.load(path) if path.exists() else data
    return _of_run(data, path, result_file.scenario_of(data, plugins), _place(data, selection))


def save(data: xr.Dataset, scenario: Scenario, path: Path) -> list[Path]:
    """Write the final model of every run that is done, unless it diverged, as .keras files beside a result's file."""
    return [
        _written(_of_run(data, path, scenario, int(place)), path.with_name(f"{path.stem}-{_label(data, place)}.keras"))
        for place in np.flatnonzero(data["outcome"].isin(["completed", AT_TARGET]))
    ]


def _place(data: xr.Dataset, selection: dict[str, Any]) -> int:
    """Return the index of the one run with some values of coordinates, in the order of the study."""
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
    return int(places[0])


def _label(data: xr.Dataset, place: int) -> str:
    """Return the coordinates of a run as a part of a file's name, such as "scheme=FedAvg-seed=0"."""
    outcomes = data["outcome"]
    run = outcomes[np.unravel_index(place, outcomes.shape)]
    return re.sub(r"[^\w.+=@-]", "_", "-".join(f"{name}={run[name].item()}" for name in outcomes.dims))


def _of_run(data: xr.Dataset, path: Path, scenario: Scenario, place: int) -> keras.Model:
    rules.require_networks(scenario.settings)
    runs, listed = path.with_suffix(SUFFIX), manifest(path.with_suffix(SUFFIX))
    if listed is None or len(listed.runs) != data["outcome"].size:
        rule = f"must be the file of a result with NAME{SUFFIX} beside it, as otafl run and otafl.run(out=...) leave it"
        raise OtaflError("result", str(path), rule)
    run, (_, settings) = listed.runs[place], list(scenario.points())[place // scenario.settings.run.seeds]
    stores = [Store(runs, only_read=True), Store(Path(listed.store), only_read=True)]
    with process.alone():
        return _network(settings, run.seed, _last_state(data, run, place, stores))


def _last_state(data: xr.Dataset, run: ListedRun, place: int, stores: list[Store]) -> Leaves:
    """Return the state of server and workers after the last iteration of a run, from the store that has it."""
    slots = data["time_slots"].values.reshape(-1, data.sizes["iteration"])[place]
    last = data["iteration"].values[reached({"time_slots": slots})].max(initial=0)
    for store, kind in itertools.product(stores, ("state", "model")):
        if store.start(run.name, kind) == last and (checkpoint := store.checkpoint(run.name, kind)):
            return checkpoint.state
    raise OtaflError("model", _label(data, place), f"its state after iteration {last} is not kept: it {WHY_LOST}")


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
