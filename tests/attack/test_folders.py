"""Unexpected things in a study's folders: files for folders, folders for files, loops, damaged notes."""

import json
import math
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import otafl
from otafl import cli
from otafl.errors import OtaflError, Remark
from otafl.scenario.file import parse
from otafl.store import array_file
from otafl.store.result import NEEDED, Result
from otafl.store.store import Store
from otafl.study import progress_file
from otafl.study.manifest import manifest, studies
from otafl.study.plan import Study
from otafl.system import memory
from tests.attack.conftest import assert_one_line
from tests.command import listing

RUN = ["run", "quickstart", "--method", "D-GD", "--run.seeds", "1", "--run.iterations", "3", "--processes", "0"]
NAME = "0123abcd" * 4
BROUGHT = Result(np.arange(1, 4), dict.fromkeys(NEEDED, np.ones(3)), "completed", {})


@pytest.mark.parametrize("store", ["file", "file/below", "loop", "loop/below"])
@pytest.mark.parametrize("words", [RUN, ["store"], ["store", "--prune", "1"]], ids=["run", "size", "prune"])
def test_store_that_is_no_folder(call, tmp_path, words, store):
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    before = listing(tmp_path)
    answer = call(*words, "--store", store)
    assert listing(tmp_path) == before
    if words is RUN or "/" not in store:
        assert answer.code == 2
        assert_one_line(answer.stderr)
        assert "--store" in answer.stderr


@pytest.mark.parametrize("words", [RUN, ["plot", "a.nc"], ["store"]], ids=["run", "plot", "store"])
def test_working_folder_that_was_deleted(capsys, monkeypatch, tmp_path, words):
    folder = tmp_path / "deleted"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    monkeypatch.setattr("sys.argv", ["otafl", *words])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert stopped.value.code == 2
    said = capsys.readouterr()
    assert_one_line(said.err)
    assert "working folder = '.': must exist (No such file or directory)" in said.err
    assert said.out == ""
    with pytest.raises(OtaflError, match=r"^working folder"):
        otafl.run("quickstart")


def test_folder_in_a_runs_place(tmp_path):
    path = Store(tmp_path).path(NAME)
    path.mkdir(parents=True)
    with pytest.raises(OtaflError, match="remove it"):
        Store(tmp_path).result(NAME)
    with pytest.warns(Remark, match="it does not count"):
        assert Store(tmp_path, only_read=True).result(NAME) is None
    assert Store(tmp_path).size == (0, 0)
    assert Store(tmp_path).pruned(1e-9) == (0, 0)
    assert path.is_dir()


CHANNEL = [*RUN, "--channel.fading", "file", "--channel.file", "loop.npz"]


@pytest.mark.parametrize("words", [["report", "loop.nc"], ["show", "loop.toml"], CHANNEL], ids=" ".join)
def test_files_that_are_loops(refused, tmp_path, words):
    (tmp_path / words[-1]).symlink_to(words[-1])
    refused(*words)


def said() -> dict:
    study = Study(parse("t", "", {"run.seeds": 1}))
    run = {"name": NAME, "point": {}, "seed": 0}
    listed = {"study": "t", "file": "t", "scenario": study.scenario.to_toml(), "iterations": 500, "runs": [run]}
    return listed | {"store": "store"}


OTHER = (None, 5, math.inf, [], {}, [5])
KEYS = ("study", "file", "scenario", "iterations", "runs", "store")
WRONG = [{key: value} for key in KEYS for value in OTHER if (key, value) != ("iterations", 5)]
WRONG += [{"iterations": "x"}, {"study": "../x"}, {"store": "a\0b"}, {"runs": "x"}, {"runs": [{}]}]
OF_RUN = [{"name": value} for value in (*OTHER, "../../x", "a\0b", "")]
OF_RUN += [{"point": value} for value in OTHER if not isinstance(value, dict)]
OF_RUN += [{"seed": value} for value in (*OTHER, "x") if value != 5]
TEXTS = ["", "null", "[]", "5", "{", "[" * 100_000, "\0"]


def test_study_that_says_what_cannot_be(tmp_path):
    (tmp_path / "t.runs").mkdir()
    (run,) = said()["runs"]
    changed = [*WRONG, *({"runs": [run | change]} for change in OF_RUN)]
    for text in (*TEXTS, *(json.dumps(said() | change) for change in changed)):
        (tmp_path / "t.runs" / "study.json").write_text(text)
        assert manifest(tmp_path / "t.runs") is None, text
    with pytest.raises(OtaflError, match="that can be read"):
        studies(tmp_path)


