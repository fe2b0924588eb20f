"""Compressors against brute force: random projections, codebooks, and rounding at random, without bias."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

import otafl
from otafl.compressors import CodebookIndices, Qsgd, RandomProjection, TopK, Uniform
from otafl.compressors.qsgd import uniform
from otafl.compressors.random_projection import HALVINGS
from tests.otafl.small import SMALL, dotted, group_of
from tests.rounding import SINGLE, assert_close

NOTHING_DRAWN = [(None, tf.constant(0))]


def sparsified(message, memory, share):
    """The largest elements of a message and a memory, and what is left."""
    (chosen,), (left,) = TopK(tf.reshape(share, [1])).compress((message,), (memory,), NOTHING_DRAWN)
    return chosen, left


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), share=st.floats(0.001, 1.0), power=st.integers(1, 9))
def test_the_largest_elements_go_and_the_rest_stays(seed, share, power):
    """Nothing is lost: both add up to the message and what was left before; whether tails are light or heavy."""
    message, memory = np.random.default_rng(seed).standard_normal((2, 3, 500, 2)) ** power
    chosen, left = map(np.asarray, sparsified(*map(tf.constant, (message, memory, np.float64(share)))))
    np.testing.assert_array_equal(chosen + left, message + memory)
    wanted = max(1, round(share * 500))
    np.testing.assert_array_equal(np.count_nonzero(chosen, axis=1), wanted)
    assert (np.abs(left).max(axis=1) <= np.where(chosen != 0, np.abs(chosen), np.inf).min(axis=1)).all()
    assert not np.any(sparsified(*map(tf.constant, (message, memory, 0.0)))[0])


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), share=st.floats(0.001, 1.0), power=st.integers(1, 9))
def test_a_few_elements_more_may_be_measured(seed, share, power):
    message = np.random.default_rng(seed).standard_normal((3, 500, 1)) ** power
    made = RandomProjection(tf.constant([share], tf.float64))
    chosen, wanted = made.kept(tf.constant(message), None, tf.constant(0)).numpy(), max(1, round(share * 500))
    none = RandomProjection(tf.zeros([1], tf.float64)).kept(tf.constant(message), None, tf.constant(0))
    assert not np.any(none)
    size = np.sort(np.abs(message), axis=1)
    slack = np.sqrt(np.sum(size**2, axis=1, keepdims=True) / wanted) / 2**HALVINGS
    assert (np.count_nonzero(chosen, axis=1) >= wanted).all()
    assert (np.count_nonzero(chosen, axis=1) <= np.count_nonzero(size >= size[:, [-wanted]] - slack, axis=1)).all()
    assert (np.abs(message - chosen).max(axis=1) <= np.where(chosen != 0, np.abs(chosen), np.inf).min(axis=1)).all()


@pytest.mark.parametrize("factor", [0.25, -3.0, 0.0])
def test_a_multiple_of_a_message_stays_one(factor):
    """FedVRA's server forms two sums of one vector, both sparse in the same places; of nothing it is what was left."""
    message, memory = np.random.default_rng(1).standard_normal((2, 4, 200, 1))
    messages = tuple(map(tf.constant, (message, factor * message)))
    chosen, left = TopK(tf.constant([0.1], tf.float64)).compress(messages, (tf.constant(memory),), NOTHING_DRAWN)
    np.testing.assert_allclose(chosen[1], factor * chosen[0], rtol=1e-12)
    np.testing.assert_array_equal(chosen[0] + left[0], message + memory)
    assert len(left) == 1
    zeros = tf.zeros_like(message)
    chosen, _ = TopK(tf.ones([1], tf.float64)).compress((zeros, zeros), (tf.constant(memory),), NOTHING_DRAWN)
    np.testing.assert_array_equal(chosen[1], memory)


def test_whole_vectors_are_plain_analog_uploads():
    """k = s = d, but for the rounding of the factor between FedVRA's two sums of one vector."""
    keys = SMALL | {"problem.dimension": 50, "federation.workers": 6, "run.iterations": 2, "run.seeds": 1}
    keys |= {"method": "FedVRA@analog", "algorithm.dual_step": 0.5, "local.learning_rate": 0.1}
    whole = {"uplink.scheme": "CA-DSGD", "uplink.compression_ratio": 1.0, "uplink.sparsity": 1.0}
    plain, made = (otafl.run("quickstart", keys | parts) for parts in ({}, whole))
    for name in ("loss", "aggregation_nmse", "worker_power", "energy", "channel_uses"):
        assert_close(made[name], plain[name], SINGLE, name)


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


WORKERS = 4000


def packed(made, message: np.ndarray, seed: int = 2) -> np.ndarray:
    """Vectors [workers, d, runs] as they are sent, each run under two words of its own."""
    words = tf.constant(np.random.default_rng(seed).standard_normal((2, message.shape[2])))
    return made.packed(tf.constant(message), words, tf.constant(0)).sent.numpy()


