"""Tables of results: statistics, intervals and paired differences that can be read off by hand."""

import csv
import io
import re
import shutil
import subprocess
import warnings

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import otafl
from otafl.errors import OtaflError, Remark
from otafl.results import analysis, escapes, table_formats
from otafl.results.table import Cell, Column, ResultTable, table
from tests.otafl.small import SMALL

KEYS = SMALL | {"run.seeds": 3, "run.iterations": 40, "federation.workers": 4, "run.target_loss": 0.05}


@pytest.fixture(scope="module")
def data() -> xr.Dataset:
    return otafl.run("quickstart", KEYS | {"method": ["A-FADMM", "D-FADMM", "A-GD"], "channel.snr_db": [10.0, 40.0]})


def cells(shown: ResultTable, column: str) -> dict[tuple[str, ...], Cell]:
    place = [description.heading for description in shown.columns].index(column)
    return {tuple(names): row[place] for names, row in shown.rows}


def test_costs_and_paired_differences_have_intervals_of_student(data):
    found = cells(table(data, target=0.05), "Energy to loss 0.05")
    for scheme, snr_db in (("A-FADMM", 40.0), ("D-FADMM", 10.0)):
        values = analysis.to_target(data, 0.05, "energy").sel(scheme=scheme, snr_db=snr_db).values
        cell = found[scheme, str(snr_db)]
        ends = stats.t.interval(0.95, 2, values.mean(), stats.sem(values))
        assert cell[:3] == pytest.approx((values.mean(), *ends))
        assert (cell.count, cell.runs) == (3, 3)
    found = cells(table(data, target=0.05, reference="D-FADMM", cost="energy"), "Energy to loss 0.05, minus D-FADMM")
    spent = analysis.to_target(data, 0.05, "energy").sel(snr_db=40.0)
    pairs = (spent.sel(scheme="A-FADMM") - spent.sel(scheme="D-FADMM")).values
    ends = stats.t.interval(0.95, 2, pairs.mean(), stats.sem(pairs))
    assert found["A-FADMM", "40.0"][:3] == pytest.approx((pairs.mean(), *ends))
    assert found["D-FADMM", "40.0"].runs == 0


def test_the_scenario_decides_where_nothing_is_asked_and_its_budgets_are_of_its_own_cost(data):
    assert [column.heading for column in table(data).columns] == [
        *(f"{name} to loss 0.05" for name in ("Rounds", "Time slots", "Channel uses", "Energy")),
        "Final loss |Σ f(θ) − f*|",
    ]
    keys = {"plot.kind": "at_budget", "plot.budgets": [100.0, 3000.0], "channel.snr_db": [0.0, 10.0]}
    made = table(otafl.run("quickstart", KEYS | keys | {"method": "D-FADMM", "run.iterations": 5}))
    ends = ("100 channel uses", "3,000 channel uses")
    assert [column.heading for column in made.columns] == [f"Loss |Σ f(θ) − f*| at {end}" for end in ends]
    assert made.keys == ["SNR [dB]"]
    text = str(data.attrs["scenario"]).replace('kind = "curve"', 'kind = "at_budget"')
    shown = data.assign_attrs(scenario=text.replace("budgets = []", "budgets = [100.0]"))
    in_joules = table(shown, cost="energy")
    assert [column.heading for column in table(shown).columns] == ["Loss |Σ f(θ) − f*| at 100 channel uses"]
    assert [column.heading for column in in_joules.columns] == ["Energy to loss 0.05", "Final loss |Σ f(θ) − f*|"]


def test_a_target_that_a_seed_misses_has_a_median_and_no_mean(data):
    part = data.sel(scheme="A-FADMM", snr_db=40.0, drop=False).copy(deep=True)
    part["loss"].loc[{"seed": 1}] = 1.0
    for statistic, finite in (("mean", False), ("median", True)):
        (cell,) = cells(table(part, target=0.05, cost="energy", statistic=statistic), "Energy to loss 0.05").values()
        assert (np.isfinite(cell.centre), cell.count, cell.runs) == (finite, 2, 3)
    assert "not reached (2 of 3)" in table_formats.markdown(table(part, target=0.05, cost="energy"))


def test_a_variable_that_a_scheme_lacks_is_left_empty(data):
    text = table_formats.markdown(table(data, budgets=[np.inf], variables=["primal_residual"]))
    assert [line.split(" | ")[-1] for line in text.splitlines() if "A-GD" in line] == ["– |"] * 2


