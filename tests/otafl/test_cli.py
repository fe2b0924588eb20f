"""The command line, as its user meets it: exit codes, messages, files and time.

What needs TensorFlow takes seconds to start, so of those cases a few go through the real command, and the others
through ``cli.main`` in this process.
"""

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
from pathlib import Path

import pytest
import xarray as xr

from otafl import cli
from otafl.cli import key_reference
from otafl.cli.listing import SUBJECTS
from otafl.results import result_file
from otafl.scenario import file as scenarios
from otafl.scenario import library
from otafl.scenario.dotted_keys import flatten
from tests.command import Answer, command, listing

COMMAND = [sys.executable, "-m", "otafl.cli"]
HEADER = "housing_median_age,total_rooms,total_bedrooms,population,households,median_income,median_house_value"
HEAVY = ("tensorflow", "sionna", "keras", "pandas", "xarray", "matplotlib", "sklearn", "scipy")
LONG_RUN = ["run", "quickstart", "--method", "A-FADMM", "--run.seeds", "1", "--run.iterations", "2000000"]


def otafl(folder: Path, *words: str, **environment: str) -> Answer:
    """Run the real command in a folder, its output piped."""
    done = subprocess.run(
        [*COMMAND, *words], cwd=folder, env=os.environ | environment, capture_output=True, text=True, timeout=300
    )
    return Answer(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def here(tmp_path, monkeypatch, capfd):
    """``otafl`` in this process: a function of its words, run in an empty folder."""
    return command(tmp_path, monkeypatch, capfd)


def assert_refused(answer: Answer, *parts: str) -> None:
    """Exit code 2 and one message, without a traceback, that holds all parts."""
    assert answer.code == 2, answer
    assert len(answer.messages) == 1, answer
    assert "Traceback" not in answer.stdout + answer.stderr
    assert [part for part in parts if part not in answer.messages[0]] == [], answer.messages


LIGHT = {
    "list": (0, {path.stem for path in library.folder().rglob("*.toml")}),
    "show quickstart": (0, {"quickstart"}),
    "--help": (0, set()),
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


@pytest.mark.parametrize("folder", ["", *SUBJECTS])
def test_list_names_every_study_with_its_title(here, monkeypatch, folder):
    monkeypatch.setenv("COLUMNS", "200")
    answer = here("list", *filter(None, [folder]))
    lines = {line.split()[0]: line for line in answer.stdout.splitlines() if line and not line.startswith("otafl list")}
    assert set(lines) == set(library.names(folder))
    assert all(library.entries()[name].title in line for name, line in lines.items())
    assert answer.stderr == ""


def test_list_has_every_folder_with_the_number_of_its_studies(here):
    folders = {path.name for path in library.folder().iterdir() if path.is_dir()}
    assert folders == set(SUBJECTS)
    listed = here("list").stdout
    assert all(f"otafl list {folder}" in listed for folder in folders)
    assert f"{len(library.names('gong'))} studies" in listed
    assert_refused(here("list", "gon"), "folder = 'gon': unknown folder; did you mean 'gong'?")


def test_small_is_the_small_study_beside_it(here):
    shown = here("show", "fedvra_table4", "--small", "--run.seeds", "2")
    assert shown.stdout == here("show", "fedvra_table4_small", "--run.seeds", "2").stdout
    assert_refused(here("show", "quickstart", "--small"), "scenario = 'quickstart_small': unknown scenario")


def test_show_with_overrides_is_the_overridden_scenario(here):
    words = ["--method", "D-FADMM", "--uplink.subcarriers", "one_slot", "--channel.coherence-iterations", "inf"]
    answer = here("show", "quickstart", *words)
    overrides = {"method": "D-FADMM", "uplink.subcarriers": "one_slot", "channel.coherence_iterations": float("inf")}
    assert (answer.code, answer.stderr) == (0, "")
    assert scenarios.parse("quickstart", answer.stdout) == scenarios.load("quickstart", overrides)


def test_several_values_sweep(here):
    """Negative numbers and inf are values, not options."""
    answer = here("show", "quickstart", "--channel.snr-db", "-10", "20.5", "inf", "--method", "A-GD", "D-GD")
    sweep = tomllib.loads(answer.stdout)["sweep"]
    assert sweep == {"method": ["A-GD", "D-GD"], "channel.snr_db": [-10, 20.5, float("inf")]}


def test_show_takes_a_path_and_its_output_is_a_scenario(tmp_path, here):
    (tmp_path / "mine.toml").write_text(here("show", "quickstart", "--run.seeds", "3").stdout)
    again = here("show", "mine.toml")
    assert again.code == 0
    assert again.stdout == (tmp_path / "mine.toml").read_text()


KEY_ERRORS = [
    (["run", "quickstrat"], ["scenario = 'quickstrat'", "did you mean 'quickstart'?"]),
    (["show", "linreg_comunication"], ["scenario = 'linreg_comunication'", "did you mean 'linreg_communication'?"]),
    (["run", "no_such.toml"], ["scenario = 'no_such.toml'", "cannot be read"]),
    (["run", "quickstart", "--channel.snr-db", "loud"], ["channel.snr_db = 'loud'", "must be a valid number"]),
    (["run", "quickstart", "--run.iterations", "2.5"], ["run.iterations = 2.5", "must be a valid integer"]),
    (["run", "quickstart", "--run.seeds", "-2"], ["run.seeds = -2", "greater than or equal to 1"]),
    (["run", "quickstart", "--algorithm.rho", "-1"], ["algorithm.rho = -1", "greater than 0"]),
    (["run", "quickstart", "--algorithm.rho", "nan"], ["algorithm.rho = nan", "finite"]),
    (["run", "quickstart", "--uplink.subcarriers", "0"], ["uplink.subcarriers = 0", "'one_slot'"]),
    (["run", "quickstart", "--channel.snr-db", "20", "nan"], ["channel.snr_db = nan", "decibels"]),
    (["run", "quickstart", "--channel.snr-db", "20", "20"], ["channel.snr_db = [20, 20]", "twice"]),
    (["run", "quickstart", "--method", "A-FADM"], ["method = 'A-FADM'", "did you mean 'A-FADMM'?"]),
    (
        ["run", "quickstart", "--method", "A-FADMM", "--uplink.kind", "digital"],
        ["uplink.kind = 'digital'", "A-FADMM is carried by the analog uplink"],
    ),
    (
        ["run", "quickstart", "--method", "D-FADMM-10x", "--uplink.subcarriers", "one_slot"],
        ["method = 'D-FADMM-10x'", "contradicts uplink.subcarriers"],
    ),
]


def assert_one_line(answer: Answer, *parts: str) -> None:
    """A refusal on stderr, and nothing else said."""
    assert_refused(answer, *parts)
    assert answer.stdout == ""
    assert answer.stderr == answer.messages[0] + "\n"


@pytest.mark.parametrize(("words", "parts"), KEY_ERRORS, ids=[" ".join(words) for words, _ in KEY_ERRORS])
def test_bad_scenario_is_refused_in_one_line(tmp_path, here, words, parts):
    """Key, value and rule, and nothing written."""
    assert_one_line(here(*words), *parts)
    assert listing(tmp_path) == set()


def test_the_real_command_refuses_a_bad_scenario_in_one_line(tmp_path):
    """The rule that is printed is that of keys which contradict each other."""
    words, parts = KEY_ERRORS[-1]
    assert_one_line(otafl(tmp_path, *words), *parts)
    assert listing(tmp_path) == set()


@pytest.mark.parametrize(
    ("key", "meant"), [("channel.snr", "channel.snr-db"), ("federation.worker", "federation.workers")]
)
def test_unknown_option_suggests_the_nearest(tmp_path, here, key, meant):
    answer = here("run", "quickstart", f"--{key}", "20")
    assert answer.code == 2
    assert answer.stdout == ""
    assert f"--{key}" in answer.stderr
    assert f"--{meant} " in answer.stderr
    assert "Traceback" not in answer.stderr
    assert listing(tmp_path) == set()


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("[channel]\nsnr = 3", ["'channel.snr'", "did you mean 'channel.snr_db'?"]),
        ("[channel\nsnr_db = 3", ["mine.toml", "must be a TOML file"]),
        ("[federation]\nworkers = 'ten'", ["federation.workers = 'ten'", "integer"]),
    ],
)
def test_bad_file_is_refused_in_one_line(tmp_path, here, content, parts):
    (tmp_path / "mine.toml").write_text(content)
    assert_one_line(here("run", "mine.toml"), *parts)
    assert listing(tmp_path) == {tmp_path / "mine.toml"}


