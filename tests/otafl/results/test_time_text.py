"""Numbers in words."""

import pytest

from otafl.results.time_text import duration


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0123, "0.0123 s"),
        (59.4, "59.4 s"),
        (59.6, "1 min 0 s"),
        (119.6, "2 min 0 s"),
        (3599.4, "59 min 59 s"),
        (3599.6, "1 h 0 min"),
        (3600 * 1234.5, "1,234 h 30 min"),
    ],
)
def test_durations_are_rounded_before_they_are_split(seconds, words):
    assert duration(seconds) == words
