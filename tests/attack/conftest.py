"""Bad input, answered."""

from collections.abc import Callable

import pytest

from tests.command import listing


@pytest.fixture
def refused(call, tmp_path) -> Callable[..., str]:
    """The one line with which words are refused: exit code 2, nothing else said, nothing written."""

    def message(*words: str) -> str:
        before = listing(tmp_path)
        answer = call(*words)
        assert answer.code == 2, answer
        assert_one_line(answer.stderr)
        assert answer.stdout == ""
        assert listing(tmp_path) == before
        return answer.stderr

    return message


def assert_one_line(text: str) -> None:
    """One line of ours, short enough to be read."""
    assert text.startswith("otafl: "), text
    assert text.count("\n") == 1, text
    assert len(text) < 2000
