"""Unknowns and equations by hand."""

import pytest

from otafl.privacy.counting import Count, single, summed, weighted


@pytest.mark.parametrize("start", [False, True])
def test_among_others_there_are_always_more_unknowns(start):
    """One iteration, two workers: model, gradient, gain, the others' sum and their gains against what arrives, (29) and
    Σ|h|²; each further iteration adds three unknowns and two equations."""
    assert weighted(1, 1, 2, start) == Count(5 + start, 3)
    assert weighted(2, 1, 2, start) == Count(8 + start, 5)
    for iterations in range(1, 30):
        for blocks in range(1, iterations + 1):
            assert weighted(iterations, blocks, 2, start).private


def test_whoever_is_alone_has_only_a_random_dual_for_cover():
    """Model, gradient and gain against what arrives, (29) and the gain, which is Σ|h|²: nothing is left, but for a
    random first dual, until the channel first changes, when the dual is solved for anew and the model kept."""
    assert weighted(1, 1, 1, False) == Count(3, 3)
    assert not weighted(10, 1, 1, False).private
    assert weighted(10, 1, 1, True).private
    assert weighted(10, 2, 1, True) == Count(2 * 9 + 2 + 1, 10 + 9 + 2)
    assert not weighted(10, 2, 1, True).private


def test_gains_that_are_told_one_by_one_are_no_cover():
    """One equation and two unknowns less for each block among others; nothing changes for who is alone."""
    for blocks in range(1, 10):
        among, told = weighted(10, blocks, 5, False), weighted(10, blocks, 5, False, told=True)
        assert told == Count(among.unknowns - 2 * blocks, among.equations - blocks)
        assert told.private
        alone = [weighted(10, blocks, 1, True, told=told) for told in (False, True)]
        assert len({one.unknowns - one.equations for one in alone}) == 1


def test_an_eavesdropper_knows_no_gains():
    assert weighted(1, 1, 1, False, server=False) == Count(4, 2)
    for blocks in range(1, 10):
        assert weighted(10, blocks, 1, False, server=False).private


def test_at_convergence_the_trajectory_stays_unknown():
    """Theorem 3: the last model is known, and with it the others' sum; from two iterations on that is not enough."""
    assert weighted(5, 1, 3, False, converged=True) == Count(17, 11 + 2)
    assert not weighted(1, 1, 2, False, converged=True).unknowns > 5
    assert all(weighted(k, 1, 2, False, converged=True).private for k in range(2, 20))


def test_plain_sums_hide_nobody_who_is_alone_and_single_messages_nobody():
    assert summed(7, 2, 2) == Count(14, 7)
    assert not summed(7, 2, 1).private
    assert summed(7, 2, 1, server=False) == Count(9, 7)
    assert not single(7).private
    assert single(7, dual=True, random_start=True) == Count(15, 14)
    assert weighted(7, 1, 1, True, told=True) == single(7, dual=True, random_start=True)


def test_channels_that_change_without_a_new_dual_are_more_gains_alone():
    for speakers, gains in ((1, 1), (3, 2)):
        one, other = (weighted(10, blocks, speakers, True, flips=False) for blocks in (1, 4))
        assert other == Count(one.unknowns + 3 * gains, one.equations + 3)
