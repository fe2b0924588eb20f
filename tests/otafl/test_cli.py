"""The command line, as its user meets it: exit codes, messages, files and time. Bad words are in tests/attack."""

import contextlib
import io
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import threading
import tomllib
from collections import Counter
from importlib import metadata
from pathlib import Path

import pytest
import xarray as xr

from otafl import cli
from otafl.cli.listing import SUBJECTS
from otafl.results import result_file
from otafl.scenario import file as scenarios
from otafl.scenario import library
from otafl.scenario.dotted_keys import flatten
from tests.command import Answer, listing

COMMAND = [sys.executable, "-m", "otafl.cli"]
HEAVY = ("tensorflow", "sionna", "keras", "pandas", "xarray", "matplotlib", "sklearn", "scipy")
LONG_RUN = ["run", "quickstart", "--method", "A-FADMM", "--run.seeds", "1", "--run.iterations", "2000000"]


def otafl(folder: Path, *words: str, **environment: str) -> Answer:
    """Run the real command in a folder, its output piped."""
    known = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | environment
    done = subprocess.run([*COMMAND, *words], cwd=folder, env=known, capture_output=True, text=True, timeout=300)
    return Answer(done.returncode, done.stdout, done.stderr)


def assert_refused(answer: Answer, *parts: str) -> None:
    assert answer.code == 2, answer
    assert len(answer.messages) == 1, answer
    assert "Traceback" not in answer.stdout + answer.stderr
    assert [part for part in parts if part not in answer.messages[0]] == [], answer.messages


LIGHT = {
    "list": (0, {path.stem for path in library.folder().rglob("*.toml")}),
    "show quickstart": (0, {"quickstart"}),
    "run --help": (0, None),
    "run quickstart --federation.workers 0": (2, None),
    "privacy digits_quickstart --delta 2": (2, None),
}
"""Commands with their exit codes, and the scenarios that they read, if they read each of these once."""


TRACED = """
import atexit, json, sys
left, read = sys.argv.pop(1), []
sys.addaudithook(lambda event, given: read.append(str(given[0])) if event == "open" else None)
from otafl.cli import main
atexit.register(lambda: open(left, "w").write(json.dumps([sorted(sys.modules), read])))
main()
"""


def traced(folder: Path, *words: str) -> tuple[int, set[str], Counter[str]]:
    """Exit code of the real command, the modules that it has imported, and how often it has read each scenario."""
    left = folder / "left.json"
    done = subprocess.run([sys.executable, "-c", TRACED, left, *words], cwd=folder, capture_output=True)
    imported, read = json.loads(left.read_text())
    return done.returncode, set(imported), Counter(Path(path).stem for path in read if path.endswith(".toml"))


@pytest.mark.parametrize("words", LIGHT)
def test_light_commands_import_nothing_heavy_and_read_each_scenario_once(tmp_path, words):
    code, scenarios_read = LIGHT[words]
    found, imported, read = traced(tmp_path, *words.split())
    assert found == code
    assert "otafl.scenario" in imported
    assert not imported & set(HEAVY)
    assert scenarios_read is None or read == dict.fromkeys(scenarios_read, 1)


