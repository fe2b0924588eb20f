"""Segments as vectors of a codebook: the nearest is chosen, the rest stays, silence, uses, refusals."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from otafl.compressors import CodebookIndices

DRAW = tf.constant(3)


def codebook(scale: float = 0.5, **shape: int) -> CodebookIndices:
    return CodebookIndices(**shape).with_numbers({"codeword_scale": tf.constant([scale], tf.float64)})


@settings(max_examples=30)
@given(seed=st.integers(0, 1000), elements=st.integers(1, 50), segment=st.integers(1, 20), scale=st.floats(0.01, 10.0))
def test_the_nearest_vector_or_nothing_is_sent_and_the_rest_stays(seed, elements, segment, scale):
    """By brute force over the Q vectors and 0, also where the last segment is short."""
    message = np.random.default_rng(seed).standard_normal((3, elements, 1))
    made = codebook(scale, codewords=16, segment=segment)
    (sent,), (left,) = made.compress((tf.constant(message),), (tf.zeros_like(message),), [(None, DRAW)])
    np.testing.assert_allclose(sent + left, message, atol=1e-12)
    vectors = np.vstack([scale * made.vectors(DRAW, tf.float64).numpy(), np.zeros(segment)])
    for first in range(0, elements, segment):
        own = message[:, first : first + segment, 0]
        options = vectors[:, : own.shape[1]]
        nearest = np.argmin(np.sum((own[:, None] - options) ** 2, axis=2), axis=1)
        np.testing.assert_allclose(sent[:, first : first + segment, 0], options[nearest], atol=1e-9)


@pytest.mark.parametrize("elements", [40, 47])
def test_codewords_are_those_of_the_vectors_sent(elements):
    message = tf.constant(np.random.default_rng(1).standard_normal((3, elements, 1)))
    made = codebook(0.3, codewords=8, segment=10, codeword_length=5)
    indices = made.chosen(message, DRAW).numpy()
    packet = made.packed(made.kept(message, None, DRAW), None, DRAW)
    wanted = np.einsum("lq,wcqr->wclr", made.columns(DRAW, tf.float64), indices)
    assert 0 < indices.sum(axis=2).mean() <= 1
    np.testing.assert_allclose(packet.sent, wanted.reshape(3, -1, 1), atol=1e-12)
    assert not made.packed(tf.zeros_like(message), None, DRAW).sent.numpy().any()


def test_codebooks_differ_from_round_to_round():
    one, other = (codebook().vectors(tf.constant(draw), tf.float64).numpy().ravel() for draw in (0, 1))
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.1
    assert one.std() == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(("elements", "numbers"), [(60, 24), (61, 36), (1, 12)])
def test_an_upload_has_a_codeword_for_each_segment(elements, numbers):
    assert codebook(segment=30, codeword_length=12).symbols(elements) == numbers
