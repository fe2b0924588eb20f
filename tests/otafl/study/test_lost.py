"""Workers that are lost, and code of the user's own that ends a process."""

import threading
from multiprocessing import Pipe
from types import SimpleNamespace
from typing import Any

import pytest

import otafl
from otafl.engine.simulate import Listener
from otafl.errors import OtaflError, Remark, Unprepared
from otafl.scenario.file import parse
from otafl.study import remote_work
from otafl.study.engines import in_process, local
from otafl.study.engines.engine import TRIES, StudyContext
from otafl.study.engines.worker import Placement
from otafl.study.plan import Study
from otafl.study.work import Answer, Check
from tests.otafl.small import SMALL

WORK: Any = SimpleNamespace(threads=None, kind=())


class Pretended:
    """A worker process as it is seen from here, which is lost, or answers at once."""

    def __init__(self, answer: Answer | None) -> None:
        self.task, self.placement, self.begun = None, Placement(0, [], None), False
        self.kinds = set[tuple]()
        self.connection, self.theirs = Pipe()
        self.answer = answer

    def begin(self, placement: Placement) -> None:
        self.placement, self.begun = placement, True

    def send(self, work: Any) -> None:
        if self.answer:
            self.theirs.send(self.answer)
        else:
            self.theirs.close()

    def lost(self) -> Answer:
        return Answer(failure="the process was lost (signal SIGKILL)", starved=True, lost=True)

    def close(self, at_once: bool = False) -> int:
        return 0


def engine(monkeypatch, answers: list[Answer | None]) -> local.Local:
    coming = iter(answers)
    monkeypatch.setattr(local, "Process", lambda: Pretended(next(coming)))
    made = local.Local(1)
    made.begin(StudyContext(lambda *_: None, threading.Event(), 1, []))
    return made


@pytest.mark.parametrize("answers", [[None, None, None], [Answer(need=1.0), None, None], [None, Answer(need=1.0)]])
def test_several_processes_that_are_asked_the_same_all_answer(monkeypatch, answers):
    asked = engine(monkeypatch, [*answers, *[Answer(need=2.0)] * 2]).ask(WORK, processes=2)
    assert [answer.lost for answer in asked] == [False, False]


@pytest.mark.parametrize("lost", range(TRIES))
def test_setup_is_tried_again_where_a_process_is_lost(monkeypatch, lost):
    answer = engine(monkeypatch, [None] * lost + [Answer(need=7.0)]).check(WORK)
    assert (answer.need, answer.failure) == (7.0, "")


def test_setup_is_given_up_in_the_end_and_not_tried_again_where_it_fails(monkeypatch):
    with pytest.raises(MemoryError):
        engine(monkeypatch, [None] * TRIES).check(WORK).heeded()
    with pytest.raises(Unprepared):
        engine(monkeypatch, [Answer(failure="Traceback")]).check(WORK).heeded()


class Failing(in_process.InProcess):
    """Engine that fails all tasks with one answer."""

    def __init__(self, answer: Answer) -> None:
        self.answer, self.tries = answer, 0

    def ended(self):
        self.tries += 1
        yield self.waiting.pop(), self.answer


@pytest.mark.parametrize(
    ("lost", "tries", "said"), [(True, TRIES, f"failed {TRIES} times: no"), (False, 1, "failed: no")]
)
def test_a_run_is_tried_again_only_where_it_was_lost(tmp_path, lost, tries, said):
    """A study without a single result leaves the reason alone."""
    failing = Failing(Answer(failure="Traceback\nno", lost=lost))
    with pytest.warns(Remark, match=said):
        otafl.run("quickstart", SMALL | {"method": "A-GD", "run.seeds": 1}, tmp_path, engine=failing)
    assert failing.tries == tries
    assert [path.suffix for path in tmp_path.rglob("*") if path.is_file()] == [".json", ".failed"]


def test_an_exception_of_a_listener_leaves_nothing(tmp_path):
    def fail(*_):
        raise KeyError

    with pytest.raises(KeyError):
        otafl.run("quickstart", SMALL | {"method": "A-GD", "run.seeds": 1}, tmp_path / "out", on_record=fail)
    assert not any(tmp_path.iterdir())


class Ends(BaseException):
    """Exception that code should not raise."""


@pytest.fixture
def study() -> Study:
    return Study(parse("t", "", SMALL | {"run.seeds": 1}))


@pytest.mark.parametrize("error", [SystemExit(3), GeneratorExit(), Ends("away")], ids=repr)
def test_code_that_ends_the_process_is_one_line(monkeypatch, study, error):

    def check(work: Check) -> Answer:
        raise error

    monkeypatch.setattr(remote_work, "check", check)
    monkeypatch.setattr(in_process, "check", check)
    work = study.check([[0]])
    assert "code that its runs need fails" in str(remote_work.perform(work, Listener()).refusal)
    with pytest.raises(OtaflError, match="code that its runs need fails"):
        in_process.InProcess().check(work)


def test_an_interrupt_stays_one(monkeypatch, study):
    def check(work: Check) -> Answer:
        raise KeyboardInterrupt

    monkeypatch.setattr(in_process, "check", check)
    with pytest.raises(KeyboardInterrupt):
        in_process.InProcess().check(study.check([[0]]))
