"""What is refused, and in which words."""

import pytest

from otafl.errors import OtaflError
from otafl.scenario.file import parse


def refused(overrides: dict | None = None, text: str = "") -> str:
    """The message with which a scenario is refused."""
    with pytest.raises(OtaflError) as caught:
        parse("t", text, overrides)
    return str(caught.value)
