"""Faults as ``make mutants`` plants them."""

import ast
import collections
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import mutants

CHANGES = {
    "a + b": ["a - b"],
    "'text' + b": [],
    "-x": ["x"],
    "a / x**y": ["a * x ** y", "a / (x * y)"],
    "x <= y": ["x < y"],
    "not (x and y)": ["x and y", "not (x or y)"],
    "np.sum(x, axis=1)": ["np.mean(x, axis=1)", "np.sum(x, axis=0)"],
    "x.conj() * 0.5": ["x.conj() / 0.5", "x * 0.5", "x.conj() * 1.0"],
    "f(2, flag=False)": ["f(3, flag=False)", "f(2, flag=True)"],
    "raise ValueError(x + 1)": [],
    "def f(x: int = 1) -> 2:\n    max(x)": ["def f(x: int=2) -> 2:\n    max(x)", "def f(x: int=1) -> 2:\n    min(x)"],
    "class A:\n    b: int = 1\n    c = 1": ["class A:\n    b: int = 1\n    c = 2"],
}


@pytest.mark.parametrize("text", CHANGES)
def test_faults_of_a_text(text, tmp_path, monkeypatch):
    """Each is planted alone."""
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    (tmp_path / "one.py").write_text(text)
    found = [mutants.planted(one) for one in mutants.mutants("one.py")]
    assert sorted(found) == sorted(CHANGES[text])
    assert ast.unparse(ast.parse(text)) not in found


def test_a_sample_is_that_of_its_seed_and_keeps_what_no_change_touches(tmp_path, monkeypatch):
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    (tmp_path / "one.py").write_text("a + b\nc * d\ne < f\ng - h\n")
    first = [one.key for one in mutants.sample(["one.py"], 3, 0)]
    assert first == [one.key for one in mutants.sample(["one.py"], 3, 0)]
    assert first != [one.key for one in mutants.sample(["one.py"], 3, 1)]
    (tmp_path / "one.py").write_text("\n\na + b\nc * d\ne < f\ng - h\n")
    assert first == [one.key for one in mutants.sample(["one.py"], 3, 0)]


def test_what_may_survive_has_a_reason():
    assert all(len(reason.split()) > 3 for reason in mutants.accepted().values())


def test_what_may_survive_can_be_planted():
    possible = {one.key for one in mutants.sample(list(mutants.TESTS), sys.maxsize, 0)}
    assert not mutants.accepted().keys() - possible


def test_only_a_test_that_fails_finds_a_fault(monkeypatch):
    """Codes of pytest: 0 all pass, 1 some fail, 2 interrupted, 3 internal error, 4 usage, 5 no tests; signals < 0."""
    codes = {0: "survived", 1: "found", mutants.LATE: "timed out"} | dict.fromkeys([2, 3, 4, 5, -9], "broken")
    one = next(mutants.mutants("channels/grid.py"))
    known = {"tests/channels/test_grid.py": (1.0, [mutants.function(one)])}
    for code, verdict in codes.items():
        monkeypatch.setattr(mutants, "in_turn", lambda _, jobs, __, code=code: [(jobs[0], mutants.ROOT, code)])
        monkeypatch.setattr(mutants.shutil, "copy2", lambda *_: None)
        assert list(mutants.tried([Path()], [one], known)) == [(one, verdict)]


def test_the_share_leaves_out_what_timed_out_or_was_broken():
    counts = collections.Counter({"found": 6, "survived": 1, "called by no test": 1, "timed out": 5, "broken": 7})
    assert mutants.share(counts) == 6 / 8
    assert mutants.share(counts, left_out=1) == 6 / 7
    assert mutants.share(collections.Counter(broken=1)) == 0


def test_a_process_beyond_its_limit_is_late():
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True) as child:
        assert mutants.ended(child.pid, time.monotonic() + 60) is None
        assert mutants.ended(child.pid, time.monotonic() - 1) == mutants.LATE
