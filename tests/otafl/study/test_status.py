"""How a study's runs stand: done, held by somebody, begun, or missing."""

import io
import re
import shutil
import threading
import time

import pytest

import otafl
from otafl.errors import Remark
from otafl.plain_text import console
from otafl.store.store import Store
from otafl.study import progress_file, progress_lines
from otafl.study.manifest import manifest
from otafl.study.plan import Study
from otafl.study.progress_counter import ProgressCounter
from otafl.study.progress_file import ProgressNotes
from otafl.study.status import point_statuses
from otafl.study.work import Task

KEYS = {"method": ["A-FADMM", "A-GD"], "run.seeds": 2, "run.iterations": 3, "federation.workers": 4}


def test_runs_are_done_running_or_begun(tmp_path):
    otafl.run("quickstart", KEYS, out=tmp_path, store=tmp_path / "store")
    listed = manifest(tmp_path / "quickstart.runs")
    assert listed
    own, shared = Store(tmp_path / "quickstart.runs"), Store(tmp_path / "store")
    names = [run.name for run in listed.runs]
    own.drop(names[0])
    own.drop(names[3])
    with shared.held([names[3]]):
        found = [(point, dict(counts)) for _, point, counts in point_statuses(tmp_path)]
    assert found == [({"scheme": "A-FADMM"}, {"begun": 1, "done": 1}), ({"scheme": "A-GD"}, {"done": 1, "running": 1})]


def test_looking_leaves_nothing(tmp_path):
    otafl.run("quickstart", KEYS, out=tmp_path, store=tmp_path / "store")
    shutil.rmtree(tmp_path / "store")
    runs = tmp_path / "quickstart.runs"
    damaged = next(runs.glob("*/*.run"))
    damaged.write_bytes(damaged.read_bytes()[:-1])
    before = set(tmp_path.rglob("*"))
    with pytest.warns(Remark, match="damaged"):
        list(point_statuses(tmp_path))
    assert set(tmp_path.rglob("*")) == before


def test_time_left_does_not_count_what_was_done_before(tmp_path):
    study = Study(otafl.load("quickstart", KEYS | {"run.iterations": 100}))
    tally = ProgressCounter(study, 3, None, threading.Event(), ProgressNotes(tmp_path))
    task = Task(0, [], None)
    tally.began(task, "runs")
    tally.advance(task, 60, "", resumed=True)
    assert tally.notes
    tally.notes.due = 0.0
    tally.advance(task, 20, "")
    said = progress_file.read(tmp_path)
    assert said
    assert (said.done, said.before, said.total) == (180, 160, 400)


def test_a_line_every_some_seconds_until_the_end(monkeypatch):
    monkeypatch.setattr(progress_lines, "EVERY_S", 0.05)
    printed = io.StringIO()
    with progress_lines.Lines(console(file=printed)) as progress:
        time.sleep(0.3)
        progress("A-FADMM, 40 dB [x]", 1200, 40_000)
        time.sleep(0.3)
    first, *_, last = lines = printed.getvalue().splitlines()
    assert re.fullmatch(r"0 s; preparing", first)
    assert re.fullmatch(r"1,200 of 40,000 iterations, [01] s; A-FADMM, 40 dB \[x\]", last)
    time.sleep(0.2)
    assert printed.getvalue().splitlines() == lines
