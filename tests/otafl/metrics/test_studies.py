"""Studies with metrics: names of runs, worker processes, figures elsewhere, and what a key of the run does."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import otafl
from otafl.cli import key_reference
from otafl.cli.help_search import explain
from otafl.results import analysis, report, result_file, summary
from otafl.store.identity import run_name
from otafl.study import engines
from tests.otafl.small import SMALL, dotted
from tests.registries import forgotten

METRICS = (Path(__file__).parents[3] / "docs" / "examples" / "my_metrics.py").read_text(encoding="utf-8")
KEYS = SMALL | {"method": "A-FADMM", "federation.workers": 4, "run.iterations": 12, "run.seeds": 2}
NAMES = ["drift", "step_norm", "cosine"]
ASKED = KEYS | {"plugins": ["my_metrics"], "run.metrics": NAMES, "plot.y": "drift", "plot.x": "iteration"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "my_metrics.py").write_text(METRICS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    with forgotten("my_metrics"):
        yield tmp_path


def name_of(**keys) -> str:
    ((_, settings),) = otafl.load("quickstart", KEYS | dotted(keys)).points()
    return run_name(settings, 0)


def test_a_run_s_name_depends_on_the_code_of_its_metrics(folder):
    plain = name_of()
    assert name_of(run__metrics=[]) == plain
    importlib.import_module("my_metrics")
    assert name_of() == plain
    assert otafl.load("quickstart", KEYS | {"run.metrics": ["drift"]}).settings.plugins == ("my_metrics",)
    one, other = name_of(run__metrics=["drift"]), name_of(run__metrics=["cosine"])
    assert len({plain, one, other}) == 3
    (folder / "my_metrics.py").write_text(METRICS + "\n# changed\n")
    assert name_of(run__metrics=["drift"]) not in (one, plain)
    assert name_of() == plain


@pytest.mark.slow
def test_metrics_in_results_are_as_other_variables(folder):
    data = otafl.run("quickstart", ASKED, out=folder / "out", store=False, engine=engines.engine(processes=0))
    assert set(NAMES) <= set(data.data_vars)
    assert data["drift"].dims == data["loss"].dims
    assert data["cosine"].attrs == {
        "units": "1",
        "long_name": "Cosine of meant and received sum",
        **dict.fromkeys(("linear", "rises", "sparse"), 1),
    }
    assert (analysis.to_target(data, 0.9, "iteration", "cosine", "first") == 1).all()
    assert [one for one in summary.of_result(data).headings if one.startswith("Final")] == [
        "Final loss",
        *(f"Final {words[0].lower()}{words[1:]}" for words in (data[name].attrs["long_name"] for name in NAMES)),
    ]
    assert "models from their mean" in report.page(data)
    assert "variable of results" in explain(list(key_reference.topics()), "drift")


@pytest.mark.slow
def test_a_result_is_drawn_and_summed_up_where_its_metrics_are_unknown(folder):
    otafl.run("quickstart", ASKED, out=folder / "out", store=False, engine=engines.engine(processes=0))
    lines = [
        "import otafl.cli, sys",
        "from otafl.results import analysis, result_file, summary",
        "data = result_file.load('out/quickstart.nc')",
        "assert (analysis.to_target(data, 0.9, 'iteration', 'cosine', 'first') == 1).all()",
        "assert summary.of_result(data).headings[-1] == 'Final cosine of meant and received sum'",
        "sys.argv[1:] = ['plot', 'out/quickstart.nc']",
        "otafl.cli.main()",
        "assert 'my_metrics' not in sys.modules",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "out" / "quickstart.png").exists()
    with forgotten():
        assert result_file.about(result_file.load(folder / "out" / "quickstart.nc")).plot.y == "drift"
