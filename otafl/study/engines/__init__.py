"""Engines that compute the runs of a study; the libraries of an engine are imported when it is chosen."""

import importlib
import os
from typing import Any

from otafl.errors import OtaflError, UnknownName
from otafl.study.engines.engine import Engine
from otafl.system.machine import require_docstrings

VARIABLE = "OTAFL_PROCESSES"
"""Environment variable with the default number of worker processes; 0: this process computes."""
ENGINES = ("in_process", "local", "ray", "slurm")


def engine(name: str = "local", **options: Any) -> Engine:
    """Return the engine of a name, which computes the runs of a study.

    >>> engine("local", processes=2).wanted
    2

    Arguments:
        name: "in_process" (this process), "local" (worker processes), "ray" or "slurm".
        options: arguments of ``local.Local``, ``ray.Ray`` or ``slurm.Slurm``; ``processes=0``: this process computes.

    Raises:
        OtaflError: the name is unknown, the engine's library is not installed, or it does not take the options.
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
        raise OtaflError("engine", name, f"does not take these options ({error})") from None


def _processes(given: int | None) -> int | None:
    """Return the number of processes that is given or set in OTAFL_PROCESSES; None: neither."""
    if not isinstance(given, int | None):
        raise OtaflError("processes", given, "must be a whole number")
    if given is not None or VARIABLE not in os.environ:
        return given
    if not os.environ[VARIABLE].isdecimal():
        raise OtaflError(VARIABLE, os.environ[VARIABLE], "must be a number of processes")
    return int(os.environ[VARIABLE])
