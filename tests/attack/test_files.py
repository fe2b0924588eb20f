"""Files of scenarios: of other kinds, too large, broken, and with parts that contradict each other."""

import os
import sys

import pytest

NETWORK = "[problem]\nkind = 'classification'\ndataset = 'digits'\n"
TEXTS = {
    "[channel\nsnr_db = 3": "must be a TOML file",
    "x = = 1": "must be a TOML file",
    f"[run]\nseeds = {'9' * 5000}": "must be a TOML file",
    f"x = {'[' * 3000}": "must be a TOML file",
    f"{'a.' * 3000}b = 1": "unknown key",
    "title = {a = {b = {c = {d = 1}}}}": "title",
    "channel = 3": "unknown key",
    "sweep = 3": "must be a table of dotted keys",
    "plot = 3": "must be a table",
    "per_method = 3": "one for each method",
    "[channel]\nsnr = 3": "did you mean 'channel.snr_db'?",
    "[chanel]\nsnr_db = 3": "did you mean 'channel.snr_db'?",
    "[channel.snr_db]\nx = 3": "unknown key",
    "[channel]\nsnr_db = 1979-05-27": "valid number",
    "[federation]\nprobabilities = 0.5": "federation.probabilities",
    "[federation]\nworkers = 2\nprobabilities = [0.0, 0.0]": "greater than 0",
    "[federation]\nworkers = 2\nprobabilities = [0.5, 0.5]\nparticipation = 0.5": "contradicts",
    "[sweep]\n'channel.snr_db' = []": "at least one value",
    "[sweep]\n'channel.snr_db' = 3": "must be a list",
    "[sweep]\n'run.seeds' = [1, 2]": "cannot be swept",
    "[sweep]\nmethod = ['A-FADMM', 3]": "method",
    "[channel]\nsnr_db = 3\n[sweep]\n'channel.snr_db' = [1, 2]": "not in both",
    "[per_method.A-FADM]\n'algorithm.rho' = 1.0": "unknown method",
    "[per_method.D-FADMM]\n'algorithm.rho' = 1.0": "must be a method that the scenario runs",
    "[per_method.A-FADMM]\n'algorithm.rho' = [1.0, 1.0]": "must not list a value twice",
    "[per_method.A-FADMM]\n'run.seeds' = 1": "the same for all methods",
    "[per_method.A-FADMM]\n'local.steps' = 1": "does not read it",
    "[per_method]\nA-FADMM = 3": "one for each method",
    "[plot]\nkind = 'pie'": "plot.kind = 'pie'",
    "[plot]\nz = 3": "unknown key",
    "[plot]\ny = 'test_accuracy'": "regressions have none",
    "[plot]\nkind = 'at_budget'": "plot.budgets = (): must list at least one where",
    "[plot]\nkind = 'at_budget'\nbudgets = [-1.0]": "greater than 0",
    "base = 3": "must be a scenario's name",
    "base = 'no_such'": "unknown base",
    "base = 'mine.toml'": "must not lead back to the scenario itself",
    "base = '\\u0000.toml'": "a path from",
    f"base = '{'x' * 5000}.toml'": "a path from",
    "base = 'quickstart'\n[sweep]\n'channel.snr' = [1]": "unknown key",
    "method = 'FedAvg'\n" + NETWORK + "[federation]\npartition = 'natural'": "name each sample's worker",
    NETWORK + "method = 'A-FADMM'": "problem.method",
    "method = 'A-FADMM'\n" + NETWORK: "can be used only with problem.kind = 'linear_regression'",
    "method = 'FedAvg'\n" + NETWORK + "[run]\nrecord = 'log'": "must be 'all'",
}


@pytest.mark.parametrize(("text", "part"), TEXTS.items(), ids=[text[:60] for text in TEXTS])
def test_files_that_make_no_sense(tmp_path, refused, text, part):
    (tmp_path / "mine.toml").write_text(text)
    (tmp_path / "other.toml").write_text("base = 'mine.toml'")
    assert part in refused("run", "mine.toml")


def sparse(path):
    """A gigabyte without a block on the disk."""
    with path.open("wb") as file:
        file.truncate(2**30)


