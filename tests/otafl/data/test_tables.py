"""Tables of the user's own: what their columns become, and what is refused of them."""

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import otafl
from otafl.data import regression, sources, tables
from otafl.errors import OtaflError
from otafl.settings.problem import Problem

RNG = np.random.default_rng(0)
KINDS, CLINICS = ["gentoo", "adelie", "chinstrap"], ["north", "east"]
FRAME: Any = pd.DataFrame(
    {
        "bill": RNG.normal(size=60),
        "species": np.repeat(KINDS, 20),
        "mass": RNG.integers(3000, 5000, 60),
        "worker": np.resize(CLINICS, 60),
        "test": np.arange(60) % 3 == 2,
    }
)
KEYS = {"problem.model": "linear", "method": "FedAvg", "federation.workers": 2, "federation.partition": "natural"}
SIZE = {"run.iterations": 2, "run.seeds": 1}
TARGET = {"problem.target": "species"}


def returned():
    return FRAME


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("penguins.csv", index=False)
    return "penguins.csv"


def test_columns_become_features_classes_workers_and_tests(path):
    """Labels and workers are numbered in alphabetical order: adelie, chinstrap, gentoo; east, north."""
    data = sources.load(Problem(kind="classification", dataset=path, target="species"), 2, 0)
    train, test = FRAME[~FRAME.test], FRAME[FRAME.test]
    np.testing.assert_allclose(data.features, train[["bill", "mass"]], rtol=1e-6)
    np.testing.assert_allclose(data.test_features, test[["bill", "mass"]], rtol=1e-6)
    assert [sorted(KINDS)[label] for label in data.targets] == train.species.tolist()
    assert [sorted(KINDS)[label] for label in data.test_targets] == test.species.tolist()
    for share, clinic in zip(data.shares, sorted(CLINICS), strict=True):
        assert set(train.worker.iloc[share]) == {clinic}


def test_a_file_a_frame_and_a_function_are_one(path, tmp_path, monkeypatch):
    monkeypatch.setattr(pd, "read_parquet", lambda _: FRAME)
    (tmp_path / "penguins.parquet").write_text("")
    names = path, "penguins.parquet", f"{__name__}:returned"
    results = [otafl.run("digits_quickstart", KEYS | SIZE | TARGET | {"problem.dataset": name}) for name in names]
    results.append(otafl.run("digits_quickstart", KEYS | SIZE | TARGET, data=FRAME, out=tmp_path / "out"))
    (kept,) = (tmp_path / "out").glob("data-*.npz")
    results.append(otafl.run("digits_quickstart", KEYS | SIZE | {"problem.dataset": str(kept)}))
    for other in results[1:]:
        np.testing.assert_array_equal(results[0]["loss"], other["loss"])


def test_every_fifth_sample_of_a_class_is_for_testing_unless_a_column_tells():
    parts = tables.arrays(FRAME.drop(columns="test").sample(frac=1, random_state=1), True, "species")
    assert [np.bincount(parts[name]).tolist() for name in ("y_train", "y_test")] == [[16] * 3, [4] * 3]
    assert len(tables.arrays(FRAME[["bill", "mass"]], False, "mass")["x_test"]) == 0


@pytest.mark.needs_data("california_housing")
def test_california_housing_as_a_table_is_the_data_set_of_that_name(tmp_path):
    """Two targets are two data sets, each with a result of its own."""
    table = tables.read(Path(os.environ["OTAFL_DATA_DIR"]) / regression.CALIFORNIA)[regression.CALIFORNIA_COLUMNS]
    whole = table.dropna().iloc[: regression.CALIFORNIA_ROWS]
    path = tmp_path / "houses.csv"
    ((whole - whole.mean()) / whole.std(ddof=0)).to_csv(path, index=False)
    keys = {"method": "A-GD", **SIZE}
    known = otafl.run("quickstart", keys | {"problem.dataset": "california_housing"})
    keys |= {"problem.dataset": str(path), "problem.target": ["median_house_value", "median_income"]}
    loss = otafl.run("quickstart", keys)["loss"]
    np.testing.assert_allclose(loss.sel(target="median_house_value"), known["loss"], rtol=1e-9)
    assert not np.allclose(loss[0], loss[1])


def changed(**columns) -> Any:
    return FRAME.assign(**columns)


