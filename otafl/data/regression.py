"""Regression data, standardised: California housing, diabetes, and synthetic generators."""

import functools
from pathlib import Path

import numpy as np

from otafl.channels import file_digests
from otafl.data import tables
from otafl.data.files import FILE, data_file, embedded, require
from otafl.data.samples import Samples
from otafl.errors import OtaflError
from otafl.numerics import seeds
from otafl.settings.problem import Problem
from otafl.system.machine import in_one_thread

CALIFORNIA = "california_housing.csv"
CALIFORNIA_TOTALS = ("housing_median_age", "total_rooms", "total_bedrooms", "population", "households")
CALIFORNIA_COLUMNS = [*CALIFORNIA_TOTALS, "median_income", "median_house_value"]
"""Columns of the features, then of the target."""
CALIFORNIA_ROWS = 20_000


def california() -> Samples:
    """Return California housing, 20,000 samples of 6 features; columns have mean 0 and standard deviation 1."""
    path = data_file(CALIFORNIA)
    return _california(path, file_digests.digest(path) if path else "")


@functools.lru_cache(maxsize=1)
def _california(path: Path | None, digest: str) -> Samples:
    samples = _standardised(*california_housing(path))
    if path:
        require(path, digest)
    return samples


@functools.cache
def diabetes() -> Samples:
    """Return scikit-learn's diabetes data, 442 samples of 10 features; columns have mean 0 and standard deviation 1."""
    return _standardised(embedded("diabetes_data_raw.csv.gz"), embedded("diabetes_target.csv.gz"))


@functools.cache
def breast_cancer() -> Samples:
    """Return scikit-learn's breast cancer data, 569 samples of 30 scaled features, with targets 0 and 1 (benign)."""
    table = embedded("breast_cancer.csv", delimiter=",", skip=1)
    return _samples(_scaled(table[:, :-1]), table[:, -1])


def _samples(features: np.ndarray, target: np.ndarray) -> Samples:
    """Return samples of a regression, of which none are kept for testing."""
    return Samples(features, target, features[:0], target[:0])


def mixture(problem: Problem, seed: int) -> Samples:
    """Return features and targets that are independent, a third each of samples drawn from one of three distributions.

    These are the standard normal one, Student's t with 5 degrees of freedom, and the uniform one on [-5, 5]; samples
    are in random order. Source: Zhou and Li, and Song et al., section 4.1, example 1.
    """
    rng = seeds.generator(seed, "data")
    third, width = -(-problem.samples // 3), problem.dimension + 1
    parts = [
        rng.standard_normal((problem.samples - 2 * third, width), dtype=np.float32),
        rng.standard_t(5, (third, width)).astype(np.float32),
        rng.uniform(-5, 5, (third, width)).astype(np.float32),
    ]
    table = np.concatenate(parts)[rng.permutation(problem.samples)]
    return _samples(table[:, :-1], table[:, -1])


@in_one_thread()  # products are added in blocks, whose number depends on that of threads
def synthetic(problem: Problem, seed: int) -> Samples:
    """Return Gaussian features x ~ N(0, C) and targets y = ⟨x, θ⟩ + 0.1·ε, a linear model θ with noise ε.

    The covariance C has the given condition number, and mean eigenvalue 1. Its eigenvalues fall geometrically, its
    eigenvectors are uniform on the orthogonal group. θ ~ N(0, I/d) for d features, and ε ~ N(0, 1).
    """
    from scipy.stats import ortho_group

    rng = seeds.generator(seed, "data")
    dim = problem.dimension
    spectrum = np.geomspace(1.0, 1.0 / problem.condition_number, dim)
    spectrum *= dim / spectrum.sum()
    basis = ortho_group.rvs(dim, random_state=rng) if dim > 1 else np.ones((1, 1))
    features = rng.standard_normal((problem.samples, dim)) * np.sqrt(spectrum) @ basis.T
    target = features @ rng.standard_normal(dim) / np.sqrt(dim) + 0.1 * rng.standard_normal(problem.samples)
    return _samples(features, target)


def california_housing(path: Path | None) -> tuple[np.ndarray, np.ndarray]:
    """Return six features and the target of the first 20,000 complete rows, of a file or else downloaded.

    scikit-learn's download has no incomplete rows, where the file has 207; so the two differ in some districts.
    """
    table = _california_download() if path is None else _columns(path)
    complete = table[~np.isnan(table).any(axis=1)]
    if len(complete) < CALIFORNIA_ROWS:
        rule = f"must hold at least {CALIFORNIA_ROWS} complete rows, but has {len(complete)}; it may be cut short"
        raise OtaflError(FILE, str(path), rule)
    return complete[:CALIFORNIA_ROWS, :-1], complete[:CALIFORNIA_ROWS, -1]


def _columns(path: Path) -> np.ndarray:
    """Return the six features and the target as columns, NaN where a value is missing. Shape [rows, 7]."""
    table = tables.read(path)
    if missing := [name for name in CALIFORNIA_COLUMNS if name not in table]:
        raise OtaflError(FILE, str(path), f"must have the column {missing[0]}")
    try:
        return table[CALIFORNIA_COLUMNS].to_numpy(np.float64)
    except ValueError as error:
        raise OtaflError(FILE, str(path), f"must be a table of numbers; {error}") from None


def _california_download() -> np.ndarray:
    """Return scikit-learn's download, its averages per household converted to totals. Shape [rows, 7]."""
    from sklearn.datasets import fetch_california_housing

    try:
        averages, target = fetch_california_housing(return_X_y=True)
    except OSError as error:
        rule = f"could not be downloaded ({error}); set OTAFL_DATA_DIR to a folder with california_housing.csv"
        raise OtaflError("problem.dataset", "california_housing", rule) from None
    return california_totals(np.asarray(averages), np.asarray(target))


def california_totals(averages: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return the columns of the file, totals of each district, from scikit-learn's averages per household."""
    income, age, rooms, bedrooms, population, occupancy = averages[:, :6].T
    households = population / occupancy
    totals = (age, np.round(rooms * households), np.round(bedrooms * households), population, households, income)
    return np.stack([*totals, target * 1e5], axis=1)


def _standardised(features: np.ndarray, target: np.ndarray) -> Samples:
    return _samples(_scaled(features), _scaled(target))


def _scaled(values: np.ndarray) -> np.ndarray:
    deviation = values.std(axis=0)
    if not (np.isfinite(deviation) & (deviation > 0)).all():
        raise OtaflError("problem.dataset", "columns", "must be finite and not constant")
    return (values - values.mean(axis=0)) / deviation
