"""Progress on lines."""

import io
import re
import time

from otafl.plain_text import console
from otafl.study import progress_lines


def test_a_line_every_some_seconds_until_the_end(monkeypatch):
    monkeypatch.setattr(progress_lines, "EVERY_S", 0.05)
    printed = io.StringIO()
    with progress_lines.Lines(console(file=printed)) as progress:
        time.sleep(0.3)
        progress("A-FADMM, 40 dB [x]", 1200, 40_000)
        time.sleep(0.3)
    first, *_, last = lines = printed.getvalue().splitlines()
    assert re.fullmatch(r"0 s; preparing", first)
    assert re.fullmatch(r"1,200 of 40,000 iterations, [01] s; A-FADMM, 40 dB \[x\]", last)
    time.sleep(0.2)
    assert printed.getvalue().splitlines() == lines