def forged(**changes: Any) -> tuple[dict, dict]:
    """A run's arrays and the rest of its file, some of them changed; None: left out."""
    arrays, info = {"iteration": np.arange(1, 4), **BROUGHT.values}, {"outcome": "completed", "compute_time": 1.0}
    whole = {"arrays": arrays, "info": info}
    for place, value in changes.items():
        kind, _, name = place.partition("_")
        whole[kind] = {key: one for key, one in (whole[kind] | {name: value}).items() if one is not None}
    return whole["arrays"], whole["info"]


NO_RESULTS = {
    "no outcome": forged(info_outcome=None),
    "other outcome": forged(info_outcome=["x"]),
    "unhashable": forged(info_git=[1]),
    "time without end": forged(info_compute_time=np.inf),
    "negative energies": forged(arrays_energy=np.array([-1.0, 0.0, 1.0])),
    "slots that fall": forged(arrays_time_slots=np.array([3.0, 2.0, 1.0])),
    "no iterations": forged(arrays_iteration=None),
    "not one iteration": ({name: values[:0] for name, values in forged()[0].items()}, forged()[1]),
    "iterations in disorder": forged(arrays_iteration=np.array([3, 2, 1])),
    "short loss": forged(arrays_loss=np.ones(2)),
    "words": forged(arrays_loss=np.array(["a", "b", "c"])),
    "nothing": ({}, [5]),
    "nested": ({}, "NESTED"),
    "huge": ({}, "HUGE"),
}


@pytest.mark.parametrize("case", NO_RESULTS)
def test_runs_that_are_forged_are_damaged(case, tmp_path):
    arrays, info = NO_RESULTS[case]
    path, store = Store(tmp_path).path(NAME), Store(tmp_path, only_read=True)
    array_file.write(path, arrays, info)
    header = {"NESTED": b"[" * 100_000, "HUGE": b'{"info": {}, "arrays": [["iteration", "<i8", [1000000000000], 0]]}'}
    if isinstance(info, str):
        told = header[info]
        path.write_bytes(array_file.MAGIC + f"{len(told):012d} {zlib.crc32(told):012d}\n".encode() + told)
    with pytest.warns(Remark, match="damaged"):
        assert store.result(NAME) is None
    with pytest.warns(Remark, match="damaged"):
        assert store.checkpoint(NAME) is None if path.rename(store.path(NAME, "state")) else True


@pytest.mark.parametrize(("command", "iterations"), [("status", 2**31 - 1), ("report", 10**18)])
def test_study_of_more_iterations_than_can_be(refused, tmp_path, monkeypatch, command, iterations):
    monkeypatch.setattr(memory, "available", lambda: 2.0**34)
    runs = tmp_path / "t.runs"
    runs.mkdir()
    scenario = said()["scenario"].replace("iterations = 500", f"iterations = {iterations}")
    (runs / "study.json").write_text(json.dumps(said() | {"scenario": scenario}))
    assert "run.iterations" in refused(command, str(tmp_path))


def test_pipes_and_devices_are_not_read(tmp_path, monkeypatch):
    """Else a received folder would hold a command up for good, or fill the memory."""
    monkeypatch.setattr(Path, "read_text", lambda path, *_: pytest.fail(f"{path} is read"))
    store = Store(tmp_path)
    noted = [tmp_path / "study.json", tmp_path / progress_file.FILE, store.path(NAME, "failed")]
    noted[-1].parent.mkdir(parents=True)
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
        for path in noted:
            make(path)
        assert (manifest(tmp_path), progress_file.read(tmp_path), store.failure(NAME)) == (None, None, "")
        for path in noted:
            path.unlink()


NOTE = {"label": "x", "done": 1, "total": 5, "before": 0, "began": 0.0, "at": 1.0}
NUMBERS = ("x", None, [], {}, -1, math.inf, math.nan, 1e308, 10**400)
NOTES = [json.dumps(NOTE | {key: value}) for key in list(NOTE)[1:] for value in NUMBERS]
NOTES += [json.dumps(NOTE | {"label": 5}), json.dumps(NOTE | {"more": 5}), *TEXTS]


def test_notes_that_say_what_cannot_be(tmp_path):
    for text in NOTES:
        (tmp_path / progress_file.FILE).write_text(text)
        assert progress_file.read(tmp_path) is None, text
    (tmp_path / progress_file.FILE).write_text(json.dumps(NOTE))
    assert progress_file.read(tmp_path) == progress_file.ProgressNote(**NOTE)
