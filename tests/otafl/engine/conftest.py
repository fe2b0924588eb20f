"""What tests that train networks share."""

from collections.abc import Iterator

import pytest

from otafl.problems import training_task


@pytest.fixture(autouse=True, scope="module")
def one_part() -> Iterator[None]:
    """Networks are trained in one part, which is compiled once; that their number changes no bit is tested."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training_task, "cores", lambda: [0])
        yield