def test_runs_that_were_stopped_are_left_out_with_a_remark(data):
    part = data.copy(deep=True)
    part["outcome"] = part["outcome"].astype(object)
    part["outcome"].loc[{"scheme": "A-FADMM", "seed": 0}] = "stopped"
    with pytest.warns(Remark, match="quickstart: 2 of 18 runs have not ended, and are left out"):
        mixed = table(part, target=0.05, reference="A-FADMM")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alone = table(part.isel(seed=slice(1, None)), target=0.05, reference="A-FADMM")
    for one in ("10.0", "40.0"):
        both = [cells(made, "Energy to loss 0.05")["A-FADMM", one] for made in (mixed, alone)]
        assert both[0] == both[1]
    name = "Energy to loss 0.05, minus A-FADMM"
    assert cells(mixed, name)["D-FADMM", "10.0"] == cells(alone, name)["D-FADMM", "10.0"]
    assert cells(mixed, "Energy to loss 0.05")["D-FADMM", "10.0"].runs == 3


def test_several_results_stand_below_each_other(data):
    other = data.sel(snr_db=10.0, drop=True).assign_attrs(name="other")
    made = table(data, other, target=0.05)
    assert made.keys == ["Result", "Method", "SNR [dB]"]
    assert [names for names, _ in made.rows][-3:] == [["other", one, ""] for one in data["scheme"].values]
    assert made.rows[0][1] == made.rows[6][1]
    trained = other.assign(loss=other["loss"].assign_attrs(long_name="Training loss"))
    with pytest.raises(OtaflError, match=r"variable = 'Final loss.*': is not the same in all results: Final training"):
        table(data, trained, budgets=[np.inf])


def test_variables_and_names_of_ones_own(data):
    """One that no table of variables has, with a unit, and texts of schemes as in the figure's legend."""
    own = data.assign(drift=(2 * data["loss"]).assign_attrs(units="m", long_name="Drift"))
    text = str(own.attrs["scenario"]).replace("[plot.labels]\n", "") + '\n[plot.labels]\nA-GD = "GD over the air"\n'
    made = table(own.assign_attrs(scenario=text), budgets=[np.inf], variables=["drift"], reference="A-GD")
    headings = ("Final drift", "Final drift, minus GD over the air")
    assert made.columns[:2] == [Column(heading, "m", "no value") for heading in headings]
    assert made.rows[-1][0] == ["GD over the air", "40.0"]
    risen = own.assign(drift=own["drift"].assign_attrs(rises=1))
    for one, sign in ((own, "≤"), (risen, "≥")):
        assert f"costs to drift {sign} 0.5" in table(one, target=0.5, variables=["drift"]).caption
    loss = table(data, budgets=[np.inf], reference="A-GD")
    assert made.rows[0][1][0].centre == pytest.approx(2 * loss.rows[0][1][0].centre)
    assert "costs to drift ≤ 1;" in table(own, target=1.0, variables=["drift"]).caption


@pytest.mark.parametrize(
    ("keys", "rule"),
    [
        ({"reference": "FedAvg"}, r"reference = 'FedAvg': must be one of the schemes .*: A-FADMM, D-FADMM, A-GD"),
        ({"budgets": [3.0], "variables": ["outcome"]}, r"variable = 'outcome': must be a variable of the result: iter"),
        ({"target": 3.0, "variables": ["iteration"]}, r"variable = 'iteration': must be a variable of the result, not"),
        ({"target": 1.0, "cost": "loss"}, r"cost = 'loss': must be one of iteration, time_slots"),
        ({"budgets": [3.0], "cost": ["time", "energy"]}, r"cost = 'time, energy': must be one where there are budgets"),
    ],
)
def test_what_a_result_does_not_have_is_refused_in_one_line(data, keys, rule):
    with pytest.raises(OtaflError, match=rule):
        table(data, **keys)


def test_results_of_different_targets_need_one():
    keys = KEYS | {"method": "D-FADMM", "run.iterations": 2, "run.seeds": 1}
    both = [otafl.run("quickstart", keys | {"run.target_loss": target}) for target in (0.1, 0.2)]
    with pytest.raises(OtaflError, match=r"target = None: must be given, .* differ: loss 0.1 and loss 0.2"):
        table(*both)
    assert len(table(*both, target=0.1).rows) == 2
    with pytest.raises(OtaflError, match="must be a result, or several"):
        table()


