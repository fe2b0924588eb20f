"""Federated learning over a wireless multiple-access channel, down to the physical layer.

otafl.load(name_or_path)                                 a scenario
otafl.run(scenario_or_name, overrides={...}, out=None)   its result, an xarray.Dataset
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("KERAS_BACKEND", "tensorflow")

from otafl.errors import OtaflError
from otafl.scenario.file import load
from otafl.scenario.scenario import Scenario

if TYPE_CHECKING:
    import xarray as xr

    from otafl.study.run import Progress

__version__ = "0.1.0"
__all__ = ["OtaflError", "Scenario", "load", "run"]


def run(
    scenario: Scenario | str | Path,
    overrides: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> xr.Dataset:
    """Run a scenario and return its curves.

    Arguments:
        scenario: a scenario, the name of one, or a path to a TOML file.
        overrides: dotted scenario keys and their values, such as ``{"channel.snr_db": 20}``; a list sweeps the key.
        out: folder in which to save the result as ``NAME.nc``; left out, nothing is written. What is done so far is in
            ``NAME.part.nc`` until then, and is taken up again where an earlier run of the scenario has left it.
        progress: called as ``progress(label, done, total)``, in iterations summed over runs.

    Returns:
        A dataset with a dimension for each swept key, then ``seed`` and ``iteration``; every variable has ``units``
        and ``long_name``, and the attributes hold the resolved scenario and versions.

    Raises:
        OtaflError: bad input, before anything is computed or written.
        otafl.study.run.Stopped: the user interrupted; what is done is in ``NAME.part.nc``, and in the exception's
            ``data``.
    """
    from otafl.scenario import memory

    resolved = scenario if isinstance(scenario, Scenario) else load(scenario)
    resolved = resolved.override(overrides) if overrides else resolved
    memory.require(resolved)
    if not isinstance(out, str | os.PathLike | None):
        raise OtaflError("out", out, "must be a folder")

    from otafl.results import file
    from otafl.study import plan
    from otafl.study import run as study

    prepared = plan.prepare(resolved)
    if out is None:
        return study.run(prepared, progress)
    with file.saving(Path(out), resolved.name) as (save, keep):
        return save(study.run(prepared, progress, file.unfinished(Path(out), resolved), keep))