def test_missing_data_file_is_refused(tmp_path, monkeypatch, here):
    """OTAFL_DATA_DIR is an empty folder."""
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("OTAFL_DATA_DIR", str(tmp_path / "data"))
    answer = here("run", "linreg_communication", "--out", "out/deep")
    assert_refused(answer, "OTAFL_DATA_DIR = ", str(tmp_path / "data"), "california_housing.csv")
    assert listing(tmp_path) == {tmp_path / "data"}


ROW = "1,2,3,4,5,6,7"
BROKEN_FILES = {
    "few rows": ([HEADER, *[ROW] * 50], ["at least 20000 complete rows, but has 50"]),
    "only the header": ([HEADER], ["at least 20000 complete rows, but has 0"]),
    "empty": ([], ["must be a table of numbers"]),
    "cut in the middle of a row": ([HEADER, *[ROW] * 19_999, ROW[:6]], ["must end with a complete row"]),
    "wrong columns": ([HEADER.replace("total_rooms", "rooms"), ROW], ["must have the column total_rooms"]),
    "no numbers": ([HEADER, ROW.replace("5", "five")], ["must be a table of numbers", "'five'"]),
}


@pytest.mark.parametrize(("lines", "parts"), BROKEN_FILES.values(), ids=BROKEN_FILES)
def test_broken_data_file_is_refused(tmp_path, monkeypatch, here, lines, parts):
    file = tmp_path / "california_housing.csv"
    file.write_text("\n".join(lines))
    monkeypatch.setenv("OTAFL_DATA_DIR", str(tmp_path))
    answer = here("run", "linreg_communication", "--run.seed", "424242", "--out", "out")
    assert_refused(answer, "problem.dataset file = ", str(file), *parts)
    assert listing(tmp_path) == {file}


