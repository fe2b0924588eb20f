"""5G NR's schemes against Sionna's own answers, and against capacity."""

import numpy as np
import pytest

from otafl.channels.codes import nr

pytestmark = pytest.mark.usefixtures("sionna")


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


ORDERS = [2] * 10 + [4] * 7 + [6] * 12
RATES = [120, 157, 193, 251, 308, 379, 449, 526, 602, 679, 340, 378, 434, 490, 553, 616, 658]
RATES += [438, 466, 517, 567, 616, 666, 719, 772, 822, 873, 910, 948]
"""3GPP TS 38.214, table 5.1.3.1-1, of which PUSCH has the schemes where transform precoding is off."""
EFFICIENCIES = np.array(ORDERS) * RATES / 1024


def test_schemes_are_those_of_the_standard():
    """Modulation order and code rate of each row; the last has 64QAM, 948/1024 and 5.5547 bits."""
    from sionna.phy.nr.utils import decode_mcs_index

    bits, rate = decode_mcs_index(np.arange(nr.FASTEST + 1), table_index=1, is_pusch=True)
    np.testing.assert_array_equal(bits, ORDERS)
    np.testing.assert_allclose(rate.numpy() * 1024, RATES, rtol=1e-6)
    assert EFFICIENCIES[-1] == pytest.approx(5.5547, abs=5e-5)


def test_every_scheme_is_as_far_from_capacity_as_its_code():
    """A scheme needs 0.3 to 3.1 dB more than capacity does, at the least SNR that has its goodput."""
    snrs_db = np.arange(-2.0, 20.01, 0.05)
    found = nr.goodput(capacity(snrs_db), 0.01)
    for efficiency in EFFICIENCIES[4:28]:
        needed = snrs_db[np.argmax(found >= 0.985 * efficiency)]
        assert 0.3 < needed - 10 * np.log10(2**efficiency - 1) < 3.1, efficiency


def test_a_stricter_target_is_slower_or_as_fast():
    snrs_db = np.arange(-2.0, 20.0, 0.25)
    loose, strict = (nr.goodput(capacity(snrs_db), error) for error in (0.1, 1e-3))
    assert (strict <= loose * 1.05).all()
    assert strict.mean() < loose.mean()


def test_the_fastest_scheme_is_the_ceiling_and_repetitions_of_the_slowest_add_up():
    """Half the SNR below the lowest one: half the rate, which needs twice the symbols."""
    for block_error in (0.1, 1e-4):
        assert nr.goodput(capacity([22.0, 40.0]), block_error) == pytest.approx(EFFICIENCIES[[-1, -1]], rel=1e-6)
    low = nr.goodput(capacity(nr.LEAST_DB), 0.1)
    half = nr.goodput(capacity(nr.LEAST_DB - 10 * np.log10(2)), 0.1)
    assert half == pytest.approx(low / 2, rel=1e-9)
    assert nr.goodput(np.zeros(1), 0.1) == pytest.approx(0, abs=1e-12)
