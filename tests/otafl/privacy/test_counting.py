"""Unknowns and equations by hand."""

import pytest

from otafl.privacy.counting import Count, single, summed, weighted


def free(count: Count) -> int:
    return count.unknowns - count.equations


@pytest.mark.parametrize("start", [False, True])
def test_among_others_there_are_always_more_unknowns(start):
    """One iteration, two workers: model, gradient, gain, the others' sum and their gains against what arrives, (29) and
    Σ|h|²; each further iteration adds three unknowns and two equations."""
    assert weighted(1, 1, 2, start) == Count(5 + start, 3)
    assert weighted(2, 1, 2, start) == Count(8 + start, 5)
    for iterations in range(1, 30):
        for blocks in range(1, iterations + 1):
            assert free(weighted(iterations, blocks, 2, start)) > 0


def test_whoever_is_alone_has_one_unknown_more_for_a_random_dual():
    """Model, gradient and gain against what arrives, (29) and the gain, which is Σ|h|²: as many, but for a random first
    dual; a change of channel takes two unknowns and one equation."""
    assert weighted(1, 1, 1, False) == Count(3, 3)
    assert free(weighted(10, 1, 1, False)) == 0
    assert free(weighted(10, 1, 1, True)) > 0
    assert weighted(10, 2, 1, True) == Count(2 * 9 + 2 + 1, 10 + 9 + 2)


def test_gains_that_are_told_one_by_one_are_no_cover():
    """One equation and two unknowns less for each block among others; nothing changes for who is alone."""
    for blocks in range(1, 10):
        among, told = weighted(10, blocks, 5, False), weighted(10, blocks, 5, False, told=True)
        assert told == Count(among.unknowns - 2 * blocks, among.equations - blocks)
        assert free(told) > 0
        alone = [weighted(10, blocks, 1, True, told=told) for told in (False, True)]
        assert len(set(map(free, alone))) == 1


def test_of_plain_sums_and_single_messages():
    assert summed(7, 2) == Count(14, 7)
    assert free(summed(7, 1)) == 0
    assert free(single(7)) == 0
    assert single(7, dual=True, random_start=True) == Count(15, 14)
    assert weighted(7, 1, 1, True, told=True) == single(7, dual=True, random_start=True)


def test_channels_that_change_without_a_new_dual_are_more_gains_alone():
    for speakers, gains in ((1, 1), (3, 2)):
        one, other = (weighted(10, blocks, speakers, True, flips=False) for blocks in (1, 4))
        assert other == Count(one.unknowns + 3 * gains, one.equations + 3)
