"""Attacks of hostile workers, and bounds on updates."""

import numpy as np
import pytest
import tensorflow as tf
from scipy import stats

import otafl
from otafl.channels.effective_channel import Effective
from otafl.federation.hostile_workers import alteration_of, altered
from otafl.scenario.file import parse
from otafl.uplinks.analog_link import AnalogLink, Radio
from tests.otafl.small import dotted
from tests.otafl.uplinks.links import draw_of, in_tensors, linked
from tests.rounding import SINGLE, assert_close

BASE = {"method": "FedAvg", "problem.kind": "classification", "problem.dataset": "digits", "problem.model": "linear"}
BASE |= {"federation.workers": 10, "uplink.kind": "digital", "uplink.subcarriers": 256}
BASE |= {"local.epochs": 1, "run.iterations": 3, "run.seeds": 2}
WEIGHT = tf.fill([10, 1, 1], tf.constant(0.1, tf.float64))
ALONE = {"run__seeds": 1, "run__seed": 1}


def uploaded(update: np.ndarray, superposes: bool = False, number: int = 0, seeds=(7,), **keys) -> np.ndarray:
    """Weighted updates of ten workers of equal weights, as they upload them."""
    settings = parse("t", "", BASE | dotted(keys)).settings
    own = alteration_of(settings, superposes, list(seeds), np.float64)
    return altered(tf.constant(0.1 * update), WEIGHT, own, tf.constant(number)).numpy()


def over_the_air(noise_std: float) -> AnalogLink:
    """The link of ten workers whose gains are 1, without a sample of noise."""
    ones = tf.ones([10, 20, 1], tf.float64)
    draw = draw_of(Effective(ones, None, ones, None), tf.zeros([1, 20, 1], tf.float64))
    return linked(draw, in_tensors(Radio(2.0, noise_std, 1e-3)))


def run(**keys):
    return otafl.run("digits_quickstart", BASE | dotted(keys))


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 1.0])
def test_flipped_signs_scale_a_sum_of_equal_updates(share):
    """Over the air without noise, and one by one: by 1 − 2f."""
    update = np.ones((10, 1, 1)) * np.random.default_rng(0).standard_normal((1, 20, 1))
    sent = uploaded(update, federation__hostile=share, uplink__clip_norm=1e6)
    link = over_the_air(0.0)
    total = link.received(link.sent(tf.constant(sent))).total
    np.testing.assert_allclose(total, (1 - 2 * share) * update[:1], rtol=1e-12, atol=1e-15)


def test_a_long_vector_keeps_to_the_budget_and_makes_noise_louder():
    """One attacker of factor s among equal workers uses its budget alone, and noise is s times as loud."""
    update = np.ones((10, 1, 1)) * np.random.default_rng(0).standard_normal((1, 20, 1))
    link, found = over_the_air(0.5), {}
    for strength in (1.0, 50.0):
        keys = {"federation__attack": "norm", "federation__attack_strength": strength}
        sent = link.sent(tf.constant(uploaded(update, superposes=True, federation__hostile=0.1, **keys)))
        found[strength] = link.deviation(sent).numpy()
        np.testing.assert_allclose(link.received(sent).power, 2.0, rtol=1e-12)
    np.testing.assert_allclose(found[50.0], 50 * found[1.0], rtol=1e-12)


def test_normal_elements_have_the_stated_deviation():
    update, keys = np.ones((10, 2000, 2)), {"federation__attack": "gaussian", "federation__attack_strength": 3.0}
    sent = 10 * uploaded(update, federation__hostile=0.4, seeds=(7, 8), **keys)
    np.testing.assert_allclose(sent[4:], 1.0, rtol=1e-12)
    drawn = sent[:4].ravel()
    assert abs(np.mean(drawn)) < 3 * 3 / np.sqrt(drawn.size)
    assert abs(np.var(drawn) - 9) < 3 * 9 * np.sqrt(2 / drawn.size)
    assert stats.kstest(drawn / 3, "norm").pvalue > 1e-3
    alone = 10 * uploaded(update[..., :1], federation__hostile=0.4, seeds=(8,), **keys)
    assert_close(alone[..., 0], sent[..., 1])
    later = 10 * uploaded(update, federation__hostile=0.4, seeds=(7, 8), number=1, **keys)
    assert abs(np.corrcoef(later[:4].ravel(), drawn)[0, 1]) < 3 / np.sqrt(drawn.size)


@pytest.mark.parametrize("superposes", [False, True])
def test_a_bound_binds_hostile_workers_where_the_server_hears_them_alone(superposes):
    update = np.random.default_rng(1).standard_normal((10, 20, 1))
    update[5] = 0
    keys = {"federation__attack": "norm", "federation__attack_strength": 100.0}
    sent = 10 * uploaded(update, superposes, federation__hostile=0.2, uplink__clip_norm=2.0, **keys)
    length = np.linalg.norm(sent, axis=1)[:, 0]
    wanted = np.minimum(np.linalg.norm(update, axis=1)[:, 0], 2.0)
    wanted[:2] = 100 * np.linalg.norm(update[:2], axis=1)[:, 0] if superposes else 2.0
    np.testing.assert_allclose(length, wanted, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("participation", [1.0, 0.5])
def test_runs_do_not_depend_on_seeds_beside_them(participation):
    """Where nobody is hostile nothing is altered."""
    share, keys = {"federation__participation": participation}, {"federation__attack": "gaussian"}
    both, second = (run(**share, **keys, federation__hostile=0.3, **more)["loss"].squeeze() for more in ({}, ALONE))
    assert_close(both.isel(seed=1), second, SINGLE)
    plain = run(**share)["loss"].squeeze()
    assert (both.isel(iteration=-1) != plain.isel(iteration=-1)).all()
    assert alteration_of(parse("t", "", BASE).settings, False, [0], np.float32) is None
