"""What a digital upload is charged can tell apart all messages that the receiver tells apart, whatever is sent.

A message is written as a whole number below 2^bits and read again. What is read is what the receiver had, to the bit.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

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

WORDS = {16: np.uint32, 32: np.uint32, 64: np.uint64}


class Message(NamedTuple):
    """A worker's vector, what the receiver has of it, and the bits that a number of it is charged."""

    compressor: Any
    vector: np.ndarray
    received: np.ndarray
    bits: int


def written(numbers: np.ndarray, bits: int) -> list[int]:
    """Floating-point numbers as whole numbers below 2^bits; bfloat16 is the upper half of single precision."""
    words = numbers.astype(np.float64 if bits == 64 else np.float32).view(WORDS[bits])
    return [int(word) >> (16 if bits == 16 else 0) for word in words]


def read(words: list[int], bits: int, dtype: Any) -> np.ndarray:
    """Floating-point numbers behind whole numbers."""
    whole = np.array(words, np.uint64) << np.uint64(16 if bits == 16 else 0)
    return whole.astype(WORDS[bits]).view(np.float64 if bits == 64 else np.float32).astype(dtype)


def joined(digits: list[int], base: int) -> int:
    """The whole number of some digits, the first one last."""
    assert all(0 <= digit < base for digit in digits)
    return sum(digit * base**place for place, digit in enumerate(digits))


