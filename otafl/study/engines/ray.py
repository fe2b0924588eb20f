"""Engine of a Ray cluster: tasks go to any node with room; the tasks of a lost node are computed again."""

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
from otafl.store import identity
from otafl.store.store import Store, default_folder
from otafl.study.engines.engine import POLL_S, StudyContext, extra
from otafl.study.engines.local import Elsewhere
from otafl.study.work import Answer, Task
from otafl.system.machine import cores
from otafl.user_code import plugins

KNOCK_S = 5.0
"""Time in which a cluster must answer [s]."""
AHEAD = 2
"""Number of submitted tasks for each place of the cluster, so that no core waits for an answer to arrive."""
HERE = "local"
"""Address for a cluster that is started on this machine, though another may run on it."""
CODE = "OTAFL_CODE"
"""Environment variable with the digests of the user's code, by which Ray tells processes apart."""


class Ray(Elsewhere):
    """Engine that computes tasks on a Ray cluster; the tasks of a lost node are computed again.

    Arguments:
        address: address of a cluster, as ``ray.init`` takes it; left out, that in ``RAY_ADDRESS``, or else "local": one
            is started on this machine.
        cpus_per_task: number of cores for each task.
        gpus_per_task: number of GPUs for each task, such as 0.25 if four tasks share one.
    """

    def __init__(self, address: str | None = None, cpus_per_task: int = 1, gpus_per_task: float = 0.0) -> None:
        if cpus_per_task < 1:
            raise OtaflError("cpus_per_task", cpus_per_task, "must be at least 1")
        if not gpus_per_task >= 0:
            raise OtaflError("gpus_per_task", gpus_per_task, "must not be negative")
        self.ray, self.address = extra("ray", "ray"), address or os.environ.get("RAY_ADDRESS") or HERE
        self.cpus_per_task, self.gpus_per_task = cpus_per_task, gpus_per_task
        self.tasks: dict[Any, Task] = {}
        self.data: dict[tuple[str, str, str | None], Any] = {}
        self.started = False

    def begin(self, context: StudyContext) -> None:
        self.context = context
        self.data.clear()
        if not self.ray.is_initialized():
            self._connect()
            self.started = True
        self.remote = functools.cache(self._remote)

    def _remote(self, threads: int | None, code: str) -> Any:
        """Return the remote function for tasks, in processes with a number of threads and one code of the user's."""
        cpus = self.cpus_per_task
        numbers = {"TF_NUM_INTRAOP_THREADS": threads or cpus, "TF_NUM_INTEROP_THREADS": cpus}
        ours = {name: value for name, value in os.environ.items() if name.startswith("OTAFL_")}
        variables = ours | {name: str(number) for name, number in numbers.items()} | ({CODE: code} if code else {})
        needs = {"num_cpus": cpus, "num_gpus": self.gpus_per_task, "max_retries": 0}
        return self.ray.remote(**needs, runtime_env={"env_vars": variables})(_perform)

    def _connect(self) -> None:
        quiet = {"log_to_driver": False, "logging_level": "ERROR"}
        own = {"num_cpus": len(cores()), "include_dashboard": False} if self.address == HERE else {}
        try:
            host, _, port = self.address.removeprefix("ray://").rpartition(":")
            if port.isdecimal():  # where nobody answers, Ray would take minutes to say so
                socket.create_connection((host.strip("[]"), int(port)), KNOCK_S).close()
            self.ray.init(address=self.address, **own, **quiet)
        except (OSError, ValueError, RuntimeError) as error:
            why = str(error).splitlines()[0]
            raise OtaflError("address", self.address, f"must be the address of a Ray cluster ({why})") from None

    @property
    def free(self) -> bool:
        room = self.ray.cluster_resources()
        places = [room.get("CPU", 0) / self.cpus_per_task]
        places += [room.get("GPU", 0) / self.gpus_per_task] if self.gpus_per_task else []
        return len(self.tasks) < AHEAD * max(1, int(min(places)))

    def submit(self, task: Task) -> None:
        problem = task.runs[0].column.settings.problem
        which = None if sources.source(problem).seeded else (problem.kind, problem.dataset, problem.target)
        if which and which not in self.data:
            self.data[which] = self.ray.put(sources.load(problem, 0, 0))
        place, data = (os.getcwd(), sys.path), self.data[which] if which else None
        code = [entry.digest for entry in task.runs[0].inputs if entry.key in (identity.MODEL, plugins.KEY)]
        self.tasks[self.remote(task.threads, " ".join(code)).remote(task, place, which, data)] = task

    def ended(self) -> Iterator[tuple[Task, Answer]]:
        tasks = list(self.tasks)
        ready, _ = self.ray.wait(tasks, num_returns=len(tasks), timeout=POLL_S) if tasks else ([], [])
        for reference in ready:
            task = self.tasks.pop(reference)
            yield task, _kept(task, self._answer(reference))

    def _answer(self, reference: Any) -> Answer:
        try:
            return self.ray.get(reference)
        except self.ray.exceptions.TaskCancelledError:
            return Answer()
        except self.ray.exceptions.RayError as error:
            return Answer(failure=f"the process was lost ({error})", lost=True)

    def stop(self) -> None:
        for reference in self.tasks:
            self.ray.cancel(reference, force=False)

    def end(self) -> None:
        for reference in self.tasks:
            self.ray.cancel(reference, force=True)
        if self.started:
            self.ray.shutdown()


def _kept(task: Task, answer: Answer) -> Answer:
    """Save the results of an answer in the study's store, if a node without access to it computed them."""
    store = Store(task.store) if task.store else None
    for run in task.runs if store else ():
        result = answer.results.get(run.name)
        if store and result and result.outcome != "stopped" and not store.result_of(run.name, run.column.settings.run):
            store.save(run.name, result)
    return answer


def _perform(
    task: Task, place: tuple[str, list[str]], which: tuple[str, str, str | None] | None, data: Samples | None
) -> Answer:
    folder, path = place
    if Path(folder).is_dir():
        os.chdir(folder)
        sys.path.extend(entry for entry in path if entry not in sys.path)
    from otafl.study.remote_work import Signalled, perform

    if task.store and not task.store.is_dir():  # this machine has other files
        task = task._replace(store=default_folder())
    with sources.given(data, *which) if which and data else contextlib.nullcontext():
        return perform(task, Signalled(signal.SIGINT))
