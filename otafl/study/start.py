"""Start of a study from Python: what ``otafl.run`` does with its arguments."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from otafl.errors import OtaflError, Remark
from otafl.scenario import study_size, user_classes
from otafl.scenario.file import load
from otafl.scenario.scenario import Scenario
from otafl.study import engines
from otafl.system import machine
from otafl.system.home import at_home
from otafl.user_code import plugins

if TYPE_CHECKING:
    import numpy as np
    import xarray as xr

    from otafl.settings.types import Value
    from otafl.study.directory import Directory
    from otafl.study.engines import Engine
    from otafl.study.plan import Study
    from otafl.study.progress_counter import Progress
    from otafl.study.records import OnRecord

ENGINE_RULE = 'must be "in_process", "local", "ray", "slurm", or made by engine() of otafl.study.engines'


def run(
    scenario: Scenario | str | Path,
    overrides: Mapping[str, Value] | None = None,
    out: str | Path | None = None,
    progress: Progress | Literal[False] | None = None,
    store: str | Path | bool = True,
    overwrite: bool = False,
    engine: Engine | str | None = None,
    data: object = None,
    on_record: OnRecord | None = None,
) -> xr.Dataset:
    """Run a scenario and return its result: loss, accuracy and costs of each iteration, as an xarray Dataset.

    >>> result = run("quickstart", {"method": ["A-GD", "D-GD"], "run.seeds": 2, "run.iterations": 5})
    >>> dict(result["loss"].sizes)
    {'scheme': 2, 'seed': 2, 'iteration': 5}

    Arguments:
        scenario: a scenario, the name of one, or a path to a TOML file.
        overrides: dotted scenario keys and their values, such as ``{"channel.snr_db": 20}``; a list sweeps the key.
        out: folder in which to save the result as ``NAME.nc`` and its runs in ``NAME.runs``; left out, nothing is
            written. Runs that are in the folder or in the store are not computed again.
        progress: function called as ``progress(label, done, total)``, in iterations summed over runs; False: none. Left
            out, a bar is drawn in a terminal or a notebook.
        store: folder of runs that all studies share. True: the user's, ``OTAFL_STORE_DIR`` or the cache folder. False:
            none, so that all runs are computed again.
        overwrite: True to replace a result in ``out`` with runs that this study does not have.
        engine: engine that computes the runs: "in_process" (this process, in which calls from parallel threads take
            turns), "local" (worker processes), "ray", "slurm", or one that ``otafl.study.engines.engine`` makes with
            options, which serves one study at a time. Left out, "local" if ``out`` is given, else "in_process".
        data: samples to learn from, in place of ``problem.dataset``: ``(x, y)``, ``((x_train, y_train), (x_test,
            y_test))``, tf.data datasets in place of these pairs, or a dictionary of arrays with these names, and
            ``worker``, the worker of each sample. Shapes [samples, ...] and [samples]. Or a pandas DataFrame, of which
            ``problem.target`` names the column of targets or labels. With ``out`` they are kept there.
        on_record: function called as ``on_record(point, seed, iteration, values)`` for every recorded iteration of each
            run, once and in the order of iterations: ``point`` has the method and the swept keys by dotted key,
            ``values`` the variables of the result that are not NaN there. Where this process computes, it is called
            every some iterations, else when a run has ended; for runs that are there already, first. An exception that
            it raises ends the study.

    Returns:
        A dataset with a dimension for each swept key, then ``seed`` and ``iteration``; every variable has ``units`` and
        ``long_name``, and the attributes hold the resolved scenario and versions.

    Raises:
        OtaflError: bad input, before anything is computed or written; or this process would compute, and was forked
            from one that had loaded TensorFlow.
        otafl.study.run.Stopped: the user interrupted; the exception's ``data`` is the result so far, and a later call
            with ``out`` goes on from there.
    """
    plugins.require_none_loading("starts a study")
    machine.require_folder()
    _require_arguments(out, progress, store, overwrite, engine, on_record)
    out, store = at_home(out), at_home(store)
    with contextlib.ExitStack() as stack:
        if progress is None and (sys.stderr.isatty() or "ipykernel" in sys.modules):
            from otafl.plain_text import console
            from otafl.study.progress_lines import Bar

            progress = stack.enter_context(Bar(console(stderr=True)))
        resolved = scenario if isinstance(scenario, Scenario) else load(scenario)
        keys, arrays = overrides or {}, None
        if data is not None and isinstance(keys, Mapping):
            keys, arrays = _with_data(resolved, keys, data, out, stack)
        resolved = resolved.override(keys) if keys else resolved
        options = {"store": store, "overwrite": overwrite, "arrays": arrays}
        directory = None if out is None else functools.partial(_directory, Path(out), **options)
        return _run(resolved, progress or None, engine, directory, on_record)


def _run(
    scenario: Scenario,
    progress: Progress | None,
    engine: Engine | str | None,
    directory: Callable[[Study], Directory] | None,
    on_record: OnRecord | None,
) -> xr.Dataset:
    """Run a scenario whose data are loaded. If a run is missing, libraries are imported while the engine warms up."""
    study_size.require(scenario)
    user_classes.require_models(settings for _, settings in scenario.points())
    chosen = _engine(scenario, engine, keeps=directory is not None)
    try:
        from otafl.study.plan import Study

        study = Study(scenario, here=chosen.here)
        folder = directory and directory(study)
        if not (folder and folder.stored):
            chosen.warm()
        from otafl.study.run import run as run_study

        return run_study(study, progress, folder, chosen, on_record)
    finally:
        chosen.end()


def _engine(scenario: Scenario, engine: Engine | str | None, keeps: bool) -> Engine:
    """Return the engine of a study: this process where a script or notebook defines what is computed."""
    chosen = engines.engine(engine) if isinstance(engine, str) else engine
    points = [settings for _, settings in scenario.points()]
    if user_classes.only_here(points):
        if chosen is not None and not chosen.here:
            rule = "cannot compute with what a script or notebook defines: put it in a file of its own, or omit engine"
            raise OtaflError("engine", type(chosen).__name__, rule)
        chosen = engines.engine(processes=0)
        remark = "what a script or notebook defines is computed each time, in this process, and not stored"
        if keeps:
            warnings.warn(remark, Remark, stacklevel=4)
    chosen = chosen or engines.engine(processes=None if keeps else 0)
    if chosen.here and (changed := user_classes.changed(points, surely=not keeps)):
        remark = "may have changed since this process imported it: what was imported is computed, and not stored"
        warnings.warn(f"{', '.join(changed[:3])} {remark}; a new process imports it anew", Remark, stacklevel=4)
    return chosen


def _require_arguments(
    out: object, progress: object, store: object, overwrite: object, engine: object, on_record: object
) -> None:
    heard = progress is None or progress is False or callable(progress)
    for name, value, right, rule in (
        ("out", out, isinstance(out, str | os.PathLike | None), "must be a folder"),
        ("progress", progress, heard, "must be a function, or False"),
        ("store", store, isinstance(store, str | os.PathLike | bool), "must be a folder, True or False"),
        ("overwrite", overwrite, isinstance(overwrite, bool), "must be True or False"),
        ("on_record", on_record, on_record is None or callable(on_record), "must be a function"),
        ("engine", engine, engine is None or isinstance(engine, str) or hasattr(engine, "submit"), ENGINE_RULE),
    ):
        if not right or isinstance(value, bytes) or "\0" in str(value):
            raise OtaflError(name, value, rule)


def _with_data(
    scenario: Scenario,
    overrides: Mapping[str, Value],
    data: object,
    out: str | Path | None,
    stack: contextlib.ExitStack,
) -> tuple[dict[str, Value], dict[str, np.ndarray]]:
    """Return overrides that name given data, beside the result or else in memory during ``stack``; and arrays."""
    from otafl.data import sources, tables, user_data

    kind, target = (overrides.get(key, scenario.settings.value(key)) for key in ("problem.kind", tables.TARGET))
    digest, arrays = user_data.given(str(kind), data, target)
    name = user_data.IN_MEMORY + digest if out is None else str(Path(out).absolute() / f"data-{digest}.npz")
    stack.enter_context(sources.given(user_data.checked(str(kind), arrays, name), str(kind), name))
    left = {key: value for key, value in overrides.items() if key != tables.TARGET or not tables.is_frame(data)}
    return {**left, "problem.dataset": name}, arrays


def _directory(
    out: Path, study: Study, store: str | Path | bool, overwrite: bool, arrays: dict[str, np.ndarray] | None
) -> Directory:
    """Return the folder of a study, with the arrays that it learns from, if they are given."""
    from otafl.store.store import Store, default_folder
    from otafl.study.directory import Directory

    shared = Store(default_folder() if store is True else Path(store)) if store and not study.anew else None
    directory = Directory(out, study, shared, overwrite)
    if arrays is not None:
        import numpy as np

        from otafl.system.whole_files import atomic_file, made

        with made(out), atomic_file(Path(study.scenario.settings.problem.dataset)) as path, path.open("wb") as file:
            np.savez(file, **arrays)
    return directory
