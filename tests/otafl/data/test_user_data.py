"""Data of the user's own: files, functions and arrays, and what is refused of them."""

import sys
import tomllib

import keras
import numpy as np
import pytest

import otafl
from otafl.data import sources, user_data
from otafl.errors import OtaflError
from otafl.privacy.privacy_study import assess
from otafl.settings.problem import Problem

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((60, 5)).astype(np.float32), np.arange(60) % 7
WHOLE = {"x_train": X[:42], "y_train": Y[:42], "x_test": X[42:], "y_test": Y[42:], "worker": np.arange(42) % 6}
CALLS: list[int] = []
PAIRS = (X[:42], Y[:42]), (X[42:], Y[42:])
KEYS = {"problem.model": "linear", "method": "FedAvg", "federation.workers": 6, "run.iterations": 2, "run.seeds": 1}
REGRESSION = {"method": "A-GD", "run.iterations": 2, "run.seeds": 1, "federation.workers": 6}


def mine():
    return PAIRS


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savez("mine.npz", **WHOLE)
    return "mine.npz"


def problem(dataset: str, kind="classification") -> Problem:
    return Problem(kind=kind, dataset=dataset)


@pytest.mark.slow
def test_a_file_a_function_and_arrays_are_one(path):
    results = [
        otafl.run("digits_quickstart", KEYS | {"problem.dataset": path}),
        otafl.run("digits_quickstart", KEYS | {"problem.dataset": f"{__name__}:mine"}),
        otafl.run("digits_quickstart", KEYS, data=PAIRS),
        otafl.run("digits_quickstart", KEYS, data=WHOLE),
    ]
    for other in results[1:]:
        np.testing.assert_array_equal(results[0]["loss"], other["loss"])
    assert sources.load(problem(path), 6, 0).classes == 7


def test_samples_stay_with_their_workers(path):
    run = KEYS | {"problem.dataset": path}
    natural = otafl.run("digits_quickstart", run | {"federation.partition": "natural"})
    assert not np.array_equal(natural["loss"], otafl.run("digits_quickstart", run)["loss"])
    with pytest.raises(OtaflError, match=r"federation.workers = 5: must be 6, the number of workers in 'mine.npz'"):
        otafl.run("digits_quickstart", run | {"federation.partition": "natural", "federation.workers": 5})
    np.savez("nobody.npz", **{name: WHOLE[name] for name in user_data.TRAINING + user_data.TESTING})
    with pytest.raises(
        OtaflError, match=r"needs to know whose samples they are: 'nobody.npz' has no array or column 'worker'"
    ):
        otafl.run("digits_quickstart", run | {"problem.dataset": "nobody.npz", "federation.partition": "natural"})


def test_bytes_are_divided_by_255_and_those_that_were_given_whatever_their_owner_does():
    images = (RNG.random((60, 4, 4, 3)) * 99).astype(np.uint8)
    found = user_data.checked("classification", dict(zip(WHOLE, (images, Y, images, Y), strict=False)), "data")
    assert (found.scale, found.features.dtype) == (1 / 255, np.uint8)
    before = found.features.copy()
    images *= 2
    np.testing.assert_array_equal(found.features, before)


def test_given_arrays_are_kept_beside_the_result_and_a_file_in_their_place_is_what_it_holds(tmp_path):
    """They are a regression, which needs no tests and is solved."""
    keys = REGRESSION | {"method": "D-FADMM", "run.iterations": 200}
    targets = X @ RNG.standard_normal(5)
    one, other = (otafl.run("quickstart", keys, data=(factor * X, targets)) for factor in (1, 2))
    otafl.run("quickstart", keys, data=(X, targets), out=tmp_path / "out", store=False)
    (file,) = (tmp_path / "out").glob("data-*.npz")
    keys |= {"problem.dataset": str(file)}
    assert one["loss"][..., -1] < 1e-9
    np.testing.assert_array_equal(otafl.run("quickstart", keys)["loss"], one["loss"])
    np.savez(file, x_train=2 * X, y_train=targets)
    np.testing.assert_array_equal(otafl.run("quickstart", keys)["loss"], other["loss"])


def counted():
    CALLS.append(len(CALLS))
    return X, Y.astype(float)


def test_a_function_is_called_once_for_every_study():
    """A study of privacy, without a name for its runs, calls it once as well."""
    keys = REGRESSION | {"problem.dataset": f"{__name__}:counted", "channel.snr_db": [0.0, 10.0], "run.seeds": 2}
    for study in (otafl.run, otafl.run, assess):
        before = len(CALLS)
        study("quickstart", keys)
        assert len(CALLS) == before + 1


def test_datasets_of_tensorflow_are_unrolled():
    import tensorflow as tf

    made = user_data.named(
        "classification", tuple(tf.data.Dataset.from_tensor_slices(pair) for pair in PAIRS), None, "data"
    )
    for name in user_data.TRAINING + user_data.TESTING:
        np.testing.assert_array_equal(made[name], WHOLE[name])


