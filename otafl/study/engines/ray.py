"""A Ray cluster: tasks go to whichever node has room for them, and what a lost node had is computed again."""

import contextlib
import functools
import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from otafl.data import sources
from otafl.data.samples import Samples
from otafl.errors import OtaflError
from otafl.machine import cores
from otafl.settings.keys import Problem
from otafl.store import identity
from otafl.store.store import Store, default_folder
from otafl.study.engines.engine import POLL_S, Circumstances, extra
from otafl.study.engines.local import Elsewhere
from otafl.study.task import Answer, Task
from otafl.user_code import plugins

KNOCK_S = 5.0
"""Seconds in which a cluster must answer."""
AHEAD = 2
"""Tasks that wait for each one that runs, so that no core is idle while an answer comes back."""
CODE = "OTAFL_CODE"
"""Environment variable by which Ray tells processes with other code of the user's own apart."""


class Ray(Elsewhere):
    """Tasks on a Ray cluster.

    Arguments:
        address: of a cluster, as ``ray.init`` takes it; left out, one is started on this machine.
        cpus_per_task: cores for each task.
        gpus_per_task: GPUs for each task, such as 0.25 where four share one.

    Raises:
        OtaflError: numbers that cannot be, or Ray is not installed.
    """

    def __init__(self, address: str | None = None, cpus_per_task: int = 1, gpus_per_task: float = 0.0) -> None:
        if cpus_per_task < 1:
            raise OtaflError("cpus_per_task", cpus_per_task, "must be at least 1")
        if not gpus_per_task >= 0:
            raise OtaflError("gpus_per_task", gpus_per_task, "must not be negative")
        self.ray, self.address = extra("ray"), address
        self.cpus_per_task, self.gpus_per_task = cpus_per_task, gpus_per_task
        self.tasks: dict[Any, Task] = {}
        self.data: dict[tuple[str, str], Any] = {}
        self.started = False

    def begin(self, circumstances: Circumstances) -> None:
        self.circumstances = circumstances
        self.data.clear()
        if not self.ray.is_initialized():
            self._connect()
            self.started = True
        self.remote = functools.cache(self._remote)

    def _remote(self, threads: int | None, code: str) -> Any:
        """Return the remote function that does a task, in a process with so many threads for its operations.

        One that has imported code of the user's own is not for tasks with other code.
        """
        cpus = self.cpus_per_task
        numbers = {"TF_NUM_INTRAOP_THREADS": threads or cpus, "TF_NUM_INTEROP_THREADS": cpus}
        ours = {name: value for name, value in os.environ.items() if name.startswith("OTAFL_")}
        variables = ours | {name: str(number) for name, number in numbers.items()} | ({CODE: code} if code else {})
        needs = {"num_cpus": cpus, "num_gpus": self.gpus_per_task, "max_retries": 0}
        return self.ray.remote(**needs, runtime_env={"env_vars": variables})(_perform)

    def _connect(self) -> None:
        quiet = {"log_to_driver": False, "logging_level": "ERROR"}
        try:
            if self.address:
                self._knock(self.address)
                self.ray.init(address=self.address, **quiet)
            else:
                self.ray.init(num_cpus=len(cores()), include_dashboard=False, **quiet)
        except (OSError, ValueError, RuntimeError) as error:
            why = str(error).splitlines()[0]
            raise OtaflError("address", self.address, f"must be that of a Ray cluster ({why})") from None

    def _knock(self, address: str) -> None:
        """See whether anybody answers there, for which Ray would take minutes."""
        host, _, port = address.removeprefix("ray://").rpartition(":")
        if port.isdecimal():
            socket.create_connection((host.strip("[]"), int(port)), KNOCK_S).close()

    @property
    def free(self) -> bool:
        room = self.ray.cluster_resources()
        places = [room.get("CPU", 0) / self.cpus_per_task]
        places += [room.get("GPU", 0) / self.gpus_per_task] if self.gpus_per_task else []
        return len(self.tasks) < AHEAD * max(1, int(min(places)))

    def submit(self, task: Task) -> None:
        problem = task.runs[0].column.settings.problem
        which = None if sources.source(problem).seeded else (problem.kind, problem.dataset)
        data = self._shared(problem, which) if which else None
        self.tasks[self.remote(task.threads, _code(task)).remote(task, (os.getcwd(), sys.path), which, data)] = task

    def _shared(self, problem: Problem, which: tuple[str, str]) -> Any:
        """A data set in the object store, where nodes find it."""
        if which not in self.data:
            self.data[which] = self.ray.put(sources.load(problem, 0, 0))
        return self.data[which]

    def ended(self) -> Iterator[tuple[Task, Answer]]:
        ready, _ = (
            self.ray.wait(list(self.tasks), num_returns=len(self.tasks), timeout=POLL_S) if self.tasks else ([], 0)
        )
        for reference in ready:
            task = self.tasks.pop(reference)
            yield task, _kept(task, self._answer(reference))

    def _answer(self, reference: Any) -> Answer:
        try:
            return self.ray.get(reference)
        except self.ray.exceptions.TaskCancelledError:
            return Answer()
        except self.ray.exceptions.RayError as error:
            return Answer(failure=f"the process was lost ({error})")

    def stop(self) -> None:
        for reference in self.tasks:
            self.ray.cancel(reference, force=False)

    def end(self) -> None:
        for reference in self.tasks:
            self.ray.cancel(reference, force=True)
        if self.started:
            self.ray.shutdown()


def _code(task: Task) -> str:
    """Digests of the code of the user's own that a task runs."""
    return " ".join(one.digest for one in task.runs[0].inputs if one.key in (identity.MODEL, plugins.KEY))


def _kept(task: Task, answer: Answer) -> Answer:
    """An answer whose results are in the study's store, wherever they were computed."""
    store = Store(task.store) if task.store else None
    for run in task.runs if store else ():
        result = answer.results.get(run.name)
        if store and result and result.outcome != "stopped" and not store.result_of(run.name, run.column.settings.run):
            store.save(run.name, result)
    return answer


def _perform(task: Task, place: tuple[str, list[str]], which: tuple[str, str] | None, data: Samples | None) -> Answer:
    """Do a task in a process of the cluster."""
    folder, path = place
    if Path(folder).is_dir():
        os.chdir(folder)
        sys.path.extend(entry for entry in path if entry not in sys.path)
    from otafl.study.remote_work import Signalled, perform

    if task.store and not task.store.is_dir():  # this machine has other files
        task = task._replace(store=default_folder())
    with sources.given(*which, data) if which and data else contextlib.nullcontext():
        return perform(task, Signalled(signal.SIGINT))
