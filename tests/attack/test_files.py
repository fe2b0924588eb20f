"""Words on the command line and files of scenarios: errors, wrong types, too large, broken, contradictions."""

import os
import shlex
import sys

import pytest

NETWORK = "[problem]\nkind = 'classification'\ndataset = 'digits'\n"
TEXTS = {
    "[channel\nsnr_db = 3": "must be a TOML file",
    f"[run]\nseeds = {'9' * 5000}": "must be a TOML file",
    f"x = {'[' * 3000}": "must be a TOML file",
    f"{'a.' * 3000}b = 1": "unknown key",
    "title = {a = {b = {c = {d = 1}}}}": "title",
    "plot = 3": "must be a table",
    "per_method = 3": "one for each method",
    "sweep = 3": "must be a table of dotted keys",
    "[channel.snr_db]\nx = 3": "unknown key",
    "[channel]\nsnr_db = 1979-05-27": "valid number",
    "[federation]\nworkers = 2\nprobabilities = [0.0, 0.0]": "greater than 0",
    "[channel]\nsnr_db = 3\n[sweep]\n'channel.snr_db' = [1, 2]": "remove one",
    "[per_method.A-FADM]\n'algorithm.rho' = 1.0": "unknown method",
    "[per_method.D-FADMM]\n'algorithm.rho' = 1.0": "must be a method that the scenario runs",
    "[per_method.A-FADMM]\n'algorithm.rho' = [1.0, 1.0]": "must not list a value twice",
    "[per_method.A-FADMM]\n'run.seeds' = 1": "the same for all methods",
    "[per_method]\nA-FADMM = 3": "one for each method",
    "[plot]\nkind = 'at_budget'\nbudgets = [-1.0]": "greater than 0",
    f"base = '{'x' * 5000}.toml'": "a path from",
    "method = 'A-FADMM'\n" + NETWORK: "can be used only with problem.kind = 'linear_regression'",
    "method = 'FedAvg'\n" + NETWORK + "[run]\nrecord = 'log'": "must be 'all'",
}


@pytest.mark.parametrize(("text", "part"), TEXTS.items(), ids=[text[:60] for text in TEXTS])
def test_files_that_make_no_sense(tmp_path, refused, text, part):
    (tmp_path / "mine.toml").write_text(text)
    assert part in refused("run", "mine.toml")


def sparse(path):
    with path.open("wb") as file:
        file.truncate(2**30)


KINDS = {
    "pipe": (os.mkfifo, "not a folder, a pipe or a device"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "not a folder, a pipe or a device"),
    "loop": (lambda path: path.symlink_to(path), "cannot be read"),
    "gigabyte": (sparse, "of at most 1,048,576 bytes"),
    "no UTF-8": (lambda path: path.write_bytes(b"title = '\xff\xfe'"), "must be a TOML file"),
}