BAD = {
    "missing": ({"y_test": None}, "must hold the arrays x_train, y_train, x_test, y_test; missing: y_test"),
    "NaN": ({"x_train": X[:42] * np.nan}, "x_train = '210 of 210': must not be NaN or infinite"),
    "lengths": ({"y_train": Y[:41]}, "as many samples as y_train, which has 41"),
    "scalars": ({"x_train": X[:42, 0]}, "must be of shape \\[samples"),
    "width": ({"x_test": X[42:, :3]}, "must be of the shape and type that x_train has, float32 \\(42, 5\\)"),
    "negative": ({"y_train": Y[:42] - 1}, "y_train = -1: must be whole numbers from 0 on"),
    "fraction": ({"y_test": Y[42:] + 0.5}, "must be whole numbers from 0 on"),
    "unknown class": ({"y_test": Y[42:] + 1}, "y_test = 7: must be a class of y_train, 0 to 6"),
    "text": ({"y_train": Y[:42].astype(str)}, "y_train = '<U.*': must be an array of real numbers"),
    "objects": ({"x_train": X[:42].astype(object)}, "x_train = 'object': must be an array of real numbers"),
    "owner left out": ({"worker": 2 * np.arange(42) % 12}, "worker = '0 to 10': must number workers from 0 on"),
    "owners too few": ({"worker": np.arange(41)}, "must be whole numbers of shape \\(42,\\)"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_with_data_is_said(case, path):
    """In memory and in a file, where numpy would have to run code to load objects."""
    changes, message = BAD[case]
    arrays = {name: array for name, array in (WHOLE | changes).items() if array is not None}
    with pytest.raises(OtaflError, match=message):
        user_data.checked("classification", arrays, "data")
    np.savez(path, allow_pickle=True, **arrays)
    with pytest.raises(OtaflError, match="pickle" if case == "objects" else message):
        sources.load(problem(path), 6, 0)


@pytest.mark.parametrize("given", [5, None, (X,), (X, Y, X, Y), ((X, Y), X), [[X], [Y]]])
def test_what_is_neither_arrays_nor_pairs_is_refused(given):
    with pytest.raises(OtaflError, match=r"must be \(x, y\), \(\(x_train, y_train\), \(x_test, y_test\)\), or arrays"):
        user_data.named("classification", given, None, "data")


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        ("nowhere.npz", "there is no such file"),
        (f"{__name__}:nothing", "cannot be imported: .* has no attribute 'nothing'"),
        (f"{__name__}:X", "must name a function, not a ndarray"),
        (f"{__name__}:leaves", "the function fails: it ends the process"),
    ],
)
def test_data_that_cannot_be_had_are_refused(dataset, message):
    with pytest.raises(OtaflError, match=f"^problem.dataset = '{dataset}': .*{message}"):
        sources.load(problem(dataset), 6, 0)


def leaves():
    sys.exit(3)


def test_where_no_result_can_lie_no_data_are_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OtaflError, match=r"must be a folder|cannot be written|can be written"):
        otafl.run("quickstart", REGRESSION, data=(X, Y), out=tmp_path / "file")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    digest, _ = user_data.given("linear_regression", (X, Y))
    (tmp_path / "out" / f"data-{digest}.npz").mkdir(parents=True)
    with pytest.raises(OtaflError, match="cannot be written"):
        otafl.run("quickstart", REGRESSION, data=(X, Y), out=tmp_path / "out", store=False)


def test_data_of_another_study_in_the_folder_are_not_replaced_by_ones_that_are_refused(tmp_path):
    otafl.run("quickstart", REGRESSION, data=(X, Y), out=tmp_path, store=False)
    before = set(tmp_path.iterdir())
    with pytest.raises(OtaflError, match="--overwrite"):
        otafl.run("quickstart", REGRESSION, data=(X + 1, Y), out=tmp_path, store=False)
    assert set(tmp_path.iterdir()) == before


def test_data_that_are_given_are_forgotten_after_the_call(tmp_path):
    with pytest.raises(OtaflError, match="workers = 60"):
        otafl.run("digits_quickstart", KEYS | {"federation.workers": 60}, data=PAIRS, out=tmp_path)
    kept = otafl.run("quickstart", REGRESSION, data=(X, Y))
    assert not any(sources._given.values())
    keys = {"problem.dataset": tomllib.loads(kept.attrs["scenario"])["problem"]["dataset"]}
    with pytest.raises(OtaflError, match="was given as data= to a call"):
        otafl.run("quickstart", REGRESSION | keys)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        (3, Y, "must be the name of an array: x_train"),
        ("file", X, "must be the name of an array: x_train"),
        ("x_test", X.astype(object), "must be an array of real numbers"),
        ("x_train", np.ma.masked_greater(X, 0), "must not be masked"),
    ],
)
def test_odd_data_are_refused_and_leave_nothing(name, values, message, tmp_path):
    with pytest.raises(OtaflError, match=message):
        otafl.run("quickstart", REGRESSION, data={"x_train": X, "y_train": Y, name: values}, out=tmp_path / "out")
    assert not any(tmp_path.iterdir())


def looks_up(input_shape, outputs):
    return keras.Sequential([keras.layers.Embedding(16, 2), keras.layers.Flatten(), keras.layers.Dense(outputs)])


@pytest.mark.slow
def test_bytes_are_symbols_to_a_model_that_looks_them_up_and_pixels_to_any_other():
    """Bytes bring the runs of 32-bit integers, or of fractions of 255, of the same values to the last bit."""
    tokens, classes = RNG.integers(0, 16, (60, 8)).astype(np.uint8), RNG.integers(0, 16, 60)
    keys = {"method": "FedAvg@ideal", "federation.workers": 3, "run.seeds": 1, "run.iterations": 1, "local.steps": 1}
    by_model = {f"{__name__}:looks_up": tokens.astype(np.int32), "linear": tokens * np.float32(1 / 255)}
    for model, others in by_model.items():
        losses = [
            otafl.run("digits_quickstart", keys | {"problem.model": model}, data=((x, classes), (x, classes)))["loss"]
            for x in (tokens, others)
        ]
        np.testing.assert_array_equal(*losses)