def test_more_workers_than_samples_is_refused(tmp_path, here):
    answer = here("run", "quickstart", "--federation.workers", "443", "--out", "out")
    assert_refused(answer, "federation.workers = 443", "must not exceed the number of samples, 442")
    assert listing(tmp_path) == set()


@pytest.mark.parametrize("out", ["file", "file/below", "file/deep/below"])
def test_output_folder_that_cannot_be_written_is_refused(tmp_path, here, out):
    """Before anything is computed: the run would take hours."""
    (tmp_path / "file").write_text("")
    answer = here(*LONG_RUN, "--out", out)
    assert_refused(answer, f"--out = {out!r}", "must be a folder that can be written")
    assert listing(tmp_path) == {tmp_path / "file"}


@pytest.mark.parametrize("command", ["plot", "report"])
@pytest.mark.parametrize("content", [None, b"", b"\x89HDF\r\n\x1a\n" + bytes(100), "netCDF of others"])
def test_what_is_no_result_is_refused(tmp_path, here, command, content):
    path = tmp_path / "result.nc"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content:
        xr.Dataset({"a": ("x", [1.0])}).to_netcdf(path, engine="h5netcdf")
    before = listing(tmp_path)
    rule = "must be a netCDF file written by otafl run" if content is not None else "no such file"
    assert_refused(here(command, "result.nc"), "result = 'result.nc'", rule)
    assert listing(tmp_path) == before


METHODS = ["A-FADMM", "D-FADMM-10x"]


@pytest.fixture(scope="module")
def quickstart(tmp_path_factory) -> tuple[Path, Answer]:
    """A short run of the quickstart through the real command, with a swept SNR; each method takes a program."""
    folder = tmp_path_factory.mktemp("quickstart")
    words = ["--run.iterations", "20", "--run.seeds", "2", "--channel.snr-db", "20", "30", "--method", *METHODS]
    return folder, otafl(folder, "run", "quickstart", *words, "--out", "out/deep", COLUMNS="150")


