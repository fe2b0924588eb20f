"""Tables of the user's own: CSV and Parquet files and pandas frames, whose columns become arrays by name."""

import functools
import io
import warnings
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from otafl.data.files import FILE
from otafl.errors import OtaflError, Remark
from otafl.system import memory

Frame: TypeAlias = Any
Column: TypeAlias = Any
"""A DataFrame and a Series of pandas, which has no types that a checker could read."""
KEY, TARGET = "problem.dataset", "problem.target"
SUFFIXES = (".csv", ".parquet")
OWNER, TEST = "worker", "test"
"""Names of columns: the worker of each sample, and 1 for samples that are for testing."""
MOST_SHOWN = 5
"""Most labels that a remark lists."""
TEST_EVERY = 5
"""Distance of test samples among those of a class, where no column tells which they are."""


def read(path: Path) -> Frame:
    """Return the table of a CSV or Parquet file; OtaflError where it is damaged or cut short."""
    import pandas as pd

    size = memory.COPIES * path.stat().st_size
    memory.require([memory.Demand(FILE, str(path), size, "takes {size}")], memory.available())
    try:
        return _read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    except OtaflError:
        raise
    except ImportError:
        raise OtaflError(KEY, str(path), "needs pyarrow; install otafl with the extra otafl[data]") from None
    except Exception as error:  # whatever a damaged file makes its reader raise
        raise OtaflError(FILE, str(path), f"must be a table with a row of column names; {error}") from None


def _read_csv(path: Path) -> Frame:
    import pandas as pd

    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        rule = f"must be text in UTF-8, but byte {error.start + 1:,} is 0x{error.object[error.start]:02x}"
        raise OtaflError(FILE, str(path), rule) from None
    if "\0" in text:
        raise OtaflError(FILE, str(path), "must be text, but holds NUL bytes")
    words = functools.partial(pd.read_csv, dtype=str, keep_default_na=False)
    names = words(io.StringIO(text), header=None, nrows=1).iloc[0].tolist()
    if len(names) == 1 and (others := [mark for mark in (";", "\t", "|") if mark in names[0]]):
        raise OtaflError(FILE, str(path), f"must have commas between columns, not {others[0]!r}")
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # of values beyond the last column
        table = pd.read_csv(io.StringIO(text), index_col=False, low_memory=False)
    if of_words := [place for place, name in enumerate(table) if pd.api.types.infer_dtype(table[name]) == "string"]:
        columns = table.columns[of_words]  # among words NA and None are words, too; among numbers they are missing
        table[columns] = words(io.StringIO(text), usecols=of_words, na_values=[""]).set_axis(columns, axis=1)
    last = text.rstrip("\r\n").splitlines()[-1]
    if last.count(",") < len(table.columns) - 1:
        raise OtaflError(FILE, str(path), f"must end with a complete row, not with {last!r}")
    return table.set_axis(names, axis=1)  # as pandas gives a second column of a name another one


def is_frame(data: object) -> bool:
    import pandas as pd

    return isinstance(data, pd.DataFrame)


