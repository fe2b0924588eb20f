"""Places of pilots and data in an upload, and what pilots let be known of gains at the data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otafl.channels.csi import Sounding
from otafl.channels.frame import Frame
from otafl.channels.imperfections import Imperfections
from otafl.channels.noise import complex_normal

SEED = np.random.SeedSequence(5)


def test_free_pilots_come_one_symbol_before_the_data():
    once, often = Frame(5, 2), Frame(5, 2, period=2)
    np.testing.assert_array_equal(once.data - once.last_pilots[:, once.segment], [[1, 2, 3, 4, 5]] * 2)
    np.testing.assert_array_equal(often.data - often.last_pilots[:, often.segment], [[1, 2, 1, 2, 1]] * 2)


def test_pilots_in_turn_take_time_in_which_those_before_age():
    """3 workers, of whom 2 send in a round, 2 pilots each, every 3 symbols."""
    frame = Frame(7, 3, senders=2, pilots=2, period=3)
    np.testing.assert_array_equal(frame.data, [5, 6, 7, 12, 13, 14, 19])
    np.testing.assert_array_equal(frame.last_pilots, [[2, 9, 16], [4, 11, 18], [2, 9, 16]])
    assert frame.length == 20


@given(st.integers(1, 20), st.integers(1, 4), st.integers(0, 2), st.integers(0, 6), st.integers(0, 25))
def test_late_data_wait_their_delay_and_take_no_place_of_pilots(symbols, workers, pilots, period, delay):
    at_once, late = (Frame(symbols, workers, pilots=pilots, period=period, delay=wait) for wait in (0, delay))
    assert (late.data - at_once.data >= delay).all()
    assert (np.diff(late.data) > 0).all()
    on = [range(begin - pilots, begin) for begin in late.last_pilots.ravel() + 1]
    assert not {*late.data.tolist()} & {place for turn in on for place in turn}


def turning(frame: Frame, turns: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gains at data and at pilots that turn by so many radians a symbol. [workers, antennas, times, S] each."""
    at_data, at_pilots = np.multiply.outer(turns, frame.data), turns[:, None] * frame.last_pilots
    return tuple(h[:, :, None] * np.exp(1j * phases)[:, None, :, None] for phases in (at_data, at_pilots))


def test_phases_that_go_on_are_known_from_the_second_pilots_on():
    frame, h = Frame(9, 3, pilots=1, period=3), complex_normal(np.random.default_rng(0), (3, 2, 4))
    data, pilots = turning(frame, np.array([0.1, -0.3, 1.5]), h)
    known = frame.known(pilots, np.array([0.0, -0.2, 1.4]))
    np.testing.assert_allclose(known[:, :, 3:], data[:, :, 3:], rtol=1e-12)
    np.testing.assert_array_equal(known[:, :, :3], frame.known(pilots)[:, :, :3])


def test_the_turn_between_two_pilots_has_the_variance_of_the_cramer_rao_bound():
    """Pilots of E/N0 on 64 subcarriers, 5 symbols apart (Rife, Boorstyn, "Single-tone parameter estimation", n = 2)."""
    frame, energy = Frame(8, 2000, senders=1, pilots=1, period=4), 20.0
    data, pilots = turning(frame, np.full(2000, 0.05), np.ones((2000, 1, 64)))
    sounding = Sounding(Imperfections(1, energy, estimator="least_squares"), SEED)
    known = sounding.follow(data, pilots, frame, 0, 1.0, np.zeros(2000)).worker.reshape(2000, 8, 64)[..., 0]
    rates_hz = np.angle(known[:, 7] * known[:, 6].conj()) / (2 * np.pi * 1e-3)
    assert rates_hz.mean() == pytest.approx(0.05 / (2 * np.pi * 1e-3), rel=1e-2)
    assert np.var(rates_hz) == pytest.approx(1 / (64 * energy * (2 * np.pi * 5e-3) ** 2), rel=0.1)


@pytest.mark.parametrize("pilots", [1, 4])
def test_estimates_have_the_noise_of_the_pilots_that_are_paid_for(pilots):
    frame, h = Frame(6, 500, senders=1, pilots=pilots, period=2), np.ones((500, 1, 8), complex)
    data, seen = turning(frame, np.zeros(500), h)
    sounding = Sounding(Imperfections(pilots, 10.0, estimator="least_squares"), SEED)
    errors = (sounding.follow(data, seen, frame, 0, 1.0).worker - 1).reshape(500, 6, 8)
    assert np.mean(np.abs(errors) ** 2) == pytest.approx(1 / (10 * pilots), rel=0.05)
    np.testing.assert_array_equal(errors[:, 0], errors[:, 1])  # one estimate for two symbols
    assert abs(np.mean(errors[:, 1] * errors[:, 2].conj())) < 0.01 / pilots


def test_errors_of_phase_and_timing_are_the_same_for_all_symbols():
    errors = Imperfections(phase_error_rad=0.3, timing_error_s=1e-6)
    frame, h = Frame(3, 4), complex_normal(np.random.default_rng(0), (4, 1, 5))
    still, sounding = turning(frame, np.zeros(4), h), Sounding(errors, SEED)
    arriving = sounding.follow(*still, frame, 2, 1.0).h.reshape(4, 1, 3, 5)
    for symbol in range(3):
        np.testing.assert_array_equal(arriving[:, :, symbol], sounding.sound(h, 2).h)
