"""Where the runs of a study are computed. What an engine needs is imported when it is chosen."""

import importlib
import os
from typing import Any

from otafl.errors import OtaflError, UnknownName
from otafl.machine import require_docstrings
from otafl.study.engines.engine import Engine

VARIABLE = "OTAFL_PROCESSES"
"""How many worker processes are started where that is not said; 0: none, this process computes."""
ENGINES = ("local", "ray", "slurm")


def engine(name: str = "local", **options: Any) -> Engine:
    """An engine by its name.

    Arguments:
        name: "local", "ray" or "slurm".
        options: of ``local.Local``, ``ray.Ray`` or ``slurm.Slurm``; ``processes=0``: this process computes.

    Raises:
        OtaflError: no such engine, it is not installed, or options that it cannot have.
    """
    if not isinstance(name, str):
        raise OtaflError("engine", name, f"must be one of {', '.join(ENGINES)}")
    if name not in ENGINES:
        raise UnknownName("engine", name, ENGINES)
    if name == "local":
        options["processes"] = _processes(options.get("processes"))
        name, options = ("in_process", {}) if options["processes"] == 0 else (name, options)
    require_docstrings()
    module = importlib.import_module(f"otafl.study.engines.{name}")
    try:
        return getattr(module, name.title().replace("_", ""))(**options)
    except TypeError as error:
        raise OtaflError("engine", name, f"cannot be had so ({error})") from None


def _processes(given: int | None) -> int | None:
    """How many processes are asked for; None: nobody says."""
    if not isinstance(given, int | None):
        raise OtaflError("processes", given, "must be a whole number")
    if given is not None or VARIABLE not in os.environ:
        return given
    if not os.environ[VARIABLE].isdecimal():
        raise OtaflError(VARIABLE, os.environ[VARIABLE], "must be a number of processes")
    return int(os.environ[VARIABLE])
