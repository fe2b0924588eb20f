"""Records of rounds: one of a batch, and the gain that methods see of it."""

import numpy as np
import pytest
import tensorflow as tf

from otafl.algorithms import METHODS
from otafl.channels.effective_channel import Effective
from otafl.engine.iteration import Columns, iterate, prepare
from otafl.federation.round_draw import RoundDraw
from otafl.uplinks.link import Numbers
from tests.otafl.algorithms.conftest import begun, build, form, penalty
from tests.otafl.uplinks.links import draw_of


def test_round_of_a_batch_has_what_it_shares_and_what_is_its_own():
    """A channel for each of 3 blocks, noise and marks for each of their 4 iterations, weights for all."""
    rng = np.random.default_rng(0)
    gain, noise = rng.exponential(size=(3, 5, 2, 1)), rng.standard_normal((3, 4, 1, 6, 1))
    number, changed = np.arange(12).reshape(3, 4), rng.random((3, 4, 5, 1, 1)) < 0.5
    batch = RoundDraw(number, np.ones((5, 1, 1)), Effective(gain, None, gain, None), noise, noise[:, :, None], changed)
    for one in (batch.at(2, 1), batch.of_block(2).at(2, 1)):
        assert one.number == 9
        np.testing.assert_array_equal(one.weight, batch.weight)
        np.testing.assert_array_equal(one.channel.gain, gain[2])
        np.testing.assert_array_equal(one.noise, noise[2, 1])
        np.testing.assert_array_equal(one.downlink_noise, noise[2, 1][None])
        np.testing.assert_array_equal(one.changed, changed[2, 1])
        assert one.channel.arrival is one.uploads is None


class Looking(type(METHODS["D-FADMM"])):
    """D-FADMM that notes the gain it sees in each part of a round."""

    def __init__(self):
        self.seen = []


def _noting(name):
    def noted(self, *given):
        self.seen.append(given[-1].gain)
        return getattr(super(Looking, self), name)(*given)

    return noted


PLACES = ("local_update", "upload", "global_update", "receive", "residuals", "penalty")
for _name in PLACES:
    setattr(Looking, _name, _noting(_name))


@pytest.mark.parametrize("active", [None, [1, 0, 1, 1, 0, 1, 1, 1, 1, 1]])
def test_gain_means_one_thing_in_all_parts_of_a_round(active):
    """On elements, 4 of them on 3 subcarriers, and 0 for those that are computed and do not take part."""
    problem, parameters, method = build("well_conditioned"), penalty(0.5), Looking()
    problem = type(problem)(*map(tf.constant, problem))
    gain = np.random.default_rng(1).exponential(size=(10, 3, 1))
    ones = np.reshape(active or [1] * 10, (10, 1, 1)).astype(float)
    columns = Columns(problem, None, parameters, Numbers({}))
    mask = None if active is None else tf.constant(ones)
    draw = draw_of(Effective(tf.constant(gain), None, tf.constant(1 / gain), None), weight=ones / 10, active=mask)
    looking = form()._replace(method=method)
    iterate(looking, begun(problem, parameters), columns, draw, prepare(looking, columns, draw))
    assert len(method.seen) == len(PLACES)
    for seen in method.seen:
        np.testing.assert_array_equal(seen, ones * gain[:, [0, 1, 2, 0]])
