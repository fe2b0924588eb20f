"""Scenarios of which an override leaves one value of a sweep: their figure has no panels for it then."""

import pytest

from otafl.scenario.file import parse
from tests.otafl.scenario.refusal import refused

SWEPT = """
[sweep]
method = ["A-FADMM", "D-FADMM"]
"channel.snr_db" = [0.0, 20.0]
"federation.workers" = [5, 10]
"""


@pytest.mark.parametrize("kind", ["curve", 'at_budget"\nbudgets = [9.0]\ncost = "energy', "to_target"])
@pytest.mark.parametrize(
    ("panels", "overrides", "left"),
    [
        ("snr_db", {}, "snr_db"),
        ("snr_db", {"federation.workers": 5, "method": "D-FADMM"}, None),
        ("snr_db", {"channel.snr_db": 0.0}, ""),
        ("snr_db", {"channel.snr_db": 0.0, "federation.workers": 5, "method": "D-FADMM"}, ""),
        ("scheme", {"method": "D-FADMM"}, ""),
    ],
)
def test_panels_of_a_narrowed_scenario(kind, panels, overrides, left):
    """The last dimension is the axis where values stand against a swept key."""
    made = parse("t", f'{SWEPT}[plot]\nkind = "{kind}"\npanels = "{panels}"', overrides)
    assert made.plot.panels == (left if left is not None else "snr_db" if kind == "curve" else "")
    assert made.override({"run.seeds": 1}).plot == made.plot


def test_panels_that_are_asked_for_or_that_no_sweep_has_are_refused():
    assert "must be a swept dimension" in refused({"channel.snr_db": 0.0, "plot.panels": "snr_db"}, SWEPT)
    assert "must be a swept dimension" in refused({}, SWEPT + '[plot]\npanels = "rho"')
    assert "must be a swept dimension" in refused({}, '[plot]\npanels = "snr_db"')
