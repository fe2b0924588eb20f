"""Networks are trained in one part here, too; processes of a study."""

from pathlib import Path

import pytest

from tests.otafl.engine.conftest import one_part  # noqa: F401


@pytest.fixture
def in_processes(monkeypatch):
    monkeypatch.delenv("OTAFL_PROCESSES")


def children(process: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []
