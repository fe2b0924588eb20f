"""Recorded iterations are dense at first, and then about equally many per decade."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from otafl.engine.recorded_iterations import recorded
from otafl.settings.run import Run


@given(st.integers(1, 10**6))
def test_logarithmic_record(iterations):
    kept = recorded(Run(iterations=iterations, record="log"))
    assert kept[-1] == iterations
    assert list(kept[:100]) == list(range(1, min(iterations, 100) + 1))
    assert all(later <= 1.03 * earlier + 1 for earlier, later in itertools.pairwise(kept))