KINDS = {
    "pipe": (os.mkfifo, "not a folder, a pipe or a device"),
    "folder": (lambda path: path.mkdir(), "not a folder, a pipe or a device"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "not a folder, a pipe or a device"),
    "loop": (lambda path: path.symlink_to(path), "cannot be read"),
    "gigabyte": (sparse, "of at most 1,048,576 bytes"),
    "no UTF-8": (lambda path: path.write_bytes(b"title = '\xff\xfe'"), "must be a TOML file"),
    "NUL": (lambda path: path.write_bytes(b"title = '\0'"), "must be a TOML file"),
}


@pytest.mark.parametrize(("make", "part"), KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("command", ["show", "run"])
def test_files_of_other_kinds(tmp_path, refused, command, make, part):
    make(tmp_path / "mine.toml")
    said = refused(command, "mine.toml")
    assert part in said
    assert said.count("scenario = ") == 1


@pytest.mark.parametrize("name", ["a[/b].toml", "[red] $x$ ä.part.toml", "*.toml"])
def test_files_with_odd_names(tmp_path, call, name):
    """They run; what looks like markup or a formula is text."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    run = "[run]\niterations = 2\nseeds = 1\n[federation]\nworkers = 2"
    path.write_text(f'title = "[/b] $\\\\frac{{"\nmethod = "D-GD"\n{run}')
    answer = call("run", name, "--out", "[/i]out")
    assert (answer.code, answer.stderr) == (0, "")
    assert f"wrote [/i]out/{path.stem}.nc" in answer.stdout
    assert {left.suffix for left in (tmp_path / "[/i]out").iterdir()} == {".nc", ".png", ".pdf", ".runs"}


MODELS = """
import sys

import keras

calls = []


def dense(shape, outputs, width=4):
    hidden = keras.layers.Dense(width)
    return keras.Sequential([keras.Input(shape), keras.layers.Flatten(), hidden, keras.layers.Dense(outputs)])


def leaves(shape, outputs):
    sys.exit(0)


def leaves_later(shape, outputs):
    calls.append(None)
    return dense(shape, outputs) if len(calls) == 1 else sys.exit("bye")


def grows(shape, outputs):
    calls.append(None)
    return dense(shape, outputs, len(calls))


def interrupts(shape, outputs):
    raise KeyboardInterrupt


def is_none(shape, outputs):
    return None


def fails(shape, outputs):
    raise RuntimeError("two\\nlines")


def takes_one(shape):
    return dense(shape, 10)


def has_other_outputs(shape, outputs):
    return dense(shape, outputs + 1)


number = 3
"""
MODEL_ERRORS = {
    "leaves": "it ends the process",
    "leaves_later": "it ends the process",
    "grows": "must return the same model at every call",
    "is_none": "must return a keras.Model",
    "fails": "two lines",
    "takes_one": "positional argument",
    "has_other_outputs": "must give 10 logits",
    "number": "must name a function",
    "missing": "has no attribute",
}
SMALL = ["--method", "D-SGD", "--run.iterations", "1", "--run.seeds", "1", "--federation.workers", "2"]


@pytest.fixture
def models(tmp_path, monkeypatch):
    (tmp_path / "attacked_models.py").write_text(MODELS)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield "attacked_models"
    sys.modules.pop("attacked_models", None)


@pytest.mark.parametrize(("function", "part"), MODEL_ERRORS.items())
def test_models_that_are_none(tmp_path, call, models, function, part):
    answer = call("run", "digits_quickstart", *SMALL, "--problem.model", f"{models}:{function}", "--out", "out")
    assert answer.code == 2
    assert answer.stderr.startswith(f"otafl: problem.model = '{models}:{function}': ")
    assert part in answer.stderr
    assert answer.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_model_that_interrupts_is_an_interrupt(tmp_path, call, models):
    """As Ctrl-C is, from which it cannot be told apart."""
    answer = call("run", "digits_quickstart", *SMALL, "--problem.model", f"{models}:interrupts", "--out", "out")
    assert answer.code == 130
    assert answer.stderr.startswith("otafl: interrupted")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "text", ["raise SystemExit", "raise SystemExit(0)", "import no_such", "x = = 1", "\0", "1 / 0"]
)
def test_modules_that_cannot_be_imported(tmp_path, refused, monkeypatch, text):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "attacked_module.py").write_text(text)
    assert "cannot be imported" in refused("run", "digits_quickstart", *SMALL, "--problem.model", "attacked_module:f")