@pytest.mark.parametrize(("make", "part"), KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("command", ["show", "run"])
def test_files_of_other_kinds(tmp_path, refused, command, make, part):
    make(tmp_path / "mine.toml")
    said = refused(command, "mine.toml")
    assert part in said
    assert said.count("scenario = ") == 1


@pytest.mark.parametrize("name", ["a[/b].toml", "[red] $x$ ä.part.toml"])
def test_files_with_odd_names(tmp_path, call, name):
    """They run; what looks like markup or a formula is text."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    run = "[run]\niterations = 2\nseeds = 2\n[federation]\nworkers = 2"
    path.write_text(f'title = "[/b] $\\\\frac{{"\nmethod = "D-GD"\n{run}')
    answer = call("run", name, "--out", "[/i]out")
    assert (answer.code, answer.stderr) == (0, "")
    assert f"wrote [/i]out/{path.stem}.nc" in answer.stdout
    assert {left.suffix for left in (tmp_path / "[/i]out").iterdir()} == {".nc", ".png", ".pdf", ".runs"}


MODELS = """
import sys
import keras

widths = []

def grows(shape, outputs):
    widths.append(4 + len(widths))
    layers = [keras.layers.Flatten(), keras.layers.Dense(widths[-1]), keras.layers.Dense(outputs)]
    return keras.Sequential([keras.Input(shape), *layers])

def leaves(shape, outputs):
    sys.exit(0)

def interrupts(shape, outputs):
    raise KeyboardInterrupt

number = 3
"""
MODEL_ERRORS = {
    "grows": (2, "must return the same model at every call"),
    "leaves": (2, "it ends the process"),
    "number": (2, "must name a function"),
    "interrupts": (130, "otafl: interrupted"),
}
"""Exit code and message for each fault of a function; the last one cannot be told apart from Ctrl-C."""
SMALL = ["--method", "D-SGD", "--run.iterations", "1", "--run.seeds", "1", "--federation.workers", "2"]


@pytest.mark.parametrize("function", MODEL_ERRORS)
def test_models_that_are_none(tmp_path, call, monkeypatch, function):
    code, part = MODEL_ERRORS[function]
    (tmp_path / f"attacked_{function}.py").write_text(MODELS)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    model = f"attacked_{function}:{function}"
    answer = call("run", "digits_quickstart", *SMALL, "--problem.model", model, "--out", "out")
    assert answer.code == code
    assert answer.stderr.startswith(f"otafl: problem.model = '{model}': " if code == 2 else "otafl: interrupted")
    assert part in answer.stderr
    assert answer.stderr.count("\n") == 1 or code == 130
    assert not (tmp_path / "out").exists()


LONG = "9" * 5000
WORDS = """
|Expected one of
frobnicate|Unrecognized options: frobnicate
run|NAME
plot 'a[/b].nc'|result = 'a[/b].nc'
run 'a[/b].toml'|cannot be read
run ''|unknown scenario
run quickstart quickstart|Unrecognized options: quickstart
run quickstart --out|Expected 1 values
run quickstart --channel.snr 20|--channel.snr-db
run quickstart --federation.worker 3|--federation.workers
run quickstart --run '{seeds = 1}'|Unrecognized options
run quickstart --plot.kind pie|must be 'curve'
run quickstart --run.stop-at 0.9|must be VARIABLE=NUMBER, such as test_accuracy=0.9
run quickstart --channel.snr-db|needs a value
run quickstart --channel.snr-db loud|valid number
run quickstart --channel.snr-db '[]'|at least one value
run quickstart --channel.snr-db 0:1:0|'0:1:0': must be first:last:step
run quickstart --channel.snr-db 0:10:-1|'0:10:-1': must be first:last:step
run quickstart --channel.snr-db 0:1000000:1|'0:1000000:1': must be first:last:step
run quickstart --channel.snr-db nan|decibels
run quickstart --channel.snr-db=-201|decibels
run quickstart --channel.snr-db 20 20.0|twice
run quickstart --channel.coherence-iterations 1.5|whole number
run quickstart --federation.workers 2.0|integer
run quickstart --run.record some|'all' or 'log'
run quickstart --uplink.slot-s 1e300|from 1e-12 to 1e+12
run quickstart --uplink.slot-s 1e-5|at least 1/uplink.subcarrier_spacing_hz = 6.66667e-05 s, the length of a symbol
run quickstart --method D-FADMM --uplink.symbols-per-slot as_printed --uplink.slot-s 6.6e-5|the length of a symbol
run quickstart --uplink.slot-s 1e12 --uplink.noise-psd-w-per-hz 1e-30|noise power
run quickstart --uplink.noise-psd-w-per-hz 1e36|transmit power
run quickstart --energy.whole true --channel.snr-db inf|needs a finite channel.snr_db
run quickstart --uplink.downlink analog|can be used only with the analog uplink
run quickstart --run.seeds true|integer
run quickstart --method ÄFADMM|unknown method
run quickstart --method D-FADMM-10x --uplink.subcarriers one_slot|contradicts
run quickstart --method D-FADMM-99999999999999999999x|unknown method
run quickstart --federation.partition shards|needs labels
run quickstart --federation.workers 2 --federation.probabilities '[1e-300, 1e-300]'|add up to a whole number
run quickstart --local.steps 3|do not read it
run digits_quickstart --method FedAvg --local.batch-size some|'all'
run digits_quickstart --federation.partition labels --federation.labels-per-worker 11|must not exceed
run quickstart --run.seeds 1000000000|makes 4,000,000,000 runs, but a study can have at most 100,000
run quickstart --run.seeds 25000 --run.iterations 1000000|take
run quickstart --run.iterations 2000000000|run.iterations = 2000000000: curves of 20 runs take
run quickstart --run.iterations 2000000000 --run.record log|side by side take
run quickstart --uplink.subcarriers 2000000000 --method D-FADMM|uplink.subcarriers = 2000000000: gains of 20 workers on
run quickstart --problem.samples 1000000000 --problem.dataset synthetic|problem.samples = 1000000000: problem.dataset
run quickstart --problem.dimension 1000000000 --problem.dataset synthetic|problem.dimension = 1000000000: the equations
run quickstart --problem.dimension 20000 --problem.samples 50 --problem.dataset synthetic|with 20,000 unknowns
run quickstart --channel.snr-db -150 --method D-FADMM|an upload of 320 bits would take 3e+16 slots
run quickstart --channel.snr-db -100 --method D-FADMM --uplink.subcarriers one_slot|subcarriers, more than 1e+09
run quickstart --uplink.bits-per-element 2000000000 --method D-FADMM|must be 16, 32 or 64, of a floating-point number
run digits_quickstart --local.batch-size 1000000000|the order in which 20 workers read samples
run digits_quickstart --local.steps 1000000000000 --method D-SFADMM|must be at most 2147483647
run digits_quickstart --problem.standardise yes --problem.kind classification|must be true or false
""".strip("\n").splitlines()


@pytest.mark.daily(15)
@pytest.mark.parametrize("line", WORDS, ids=[line.rpartition("|")[0] for line in WORDS])
def test_words_that_make_no_sense(refused, line):
    words, _, part = line.rpartition("|")
    assert part in refused(*shlex.split(words))


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["run", LONG + ".toml"], "File name too long"),
        (["run", "quickstart", "--out", LONG], "must be a folder"),
        (["plot", LONG], "no such file"),
        (["run", "quickstart", "--method", f"D-FADMM-{LONG}x"], "unknown method"),
        (["run", "quickstart", "--channel.snr-db", LONG], "valid number"),
        (["run", "quickstart", "--channel.snr-db", "[" * 5000], "valid number"),
        (["run", "quickstart", "--problem.dataset", "\x1b[31m\n\tred"], "must be one of"),
        (["run", "quickstart", "--problem.model", "\udcff"], "valid string"),
        (["run", "\udcff.toml"], "must be a path in UTF-8"),
    ],
    ids=range(9),
)
def test_words_that_are_long_or_cannot_be_shown(refused, words, part):
    assert part in refused(*words)


def test_sweeps_of_too_many_points(refused):
    many = [str(value) for value in range(300)]
    words = ["--channel.snr-db", *many[:100], "--uplink.subcarriers", *many[1:202]]
    assert "makes 80,400 points, but a study can have at most 10,000" in refused("show", "quickstart", *words)


def test_memory_that_gives_out_all_the_same(refused, monkeypatch):
    def exhaust(scenario: object) -> None:
        raise MemoryError

    monkeypatch.setattr("otafl.scenario.study_size.require", exhaust)
    assert "memory does not suffice" in refused("run", "quickstart")
