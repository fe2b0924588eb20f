"""Federated learning over a wireless multiple-access channel, down to the physical layer.

otafl.load(name_or_path)                                 a scenario
otafl.run(scenario_or_name, overrides={...}, out=None)   its result, an xarray.Dataset
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["KERAS_BACKEND"] = "tensorflow"  # the one that computes here, whatever others use

if "".join(sys.argv[:1]).endswith("/otafl") and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # until the command is loaded, it ends without a traceback

from otafl import process  # noqa: F401, which from here on notices when this process is forked
from otafl.algorithms.method import method
from otafl.errors import OtaflError
from otafl.scenario.file import load
from otafl.scenario.scenario import Scenario
from otafl.settings.part_keys import key
from otafl.uplinks import register as uplink

if TYPE_CHECKING:
    import xarray as xr

    from otafl.study.engines import Engine
    from otafl.study.progress_counter import Progress

ENGINE_RULE = 'must be "local", "ray", "slurm" or what otafl.study.engines.engine makes'
__version__ = "0.1.0"
__all__ = ["OtaflError", "Scenario", "key", "load", "method", "run", "uplink"]


def run(
    scenario: Scenario | str | Path,
    overrides: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    progress: Progress | Literal[False] | None = None,
    store: str | Path | bool = True,
    overwrite: bool = False,
    engine: Engine | str | None = None,
    data: Any = None,
) -> xr.Dataset:
    """Run a scenario and return its curves.

    Arguments:
        scenario: a scenario, the name of one, or a path to a TOML file.
        overrides: dotted scenario keys and their values, such as ``{"channel.snr_db": 20}``; a list sweeps the key.
        out: folder in which to save the result as ``NAME.nc`` and its runs in ``NAME.runs``; left out, nothing is
            written. Runs that are in the folder or in the store are not computed again.
        progress: called as ``progress(label, done, total)``, in iterations summed over runs; False: nobody is told.
            Left out, a bar is drawn where there is a terminal or a notebook.
        store: folder of runs that all studies share; True: the user's, ``OTAFL_STORE_DIR`` or the cache folder; False:
            none, so that all is computed anew.
        overwrite: whether a result in ``out`` may be replaced that has runs which this study does not have.
        engine: where it is computed: "local" in worker processes, "ray", "slurm", or what
            ``otafl.study.engines.engine`` makes of these with options, for one study at a time. Left out, in worker
            processes where there is ``out``, and else in this process, where calls from parallel threads take turns.
        data: samples to learn from, in place of ``problem.dataset``: ``(x, y)``, ``((x_train, y_train), (x_test,
            y_test))``, tf.data datasets in place of these pairs, or a dictionary of arrays with these names, and
            ``worker`` for whose they are. Shapes [samples, ...] and [samples]. With ``out`` they are kept there.

    Returns:
        A dataset with a dimension for each swept key, then ``seed`` and ``iteration``; every variable has ``units``
        and ``long_name``, and the attributes hold the resolved scenario and versions.

    Raises:
        OtaflError: bad input, before anything is computed or written; or this process would compute, and was forked
            from one that had loaded TensorFlow.
        otafl.study.run.Stopped: the user interrupted; the exception's ``data`` has what is done, and a later call
            with ``out`` goes on from there.
    """
    from otafl.user_code import plugins

    plugins.require_none_loading("starts a study")
    _require_arguments(out, progress, store, overwrite, engine)
    if progress is None and _watched():
        from rich.console import Console

        from otafl.study.progress_bar import Bar

        with Bar(Console(stderr=True)) as bar:
            return run(scenario, overrides, out, bar, store, overwrite, engine, data)
    resolved = scenario if isinstance(scenario, Scenario) else load(scenario)
    wanted, arrays = overrides or {}, None
    with contextlib.ExitStack() as given:
        if data is not None and isinstance(wanted, Mapping):
            named, arrays = _given_data(resolved, wanted, data, out, given)
            wanted = {**wanted, **named}
        resolved = resolved.override(wanted) if wanted else resolved
        return _run(resolved, arrays, out, progress or None, store, overwrite, engine)


def _run(
    resolved: Scenario,
    arrays: Any,
    out: str | Path | None,
    progress: Progress | None,
    store: str | Path | bool,
    overwrite: bool,
    engine: Engine | str | None,
) -> xr.Dataset:
    """Run a scenario whose data are at hand."""
    from otafl.scenario import study_size, user_classes

    study_size.require(resolved)

    from otafl.study import engines

    chosen = engines.engine(engine) if isinstance(engine, str) else engine
    if user_classes.only_here(settings for _, settings in resolved.points()):
        chosen = _here(chosen)
    if out is None:
        from otafl.study.plan import Study
        from otafl.study.run import run as run_study

        return run_study(Study(resolved, here=True), progress, None, chosen)
    chosen = chosen or engines.engine()
    chosen.warm()
    try:
        return _run_into(Path(out), resolved, arrays, progress, store, overwrite, chosen)
    finally:
        chosen.end()


def _require_arguments(out: Any, progress: Any, store: Any, overwrite: Any, engine: Any) -> None:
    """Refuse arguments of other types than ``run`` takes.

    Raises:
        OtaflError: names the argument.
    """
    for name, value, right, rule in (
        ("out", out, isinstance(out, str | os.PathLike | None), "must be a folder"),
        (
            "progress",
            progress,
            progress is None or progress is False or callable(progress),
            "must be a function, or False",
        ),
        ("store", store, isinstance(store, str | os.PathLike | bool), "must be a folder, True or False"),
        ("overwrite", overwrite, isinstance(overwrite, bool), "must be True or False"),
        ("engine", engine, engine is None or isinstance(engine, str) or hasattr(engine, "submit"), ENGINE_RULE),
    ):
        if not right or isinstance(value, bytes) or "\0" in str(value):
            raise OtaflError(name, value, rule)


def _watched() -> bool:
    """Whether somebody watches: in a terminal, or in a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def _here(engine: Engine | None) -> Engine:
    """This process, as no other one can have schemes of an interactive session."""
    from otafl.study import engines

    if engine is not None and not _is_here(engine):
        rule = "cannot have what is registered in an interactive session: put it in a file, or leave the engine out"
        raise OtaflError("engine", type(engine).__name__, rule)
    return engines.engine(processes=0)


