"""A folder that was received from somebody else: to read it runs nothing of what lies in it."""

import json
import shutil
import subprocess
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

import otafl
from otafl.errors import OtaflError
from otafl.results import result_file
from otafl.store import array_file
from otafl.study import engines
from otafl.study.collect import collect
from tests.command import listing

pytestmark = pytest.mark.usefixtures("registries")
FORGOTTEN = ("sent",)
NAME = "digits_quickstart"
KEYS = {"problem.model": "mlp_small", "method": ["FedAvg"], "federation.workers": 2}
KEYS |= {"local.steps": 1, "run.iterations": 2, "run.seeds": 1}
SENT = """
import pathlib
pathlib.Path({marker!r}).touch()
import otafl
from otafl.algorithms.fedavg import FedAvg
@otafl.method("Sent", sent_key=otafl.key(0.5, "of the sender's"))
class Sent(FedAvg): ...
net = load = None
"""
RESULT = f"{NAME}.nc"
READING = {
    "status": ["status", "."],
    "watch": ["watch", "."],
    "collect": ["collect", "."],
    "collect the runs": ["collect", f"{NAME}.runs", "--out", "collected.nc"],
    "report": ["report", RESULT],
    "report of the folder": ["report", "."],
    "plot": ["plot", RESULT, "--plot.x", "iteration"],
    "map": ["plot", "--map", RESULT],
}
DRAWING = ("report", "report of the folder", "plot")
"""Commands that take seconds."""
UNDERSTOOD = ("status", "watch", "report", "plot")
"""Commands that need to know no method."""
NO_PLACES = "has workers without places"
"""Refusal of a map of this study, once it is understood."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("sound")
    otafl.run(NAME, KEYS, out=folder, store=folder / "store", engine=engines.engine(processes=0))
    return folder


@pytest.fixture
def received(sound, tmp_path, monkeypatch):
    """Makes a study with other words in its scenario, and a module that, imported, leaves a mark, which it returns."""

    def make(*words: tuple[str, str]) -> Path:
        shutil.copytree(sound, tmp_path / "received")
        monkeypatch.chdir(tmp_path / "received")
        mark = tmp_path / "imported"
        Path("sent.py").write_text(SENT.format(marker=str(mark)))
        data = result_file.load(RESULT)
        text = _changed(data.attrs["scenario"], words)
        data.assign_attrs(scenario=text).to_netcdf(RESULT, engine="h5netcdf")
        path = Path(f"{NAME}.runs/study.json")
        listed = json.loads(_changed(path.read_text(), [pair for pair in words if pair == METHOD]))
        path.write_text(json.dumps(listed | {"scenario": text}))
        return mark

    return make


def _changed(text: str, words: Sequence[tuple[str, str]]) -> str:
    for old, new in words:
        assert old in text
        text = text.replace(old, new)
    return text


PLUGINS = "plugins = []"
METHOD = ('"FedAvg"', '"Sent"')
NEEDED = {
    "file": [(PLUGINS, 'plugins = ["sent.py"]'), METHOD],
    "key": [(PLUGINS, 'plugins = ["sent"]'), ("[algorithm]\n", "[algorithm]\nsent_key = 0.25\n")],
}
NOT_NEEDED = {
    "unused": [(PLUGINS, 'plugins = ["sent", "sent.py"]')],
    "model": [('model = "mlp_small"', 'model = "sent:net"')],
    "dataset": [('dataset = "digits"', 'dataset = "sent:load"')],
    "base": [("title =", 'base = "study.toml"\ntitle =')],
}


def _pairs(kinds: dict, daily: str) -> list[tuple]:
    """Kinds of a change and names of commands, of which those that draw take their turn with one kind alone."""
    return [(kinds[kind], name) for kind in kinds for name in READING if kind == daily or name not in DRAWING]


@pytest.mark.daily(6)
@pytest.mark.parametrize(("changes", "name"), _pairs(NOT_NEEDED, "model"))
def test_what_is_not_needed_is_not_imported(changes, name, received, call):
    mark, words = received(*changes), READING[name]
    Path("study.toml").write_text('plugins = ["sent"]\n')
    answer = call(*words)
    assert not mark.exists()
    assert answer.code == (2 if "--map" in words else 0), answer.stderr
    assert [NO_PLACES in line for line in answer.messages] == [True] * ("--map" in words)


@pytest.mark.daily(6)
@pytest.mark.parametrize(("changes", "name"), _pairs(NEEDED, "file"))
def test_what_is_needed_is_asked_for_in_one_line(changes, name, received, call):
    mark = received(*changes)
    before = listing(Path.cwd())
    answer = call(*READING[name])
    assert not mark.exists()
    if name in UNDERSTOOD:
        assert answer.code == 0, answer.stderr
        assert not answer.messages
        return
    (line,) = answer.messages
    assert answer.code == 2
    assert answer.stderr == f"{line}\n"
    assert line.startswith("otafl: plugins = ['sent")
    assert "where you trust them, add --plugins sent" in line
    assert "did you mean" not in line
    assert listing(Path.cwd()) == before
    again = call(*READING[name], "--plugins", "sent.py")
    assert mark.exists(), "as the user names it"
    assert [NO_PLACES in line for line in again.messages] == [True] * (name == "map")
    assert again.code == 2 * (name == "map")


def test_python_takes_modules_too(received):
    mark = received(*NEEDED["file"])
    for read in (
        lambda **keys: collect([Path()], **keys),
        lambda **keys: result_file.scenario_of(result_file.load(RESULT), **keys),
    ):
        with pytest.raises(OtaflError, match="reading a study imports no module"):
            read()
        assert not mark.exists()
    assert result_file.scenario_of(result_file.load(RESULT), plugins=["sent"]).settings.method == "Sent"
    assert "Sent" in collect([Path()], plugins=["sent"]).dataset()["scheme"]


def test_a_study_that_goes_on_there_imports_what_its_own_scenario_names(received, call):
    mark = received(*NEEDED["file"])
    words = {key: json.dumps(value) if isinstance(value, list) else str(value) for key, value in KEYS.items()}
    options = [part for key, word in words.items() for part in (f"--{key.replace('_', '-')}", word)]
    answer = call("run", NAME, *options, "--out", ".", "--store", "store")
    assert answer.code == 0, answer.stderr
    assert "1 of 1 runs are there already" in answer.stderr
    assert not mark.exists()


def test_what_a_run_says_of_itself_leads_nowhere_else(received, tmp_path, call):
    received()
    (path,) = Path(f"{NAME}.runs").rglob("*.run")
    arrays, info = array_file.read(path, lambda *content: content)
    array_file.write(path, arrays, info | {"name": "../victim", "scenario": "x", "title": "x"})
    found, before = collect([Path()]).dataset().attrs, listing(tmp_path)
    assert (found["name"], found["scenario"][:5]) == (NAME, "title")
    assert call("report", ".").code == 0
    assert listing(tmp_path) - before == {tmp_path / "received" / f"{NAME}.html"}


def test_a_file_of_a_run_holds_no_objects(tmp_path):
    array_file.write(tmp_path / "x.run", {"loss": np.zeros(1)}, {})
    content = (tmp_path / "x.run").read_bytes().replace(b'"<f8"', b'"|O8"')
    length = content.index(b'{"info"')
    header = content[length : content.index(b"]]}", length) + 3]
    line = f"{len(header):012d} {zlib.crc32(header):012d}\n".encode()
    (tmp_path / "x.run").write_bytes(array_file.MAGIC + line + header + content[length + len(header) :])
    with pytest.raises(array_file.Damaged):
        array_file.read(tmp_path / "x.run", lambda *content: content)


def test_figures_heed_no_settings_of_the_working_folder(tmp_path):
    """They may run programs, as with text.usetex, or be damaged."""
    (tmp_path / "matplotlibrc").write_bytes(b"text.usetex: True\n\xff\n")
    program = "from otafl.results.matplotlib_setup import matplotlib; print(matplotlib.rcParams['text.usetex'])"
    words = [sys.executable, "-W", "error", "-c", program]
    assert subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout == "False\n"
