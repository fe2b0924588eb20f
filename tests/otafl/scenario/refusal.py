"""What is refused, and in which words."""

import pytest

from otafl.errors import OtaflError
from otafl.scenario.file import parse


def refused(overrides: dict | None = None, text: str = "") -> str:
    with pytest.raises(OtaflError) as caught:
        parse("t", text, overrides)
    return str(caught.value)
