"""Data, schemes and figures of the user's own: what is commonly got wrong."""

import sys
from pathlib import Path

import numpy as np
import pytest

FEATURES, CLASSES = np.random.default_rng(0).normal(size=(70, 4)), np.arange(70) % 7
WHOLE = {"x_train": FEATURES[:50], "y_train": CLASSES[:50], "x_test": FEATURES[50:], "y_test": CLASSES[50:]}
FILES = {
    "good": {},
    "hot": {"y_train": np.eye(7)[CLASSES[:50]]},
    "one": {"y_train": 0 * CLASSES[:50], "y_test": 0 * CLASSES[50:]},
    "large": {"x_train": FEATURES[:50] * 1e300},
}
DATA = """
hot.npz|y_train = 'float64 (50, 7)': must be of shape [samples], with the number of each sample's class
one.npz|must have at least two classes
large.npz|must be at most 1e+30 in absolute value
words.npz|must be a complete .npz file
good.csv|as numpy.savez('good.npz', x_train=..., y_train=..., x_test=..., y_test=...) writes, or package.module:function
data/good.csv|as numpy.savez('good.npz', x_train=
mnits|must be one of mnist
os:getcwd|must be (x, y)
json:dumps|the function fails: TypeError: dumps() missing
good.npz --federation.workers 60|must not exceed the number of samples, 50
good.npz --federation.partition file|federation.partition = 'file': must be 'iid'
good.npz --problem.model lenet|problem.model = 'lenet': must be one of mlp
"""
SCHEMES = """
quickstart --plugins nowhere|plugins = 'nowhere': cannot be imported
quickstart --plugins nowhere.py|there is no such file
quickstart --plugins faulty.py|cannot be imported: ZeroDivisionError: division by zero (faulty.py, line 1)
quickstart --plugins ends.py|cannot be imported: it ends the process
quickstart --plugins away.py|cannot be imported: Away (away.py, line 3)
quickstart --plugins empty.py --method Mine|method = 'Mine': unknown method
text.toml|must list modules
twice.toml|must not list a value twice
uplink.toml|uplink.kind = 'anlog': must be 'analog'
carried.toml|A-SFADMM is carried by the analog uplink
nobody.toml|'FedPrx': unknown method; did you mean 'FedProx'?
quickstart --channel.fading rican|must be 'none', 'rayleigh'
quickstart --channel.snr-db 0:40:-5|must be first:last:step
quickstart --uplink.outage 2|uplink.outage = 2: must be less than 1
"""
MODULES = {
    "faulty": "1 / 0",
    "ends": "raise SystemExit(3)\n",
    "away": "class Away(BaseException):\n    pass\nraise Away()\n",
    "empty": "",
}
TOML = {
    "text": 'plugins = "mine"\n',
    "twice": '[sweep]\nmethod = ["FedAvg@analog", "FedAvg@analog"]\n',
    "uplink": '[sweep]\nmethod = ["FedAvg@anlog"]\n',
    "carried": '[sweep]\nmethod = ["A-SFADMM@digital"]\n',
    "nobody": '[per_method.FedPrx]\n"local.epochs" = 2\n',
}
FIGURES = """
--plot.kind bar|must be 'curve'
--plot.kind at_budget|plot.budgets = (): must list at least one
--plot.kind to_target --plot.cost loss|must be 'iteration'
--plot.x epochs|must be 'iteration'
--plot.y accuracy|must be a variable of the result
--plot.y test_accuracy|must be a variable of the result
--plot.y-limits 1 0|the lower one first
--plot.y-limts 0 1|perhaps you meant --plot.y-limits
--plot.panels snr_db|must be a swept dimension
--plot.columns 0|must be 1 or 2
--plot.statistic mode|must be 'mean' or 'median'
--plot.reached once|must be 'held' or 'first'
--plot.labels FedAgv=Average|plot.labels.FedAgv = 'Average': is for nothing in the figure, which has
--plot.labels FedAvg|must be NAME=TEXT
--plot.relative-to FedAgv|relative_to = 'FedAgv': needs a result of several schemes
nowhere.nc|no such file
"""


def table(text: str) -> list:
    """Words of a command, and what its refusal says."""
    return [line.split("|") for line in text.strip().splitlines()]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for name, changes in FILES.items():
        np.savez(tmp_path / f"{name}.npz", **(WHOLE | changes))
    (tmp_path / "words.npz").write_text("hello")
    for name, text in MODULES.items():
        (tmp_path / f"{name}.py").write_text(text)
    for name, text in TOML.items():
        (tmp_path / f"{name}.toml").write_text(f'base = "digits_quickstart"\n{text}')


@pytest.mark.parametrize(("words", "said"), table(DATA))
def test_data(refused, words, said):
    keys = ["--method", "FedAvg", "--federation.workers", "5", "--run.iterations", "2", "--run.seeds", "1"]
    assert said in refused("run", "digits_quickstart", *keys, "--problem.dataset", *words.split())


@pytest.mark.parametrize(("words", "said"), table(SCHEMES))
def test_schemes(refused, words, said):
    assert said in refused("run", *words.split())


@pytest.fixture(scope="module")
def result(tmp_path_factory) -> Path:
    """A small result."""
    import otafl
    from otafl.results import result_file

    path = tmp_path_factory.mktemp("result") / "quickstart.nc"
    result_file.save(otafl.run("quickstart", {"method": "A-FADMM", "run.iterations": 3, "run.seeds": 1}), path)
    return path


@pytest.mark.parametrize(("words", "said"), table(FIGURES))
def test_figures(refused, result, words, said):
    assert said in refused("plot", str(result), *words.split())
