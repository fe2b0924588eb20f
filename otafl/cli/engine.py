"""Engine of a study, as options of the command line."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from otafl.cli.options import toml_value
from otafl.errors import OtaflError

if TYPE_CHECKING:
    from otafl.study.engines import Engine

OF = {"processes": "local", **dict.fromkeys(("address", "cpus_per_task", "gpus_per_task"), "ray"), "slurm": "slurm"}
"""Engine of each option that belongs to one."""


def _help(text: str, metavar: str, default: str = "") -> object:
    return tyro.conf.arg(help=text, metavar=metavar, help_behavior_hint=f"(default: {default})" if default else "")


PROCESSES = _help("local: number of processes; 0: this command computes", "NUMBER", "OTAFL_PROCESSES, or one a core")
ADDRESS = _help("ray: address of the cluster", "ADDRESS", "one is started on this machine")
SLURM = "slurm: parameters of the jobs, as submitit takes them: timeout_min=240 slurm_partition=cpu"
ENGINE = "processes of this machine, a Ray cluster, or jobs of a Slurm cluster"


@dataclass(frozen=True)
class EngineOptions:
    """Engine that computes the study; on processors of one kind results have the same bits with each."""

    engine: Annotated[Literal["local", "ray", "slurm"], tyro.conf.arg(help=ENGINE)] = "local"
    processes: Annotated[int | None, PROCESSES] = None
    address: Annotated[str | None, ADDRESS] = None
    cpus_per_task: Annotated[int | None, _help("ray: cores for each task", "NUMBER", "1")] = None
    gpus_per_task: Annotated[float | None, _help("ray: GPUs for each task, such as 0.25", "NUMBER", "0")] = None
    slurm: Annotated[tuple[str, ...], _help(SLURM, "KEY=VALUE ...")] = ()

    def chosen(self) -> "Engine":
        """Return the engine that the options choose.

        Raises:
            OtaflError: an option belongs to another engine, or the engine is not installed.
        """
        from otafl.study.engines import engine

        given: dict[str, Any] = {
            option: getattr(self, option) for option in OF if getattr(self, option) not in (None, ())
        }
        for option, value in given.items():
            if self.engine != OF[option]:
                name = f"--{option.replace('_', '-')}"
                raise OtaflError(name, value, f"can be used only with --engine {OF[option]}, not {self.engine}")
        if "slurm" in given:
            given = {"parameters": dict(map(_parameter, self.slurm))}
        return engine(self.engine, **given)


def _parameter(word: str) -> tuple[str, object]:
    """Return a parameter and its value, as TOML reads it, else as text."""
    key, sign, value = word.partition("=")
    if not (key and sign):
        raise OtaflError("--slurm", word, "must be KEY=VALUE")
    return key, toml_value(value)
