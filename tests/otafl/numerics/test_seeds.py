"""Random streams of a seed, by purpose."""

import numpy as np
import pytest

from otafl.numerics import seeds


def test_streams_of_seeds_do_not_move():
    """Purposes keep their places, so that results stay when others are added."""
    assert seeds.number(0, "model") != seeds.number(0, "batches")
    assert seeds.generator(0, "noise").standard_normal() == pytest.approx(
        np.random.Generator(np.random.Philox(np.random.SeedSequence(0, spawn_key=(3,)))).standard_normal()
    )