def test_list_names_every_study_with_its_title(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    for folder in ("", *SUBJECTS):
        answer = call("list", *filter(None, [folder]))
        printed = [line for line in answer.stdout.splitlines() if line and not line.startswith("otafl list")]
        assert {line.split()[0] for line in printed} == set(library.names(folder))
        assert all(library.entries()[line.split()[0]].title in line for line in printed)
        assert answer.stderr == ""


def test_folders_of_scenarios_are_known_and_others_refused(call):
    assert {path.name for path in library.folder().iterdir() if path.is_dir()} == set(SUBJECTS)
    listed = call("list").stdout
    assert all(f"otafl list {name}" in listed for name in SUBJECTS)
    assert f"{len(library.names('gong'))} studies" in listed
    assert_refused(call("list", "gon"), "folder = 'gon': unknown folder; did you mean 'gong'?")
    assert call("--version").stdout == f"otafl {metadata.version('otafl')}\n"


def test_show_with_overrides_is_the_overridden_scenario(call):
    words = ["--method", "D-FADMM", "--uplink.subcarriers", "one_slot", "--channel.coherence-iterations", "inf"]
    answer = call("show", "quickstart", *words)
    overrides = {"method": "D-FADMM", "uplink.subcarriers": "one_slot", "channel.coherence_iterations": float("inf")}
    assert (answer.code, answer.stderr) == (0, "")
    assert scenarios.parse("quickstart", answer.stdout) == scenarios.load("quickstart", overrides)
    Path("mine.toml").write_text(answer.stdout)
    again = call("show", "mine.toml")
    assert (again.code, again.stdout) == (0, answer.stdout)


def test_small_is_the_small_study_beside_it(call):
    shown = call("show", "fedvra_table4", "--small", "--run.seeds", "2")
    assert shown.stdout == call("show", "fedvra_table4_small", "--run.seeds", "2").stdout
    assert_refused(call("show", "quickstart", "--small"), "scenario = 'quickstart': has no small study beside it")


METHODS = ["A-FADMM", "D-FADMM-10x"]


@pytest.fixture(scope="module")
def quickstart(tmp_path_factory) -> tuple[Path, Answer]:
    """A short run of the quickstart through the real command, with a swept SNR; each method takes a program."""
    folder = tmp_path_factory.mktemp("quickstart")
    words = ["--run.iterations", "20", "--run.seeds", "2", "--channel.snr-db", "20", "30", "--method", *METHODS]
    return folder / "out/deep", otafl(folder, "run", "quickstart", *words, "--out", "out/deep")


def test_run_leaves_result_and_figures_and_nothing_else(quickstart):
    folder, answer = quickstart
    assert answer.code == 0, answer
    names = {path.name for path in listing(folder.parents[1]) if path.is_file() and path.suffix != ".run"}
    assert names == {"quickstart.nc", "quickstart.png", "quickstart.pdf", "study.json"}
    assert (folder / "quickstart.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "quickstart.pdf").read_bytes().startswith(b"%PDF")


def test_run_prints_a_whole_table_and_saves_what_was_asked_for(quickstart):
    printed = quickstart[1].stdout
    assert all(heading in printed for heading in ("Rounds", "Time slots", "Channel uses", "Energy [J]", "Final loss"))
    rows = [line.split()[:2] for line in printed.splitlines() if "±" in line]
    assert rows == [[method, snr] for method in METHODS for snr in ("20", "30")]
    assert "out/deep/quickstart.nc" in printed
    assert "…" not in printed
    data = xr.load_dataset(quickstart[0] / "quickstart.nc", engine="h5netcdf")
    assert data["loss"].sizes == {"scheme": 2, "snr_db": 2, "seed": 2, "iteration": 20}
    assert list(data["snr_db"].values) == [20, 30]
    assert bool(data["loss"].notnull().all())
    keys = {"run.iterations": 20, "run.seeds": 2, "channel.snr_db": [20, 30], "method": METHODS}
    assert scenarios.parse("quickstart", data.attrs["scenario"]) == scenarios.load("quickstart", keys)


@pytest.fixture
def done(tmp_path, call, quickstart):
    shutil.copy(quickstart[0] / "quickstart.nc", tmp_path / "mine.nc")
    return call


def test_plot_draws_one_result_beside_it_or_several_with_keys(tmp_path, done):
    answer = done("plot", "mine.nc")
    assert (answer.code, answer.stdout.split()) == (0, ["mine.png", "mine.pdf"])
    assert {path.name for path in listing(tmp_path)} == {"mine.nc", "mine.png", "mine.pdf"}
    shutil.copy(tmp_path / "mine.nc", tmp_path / "other.nc")
    words = ("plot", "mine.nc", "other.nc", "--plot.x", "iteration", "--out", "both")
    assert done(*words).stdout.split() == ["both.png", "both.pdf"]
    refused = done("plot", "mine.nc", "--plot.y", "test_accuracy")
    assert_refused(refused, "plot.y = 'test_accuracy': must be a variable of the result")
    assert_refused(done("plot", "mine.nc", "--plot.y-limits", "1"), "plot.y_limits", "two numbers")
    assert_refused(done("plot"), "must name a result")


def test_report_is_a_page_beside_the_result_or_elsewhere_and_does_not_replace_it(tmp_path, done):
    for words, page in (([], "mine.html"), (["--out", "page.html"], "page.html")):
        answer = done("report", "mine.nc", *words)
        assert (answer.code, answer.stdout.split(), answer.stderr) == (0, [page], "")
        assert (tmp_path / page).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert {path.name for path in listing(tmp_path)} == {"mine.nc", "mine.html", "page.html"}
    assert_refused(done("report", "mine.nc", "--out", "./mine.nc"), "--out = 'mine.nc'", "must be another file")
    assert result_file.load(tmp_path / "mine.nc").attrs["name"] == "quickstart"


def test_tables_are_printed_and_written_by_their_suffix(done, tmp_path):
    assert done("table", "mine.nc", "--budget", "inf").stdout.startswith("| Method | SNR [dB] | Final loss")
    assert done("table", "mine.nc", "--out", "table.tex").stdout == "table.tex\n"
    assert "\\toprule" in (tmp_path / "table.tex").read_text()
    words = ("table", "mine.nc", "mine.nc", "--target", "1e-9", "--reference", "A-FADMM", "--format", "csv")
    heading, *rows = done(*words).stdout.splitlines()
    assert heading.startswith("Result,Method,SNR [dB],Rounds to loss 1e-09 mean")
    assert len(rows) == 8
    before = listing(tmp_path)
    for words, said in (
        (["--cost", "money"], "cost = 'money': must be one of iteration"),
        (["--format", "word"], "--format"),
        (["--out", "./mine.nc"], "--out = 'mine.nc': must be another file than the result"),
        (["--out", "mine.nc/x.md"], "mine.nc"),
    ):
        assert_refused(done("table", "mine.nc", *words), said)
    assert_refused(done("table"), "must name a result")
    assert_refused(done("table", "none.nc"), "no such file")
    assert listing(tmp_path) == before


def read_of(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


@pytest.mark.slow
def test_interrupt_keeps_what_is_done_and_exits_130(tmp_path):
    """Ctrl-C on a terminal, as soon as the progress bar shows that the run computes, leaves a valid, stopped result."""
    terminal, inner = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *LONG_RUN, "--run.record", "log", "--out", "out/deep"],
        cwd=tmp_path,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "120"},
        stdin=subprocess.DEVNULL,
        stdout=inner,
        stderr=inner,
    )
    os.close(inner)
    watchdog = threading.Timer(240, process.kill)
    watchdog.start()
    text, folder_at_interrupt = b"", None
    try:
        while read := read_of(terminal):
            text += read
            if folder_at_interrupt is None and b"iterations/s" in text:
                folder_at_interrupt = (tmp_path / "out/deep").is_dir()
                process.send_signal(signal.SIGINT)
        code = process.wait()
    finally:
        watchdog.cancel()
        process.kill()
        os.close(terminal)
    assert folder_at_interrupt
    assert code == 130
    assert b"otafl: interrupted" in text
    assert b"Traceback" not in text
    assert b"the same command goes on from there" in text
    assert [path.name for path in (tmp_path / "out/deep").iterdir()] == ["quickstart.runs"]
    assert list(Path(os.environ["OTAFL_STORE_DIR"]).glob("*/*.state"))


