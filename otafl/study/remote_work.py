"""Work of a process that computes for another one: results, remarks, refusals and failures become one answer."""

import signal
import threading
import traceback
import warnings

from otafl.engine.simulate import Listener
from otafl.errors import OtaflError, Remark
from otafl.scenario import user_classes
from otafl.scenario.user_classes import contained, is_of_machine
from otafl.store.store import Store
from otafl.study.compute import compute
from otafl.study.trial import check, timed
from otafl.study.work import Answer, Check, Task
from otafl.system import machine, process


def perform(work: Check | Task, listener: Listener) -> Answer:
    """Check, time or compute runs in a process that works for another one; errors become part of the answer."""
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", Remark)
        answer = _answer(work, listener)
    return answer._replace(remarks=answer.remarks + tuple(str(warning.message) for warning in shown))


class Signalled(Listener):
    """Listener that stops the runs once this process has received a signal."""

    def __init__(self, number: int) -> None:
        self.asked = threading.Event()
        signal.signal(number, lambda *_: self.asked.set())

    def stops(self) -> bool:
        return self.asked.is_set()


def _answer(work: Check | Task, listener: Listener) -> Answer:
    try:
        user_classes.load(work.settings.plugins)
        if work.trains:
            machine.import_without("keras", "matplotlib", "sklearn")  # its drawings and wrappers use them: 1 s
        with process.alone(), contained(work.settings):
            if isinstance(work, Check):
                return check(work)
            if work.times:
                return Answer(timed=timed(work))
            return Answer(compute(work.runs, work.store and Store(work.store), listener))
    except OtaflError as refusal:
        return Answer(refusal=refusal)
    except Exception as error:
        starved = isinstance(error, MemoryError) or type(error).__name__ == "ResourceExhaustedError"
        return Answer(failure=traceback.format_exc(), starved=starved, lost=is_of_machine(error))
