"""Beliefs about the channel."""

import numpy as np

from channels.csi import PERFECT, PerfectCsi


def test_perfect_knowledge_is_of_the_gains_themselves(rayleigh):
    h = rayleigh(3, 4)
    assert PerfectCsi() == PERFECT
    assert PERFECT.perfect
    np.testing.assert_array_equal(PERFECT.workers(h), h)
    np.testing.assert_array_equal(PERFECT.server(h), h)
