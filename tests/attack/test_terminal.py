"""Texts from files on a terminal: none of them steers it, whichever command prints them."""

import shutil
import warnings
from pathlib import Path

import matplotlib as mpl
import pytest
from hypothesis import given
from hypothesis import strategies as st

mpl.use("Agg")

import otafl
from otafl.errors import OtaflError, Remark
from otafl.plain_text import printable
from otafl.results import result_file
from otafl.study.engines import engine

HARM = "\x1b]0;title\x07\x1b[2J\x9b31m\x08\r\u202e[red]|<script>"
"""Sequences that name a window, clear a screen and colour it, letters that run backwards, and markup."""
TOML = r"""
title = "a\u001B[2J\u009B31m\u202E"
base = "quickstart"
[sweep]
method = ["A-GD", "D-GD \u001B[2J[red]\u202E"]
"channel.snr_db" = [0.0, 20.0]
[plot]
kind = "to_target"
title = "a\u001B[2J"
x_label = "\u001B[2J"
[plot.labels]
"A-GD" = "=\u001B[2J\u009B31m"
[run]
iterations = 3
seeds = 2
[federation]
workers = 3
"""


def assert_plain(text: str) -> None:
    """A text steers nothing: it is printable, but for the ends of its lines."""
    assert [one for one in text if not one.isprintable() and one != "\n"] == [], text


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    (folder / "a\x1b[2J.toml").write_text(TOML)
    data = otafl.run(folder / "a\x1b[2J.toml", out=folder / "out", store=False, engine=engine(processes=0))
    names = {"scheme": [f"A-GD{HARM}", f"D-GD {HARM}"], "snr_db": [f"0{HARM}", HARM]}
    hostile = data.assign_coords(names).rename(snr_db="x\x1b[2J[red]\u202e")
    hostile["loss"].attrs |= {"long_name": f"Loss{HARM}", "units": HARM}
    hostile.attrs |= dict.fromkeys(("name", "title", "git_revision", "scenario_file"), f"a{HARM}")
    result_file.save(hostile.assign(own=hostile["loss"].assign_attrs(long_name=HARM)), folder / "x.nc")
    return folder


COMMANDS = {
    "show": ["show", "a\x1b[2J.toml"],
    "run": ["run", "a\x1b[2J.toml", "--out", "out", "--store", "store", "--processes", "0"],
    "status": ["status", "out"],
    "watch": ["watch", "out"],
    "collect": ["collect", "out"],
    "report": ["report", "x.nc", "--out", "o\x1b[2J.html"],
    "plot": ["plot", "x.nc", "--out", "o\x1b[2J"],
    "table": ["table", "x.nc"],
    "table of own": ["table", "x.nc", "--variable", "own", "--budget", "3"],
    "table as CSV": ["table", "x.nc", "--format", "csv"],
    "table as LaTeX": ["table", "x.nc", "--format", "latex"],
    "a missing file": ["plot", "n\x1b[2J.nc"],
    "an unknown scenario": ["show", "n\x1b[2J"],
    "an unknown option": ["show", "quickstart", "--\x1b[2J", "3"],
    "a reference that is missing": ["table", "x.nc", "--reference", "\x1b[2J"],
    "the store": ["store", "--store", "s\x1b[2J"],
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_commands_print_nothing_that_steers(words, made, call, tmp_path):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    answer = call(*words)
    assert answer.code in (0, 2), answer
    assert answer.stdout + answer.stderr
    assert_plain(answer.stdout + answer.stderr)


@given(st.text())
def test_what_is_printable_stays(text):
    assert_plain(printable(text, "\n"))
    assert len(printable(text)) == len(text)
    assert [one for one in printable(text) if one != " "] == [one for one in text if one.isprintable() and one != " "]


def test_errors_and_remarks_are_one_line():
    assert_plain(str(OtaflError(HARM, HARM, HARM)))
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        warnings.warn(f"{HARM}\nnote: more", Remark, stacklevel=1)
    assert_plain(str(heard[0].message))
    assert "\n" not in str(heard[0].message)