def test_notes_are_said_once(call):
    answer = call("show", "quickstart", "--channel.coherence-iterations", "1")
    assert "note: channel.coherence_iterations = 1: A-FADMM solves for duals after every change" in answer.stderr
    assert "note" not in call("show", "quickstart").stderr
    words = "--method FedAvg SCAFFOLD --uplink.kind analog --uplink.scheme COTAF --local.steps 5"
    answer = call("show", "digits_quickstart", *words.split())
    assert answer.stderr.count("counts the largest power of the precoder") == 1


@pytest.mark.parametrize(
    ("words", "sweep"),
    [
        ("--channel.snr-db -10 20.5 inf --method A-GD D-GD", {"snr_db": [-10, 20.5, float("inf")]}),
        ("--channel.snr-db -10:40:25 --federation.workers 2:4:2", {"snr_db": [-10, 15, 40], "workers": [2, 4]}),
        ("--algorithm.rho 0.1:0.5:0.2", {"rho": [0.1, 0.3, 0.5]}),
    ],
)
def test_several_values_and_ranges_sweep(call, words, sweep):
    swept = tomllib.loads(call("show", "quickstart", *words.split()).stdout)["sweep"]
    assert {key.split(".")[-1]: values for key, values in swept.items() if key != "method"} == sweep
    assert swept["method"] == (["A-GD", "D-GD"] if "A-GD" in words else swept["method"])


def test_help_begins_with_what_has_the_name_and_ends_with_what_mentions_it_or_tells_the_nearest(call):
    assert call("help", "snr_db").stdout.startswith("channel.snr_db [dB]: number; default 40.0")
    *_, last = call("help", "aircomp").stdout.strip().splitlines()
    assert last == 'mentioned by MD-AirComp, uplink.scheme = "MD-AirComp", uplink.scheme'
    assert_refused(call("help", "snr_bd"), "did you mean 'snr_db'?")


@pytest.mark.parametrize("words", [["methods"], *(["list", folder] for folder in SUBJECTS), ["list"]], ids=" ".join)
def test_lists_fit_a_terminal(call, monkeypatch, words):
    monkeypatch.setenv("COLUMNS", "80")
    shown = call(*words).stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown


