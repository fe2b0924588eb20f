"""Where a study is computed, as options of the command line."""

import tomllib
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import tyro

from otafl.errors import OtaflError

OF = {
    "processes": "local",
    "address": "ray",
    "cpus_per_task": "ray",
    "gpus_per_task": "ray",
    "slurm": "slurm",
}
"""Options that belong to one engine."""


def _help(text: str, metavar: str, default: str = "") -> Any:
    return tyro.conf.arg(help=text, metavar=metavar, help_behavior_hint=f"(default: {default})" if default else "")


PROCESSES = _help("local: how many; 0: none, the command computes itself", "NUMBER", "OTAFL_PROCESSES, or one a core")


@dataclass(frozen=True)
class EngineOptions:
    """Where the study is computed; the same bits come out everywhere."""

    engine: Annotated[
        Literal["local", "ray", "slurm"],
        tyro.conf.arg(help="processes of this machine, a Ray cluster, or jobs of a Slurm cluster"),
    ] = "local"
    processes: Annotated[int | None, PROCESSES] = None
    address: Annotated[
        str | None, _help("ray: address of the cluster", "ADDRESS", "one is started on this machine")
    ] = None
    cpus_per_task: Annotated[int | None, _help("ray: cores for each task", "NUMBER", "1")] = None
    gpus_per_task: Annotated[float | None, _help("ray: GPUs for each task, such as 0.25", "NUMBER", "0")] = None
    slurm: Annotated[
        tuple[str, ...],
        _help("slurm: what jobs ask for, as submitit names it: timeout_min=240 slurm_partition=cpu", "KEY=VALUE ..."),
    ] = ()

    def chosen(self) -> Any:
        """The engine.

        Raises:
            OtaflError: options that do not belong together, or an engine that is not installed.
        """
        from otafl.study.engines import engine

        given = {option: getattr(self, option) for option in OF if getattr(self, option) not in (None, ())}
        for option, value in given.items():
            if self.engine != OF[option]:
                name = f"--{option.replace('_', '-')}"
                raise OtaflError(name, value, f"is for --engine {OF[option]}, not {self.engine}")
        if "slurm" in given:
            given = {"parameters": dict(map(_parameter, self.slurm))}
        return engine(self.engine, **given)


def _parameter(word: str) -> tuple[str, Any]:
    """A parameter and its value, as TOML reads it, text where it is none."""
    key, sign, value = word.partition("=")
    if not (key and sign):
        raise OtaflError("--slurm", word, "must be KEY=VALUE")
    try:
        return key, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key, value
