"""Engine of a Slurm cluster, through submitit: an array of jobs, on machines that see the same files."""

import contextlib
import io
import re
import signal
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from otafl.errors import OtaflError
from otafl.store.store import Store
from otafl.study.engines.engine import POLL_S, StudyContext, extra
from otafl.study.engines.local import Elsewhere
from otafl.study.work import Answer, Task

MOST = 1_000
"""Largest number of jobs in the queue."""
ARRAY = 1_001
"""Largest number of jobs in an array by Slurm's default, where ``scontrol`` does not tell MaxArraySize."""
JOBS = "jobs"
"""Folder among a study's runs with a new one for each call, for scripts and pickled answers of its jobs alone."""


class Slurm(Elsewhere):
    """Engine that computes tasks as jobs of a Slurm cluster; a job at its time limit is queued again, and goes on.

    Arguments:
        parameters: parameters of the jobs, as submitit takes them: ``timeout_min``, ``mem_gb``, ``cpus_per_task``,
            ``gpus_per_node``, ``slurm_partition`` and so on.
        cluster: "slurm", or "local" for processes of this machine, to try it out.
    """

    def __init__(self, parameters: dict[str, Any] | None = None, cluster: str = "slurm") -> None:
        self.submitit, self.parameters, self.cluster = extra("slurm", "submitit"), parameters or {}, cluster
        self.waiting: list[Task] = []
        self.jobs: list[tuple[Any, Task]] = []

    def begin(self, context: StudyContext) -> None:
        self.context = context
        if not context.folder:
            raise OtaflError("out", None, "must be a folder that all machines of the cluster see")
        self.folder = context.folder / JOBS / uuid.uuid4().hex[:12]
        with tempfile.TemporaryDirectory() as trial:
            self._executor(Path(trial))

    def _executor(self, folder: Path) -> Any:
        """Return an executor of submitit, which queues jobs and keeps its files in a folder that it makes."""
        try:
            executor = self.submitit.AutoExecutor(folder, cluster=self.cluster)
            executor.update_parameters(name="otafl", **self.parameters)
        except (RuntimeError, NameError, TypeError, ValueError, AssertionError) as error:
            why = " ".join(str(error).split())
            raise OtaflError("slurm", self.parameters, f"must be parameters that submitit accepts ({why})") from None
        return executor

    @property
    def free(self) -> bool:
        return len(self.waiting) + len(self.jobs) < MOST

    def submit(self, task: Task) -> None:
        self.waiting.append(task)

    def ended(self) -> Iterator[tuple[Task, Answer]]:
        for task in [task for task in self.waiting if _elsewhere(task)]:
            self.waiting.remove(task)
            yield task, Answer()
        self._queue()
        self.context.asked.wait(POLL_S)
        stopped = self.context.asked.is_set()
        for job, task in [pair for pair in self.jobs if stopped or pair[0].done()]:
            self.jobs.remove((job, task))
            if stopped:  # the job keeps its state
                job.cancel(check=False)
            yield task, Answer() if stopped else self._answer(job)

    def _queue(self) -> None:
        """Put the waiting tasks into the queue, as arrays of as many jobs as Slurm takes."""
        size = _array_size() if self.waiting else ARRAY
        while self.waiting:
            part, self.waiting = self.waiting[:size], self.waiting[size:]
            self.jobs += zip(self._array(part), part, strict=True)

    def _array(self, tasks: list[Task]) -> list[Any]:
        executor = self._executor(self.folder)
        try:
            with contextlib.redirect_stderr(io.StringIO()), executor.batch():  # where submitit repeats what is raised
                return [executor.submit(Job(), task) for task in tasks]
        except (self.submitit.core.utils.FailedJobError, self.submitit.core.utils.FailedSubmissionError) as error:
            why = " ".join(str(error).split())
            raise OtaflError("slurm", self.parameters, f"must be parameters that Slurm accepts ({why})") from None

    def _answer(self, job: Any) -> Answer:
        error = job.exception()
        return Answer(failure=f"the job was lost ({error})", lost=True) if error else job.result()

    def end(self) -> None:
        for job, _ in self.jobs:
            job.cancel(check=False)
        self.jobs, self.waiting = [], []


def _array_size() -> int:
    """Return the largest number of jobs in an array, MaxArraySize of the cluster."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        told = subprocess.run(["scontrol", "show", "config"], capture_output=True, text=True, timeout=60).stdout
        if found := re.search(r"^MaxArraySize\s*=\s*(\d+)", told, re.MULTILINE):
            return max(int(found[1]), 1)
    return ARRAY


def _elsewhere(task: Task) -> bool:
    """Return True if other processes compute all runs of a task, such as jobs of an earlier command."""
    return bool(task.store) and all(Store(task.store).in_use(run.name) for run in task.runs)


class Job:
    """Job of Slurm that computes a task; submitit calls it on a machine of the cluster."""

    def __call__(self, task: Task) -> Answer:
        from otafl.engine.runtime import threads
        from otafl.study.remote_work import Signalled, perform

        if task.threads:
            threads.fix(task.threads)
        return perform(task, Signalled(signal.SIGTERM))

    def checkpoint(self, task: Task) -> Any:
        """Return the job as submitit is to queue it again, at its time limit; it goes on from its checkpoint."""
        import submitit

        return submitit.helpers.DelayedSubmission(self, task)
