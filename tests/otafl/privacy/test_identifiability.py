"""Mathematics of privacy: what follows from what is received, numbers of unknowns, and bounds on ε."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import floats
from scipy.stats import norm

from otafl.privacy import accountant
from otafl.privacy.identifiability import (
    START,
    Case,
    Count,
    _derivatives,
    count_single,
    count_summed,
    count_weighted,
    hidden,
)
from otafl.privacy.observation import observe
from tests.otafl.small import dotted, group_of

SERVERS = {
    "server": {"gains": "summed"},
    "told": {"gains": "told"},
    "elsewhere": {"gains": "unknown", "elsewhere": True},
}
DIGITAL = {"digital": True, "gains": "told"}
PLAIN = {"dual": False, "flips": False, "gains": "one"}


def rounds(number: int, coherence: float = np.inf) -> tuple[bool, ...]:
    return tuple(place == 0 or place % coherence == 0 for place in range(number))


def found(speakers: int, coherence: float = np.inf, **keys) -> str:
    return "".join(str(int(one)) for one in hidden(Case(speakers, rounds(6, coherence), **keys)))


@pytest.mark.parametrize("keys", SERVERS.values(), ids=SERVERS)
@pytest.mark.parametrize("solves", [True, False])
def test_a_random_dual_covers_the_first_round_of_who_is_alone(keys, solves):
    """μ = ρ(y − gΘ) is known after a round, and so is the next model; a change of channel is of no further help. Only
    where the channel changes at once is the first model kept, and never told."""
    keys = keys | {"solves": solves}
    for coherence in (2, 3, np.inf):
        assert found(1, coherence, **keys) == "000000"
        assert found(1, coherence, random_start=True, **keys) == "100000"
    assert found(1, 1, random_start=True, **keys) == "111111"
    assert found(1, 1, random_start=True, flips=False, **keys) == "100000"


@pytest.mark.parametrize("keys", SERVERS.values(), ids=SERVERS)
@pytest.mark.parametrize("coherence", [1, 2, np.inf])
def test_among_others_no_model_follows(keys, coherence):
    """Theorem 2; and theorem 3, with the last model known: the others stay hidden, unless the last one was kept."""
    for start in (False, True):
        assert found(2, coherence, random_start=start, **keys) == "111111"
        end = found(2, coherence, random_start=start, converged=True, **keys)
        assert end == ("000000" if coherence == 1 else "111110")
    assert found(2, 5, converged=True, **keys) == "111100"


def test_digital_messages_and_single_speakers_hide_nothing_but_the_first_round():
    for speakers in (1, 2):
        for gains in ("one", "told"):
            for start in (False, True):
                assert found(speakers, 3, digital=True, gains=gains, random_start=start) == f"{start:d}00000"
        assert found(speakers, digital=True, **PLAIN) == "000000"
    assert found(1, **PLAIN) == found(1, elsewhere=True, **PLAIN) == "000000"
    assert found(2, **PLAIN) == found(2, elsewhere=True, **PLAIN) == "111111"
    assert found(2, digital=True, gains="unknown") == "111111"


@pytest.mark.parametrize("case", [*SERVERS.values(), DIGITAL, PLAIN, PLAIN | {"digital": True}])
@pytest.mark.parametrize("speakers", [1, 2, 4])
def test_two_workers_stand_for_more_and_rounds_do_not_undo_earlier_ones(case, speakers):
    """The rank of what is received grows by a model exactly where it is hidden; and what a longer run leaves hidden is
    what each shorter one has left."""
    whole = Case(speakers, rounds(5, 2), random_start=case.get("dual", True), **case)
    run = _derivatives(whole)
    rank = np.linalg.matrix_rank(run.received)
    for what in ("model", "gradient"):
        grown = [np.linalg.matrix_rank(np.vstack([run.received, one])) > rank for one in getattr(run, what)]
        assert list(hidden(whole, what)) == grown
    grown = list(hidden(whole))
    for length in range(1, 5):
        assert list(hidden(whole._replace(blocks=rounds(length, 2)))) == grown[:length]


def test_derivatives_are_those_of_a_round_by_hand():
    """y = g·θ + μ, alone with a gain that is told: dΘ = dθ + dμ/g − μ/g²·dg, and the second dual is zero."""
    models, gradients, received = _derivatives(Case(1, rounds(2), gains="told", random_start=True))
    dual, gain, model, second = np.random.default_rng(0).uniform(0.5, 1.5, 4)
    np.testing.assert_allclose(models, [[0, 0, 1, 0], [0, 0, 0, 1]], atol=1e-14)
    by_hand = [[0, 1, 0, 0], [1 / gain, -dual / gain**2, 1, 0], [0, 0, 0, 1]]
    np.testing.assert_allclose(received, by_hand, atol=1e-13)
    slopes = [[-1, START - model, -gain, 0], [1, model - second, gain, -gain]]
    np.testing.assert_allclose(gradients, slopes, atol=1e-13)


@pytest.mark.daily(1)
@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"method": "D-SFADMM", "federation__workers": 3}, lambda one: (one.received[0], 1.0)),
        ({"method": "A-SFADMM", "federation__workers": 1}, lambda one: (one.received[0], one.gain[0])),
    ],
    ids=["digital", "alone"],
)
def test_models_are_computed_from_what_a_run_sends(keys: dict, message: Callable):
    """Whoever carries μ/ρ = y − gΘ along has every model but the first one."""
    small = {"run.iterations": 3, "run.seeds": 1, "channel.snr_db": np.inf, "algorithm.start": "random"}
    seen = observe(group_of("digits_quickstart", small | dotted(keys)))
    for before, now in itertools.pairwise(seen):
        (sent, gain), (current, own) = message(before), message(now)
        dual = sent - gain * now.known
        np.testing.assert_allclose((current - dual) / own, now.model[0], atol=1e-4)


def free(count: Count) -> int:
    return count.unknowns - count.equations


@pytest.mark.parametrize("start", [False, True])
def test_among_others_there_are_always_more_unknowns(start):
    """One iteration, two workers: model, gradient, gain, the others' sum and their gains against what arrives, (29) and
    Σ|h|²; each further iteration adds three unknowns and two equations."""
    assert count_weighted(1, 1, 2, start) == Count(5 + start, 3)
    assert count_weighted(2, 1, 2, start) == Count(8 + start, 5)
    for iterations in range(1, 30):
        for blocks in range(1, iterations + 1):
            assert free(count_weighted(iterations, blocks, 2, start)) > 0


def test_whoever_is_alone_has_one_unknown_more_for_a_random_dual():
    """Model, gradient and gain against what arrives, (29) and the gain, which is Σ|h|²: as many, but for a random first
    dual; a change of channel takes two unknowns and one equation."""
    assert count_weighted(1, 1, 1, False) == Count(3, 3)
    assert free(count_weighted(10, 1, 1, False)) == 0
    assert free(count_weighted(10, 1, 1, True)) > 0
    assert count_weighted(10, 2, 1, True) == Count(2 * 9 + 2 + 1, 10 + 9 + 2)


def test_gains_that_are_told_one_by_one_are_no_cover():
    """One equation and two unknowns less for each block among others; nothing changes for who is alone."""
    for blocks in range(1, 10):
        among, told = count_weighted(10, blocks, 5, False), count_weighted(10, blocks, 5, False, told=True)
        assert told == Count(among.unknowns - 2 * blocks, among.equations - blocks)
        assert free(told) > 0
        alone = [count_weighted(10, blocks, 1, True, told=told) for told in (False, True)]
        assert len(set(map(free, alone))) == 1


def test_of_plain_sums_and_single_messages():
    assert count_summed(7, 2) == Count(14, 7)
    assert free(count_summed(7, 1)) == 0
    assert free(count_single(7)) == 0
    assert count_single(7, dual=True, random_start=True) == Count(15, 14)
    assert count_weighted(7, 1, 1, True, told=True) == count_single(7, dual=True, random_start=True)


def test_channels_that_change_without_a_new_dual_are_more_gains_alone():
    for speakers, gains in ((1, 1), (3, 2)):
        one, other = (count_weighted(10, blocks, speakers, True, flips=False) for blocks in (1, 4))
        assert other == Count(one.unknowns + 3 * gains, one.equations + 3)


def exact_delta(epsilon: np.ndarray, rho: np.ndarray) -> np.ndarray:
    """Return the least δ of (ε, δ)-privacy of a Gaussian mechanism: Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ), μ = √(2ρ) > 0."""
    change = np.sqrt(2 * rho)
    return accountant._delta(epsilon / change - change / 2, change)


def test_concentrated_privacy_is_that_of_the_gaussian_mechanism():
    """ρ = Δ²/2σ² for a change of 2Lα in noise of variance N0/2T, upload by upload."""
    lengths, factors = np.array([1.0, 0.5]), np.array([3.0, 6.0])
    sensitivity, variance = 2 * lengths * factors, 1e-3 / (2 * 0.25)
    found = accountant.concentrated(lengths, factors, 0.25, 1e-3)
    np.testing.assert_allclose(found, np.cumsum(sensitivity**2 / (2 * variance)))


def test_epsilon_bounds_the_tail_of_privacy_loss():
    """P(loss > ε) ≤ δ for a loss N(ρ, 2ρ), as of two normal laws."""
    for rho in (1e-3, 0.1, 2.0, 50.0):
        for delta in (1e-2, 1e-5, 1e-10):
            epsilon = accountant.epsilon(np.array(rho), delta)
            assert norm.sf((epsilon - rho) / np.sqrt(2 * rho)) <= delta
    with pytest.raises(ValueError, match=r"delta = 1\.5: must be between 0 and 1"):
        accountant.epsilon(np.array(1.0), 1.5)


def test_the_exact_epsilon_is_that_of_the_analytic_gaussian_mechanism():
    """Against zero-concentrated privacy at ρ = 1, δ = 1e-5; and Balle and Wang's δ, term by term, of two laws."""
    one = np.array(1.0)
    assert accountant.exact_epsilon(one, 1e-5) == pytest.approx(6.57, abs=0.005)
    assert accountant.epsilon(one, 1e-5) == pytest.approx(7.79, abs=0.005)
    for rho in (0.01, 1.0, 30.0):
        change, epsilon = np.sqrt(2 * rho), np.linspace(0, 8, 5)
        terms = norm.cdf(change / 2 - epsilon / change), norm.cdf(-change / 2 - epsilon / change)
        np.testing.assert_allclose(
            exact_delta(epsilon, np.array(rho)), terms[0] - np.exp(epsilon) * terms[1], atol=1e-12
        )


RHO, DELTA = floats(1e-6, 1e6), floats(1e-12, 0.5)


@given(RHO, floats(1.01, 10), DELTA, floats(1.01, 2))
def test_the_exact_epsilon_gives_delta_and_is_below_the_bound(rho, more, delta, wider):
    found, later = accountant.exact_epsilon(np.array([rho, rho * more]), delta)
    assert 0 <= found <= accountant.epsilon(np.array(rho), delta)
    there = exact_delta(found, np.array(rho))
    assert there == pytest.approx(delta, rel=1e-5) if found > 0 else there <= delta
    assert found <= later
    assert accountant.exact_epsilon(np.array(rho), min(0.9, delta * wider)) <= found


def test_no_noise_and_no_signal_are_the_ends_of_the_exact_epsilon():
    with np.errstate(all="raise"):
        found = accountant.exact_epsilon(np.array([0.0, 1e-14, np.inf, np.nan]), 1e-5)
    np.testing.assert_array_equal(found, [0, 0, np.inf, np.nan])
    with pytest.raises(ValueError, match=r"delta = 0: must be between 0 and 1"):
        accountant.exact_epsilon(np.array(1.0), 0)