def test_run_leaves_result_and_figures_and_nothing_else(quickstart):
    folder, answer = quickstart
    assert answer.code == 0, answer
    names = {path.name for path in listing(folder) if path.is_file() and path.suffix != ".run"}
    assert names == {"quickstart.nc", "quickstart.png", "quickstart.pdf", "study.json"}
    assert (folder / "out/deep/quickstart.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "out/deep/quickstart.pdf").read_bytes().startswith(b"%PDF")


def test_run_prints_a_table_with_a_row_for_each_swept_point(quickstart):
    printed = quickstart[1].stdout
    assert all(heading in printed for heading in ("Rounds", "Time slots", "Channel uses", "Energy [J]", "Final loss"))
    rows = [line.split()[:2] for line in printed.splitlines() if "±" in line]
    assert rows == [[method, snr] for method in METHODS for snr in ("20", "30")]
    assert "out/deep/quickstart.nc" in printed


def test_run_saves_what_was_asked_for(quickstart):
    data = xr.load_dataset(quickstart[0] / "out/deep/quickstart.nc", engine="h5netcdf")
    assert data["loss"].sizes == {"scheme": 2, "snr_db": 2, "seed": 2, "iteration": 20}
    assert list(data["snr_db"].values) == [20, 30]
    assert bool(data["loss"].notnull().all())
    assert scenarios.parse("quickstart", data.attrs["scenario"]) == scenarios.load(
        "quickstart", {"run.iterations": 20, "run.seeds": 2, "channel.snr_db": [20, 30], "method": METHODS}
    )


def test_plot_draws_the_figure_beside_the_result(tmp_path, here, quickstart):
    shutil.copy(quickstart[0] / "out/deep/quickstart.nc", tmp_path / "mine.nc")
    answer = here("plot", "mine.nc")
    assert answer.code == 0
    assert answer.stdout.split() == ["mine.png", "mine.pdf"]
    assert {path.name for path in listing(tmp_path)} == {"mine.nc", "mine.png", "mine.pdf"}


def test_report_is_a_page_beside_the_result_or_elsewhere_and_does_not_replace_it(tmp_path, here, quickstart):
    shutil.copy(quickstart[0] / "out/deep/quickstart.nc", tmp_path / "mine.nc")
    for words, page in (([], "mine.html"), (["--out", "page.html"], "page.html")):
        answer = here("report", "mine.nc", *words)
        assert (answer.code, answer.stdout.split(), answer.stderr) == (0, [page], "")
        assert (tmp_path / page).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert {path.name for path in listing(tmp_path)} == {"mine.nc", "mine.html", "page.html"}
    assert_refused(here("report", "mine.nc", "--out", "./mine.nc"), "--out = 'mine.nc'", "must be another file")
    assert result_file.load(tmp_path / "mine.nc").attrs["name"] == "quickstart"


def test_table_is_whole_in_a_pipe(here, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    words = ["--method", "D-FADMM", "D-FADMM-10x", "--channel.snr-db", "20", "30", "--run.iterations", "3"]
    answer = here("run", "quickstart", *words, "--run.seeds", "2")
    assert answer.code == 0
    assert "…" not in answer.stdout


def test_run_that_never_starts_draws_no_progress_bar(here):
    assert here("run", "quickstart", "--federation.workers", "443").stdout == ""


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
        while read := _read(terminal):
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


def _read(terminal: int) -> bytes:
    """The next bytes of a terminal, none at its end."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


def test_a_channel_that_changes_in_every_iteration_is_remarked_upon(here):
    answer = here("show", "quickstart", "--channel.coherence-iterations", "1")
    assert "note: channel.coherence_iterations = 1: A-FADMM solves for duals after every change" in answer.stderr
    assert "note" not in here("show", "quickstart").stderr


def test_ranges_stand_for_the_numbers_that_they_list(here):
    answer = here("show", "quickstart", "--channel.snr-db", "-10:40:25", "--federation.workers", "2:4:2")
    tables = tomllib.loads(answer.stdout)
    assert tables["sweep"]["channel.snr_db"] == [-10, 15, 40]
    assert tables["sweep"]["federation.workers"] == [2, 4]
    halves = here("show", "quickstart", "--algorithm.rho", "0.1:0.5:0.2")
    assert tomllib.loads(halves.stdout)["sweep"]["algorithm.rho"] == [0.1, 0.3, 0.5]


@pytest.mark.parametrize("words", ["0:1:0", "0:10:-1", "0:1000000:1"])
def test_ranges_that_list_nothing_or_too_much_are_refused(here, words):
    assert_refused(here("show", "quickstart", "--channel.snr-db", words), words, "must be first:last:step")


def test_methods_are_listed_with_what_they_send(here):
    rows = [line for line in here("methods").stdout.splitlines() if line.strip().startswith("SCAFFOLD ")]
    assert "2 vectors" in rows[0]
    assert "stochastic controlled averaging" in rows[0]


@pytest.mark.parametrize(
    ("word", "part"),
    [
        ("snr_db", "channel.snr_db [dB]: number; default 40.0"),
        ("algorithm.rho", "read by A-FADMM"),
        ("plot.reached", '"held" or "first"'),
        ("FedProx", "from: Federated optimization in heterogeneous networks"),
        ("rayleigh", "|h|² is exponential with mean 1"),
        ("analog", "uplink.elements_per_symbol"),
        ("nr", "Modulation and coding of 5G NR"),
        ("energy_pilots", "it needs energy.whole = true"),
        ("energy", "energy [J], a variable of results"),
        ("FSK", 'uplink.compressor = "fsk"'),
        ("obda", 'uplink.scheme = "OBDA"'),
        ("Dirichlet", "federation.partition"),
        ("vote", 'uplink.scheme = "FSK-MV"'),
        ("AirComp", 'uplink.scheme = "MD-AirComp"'),
        ("latency", "time_slots"),
        ("Byzantine", "federation.hostile"),
    ],
)
def test_help_explains_keys_and_names(here, word, part):
    assert part in here("help", word).stdout


@pytest.mark.parametrize(
    ("word", "first"),
    [
        ("aircomp", 'uplink.kind = "analog"'),
        ("BAA", 'uplink.scheme = "BAA"'),
        ("obda", 'uplink.scheme = "OBDA"'),
        ("latency", "time_slots [slot]"),
        ("Dirichlet", "federation.partition: "),
        ("devices", "federation.workers: "),
        ("snr_db", "channel.snr_db [dB]"),
        ("surface", "cell.surface_elements"),
    ],
)
def test_help_begins_with_what_has_the_name_or_means_the_same(here, word, first):
    assert here("help", word).stdout.startswith(first)


def test_help_names_what_mentions_the_word_behind_what_it_means(here):
    *_, last = here("help", "aircomp").stdout.strip().splitlines()
    assert last == 'mentioned by uplink.scheme = "MD-AirComp", uplink.scheme'
    assert "M. M. Amiri and D. Gündüz" in here("help", "amiri").stdout


def test_aliases_have_help_and_are_no_names():
    for word, meant in key_reference.ALIASES.items():
        assert all(key_reference._named(name) for name in meant)
        assert not key_reference._named(word)


def test_show_leaves_out_what_is_not_read_if_asked_to(here):
    scenario = scenarios.load("digits_quickstart")
    shown = here("show", "digits_quickstart", "--read").stdout
    tables = tomllib.loads(shown)
    study = ("title", "plot", "sweep", "per_method")
    assert "not read" not in shown
    assert set(flatten({name: table for name, table in tables.items() if name not in study})) <= scenario.read
    assert scenarios.parse("digits_quickstart", shown).settings == scenario.settings


def test_help_for_nothing_names_the_nearest(here):
    assert_refused(here("help", "snr_bd"), "did you mean 'snr_db'?")


def test_show_says_which_snr_is_which(here):
    """A symbol has W·T = 15 times the SNR of its subcarrier, an element half the noise of its symbol."""
    shown = here("show", "quickstart", "--channel.symbol-snr-db", "21").stdout
    analog, digital = shown.split("# SNR of the first ")[1:]
    assert analog.startswith("analog run, where the channel gain is 1:\n# channel.snr_db = 9.239087: ")
    assert "# a symbol has 21.0 dB, energy P·T/q over N0\n# an element on it has 24.0 dB" in analog
    assert "# a symbol has 21.0 dB, energy P·T/q over N0\n# the weakest" in digital
    assert tomllib.loads(shown)["channel"]["symbol_snr_db"] == 21


def test_show_says_how_the_weakest_worker_is_received(here):
    """At the edge of a ring the weakest worker, which is nearer, has at least the SNR; the worst has it exactly."""
    ring = ["--cell.radius-m", "250", "--channel.snr-db", "10"]
    assert "is received with 21.8 dB a symbol" in here("show", "quickstart", *ring, "--cell.snr-at", "worst").stdout
    received = re.search(r"received with ([\d.]+) dB", here("show", "quickstart", *ring).stdout)
    assert received
    assert 21.8 <= float(received[1]) < 24
    assert "SNR of the first" not in here("show", "digits_quickstart", "--uplink.kind", "ideal").stdout


def test_show_says_what_is_uploaded(here):
    shown = here("show", "digits_quickstart", "--uplink.elements-per-symbol", "2").stdout
    assert "# model of the first run: d = 2,368 weights, 10 classes\n" in shown
    assert "# upload of a worker in a round: 1,184 symbols (analog), 75,776 bits (digital)\n" in shown
    shown = here("show", "quickstart", "--method", "SCAFFOLD", "--uplink.kind", "ideal").stdout
    assert "# model of the first run: d = 10 weights\n# upload of a worker in a round: 20 numbers (ideal)" in shown


def test_show_says_what_a_compressor_leaves(here):
    words = ["--method", "FedAvg@digital", "--uplink.compressor", "qsgd", "--uplink.bits-per-element", "4"]
    assert "9,504 bits (digital)" in here("show", "digits_quickstart", *words).stdout


def test_show_names_the_parts_of_schemes(here):
    shown = here("show", "family_votes").stdout
    assert (
        '# FSK-MV: compressor = "fsk", precoder = "unprecoded", power_control = "common", receiver = "energy"' in shown
    )
    assert 'receiver = "majority"' in shown


def test_version_is_the_packages(here):
    from importlib import metadata

    assert here("--version").stdout == f"otafl {metadata.version('otafl')}\n"


def test_plot_takes_keys_and_several_results(here, tmp_path):
    small = ("--run.seeds", "1", "--run.iterations", "5", "--method", "A-GD", "D-GD", "--no-store")
    here("run", "quickstart", *small, "--out", "one")
    here("run", "quickstart", *small, "--channel.snr-db", "0", "--out", "other")
    words = ("plot", "one/quickstart.nc", "other/quickstart.nc", "--plot.x", "iteration", "--out", "both")
    assert here(*words).stdout.split() == ["both.png", "both.pdf"]
    refused = here("plot", "one/quickstart.nc", "--plot.y", "test_accuracy")
    assert_refused(refused, "plot.y = 'test_accuracy': must be a variable of the result")
    assert_refused(here("plot", "one/quickstart.nc", "--plot.y-limits", "1"), "plot.y_limits", "two numbers")
    assert_refused(here("plot"), "must name a result")


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


def test_a_note_is_said_once(here):
    words = "--method FedAvg SCAFFOLD --uplink.kind analog --uplink.scheme COTAF --local.steps 5"
    answer = here("show", "digits_quickstart", *words.split())
    assert answer.stderr.count("counts the largest power of the precoder") == 1


def test_tables_are_printed_and_written_by_their_suffix(here, tmp_path):
    small = ("--run.seeds", "2", "--run.iterations", "5", "--method", "A-GD", "D-GD", "--no-store")
    here("run", "quickstart", *small, "--out", ".")
    printed = here("table", "quickstart.nc", "--budget", "inf").stdout
    assert printed.startswith("| Method | Final loss")
    assert here("table", "quickstart.nc", "--out", "table.tex").stdout == "table.tex\n"
    assert "\\toprule" in (tmp_path / "table.tex").read_text()
    words = ("table", "quickstart.nc", "quickstart.nc", "--target", "1e-9", "--reference", "A-GD", "--format", "csv")
    heading, *rows = here(*words).stdout.splitlines()
    assert heading.startswith("Result,Method,Rounds to 1e-09 mean")
    assert len(rows) == 4
    before = listing(tmp_path)
    for words, said in (
        (["--reference", "FedAvg"], "reference = 'FedAvg': must be one of the schemes of each result"),
        (["--cost", "money"], "cost = 'money': must be one of iteration"),
        (["--variable", "test_accuracy"], "variable = 'test_accuracy': must be a variable of the result"),
        (["--format", "word"], "--format"),
        (["--out", "./quickstart.nc"], "--out = 'quickstart.nc': must be another file than the result"),
        (["--out", "quickstart.nc/x.md"], "quickstart.nc"),
    ):
        assert_refused(here("table", "quickstart.nc", *words), said)
    assert_refused(here("table"), "must name a result")
    assert_refused(here("table", "none.nc"), "no such file")
    assert listing(tmp_path) == before
