"""Engine of a study, as options of the command line."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from otafl.cli.words import described, toml_value
from otafl.errors import OtaflError

if TYPE_CHECKING:
    from otafl.study.engines import Engine

OF = {"processes": "local", **dict.fromkeys(("address", "cpus_per_task", "gpus_per_task"), "ray"), "slurm": "slurm"}
"""Engine of each option that belongs to one."""
PROCESSES = described(
    "NUMBER", "local: number of processes; 0: this command computes", "OTAFL_PROCESSES, or one a core"
)
ADDRESS = described("ADDRESS", "ray: address of the cluster", "one is started on this machine")
SLURM = "slurm: parameters of the jobs, as submitit takes them: timeout_min=240 slurm_partition=cpu"
ENGINE = "processes of this machine, a Ray cluster, or jobs of a Slurm cluster"


@dataclass(frozen=True)
class EngineOptions:
    """Engine that computes the study; on processors of one kind results have the same bits with each."""

    engine: Annotated[Literal["local", "ray", "slurm"], tyro.conf.arg(help=ENGINE)] = "local"
    processes: Annotated[int | None, PROCESSES] = None
    address: Annotated[str | None, ADDRESS] = None
    cpus_per_task: Annotated[int | None, described("NUMBER", "ray: cores for each task", "1")] = None
    gpus_per_task: Annotated[float | None, described("NUMBER", "ray: GPUs for each task, such as 0.25", "0")] = None
    slurm: Annotated[tuple[str, ...], described("KEY=VALUE ...", SLURM)] = ()

    def chosen(self) -> "Engine":
        """Return the engine that the options choose, and refuse an option of another one."""
        from otafl.study.engines import engine

        given: dict[str, Any] = {name: getattr(self, name) for name in OF if getattr(self, name) not in (None, ())}
        for name, value in given.items():
            if self.engine != OF[name]:
                rule = f"can be used only with --engine {OF[name]}, not {self.engine}"
                raise OtaflError(f"--{name.replace('_', '-')}", value, rule)
        if "slurm" in given:
            given = {"parameters": dict(map(_parameter, self.slurm))}
        return engine(self.engine, **given)


def _parameter(word: str) -> tuple[str, object]:
    key, sign, value = word.partition("=")
    if not (key and sign):
        raise OtaflError("--slurm", word, "must be KEY=VALUE")
    return key, toml_value(value)