def _is_here(engine: Engine) -> bool:
    """Return if an engine computes in this process."""
    return any(base.__name__ == "InProcess" for base in type(engine).__mro__)


def _given_data(
    scenario: Scenario, overrides: Mapping[str, Any], data: Any, out: str | Path | None, given: contextlib.ExitStack
) -> tuple[dict[str, str], Any]:
    """The key with which a scenario learns from arrays at hand, from a file of them beside the result, or from memory
    as long as it is given them; and the arrays."""
    from otafl.data import sources, user_data

    kind = overrides.get("problem.kind", scenario.settings.problem.kind)
    digest, arrays = user_data.given(kind, data)
    name = user_data.IN_MEMORY + digest if out is None else str(Path(out).absolute() / f"data-{digest}.npz")
    given.enter_context(sources.given(kind, name, user_data.checked(kind, arrays, name)))
    return {"problem.dataset": name}, arrays


def _run_into(
    out: Path,
    scenario: Scenario,
    arrays: Any,
    progress: Progress | None,
    store: str | Path | bool,
    overwrite: bool,
    engine: Engine,
) -> xr.Dataset:
    """Run a scenario with its result, runs and given data in a folder; libraries are loaded here, while the engine
    warms up."""
    from otafl.store.store import Store, default_folder
    from otafl.study.directory import Directory
    from otafl.study.plan import Study
    from otafl.study.run import run as run_study

    study = Study(scenario, here=_is_here(engine))
    shared = Store(default_folder() if store is True else Path(store)) if store else None
    directory = Directory(out, study, shared, overwrite)
    if arrays is not None:
        import numpy as np

        from otafl.results.file import atomic_file, made

        with made(out), atomic_file(Path(scenario.settings.problem.dataset)) as path, path.open("wb") as file:
            np.savez(file, **arrays)
    return run_study(study, progress, directory, engine)
