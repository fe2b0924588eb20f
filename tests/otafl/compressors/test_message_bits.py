"""What a digital upload is charged can name all messages that the receiver can have, whatever is sent."""

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

import otafl
from otafl.channels.effective_channel import Effective
from otafl.compressors import (
    COMPRESSORS,
    Compressor,
    NoCompression,
    Qsgd,
    RandomProjection,
    Sign,
    SignMean,
    TopK,
    Uniform,
)
from otafl.compressors.floating_point import rounded
from otafl.uplinks.digital import DigitalLink
from tests.otafl.uplinks.links import PLAIN, draw_of


def floats(compressor: Any, vector: np.ndarray, arrived: np.ndarray) -> int:
    """Numbers of some bits each."""
    np.testing.assert_array_equal(rounded(tf.constant(arrived), compressor.number_bits), arrived)
    return 2 ** (compressor.number_bits * len(arrived))


def signs(compressor: Any, vector: np.ndarray, arrived: np.ndarray) -> int:
    """Elements of -1, 0 or 1."""
    assert np.isin(arrived, (-1, 0, 1)).all()
    return 3 ** len(arrived)


def integers(compressor: Any, vector: np.ndarray, arrived: np.ndarray) -> int:
    """Multiples of the step that all know."""
    multiple = np.rint(arrived / float(compressor.step))
    assert np.abs(multiple).max() <= compressor.most
    np.testing.assert_array_equal(as_float32(multiple * arrived.dtype.type(compressor.step)), arrived)
    return (2 * int(compressor.most) + 1) ** len(arrived)


def levels(compressor: Any, vector: np.ndarray, arrived: np.ndarray) -> int:
    """A norm in single precision, and a level with its sign for each element."""
    most = 2 ** (int(compressor.bits_per_element) - 1) - 1
    norm = rounded(tf.sqrt(tf.reduce_sum(tf.square(tf.constant(vector)), axis=0)), 32).numpy()
    level = np.rint(arrived.astype(float) * most / float(norm)) if norm else np.zeros(len(arrived))
    assert np.abs(level).max() <= most
    np.testing.assert_array_equal(as_float32(level.astype(vector.dtype) * norm / vector.dtype.type(most)), arrived)
    return (2 * most + 1) ** len(arrived) * 2**32


def largest(compressor: Any, vector: np.ndarray, arrived: np.ndarray) -> int:
    """A set of k places, with a number for each; elements elsewhere are 0."""
    floats(compressor, vector, arrived)
    count = compressor.count(len(arrived))
    assert np.count_nonzero(arrived) <= count
    return math.comb(len(arrived), count) * 2 ** (compressor.number_bits * count)


def means(compressor: Any, vector: np.ndarray, arrived: np.ndarray) -> int:
    """A set of at most k places, and one number in single precision with its sign."""
    count = compressor.count(len(arrived))
    values = np.unique(arrived[arrived != 0])
    assert np.count_nonzero(arrived) <= count
    assert len(values) <= 1
    np.testing.assert_array_equal(as_float32(values), values)
    return sum(math.comb(len(arrived), size) for size in range(count + 1)) * 2**33


def as_float32(numbers: np.ndarray) -> np.ndarray:
    return numbers.astype(np.float32).astype(numbers.dtype)


MESSAGES: dict[type[Compressor], Callable[[Any, np.ndarray, np.ndarray], int]] = {
    NoCompression: floats,
    TopK: largest,
    Sign: signs,
    Qsgd: levels,
    RandomProjection: floats,
    SignMean: means,
    Uniform: integers,
}
"""For each compressor: a check that a vector that has arrived is one of its messages, and the number of these."""


def digital() -> Iterator[type[Compressor]]:
    for name, made in COMPRESSORS.items():
        keys = {"method": "FedAvg@digital", "uplink.compressor": name, "federation.workers": 4}
        for receiver in ("mean_of_active", "majority", "amp", "energy", "energy_difference", "codeword_counts"):
            with contextlib.suppress(otafl.OtaflError):
                otafl.load("digits_quickstart", keys | {"uplink.receiver": receiver})
                yield made
                break


@pytest.mark.filterwarnings("ignore::otafl.errors.Remark")
def test_every_compressor_over_digital_uploads_has_its_messages_here():
    assert set(digital()) == set(MESSAGES)


def received(compressor: Any, vectors: np.ndarray) -> np.ndarray:
    dtype, workers = tf.as_dtype(vectors.dtype), len(vectors)
    numbers = {name: tf.constant([value], dtype) for name, value in compressor.numbers().items()}
    made = PLAIN._replace(compressor=compressor.with_numbers(numbers))
    words = tf.constant(np.random.default_rng(workers).standard_normal((1, made.compressor.words, 1)), dtype)
    channel = Effective(vectors, None, vectors, None)
    link = DigitalLink(draw_of(channel, words, words=words, number=tf.constant(0)), None, made, tf.zeros(1, dtype))
    memory = (tf.zeros((*vectors.shape, 1), dtype),) * compressor.remembers
    (light,), _ = link.compress((tf.constant(vectors[..., None]),), memory)
    return link.packed(light).sent.numpy()[..., 0]


