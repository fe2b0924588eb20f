"""Files of scenarios: of other kinds, too large, broken, and with parts that contradict each other."""

import os
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
    "[sweep]\n'channel.snr_db' = []": "at least one value",
    "[channel]\nsnr_db = 3\n[sweep]\n'channel.snr_db' = [1, 2]": "remove one",
    "[per_method.A-FADM]\n'algorithm.rho' = 1.0": "unknown method",
    "[per_method.D-FADMM]\n'algorithm.rho' = 1.0": "must be a method that the scenario runs",
    "[per_method.A-FADMM]\n'algorithm.rho' = [1.0, 1.0]": "must not list a value twice",
    "[per_method.A-FADMM]\n'run.seeds' = 1": "the same for all methods",
    "[per_method]\nA-FADMM = 3": "one for each method",
    "[plot]\nkind = 'at_budget'\nbudgets = [-1.0]": "greater than 0",
    f"base = '{'x' * 5000}.toml'": "a path from",
    "method = 'FedAvg'\n" + NETWORK + "[federation]\npartition = 'natural'": "name each sample's worker",
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
    run = "[run]\niterations = 2\nseeds = 1\n[federation]\nworkers = 2"
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
