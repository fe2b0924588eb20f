"""Data sets: shapes, scales and sources."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from otafl.data import files, regression, sources
from otafl.data.samples import Samples
from otafl.errors import OtaflError
from otafl.problems import linear_regression
from otafl.settings.problem import Problem

NAMES = ("housing_median_age", "total_rooms", "total_bedrooms", "population", "households", "median_income")
HEADER = ",".join((*NAMES, "median_house_value"))
CALIFORNIA = pytest.param("california_housing", (20_000, 6), marks=pytest.mark.needs_data("california_housing"))


def synthetic(run_seed: int = 0, **keys) -> Samples:
    return sources.load(Problem(dataset="synthetic", **keys), 1, run_seed)


def test_scikit_learns_averages_convert_back_to_totals():
    rng = np.random.default_rng(0)
    rooms, bedrooms, population = rng.integers(1, 40_000, (3, 5000))
    households = rng.integers(1, 6000, 5000)
    age, income, value = rng.integers(1, 52, 5000), rng.uniform(0.5, 15, 5000), rng.uniform(15e3, 5e5, 5000)
    latitude, longitude = rng.uniform(32, 42, 5000), rng.uniform(-124, -114, 5000)
    per_household = (rooms / households, bedrooms / households, population, population / households)
    averages = np.stack([income, age, *per_household, latitude, longitude], axis=1)
    totals = regression.california_totals(averages, value / 1e5)
    expected = np.stack([age, rooms, bedrooms, population, households, income, value], axis=1)
    np.testing.assert_allclose(totals, expected, rtol=1e-12)


def write_csv(folder, rows: list[str], header: str = HEADER) -> None:
    (folder / "california_housing.csv").write_text("\n".join([header, *rows]) + "\n")


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("OTAFL_DATA_DIR", str(tmp_path))
    write_csv(tmp_path, ["1,2,3,4,5,6,7", "9,9,9,9,9,9,8"] * 10_000)
    before = regression.california_housing

    def meddled(path):
        read = before(path)
        write_csv(tmp_path, ["1,2,3,4,5,6,7"])
        return read

    monkeypatch.setattr(regression, "california_housing", meddled)
    with pytest.raises(OtaflError, match="has changed while it was read"):
        regression.california()


def test_the_first_complete_rows_are_taken(tmp_path, monkeypatch):
    """Every other row misses a value; columns may come in any order, with others between them."""
    monkeypatch.setenv("OTAFL_DATA_DIR", str(tmp_path))
    header = "ocean_proximity,median_house_value," + ",".join(reversed(NAMES))
    rows = [row for n in range(20_001) for row in (f"BAY,{n},6,5,4,,2,1", f"BAY,{n},6,5,4,3,2,1")]
    write_csv(tmp_path, rows, header)
    features, target = regression.california_housing(files.data_file(regression.CALIFORNIA))
    np.testing.assert_array_equal(features, np.tile([1, 2, 3, 4, 5, 6], (20_000, 1)))
    np.testing.assert_array_equal(target, np.arange(20_000))


@pytest.mark.parametrize(("name", "shape"), [("diabetes", (442, 10)), CALIFORNIA])
def test_real_data_are_standardised(name, shape):
    data = sources.load(Problem(dataset=name), 1, 0)
    assert (data.features.shape, data.targets.shape) == (shape, shape[:1])
    for values in (data.features, data.targets):
        np.testing.assert_allclose(values.mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(values.std(axis=0), 1, rtol=1e-12)
    np.testing.assert_array_equal(data.features, sources.load(Problem(dataset=name), 1, 1).features)


def test_synthetic_targets_are_linear_up_to_noise_and_follow_their_seed():
    data = synthetic(dimension=5, samples=50_000)
    model, *_ = np.linalg.lstsq(data.features, data.targets, rcond=None)
    residual = data.targets - data.features @ model
    assert residual.std() == pytest.approx(0.1, rel=5 / np.sqrt(2 * residual.size))
    assert np.linalg.norm(model) > 0.1
    assert synthetic(dimension=1, samples=20_000).features.std() == pytest.approx(1.0, rel=5 / np.sqrt(2 * 20_000))
    first, again, other = (synthetic(seed, dimension=3, samples=50) for seed in (3, 3, 4))
    fixed = synthetic(0, dimension=3, samples=50, seed=3)
    assert (first.features.shape, first.targets.shape) == ((50, 3), (50,))
    for same in (again, fixed):
        np.testing.assert_array_equal(first.features, same.features)
        np.testing.assert_array_equal(first.targets, same.targets)
    assert not np.isin(first.features, other.features).any()
    assert not np.isin(first.features, synthetic(3, dimension=3, samples=50, seed=8).features).any()


@pytest.mark.parametrize(("dimension", "condition_number"), [(2, 1.0), (6, 10.0), (4, 1e4)])
def test_synthetic_covariance_has_the_condition_number(dimension, condition_number):
    """Eigenvalues of the sample covariance: relative error about √(2/n) each, their mean 1."""
    samples = 100_000
    features = synthetic(dimension=dimension, samples=samples, condition_number=condition_number).features
    spectrum = np.linalg.eigvalsh(features.T @ features / samples)
    tolerance = 5 * dimension * np.sqrt(2 / samples)
    assert spectrum[-1] / spectrum[0] == pytest.approx(condition_number, rel=2 * tolerance)
    assert spectrum.mean() == pytest.approx(1.0, rel=tolerance)
    ratios = spectrum[1:] / spectrum[:-1]
    np.testing.assert_allclose(ratios, condition_number ** (1 / (dimension - 1)), rtol=2 * tolerance)


def test_mixture_is_a_third_each_of_three_laws():
    """Their variances: 1 of the normal, 5/3 of Student's t, 25/3 of the uniform law; targets are uncorrelated."""
    data = sources.load(Problem(dataset="mixture", dimension=4, samples=60_000), 1, 0)
    assert data.features.shape == (60_000, 4)
    assert data.features.var() == pytest.approx((1 + 5 / 3 + 25 / 3) / 3, rel=0.03)
    correlation = np.corrcoef(np.column_stack([data.features, data.targets]).T)[-1, :-1]
    assert np.abs(correlation).max() < 5 / np.sqrt(60_000)


def test_numbers_do_not_depend_on_threads():
    """Products are added in blocks, which NumPy chooses for the number of its threads."""
    problem, shares = Problem(dataset="synthetic", dimension=20, samples=4_000), [np.arange(4_000)]
    found = []
    for number in (1, 2):
        with threadpool_limits(number, "blas"):
            data = regression.synthetic(problem, 0)
            found.append((data.features, *linear_regression.build(data, shares, "mean")))
    for one, two in zip(*found, strict=True):
        np.testing.assert_array_equal(one, two)
