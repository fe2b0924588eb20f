"""5G NR's schemes against Sionna's own answers, and against capacity."""

import numpy as np
import pytest

from channels import nr
from channels.coding import Code


@pytest.fixture(autouse=True)
def _tables(sionna):
    """Skips where Sionna cannot be loaded."""


def capacity(snr_db):
    return np.log2(1 + 10 ** (np.asarray(snr_db) / 10))


def test_goodput_stays_below_capacity_and_rises():
    snrs_db = np.arange(-30.0, 40.0, 0.1)
    found = nr.goodput(capacity(snrs_db), 0.1)
    assert (np.diff(found) >= -1e-12).all()
    share = found / capacity(snrs_db)
    assert (share < 1).all()
    inside = (snrs_db >= nr.LEAST_DB) & (snrs_db <= nr.MOST_DB)
    assert share[inside].min() > 0.6
    assert 0.7 < share[inside].mean() < 0.85


@pytest.mark.parametrize(("snr_db", "scheme"), [(-1.0, 5), (7.0, 14), (19.0, 26)])
def test_schemes_are_those_of_the_standard(snr_db, scheme):
    """Modulation order times code rate of 3GPP TS 38.214, table 5.1.3.1-1, but for blocks that fail."""
    orders, rates = {5: 2, 14: 4, 26: 6}, {5: 379, 14: 553, 26: 873}
    carried = orders[scheme] * rates[scheme] / 1024
    assert 0.9 * carried <= nr.goodput(capacity(snr_db), 0.1) <= carried * (1 + 1e-6)


def test_a_stricter_target_is_slower_or_as_fast():
    snrs_db = np.arange(-2.0, 20.0, 0.25)
    loose, strict = (nr.goodput(capacity(snrs_db), error) for error in (0.1, 1e-3))
    assert (strict <= loose * 1.05).all()
    assert strict.mean() < loose.mean()


def test_repetitions_add_up():
    """Half the SNR below the lowest one: half the rate, which needs twice the symbols."""
    low = nr.goodput(capacity(nr.LEAST_DB), 0.1)
    half = nr.goodput(capacity(nr.LEAST_DB - 10 * np.log10(2)), 0.1)
    assert half == pytest.approx(low / 2, rel=1e-9)
    assert nr.goodput(np.zeros(1), 0.1) == pytest.approx(0, abs=1e-12)


def test_a_code_uses_it():
    code = Code("nr", 0.1)
    assert code.any_length
    assert code.attempts == 1
    np.testing.assert_array_equal(code.rate(capacity(5.0)), nr.goodput(capacity(5.0), 0.1))
    np.testing.assert_array_equal(Code().rate(capacity(5.0)), capacity(5.0))
