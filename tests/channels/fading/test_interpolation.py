"""Gains at many times from few, against sums of waves in double precision."""

import numpy as np
import pytest

from otafl.channels.fading import JakesFading, Layout, realise
from otafl.channels.fading.interpolation import interpolated


@pytest.mark.parametrize("periods", [0.0, 0.3, 3.0, 30.0])
def test_gains_between_nodes_are_the_sum_of_waves(periods):
    rng, times_s = np.random.default_rng(0), np.random.default_rng(1).uniform(0, 0.5, (3, 40))
    amplitudes, shifts_hz = rng.standard_normal((2, 3, 2, 20, 5)), 2 * periods * rng.uniform(-1, 1, (3, 2, 20, 5))

    def gains(times_s):
        times_s = np.expand_dims(times_s, (-1, -2) if np.ndim(times_s) == 1 else (1, -1, -2))
        waves = amplitudes[0][:, :, None] * np.exp(2j * np.pi * shifts_hz[:, :, None] * times_s)
        return waves.sum(axis=3).astype(np.complex64)

    found = interpolated(gains, times_s, 2 * periods)
    np.testing.assert_allclose(found, gains(times_s), atol=2e-5 * np.abs(found).max())


def test_a_gain_at_a_time_is_the_same_whatever_else_is_asked_for():
    made = realise(JakesFading(speed_m_s=20.0), Layout(3, 2), np.random.SeedSequence(0))
    few, many = (made.moving(7, 5, 1e-3, np.tile(steps, (3, 1))) for steps in ([0, 3], np.arange(100)))
    np.testing.assert_allclose(few, many[:, :, [0, 3]], atol=1e-4)
