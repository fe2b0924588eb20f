"""Segments cover every iteration once and mark every change of channel."""

import math

from hypothesis import given
from hypothesis import strategies as st

from otafl.engine.coherence_blocks import LONGEST_SEGMENT, segments


@given(st.integers(1, 3000), st.one_of(st.integers(1, 1000), st.just(math.inf)))
def test_segments_cover_all_iterations(iterations, coherence):
    parts = list(segments(iterations, coherence))
    covered = [k for part in parts for k in range(part.start, part.start + part.length)]
    assert covered == list(range(iterations))
    assert all(1 <= part.length <= LONGEST_SEGMENT for part in parts)
    changes = [part.start for part in parts if part.changed]
    assert changes == [] if math.isinf(coherence) else changes == list(range(coherence, iterations, coherence))
    for part in parts:
        last = part.start + part.length - 1
        assert part.block == (0 if math.isinf(coherence) else part.start // coherence)
        assert math.isinf(coherence) or last // coherence == part.block