def of_elements(levels: float, element_range: float) -> Uniform:
    return Uniform(*(tf.constant([float(value)], tf.float64) for value in (levels, element_range)))


@pytest.mark.parametrize("most", [1, 3, 7])
@pytest.mark.parametrize("kind", [Qsgd, Uniform])
def test_rounding_has_no_bias_and_the_known_variance(kind, most):
    """E(l - p)² = f(1 - f) for an element at p steps, f the fraction of p, within 5 standard errors."""
    vector = np.random.default_rng(1).uniform(-1, 1, 9)
    step = (np.linalg.norm(vector) if kind is Qsgd else 1.0) / most
    bits = tf.constant([np.log2(most + 1) + 1])
    made = Qsgd(bits) if kind is Qsgd else of_elements(2 * most + 1, 1.0)
    found = packed(made, np.broadcast_to(vector[None, :, None], (WORKERS, 9, 1)))[..., 0].T / step
    np.testing.assert_allclose(found, np.rint(found), atol=1e-6)
    place = (vector / step)[:, None]
    variance = (place % 1 * (1 - place % 1))[:, 0]
    assert (np.abs(found.mean(axis=1) - place[:, 0]) < 5 * np.sqrt(variance / WORKERS) + 1e-6).all()
    squares = (found - place) ** 2
    assert (np.abs(squares.mean(axis=1) - variance) < 5 * squares.std(axis=1) / np.sqrt(WORKERS) + 1e-6).all()
    assert not packed(made, np.zeros((4, 30, 3))).any()


@given(seed=st.integers(0, 1000), half=st.integers(1, 40), element_range=st.floats(1e-3, 1e3))
def test_levels_are_integers_within_the_range_and_neighbours_of_the_element(seed, half, element_range):
    message = np.random.default_rng(seed).standard_normal((3, 50, 2)) * element_range
    found = packed(of_elements(2 * half + 1, element_range), message, seed) / (element_range / half)
    np.testing.assert_allclose(found, np.rint(found), atol=1e-9)
    assert np.abs(found).max() <= half + 1e-9
    place = np.clip(message / element_range * half, -half, half)
    assert (np.abs(found - place) < 1 + 1e-9).all()


def test_the_range_is_that_of_weighed_messages_and_never_exceeded_in_single_precision():
    assert Uniform(5, 0.2).weighed(1 / 8).step == pytest.approx(0.2 / 8 / 2)
    made = Uniform(tf.constant([65535.0]), tf.constant([0.1]))
    message = tf.fill([1, 100_000, 1], tf.constant(0.1))
    sent = made.packed(message, tf.constant([[0.3], [0.7]]), tf.constant(0)).sent / made.step
    assert tf.reduce_max(sent) < 32767.5


def test_chances_depend_on_a_runs_own_seed_alone():
    seeds = tf.constant(np.random.default_rng(3).standard_normal((2, 3)), tf.float32)
    together = uniform(seeds, tf.zeros([4, 5, 3])).numpy()
    alone = uniform(seeds[:, 1:2], tf.zeros([4, 5, 1])).numpy()
    np.testing.assert_array_equal(together[..., 1:2], alone)
    assert len(np.unique(together)) == together.size


@pytest.mark.parametrize(
    ("keys", "bits", "norm"),
    [
        ({"uplink.compressor": "qsgd", "uplink.bits_per_element": 4}, 4, 32),
        *(({"uplink.compressor": "uniform", "uplink.levels": q}, b, 0) for q, b in ((3, 2), (7, 3), (9, 4), (255, 8))),
    ],
)
def test_bits_are_those_of_elements_and_norms_of_both_vectors(keys, bits, norm):
    uplink = group_of("digits_quickstart", {"method": "SCAFFOLD@digital"} | keys).uplink
    assert uplink.bits == 2 * (bits * uplink.elements + norm)


def run(**keys):
    small = SMALL | {"method": "FedAvg@digital", "run.seeds": 1, "run.iterations": 5, "local.learning_rate": 0.1}
    return otafl.run("quickstart", small | {"federation.workers": 5, "channel.fading": "none"} | dotted(keys))


@pytest.mark.slow
def test_a_run_has_the_error_in_its_model_and_the_bits_on_its_ledger():
    made, plain = run(uplink__bits_per_element=[4, 8, 16], uplink__compressor="qsgd"), run()
    assert "aggregation_nmse" not in plain
    error = made["aggregation_nmse"]
    assert (error.sel(bits_per_element=4) > 1e-4).all()
    assert (error.sel(bits_per_element=16) < 1e-3 * error.sel(bits_per_element=8)).all()
    assert not np.array_equal(made["loss"].sel(bits_per_element=4), plain["loss"])
    assert (made["time_slots"] < plain["time_slots"]).all()
    per_use, of_plain = (data["energy"] / data["channel_uses"] for data in (made, plain))
    np.testing.assert_allclose(per_use / of_plain, 1.0)