def parted(number: int, base: int, count: int) -> list[int]:
    """The digits of a whole number."""
    return [number // base**place % base for place in range(count)]


def rank(places: list[int]) -> int:
    """The number of an ascending set of places among all sets of its size (combinatorial number system)."""
    return sum(math.comb(place, order + 1) for order, place in enumerate(places))


def unranked(number: int, size: int) -> list[int]:
    """The ascending set of places with a number."""
    places = []
    for order in range(size, 0, -1):
        place = order - 1
        while math.comb(place + 1, order) <= number:
            place += 1
        places.append(place)
        number -= math.comb(place, order)
    return places[::-1]


def of_floats(message: Message) -> tuple[int, np.ndarray]:
    """Each element as a word."""
    number = joined(written(message.received, message.bits), 2**message.bits)
    words = parted(number, 2**message.bits, len(message.received))
    return number, read(words, message.bits, message.received.dtype)


def of_signs(message: Message) -> tuple[int, np.ndarray]:
    """Each element as one of -1, 0 and 1."""
    number = joined([int(value) + 1 for value in message.received], 3)
    return number, np.array(parted(number, 3, len(message.received)), message.received.dtype) - 1


def of_integers(message: Message) -> tuple[int, np.ndarray]:
    """Each element as a multiple of the step that all know."""
    made, dtype = message.compressor, message.received.dtype
    levels, most = [int(value) for value in (made.levels, made.most)]
    digits = [int(value) + most for value in np.rint(message.received / float(made.step))]
    number = joined(digits, levels)
    lowest = np.array(parted(number, levels, len(digits)), dtype) - most
    return number, as_float32(lowest * dtype.type(made.step))


def of_levels(message: Message) -> tuple[int, np.ndarray]:
    """The norm as a word, then each element as a level with its sign."""
    dtype = message.received.dtype
    norm = tf.sqrt(tf.reduce_sum(tf.square(tf.constant(message.vector)), axis=0))
    ((word,), bits) = written(rounded(norm, 32).numpy()[None], 32), message.compressor.bits_per_element
    most = 2 ** (int(bits) - 1) - 1
    norm = read([word], 32, dtype)[0]
    levels = np.rint(message.received.astype(float) * most / float(norm)) if norm else np.zeros(len(message.received))
    number = joined([int(level) + most for level in levels], 2 * most + 1) * 2**32 + word
    signed = np.array(parted(number // 2**32, 2 * most + 1, len(levels)), dtype) - dtype.type(most)
    return number, as_float32(signed * read([number % 2**32], 32, dtype)[0] / dtype.type(most))


def of_largest(message: Message) -> tuple[int, np.ndarray]:
    """The number of the set of k places, which has all that are not 0, and a word for each."""
    elements, count = len(message.received), message.compressor.count(len(message.received))
    used = [int(place) for place in np.flatnonzero(message.received)]
    others = [place for place in range(elements) if place not in used]
    places = sorted(used + others[: max(0, count - len(used))])
    assert len(places) == count
    values = joined(written(message.received[places], message.bits), 2**message.bits)
    number = rank(places) * 2 ** (message.bits * count) + values
    found = np.zeros(elements, message.received.dtype)
    words = parted(number, 2**message.bits, count)
    found[unranked(number // 2 ** (message.bits * count), count)] = read(words, message.bits, found.dtype)
    return number, found


def of_means(message: Message) -> tuple[int, np.ndarray]:
    """The number of a set of at most k places, a sign and a word."""
    elements, count = len(message.received), message.compressor.count(len(message.received))
    places = [int(place) for place in np.flatnonzero(message.received)]
    assert len(places) <= count
    value = message.received[places[0]] if places else message.received.dtype.type(0)
    (word,) = written(np.abs(np.array([value])), 32)
    smaller = sum(math.comb(elements, size) for size in range(len(places)))
    number = (smaller + rank(places)) * 2**33 + (value < 0) * 2**32 + word
    found, place, size = np.zeros(elements, message.received.dtype), number // 2**33, 0
    while place >= math.comb(elements, size):
        place, size = place - math.comb(elements, size), size + 1
    (mean,) = read([number % 2**32], 32, found.dtype)
    found[unranked(place, size)] = -mean if number >> 32 & 1 else mean
    return number, found


def as_float32(numbers: np.ndarray) -> np.ndarray:
    """Numbers rounded to single precision."""
    return numbers.astype(np.float32).astype(numbers.dtype)


CODECS: dict[type[Compressor], Callable[[Message], tuple[int, np.ndarray]]] = {
    NoCompression: of_floats,
    TopK: of_largest,
    Sign: of_signs,
    Qsgd: of_levels,
    RandomProjection: of_floats,
    SignMean: of_means,
    Uniform: of_integers,
}
"""For each compressor: the number of a message, and what is read from it."""


def digital() -> Iterator[type[Compressor]]:
    """Compressors that a digital uplink takes, with some receiver."""
    for name, made in COMPRESSORS.items():
        keys = {"method": "FedAvg@digital", "uplink.compressor": name, "federation.workers": 4}
        for receiver in ("mean_of_active", "majority", "amp", "energy", "energy_difference", "codeword_counts"):
            try:
                otafl.load("digits_quickstart", keys | {"uplink.receiver": receiver})
            except otafl.OtaflError:
                continue
            yield made
            break


@pytest.mark.filterwarnings("ignore::otafl.errors.Remark")
def test_every_compressor_over_digital_uploads_has_its_code_here():
    assert set(digital()) == set(CODECS)


def received(compressor: Any, vectors: np.ndarray) -> np.ndarray:
    """What the receiver has of vectors [workers, d]."""
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
"""Compressors with any numbers."""


def require_told_apart(compressor: Any, elements: int, seed: int, dtype: Any) -> None:
    """Write and read messages of every kind of vector."""
    vectors = drawn(elements, seed).astype(dtype)
    charged = compressor.bits(elements, getattr(compressor, "bits_per_element", 32))
    for vector, arrived in zip(vectors, received(compressor, vectors), strict=True):
        number, again = CODECS[type(compressor)](Message(compressor, vector, arrived, compressor.number_bits))
        assert 0 <= number < 2**charged
        np.testing.assert_array_equal(again, arrived)


@pytest.mark.parametrize("examples", [5, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", CODECS, ids=lambda kind: kind.__name__)
def test_bits_tell_messages_apart(kind, examples):
    dtypes = st.sampled_from([np.float32, np.float64])
    tried = given(MADE[kind], st.integers(1, 24), st.integers(0, 1000), dtypes)(require_told_apart)
    settings(max_examples=examples, deadline=None)(tried)()


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
def test_bits_tell_messages_apart_where_they_are_scarce(compressor, elements, dtype):
    require_told_apart(compressor, elements, 0, dtype)


@pytest.mark.parametrize("compressor", [Sign(), Uniform(levels=3, element_range=1.0), Qsgd(2)])
def test_no_more_messages_are_received_than_bits_can_name(compressor):
    """Counted over vectors of few elements, without a code: one norm for all of them."""
    elements = 2
    vectors = np.random.default_rng(0).integers(-1, 2, (4000, elements)).astype(float)
    vectors = vectors[np.abs(vectors).sum(axis=1) == 1] if isinstance(compressor, Qsgd) else vectors
    found = len(np.unique(received(compressor, vectors), axis=0))
    assert 2 < found <= 2 ** (compressor.bits(elements, 2) - 32 * isinstance(compressor, Qsgd))


def test_means_of_more_elements_never_take_fewer_bits():
    """With all d of them, any set of places may be that of one sign: 2^d sets, and a mean of 33 bits."""
    bits = [SignMean(sparsity=share).bits(2368, 32) for share in (0.01, 0.25, 0.5, 0.75, 0.99, 1.0)]
    assert bits == sorted(bits)
    assert bits[-1] == 2368 + 33
    assert bits[2] >= 2368 - 1 + 33


@pytest.mark.parametrize("share", [0.01, 0.3, 0.5, 0.8, 1.0])
def test_places_of_at_most_so_many_elements_are_counted(share):
    made, elements = SignMean(sparsity=share), 60
    sets = sum(math.comb(elements, size) for size in range(made.count(elements) + 1))
    assert made.bits(elements, 32) == 33 + (sets - 1).bit_length()


@pytest.mark.parametrize("bits", [16, 32])
def test_numbers_are_rounded_to_the_nearest_ones(bits):
    numbers = tf.constant(np.random.default_rng(0).standard_normal(1000) * 10.0 ** np.arange(-30, 20, 0.05))
    numbers = tf.cast(numbers, tf.float32) if bits == 16 else numbers
    wanted = tf.cast(tf.cast(numbers, tf.bfloat16 if bits == 16 else tf.float32), numbers.dtype)
    for found in (rounded(numbers, bits), tf.function(lambda: rounded(numbers, bits), jit_compile=True)()):
        np.testing.assert_array_equal(found, wanted)
    assert np.abs(wanted / numbers - 1).max() <= {16: 2.0**-8, 32: 2.0**-24}[bits]


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_numbers_of_no_size_stay_what_they_are(bits):
    numbers = tf.constant([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -2.0], tf.float64)
    np.testing.assert_array_equal(rounded(numbers, bits), numbers)
    np.testing.assert_array_equal(np.signbit(rounded(numbers, bits)), np.signbit(numbers))


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
