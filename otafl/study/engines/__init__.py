"""Where the runs of a study are computed. What an engine needs is imported when it is chosen."""

import os
from typing import Any

from otafl.errors import OtaflError
from otafl.study.engines.engine import Engine

VARIABLE = "OTAFL_PROCESSES"
"""How many worker processes ``local`` starts where that is not said; 0: none, this process computes."""


def local(processes: int | None = None) -> Engine:
    """Worker processes of this machine, see ``Local``; with 0 of them this process computes.

    Raises:
        OtaflError: not such a number.
    """
    if processes is None and VARIABLE in os.environ:
        processes = _number(os.environ[VARIABLE])
    if processes == 0:
        from otafl.study.engines.here import Here

        return Here()
    from otafl.study.engines.local import Local

    return Local(processes)


def ray(address: str | None = None, cpus: int = 1, gpus: float = 0.0) -> Engine:
    """A Ray cluster, see ``Ray``.

    Raises:
        OtaflError: numbers that cannot be, or Ray is not installed.
    """
    from otafl.study.engines.ray import Ray

    return Ray(address, cpus, gpus)


def slurm(parameters: dict[str, Any] | None = None, cluster: str = "slurm") -> Engine:
    """Jobs of a Slurm cluster, see ``Slurm``.

    Raises:
        OtaflError: submitit is not installed.
    """
    from otafl.study.engines.slurm import Slurm

    return Slurm(parameters, cluster)


def _number(text: str) -> int:
    if not text.isdecimal():
        raise OtaflError(VARIABLE, text, "must be a number of processes")
    return int(text)