ONE = np.arange(60) == 7
BAD = {
    "no target": (FRAME, r"^problem.target = None: must name the column of the labels, one of: bill, species, ", None),
    "unknown target": (FRAME, r"^problem.target = 'kind': must name the column .* bill, species, mass, worker", "kind"),
    "missing": (changed(mass=FRAME.mass.where(~ONE)), r"dataset mass = nan: must be .* none in 1 of 60 rows"),
    "infinite": (changed(bill=FRAME.bill.where(~ONE, np.inf)), "dataset bill = inf: must be a finite number"),
    "text": (changed(island="Dream"), "dataset island = 'Dream': must be a finite number"),
    "label missing": (changed(species=FRAME.species.where(~ONE)), "species = '1 of 60': must not be missing"),
    "worker missing": (changed(worker=FRAME.worker.where(~ONE)), "worker = '1 of 40': must not be missing"),
    "fractions": (FRAME, "dataset bill = .*: must be text or a whole number, as the name of a class", "bill"),
    "test": (changed(test=2 * ONE), "dataset test = 2.0: must be 1 for samples that are for testing"),
    "only tests": (changed(species=np.where(FRAME.test, "x", "y")), "species = 'x': must be the class of a"),
    "one class": (changed(species="x"), "must have at least two classes"),
    "a name twice": (FRAME.rename(columns={"mass": "bill"}), "columns = 'bill': must each have a"),
    "complex": (changed(mass=FRAME.bill + 1j), "dataset mass = .*j.*: must be a finite number"),
    "dates": (changed(mass=pd.date_range("2020", periods=60)), "mass = .*2020.*: must be a finite number"),
    "durations": (changed(mass=pd.to_timedelta(FRAME.mass, "D")), "mass = .*days.*: must be a finite"),
    "no features": (FRAME[["species"]], "x_train = .*must be of shape"),
    "no rows": (FRAME[:0], "table.*must have rows"),
    "index": (FRAME.rename(columns={"mass": "Unnamed: 0"}), "columns = 'Unnamed: 0': must each have a name"),
}
"""A frame, what is said of it, and the target where that is not the species."""


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_with_a_table_is_said(case, tmp_path):
    """In a frame and in a file alike, and nothing is written."""
    frame, message, *others = BAD[case]
    (target,) = others or ["species"]
    frame.to_csv(tmp_path / "bad.csv", index=False)
    given = {} if target is None else {"problem.target": target}
    with pytest.raises(OtaflError, match=message):
        otafl.run("digits_quickstart", KEYS | SIZE | given, data=frame, out=tmp_path / "out")
    with pytest.raises(OtaflError, match=message):
        otafl.run("digits_quickstart", KEYS | SIZE | given | {"problem.dataset": str(tmp_path / "bad.csv")})
    assert [file.name for file in tmp_path.iterdir()] == ["bad.csv"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "must be a table with a row of column names; No columns"),
        ("a,b\n1,2\n3", "must end with a complete row, not with '3'"),
        ("a,b\n1,2\n1,2,3\n", "must be a table .* Expected 2 fields in line 3, saw 3"),
        ("a,b\n1,2,3\n1,2,3\n", "must be a table"),
        ("a,b\n1,\0\n", "must be text, but holds NUL bytes"),
        ("a;b\n1,5;2\n", "must have commas between columns, not ';'"),
        ("a\tb\n1\t2\n", "must have commas between columns, not "),
        ("ä,b\n1,2\n", "must be text in UTF-8, but byte 1 is 0xe4"),
    ],
)
def test_files_that_hold_no_table_are_refused(tmp_path, content, message):
    (tmp_path / "bad.csv").write_text(content, encoding="latin-1")
    with pytest.raises(OtaflError, match=f"^problem.dataset file = .*bad.csv': {message}"):
        tables.read(tmp_path / "bad.csv")


def test_missing_values_by_name_are_words_among_words(tmp_path):
    """In a file as in a frame; among numbers they are missing."""
    words = ["NA", "None", "nan", "null", "n/a", "EU"]
    frame = FRAME.assign(species=np.resize(words, 60), worker=np.repeat(words, 10), test=np.arange(60) % 10 == 0)
    frame.to_csv(tmp_path / "words.csv", index=False)
    read = tables.arrays(tables.read(tmp_path / "words.csv"), True, "species")
    for name, values in tables.arrays(frame, True, "species").items():
        np.testing.assert_allclose(read[name], values)
    (tmp_path / "numbers.csv").write_text("a,b\n1,0\n2,1\n3,NA\n")
    with pytest.raises(OtaflError, match="dataset b = '1 of 3': must not be missing"):
        tables.arrays(tables.read(tmp_path / "numbers.csv"), True, "b")


@pytest.mark.parametrize("labels", [[0, 1, 2], [1, 2, 3, 4], [0, 3], [0, 1000], [-1.0, 1.0]])
def test_labels_that_are_not_the_numbers_of_their_classes_get_a_remark(labels):
    with warnings.catch_warnings(record=True) as said:
        tables.arrays(changed(species=np.resize(labels, 60)).drop(columns="test"), True, "species")
    shown = f"labels {', '.join(f'{label:g}' for label in labels)} are numbered 0 to {len(labels) - 1}"
    assert [shown in str(warning.message) for warning in said] == [True] * (labels != [0, 1, 2])


def test_empty_lines_at_the_end_of_a_file_are_no_rows(tmp_path):
    (tmp_path / "good.csv").write_text("a,b\n1,2\n\n\r\n")
    assert tables.read(tmp_path / "good.csv").to_numpy().tolist() == [[1, 2]]


def test_parquet_without_its_reader_and_a_target_without_a_table(tmp_path, monkeypatch):
    def lacking(_):
        raise ImportError("no pyarrow")

    monkeypatch.setattr(pd, "read_parquet", lacking)
    (tmp_path / "a.parquet").write_text("")
    with pytest.raises(OtaflError, match=r"a.parquet': needs pyarrow; install otafl with the extra otafl\[data\]"):
        tables.read(tmp_path / "a.parquet")
    with pytest.raises(OtaflError, match=r"problem.target = 'a': problem.dataset = diabetes .* do not read it"):
        otafl.run("quickstart", SIZE | {"problem.target": "a"})