def drawn(elements: int, seed: int) -> np.ndarray:
    """Vectors of every kind: many sizes, one element alone, equal sizes, zeros, one sign, and tiny ones."""
    rng = np.random.default_rng(seed)
    normal = rng.standard_normal(elements)
    spread = normal * 10.0 ** rng.integers(-12, 12, elements)
    alone = np.where(np.arange(elements) == seed % elements, normal, 0.0)
    ties, equal = rng.integers(-2, 3, elements), np.full(elements, 1 / 3)
    return np.stack([normal, spread, alone, ties, equal, 1 + 1e-7 * normal, 0 * normal, np.abs(normal), 1e-30 * normal])


SHARES = st.one_of(st.floats(1e-3, 1.0), st.sampled_from([0.5, 0.75, 0.99, 1.0]))
MADE: dict[type[Compressor], st.SearchStrategy] = {
    NoCompression: st.builds(NoCompression, st.sampled_from([16, 32, 64])),
    TopK: st.builds(TopK, SHARES, st.sampled_from([16, 32, 64])),
    SignMean: st.builds(SignMean, SHARES),
    RandomProjection: st.builds(RandomProjection, SHARES, st.sampled_from([0.1, 0.5, 1.0])),
    Qsgd: st.builds(Qsgd, st.integers(2, 20)),
    Sign: st.just(Sign()),
    Uniform: st.builds(Uniform, st.sampled_from([3, 7, 15, 255]), st.sampled_from([0.1, 3.0])),
}


def require_named(compressor: Any, elements: int, seed: int, dtype: Any) -> None:
    """Every vector that arrives is a message, and there are no more messages than the bits can name."""
    vectors = drawn(elements, seed).astype(dtype)
    bits = compressor.bits(elements, getattr(compressor, "bits_per_element", 32))
    for vector, arrived in zip(vectors, received(compressor, vectors), strict=True):
        assert MESSAGES[type(compressor)](compressor, vector, arrived) <= 2**bits


@pytest.mark.parametrize("examples", [5, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", MESSAGES, ids=lambda kind: kind.__name__)
def test_bits_name_all_messages(kind, examples):
    dtypes = st.sampled_from([np.float32, np.float64])
    tried = given(MADE[kind], st.integers(1, 24), st.integers(0, 1000), dtypes)(require_named)
    settings(max_examples=examples)(tried)()


@pytest.mark.parametrize(
    ("compressor", "elements", "dtype"),
    [
        (TopK(sparsity=0.25), 8, np.float32),  # equal sizes, of which all would be sent
        (TopK(sparsity=0.5), 5, np.float32),  # 2.5 elements
        (SignMean(sparsity=1.0), 12, np.float64),  # any set of places
        (Qsgd(2), 5, np.float64),  # a norm in double precision; an element that is the norm
        (NoCompression(32), 5, np.float64),
        (Sign(), 5, np.float32),  # zeros
    ],
    ids=lambda value: type(value).__name__,
)
def test_bits_name_all_messages_where_they_are_scarce(compressor, elements, dtype):
    require_named(compressor, elements, 0, dtype)


@pytest.mark.parametrize("elements", [1, 7, 60, 2368])
@pytest.mark.parametrize("share", [0.001, 0.3, 0.8, 1.0])
def test_places_of_so_many_elements_or_at_most_so_many_are_counted(share, elements):
    """With all d of them, any set of places may be that of one sign: 2^d sets, and a mean of 33 bits."""
    count, made = max(1, round(share * elements)), SignMean(sparsity=share)
    assert TopK(sparsity=share).bits(elements, 32) == 32 * count + (math.comb(elements, count) - 1).bit_length()
    sets = sum(math.comb(elements, size) for size in range(count + 1))
    assert made.bits(elements, 32) == 33 + (sets - 1).bit_length()
    assert share < 1 or made.bits(elements, 32) == 33 + elements


@pytest.mark.parametrize("bits", [16, 32])
def test_numbers_are_rounded_to_the_nearest_ones(bits):
    numbers = np.random.default_rng(0).standard_normal(1000) * 10.0 ** np.arange(-30, 20, 0.05)
    numbers = tf.constant(np.append(numbers, [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0]))
    numbers = tf.cast(numbers, tf.float32) if bits == 16 else numbers
    wanted = tf.cast(tf.cast(numbers, tf.bfloat16 if bits == 16 else tf.float32), numbers.dtype)
    for found in (rounded(numbers, bits), tf.function(lambda: rounded(numbers, bits), jit_compile=True)()):
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted))
    np.testing.assert_array_equal(rounded(numbers, 64), numbers)


@pytest.mark.parametrize(("word", "dtype", "bits"), [(2**31 - 1, np.float32, 16), (2**63 - 1, np.float64, 32)])
def test_what_is_no_number_stays_none(word, dtype, bits):
    """NaN of all ones, as GPUs make it in single precision, does not become a finite model."""
    numbers = tf.constant(np.array([word], f"u{np.dtype(dtype).itemsize}").view(dtype))
    for found in (rounded(numbers, bits), tf.function(lambda: rounded(numbers, bits), jit_compile=True)()):
        assert np.isnan(found).all()


def test_what_is_kept_without_remembering_the_rest_is_refused():
    """Nobody would call it, so that all elements would be sent."""
    with pytest.raises(ValueError, match=r"Thin\.kept: needs remembers = True"):

        class Thin(Compressor):
            def kept(self, message, random, draw):
                return 0 * message