def test_methods_are_listed(call):
    lines = call("methods").stdout.splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith("SCAFFOLD "))
    assert "stochastic controlled averaging" in lines[place]
    assert "2 vectors, over digital, analog, ideal; keys: server_step" in lines[place + 1]


def test_show_leaves_out_what_is_not_read_if_asked_to(call):
    scenario = scenarios.load("digits_quickstart")
    shown = call("show", "digits_quickstart", "--read").stdout
    tables = tomllib.loads(shown)
    study = ("title", "plot", "sweep", "per_method")
    assert "not read" not in shown
    assert set(flatten({name: table for name, table in tables.items() if name not in study})) <= scenario.read
    assert scenarios.parse("digits_quickstart", shown).settings == scenario.settings


def test_show_says_which_snr_is_which_and_how_the_weakest_worker_is_received(call):
    shown = call("show", "quickstart", "--channel.symbol-snr-db", "21").stdout
    analog, digital = shown.split("# SNR of the first ")[1:]
    assert analog.startswith("analog run, where the channel gain is 1:\n# channel.snr_db = 9.239087: ")
    assert "# a symbol has 21.0 dB, energy P·T/q over N0\n# an element on it has 24.0 dB" in analog
    assert "# a symbol has 21.0 dB, energy P·T/q over N0\n# the weakest" in digital
    assert tomllib.loads(shown)["channel"]["symbol_snr_db"] == 21
    ring = ["--cell.radius-m", "250", "--channel.snr-db", "10"]
    assert "is received with 21.8 dB a symbol" in call("show", "quickstart", *ring, "--cell.snr-at", "worst").stdout
    received = re.search(r"received with ([\d.]+) dB", call("show", "quickstart", *ring).stdout)
    assert 21.8 <= float(received[1]) < 24
    assert "SNR of the first" not in call("show", "digits_quickstart", "--uplink.kind", "ideal").stdout


UPLOADED = """
digits_quickstart | # model of the first run: d = 2,368 weights, 10 classes
digits_quickstart --uplink.elements-per-symbol 2 | # upload of a worker in a round: 1,184 symbols (analog), 75,776 bits
quickstart --method SCAFFOLD --uplink.kind ideal | # model of the first run: d = 10 weights
quickstart --method SCAFFOLD --uplink.kind ideal | # upload of a worker in a round: 20 numbers (ideal)
digits_quickstart --method FedAvg@digital --uplink.compressor qsgd --uplink.bits-per-element 4 | 9,504 bits (digital)
family_votes | # FSK-MV: compressor = "fsk", precoder = "unprecoded", power_control = "common", receiver = "
family_votes | receiver = "majority"
"""


@pytest.mark.parametrize("line", UPLOADED.strip().splitlines())
def test_show_says_what_is_uploaded_and_how(call, line):
    words, said = line.split(" | ")
    assert said in call("show", *words.split()).stdout


PRINTING = (["list"], ["methods"], ["help", "rho"], ["show", "quickstart"], ["run", "--help"])
BRIEF = ["run", "quickstart", "--run.iterations", "2", "--run.seeds", "2", "--method", "A-GD"]


@pytest.mark.parametrize("words", [*PRINTING, BRIEF], ids=" ".join)
def test_characters_that_a_terminal_lacks_are_replaced(tmp_path, monkeypatch, words):
    """A command that has done its work must not fail for its print."""
    monkeypatch.chdir(tmp_path)
    for encoding in ("ascii", "latin-1"):
        printed = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(printed, encoding))
        monkeypatch.setattr(sys, "argv", ["otafl", *words])
        with contextlib.suppress(SystemExit) if "--help" in words else contextlib.nullcontext():
            cli.main()
        sys.stdout.flush()
        assert len(printed.getvalue().decode(encoding)) > 500


def test_help_is_kept_and_read_anew_where_it_is_damaged_or_code_has_changed(call, monkeypatch, tmp_path):
    monkeypatch.setenv("OTAFL_CACHE_DIR", str(tmp_path / "cache"))
    kept = tmp_path / "cache" / "reference" / "reference.json"
    words = "help", "snr_db"
    asked = call(*words).stdout
    content = kept.read_bytes()
    for damaged in (b"", b"[]", b"{}", content[:-9], content.replace(b'"code": "', b'"code": "0')):
        kept.write_bytes(damaged)
        assert call(*words).stdout == asked
        assert kept.read_bytes() == content
    kept.write_bytes(content.replace(b"SNR = P", b"found here"))
    assert "found here" in call(*words).stdout
