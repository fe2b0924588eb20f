"""Faults as ``make mutants`` plants them."""

import ast

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