def arrays(table: Frame, classifies: bool, target: str | None) -> dict[str, np.ndarray]:
    """Return the arrays of training and test samples by name, with ``worker`` where the table has that column.

    All other columns than ``target``, ``worker`` and ``test`` are features. Classes and workers are numbered from 0 on,
    in sorted order. Where no column ``test`` tells, every fifth sample of a class is for testing.

    Raises:
        OtaflError: a column is missing, has no name of its own, or holds what it must not.
    """
    if not len(table):
        raise OtaflError(KEY, "table", "must have rows below that of the names")
    table = table.rename(columns=str)
    columns = list(table.columns)
    if unnamed := [name for name in columns if not name or name.startswith("Unnamed: ") or columns.count(name) > 1]:
        rule = "must each have a name of its own; to_csv(index=False) adds none"
        raise OtaflError(f"{KEY} columns", unnamed[0], rule)
    if target not in columns:
        what = "labels" if classifies else "targets"
        raise OtaflError(TARGET, target, f"must name the column of the {what}, one of: {', '.join(columns)}")
    targets = _classes(table[target]) if classifies else _numbers(table[target])
    features = [_numbers(table[name]) for name in columns if name not in (target, OWNER, TEST)]
    values = np.stack(features, axis=1) if features else np.empty((len(table), 0))
    tests = _tests(table, targets, classifies)
    if classifies and not tests.any():
        rule = f"must name a column of classes, one of them with {TEST_EVERY} rows or more, so that some test"
        raise OtaflError(TARGET, target, rule)
    parts = {"x_train": values[~tests], "y_train": targets[~tests], "x_test": values[tests], "y_test": targets[tests]}
    if classifies and (lacking := table[target][~np.isin(targets, parts["y_train"])]).size:
        raise OtaflError(f"{KEY} {target}", lacking.iloc[0], "must be the class of a row for training, too")
    return parts | ({OWNER: _numbered(table[OWNER][~tests])} if OWNER in columns else {})


def _numbers(column: Column) -> np.ndarray:
    """Return the numbers of a column in double precision; refuse text, dates, complex and missing values."""
    import pandas as pd

    known: Column = pd.to_numeric(column, errors="coerce")
    real = not {np.asarray(values).dtype.kind for values in (column, known)} & {*"cmM"}
    numbers = known.to_numpy(np.float64, na_value=np.nan) if real else np.full(len(column), np.nan)
    wrong = column[~np.isfinite(numbers)]
    if wrong.size:
        rule = f"must be a finite number, but is none in {len(wrong):,} of {len(column):,} rows; leave out these rows"
        raise OtaflError(f"{KEY} {column.name}", wrong.iloc[0], f"{rule}, or the column, or put numbers in their place")
    return numbers


def _classes(labels: Column) -> np.ndarray:
    """Return the number of each label's class; refuse fractions, which no class has as its name."""
    if labels.dtype.kind == "f" and (fractions := labels[labels % 1 > 0]).size:
        rule = "must be text or a whole number, as the name of a class"
        raise OtaflError(f"{KEY} {labels.name}", fractions.iloc[0], rule)
    places = _numbered(labels)
    names = np.unique(labels).tolist() if labels.dtype.kind in "iuf" else []
    if names != list(range(len(names))):
        shown = ", ".join(f"{name:g}" for name in names[:MOST_SHOWN]) + (", ..." if len(names) > MOST_SHOWN else "")
        said = f"labels {shown} are numbered 0 to {len(names) - 1} in their order, as classes"
        warnings.warn(f"{TARGET} = {labels.name!r}: {said}", Remark, stacklevel=2)
    return places


def _numbered(column: Column) -> np.ndarray:
    """Return the place of each value among the sorted values of a column; refuse missing and complex ones."""
    import pandas as pd

    if pd.api.types.infer_dtype(column) == "complex":
        raise OtaflError(f"{KEY} {column.name}", column.iloc[0], "must be text or a whole number, as a name")
    places = pd.factorize(column, sort=True)[0]
    if missing := int((places < 0).sum()):
        rule = "must not be missing; leave out these rows"
        raise OtaflError(f"{KEY} {column.name}", f"{missing:,} of {len(column):,}", rule)
    return places


def _tests(table: Frame, targets: np.ndarray, classifies: bool) -> np.ndarray:
    """Return which samples are for testing; a regression without a column for them has none."""
    if TEST not in table:
        return classifies & (table.groupby(targets).cumcount().to_numpy() % TEST_EVERY == TEST_EVERY - 1)
    marks = _numbers(table[TEST])
    if (wrong := marks[(marks != 0) & (marks != 1)]).size:
        rule = "must be 1 for samples that are for testing, 0 for the others"
        raise OtaflError(f"{KEY} {TEST}", wrong[0].item(), rule)
    return marks == 1