def of_one(cell: Cell, statistic: str = "mean", heading: str = "Energy", key: str = "a") -> ResultTable:
    return ResultTable("a caption", ["Key"], [Column(heading, "J", "not reached")], [([key], [cell])], statistic)


@pytest.mark.parametrize(
    ("cell", "statistic", "text"),
    [
        (Cell(1234.5, 1189.2, 1279.8, 5, 5), "mean", "1,234 ± 45"),
        (Cell(0.91234, 0.9089, 0.91578, 5, 5), "mean", "0.9123 ± 0.0034"),
        (Cell(2e-5, 1.7e-5, 2.3e-5, 5, 5), "mean", "(2.00 ± 0.30)×10⁻⁵"),
        (Cell(2e7, np.nan, np.nan, 1, 1), "mean", "2.000×10⁷"),
        (Cell(0.0, np.nan, np.nan, 1, 1), "mean", "0"),
        (Cell(10.0, 8.0, 13.0, 7, 7), "median", "10.0 (8.0 … 13.0)"),
        (Cell(10.0, 8.0, np.inf, 6, 7), "median", "10.0 (8.0 … ∞) (6 of 7)"),
        (Cell(np.inf, np.nan, np.nan, 2, 5), "mean", "not reached (2 of 5)"),
        (Cell(np.nan, np.nan, np.nan, 0, 0), "mean", "–"),
    ],
)
def test_numbers_have_the_digits_that_their_interval_warrants(cell, statistic, text):
    assert f"| a | {text} |" in table_formats.markdown(of_one(cell, statistic))


def test_seeds_that_agree_have_the_decimals_of_their_column():
    rows = [(["a"], [Cell(0.0384, 0.0384, 0.0384, 3, 3)]), (["b"], [Cell(0.006, -0.017, 0.029, 3, 3)])]
    text = table_formats.markdown(of_one(rows[0][1][0])._replace(rows=rows))
    assert ("| a | 0.038 ± 0.000 |" in text, "| b | 0.006 ± 0.023 |" in text) == (True, True)


@given(st.floats(-1e12, 1e12), st.floats(0, 1e12))
def test_a_number_is_read_back_to_within_its_interval(centre, half):
    text = table_formats.markdown(of_one(Cell(centre, centre - half, centre + half, 3, 3))).splitlines()[2]
    ((number, power),) = re.findall(r"^\| a \| \(?(\S+) ± \S+?\)?(?:×10(\S+))? \|$", text)
    scale = 10.0 ** int((power or "0").translate(escapes.PLAIN))
    read = float(number.replace(",", "").replace("−", "-")) * scale
    assert read == pytest.approx(centre, rel=1e-3, abs=0.05 * half + 1e-12)


def test_csv_has_all_digits(data):
    text = table_formats.comma_separated(table(data, target=0.05, cost="energy"))
    rows = list(csv.DictReader(io.StringIO(text)))
    cell = cells(table(data, target=0.05, cost="energy"), "Energy to loss 0.05")["D-FADMM", "10.0"]
    (row,) = [row for row in rows if (row["Method"], row["SNR [dB]"]) == ("D-FADMM", "10.0")]
    ends = ("mean", "low", "high", "seeds with a value", "seeds")
    assert tuple(float(row[f"Energy to loss 0.05 [J] {end}"]) for end in ends) == cell


def test_costs_that_are_asked_for_stand_in_the_table_and_its_latex_is_mathematics(data):
    asked = table(data, target=0.05, cost=["time", "energy"])
    assert [column.heading for column in asked.columns] == ["Time to loss 0.05", "Energy to loss 0.05"]
    timed = data.assign_attrs(scenario=str(data.attrs["scenario"]).replace('cost = "channel_uses"', 'cost = "time"'))
    assert "Time to loss 0.05" in [column.heading for column in table(timed).columns]
    assert r"& Final loss $\left|\sum_n f_n(\theta)-f^\star\right|$ \\" in table_formats.latex(table(data))


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed")
@pytest.mark.slow
def test_latex_compiles(data, tmp_path):
    text = table_formats.latex(table(data, data, budgets=[100.0, np.inf], target=1e-5, reference="A-GD"))
    head = r"\documentclass{article}\usepackage{booktabs}\begin{document}"
    (tmp_path / "page.tex").write_text("\n".join([head, text, r"\end{document}"]))
    words = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "page.tex"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
