"""Folders of studies: one result from several, how their runs stand, and lines on progress."""

import io
import re
import shutil
import threading
import time

import numpy as np
import pytest

import otafl
from otafl.errors import OtaflError, Remark
from otafl.plain_text import console
from otafl.store.identity import ANEW
from otafl.store.store import Store
from otafl.study import plan, progress_file, progress_lines
from otafl.study.collect import collect
from otafl.study.manifest import manifest
from otafl.study.plan import Study
from otafl.study.progress_counter import ProgressCounter
from otafl.study.progress_file import ProgressNotes
from otafl.study.status import point_statuses
from otafl.study.work import Task
from tests.rounding import assert_results_close

KEYS = {"method": ["A-FADMM", "A-GD"], "run.seeds": 2, "run.iterations": 3, "federation.workers": 4}


def test_a_folder_gives_its_result_back(tmp_path):
    whole = otafl.run("quickstart", KEYS, out=tmp_path)
    assert collect([tmp_path]).dataset().equals(whole)
    assert collect([tmp_path / "quickstart.runs"]).dataset().equals(whole)


def test_folders_of_other_seeds_go_together(tmp_path):
    folders = [tmp_path / "one", tmp_path / "two"]
    for seed, folder in zip((0, 2), folders, strict=True):
        otafl.run("quickstart", KEYS | {"run.seed": seed}, out=folder)
    assert_results_close(collect(folders[::-1]).dataset(), otafl.run("quickstart", KEYS | {"run.seeds": 4}))


def test_folders_on_other_data_are_not_mixed(tmp_path):
    features = np.random.default_rng(0).standard_normal((60, 4))
    keys = KEYS | {"problem.dataset": str(tmp_path / "mine.npz")}
    for scale, folder, first in ((1.0, "one", 0), (2.0, "two", 2)):
        np.savez(tmp_path / "mine.npz", x_train=scale * features, y_train=features.sum(axis=1))
        otafl.run("quickstart", keys | {"run.seed": first}, out=tmp_path / folder)
    with pytest.raises(OtaflError, match=r"has runs on other data, code or channels than .*one"):
        collect([tmp_path / "one", tmp_path / "two"])


def test_runs_of_one_study_with_code_of_a_session_are_alike(monkeypatch):
    monkeypatch.setattr(plan, "inputs_as_imported", lambda settings, here: [ANEW])
    study = plan.Study(otafl.load("quickstart").override(KEYS))
    assert len(set(study.names)) == len(study.names) == 4
    assert study.unseeded[::2] == study.unseeded[1::2]
    assert len(set(study.unseeded)) == 2


def test_a_run_counts_from_whichever_folder_has_it_and_what_is_missing_is_stopped(tmp_path):
    whole = otafl.run("quickstart", KEYS, out=tmp_path / "whole")
    otafl.run("quickstart", KEYS, out=tmp_path / "part")
    listed = manifest(tmp_path / "part" / "quickstart.runs")
    for run in listed.runs[1:3]:
        Store(tmp_path / "part" / "quickstart.runs").drop(run.name)
    assert collect([tmp_path / "whole", tmp_path / "part"]).dataset().equals(whole)
    assert collect([tmp_path / "part", tmp_path / "whole"]).dataset().equals(whole)
    outcomes = collect([tmp_path / "part"]).dataset()["outcome"].values.tolist()
    assert outcomes == [["completed", "stopped"], ["stopped", "completed"]]


def test_no_folder_at_all_and_one_without_runs(tmp_path):
    with pytest.raises(OtaflError, match="must name the folder of a study"):
        collect([])
    for read in (lambda: collect([tmp_path]), lambda: list(point_statuses(tmp_path))):
        with pytest.raises(OtaflError, match="must be the --out folder of a study"):
            read()


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"channel.snr_db": 3.0}, "cannot be mixed"),
        ({"run.seed": 5}, r"must have consecutive seeds together, but have \[0, 1, 5, 6\]"),
    ],
)
def test_what_does_not_go_together_is_refused(keys, words, tmp_path):
    folders = [tmp_path / "one", tmp_path / "two"]
    for other, folder in zip(({}, keys), folders, strict=True):
        otafl.run("quickstart", KEYS | {"run.iterations": 1} | other, out=folder)
    with pytest.raises(OtaflError, match=words):
        collect(folders)


def test_runs_are_done_running_or_begun(tmp_path):
    otafl.run("quickstart", KEYS, out=tmp_path, store=tmp_path / "store")
    listed = manifest(tmp_path / "quickstart.runs")
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
    tally.notes.due = 0.0
    tally.advance(task, 20, "")
    said = progress_file.read(tmp_path)
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
