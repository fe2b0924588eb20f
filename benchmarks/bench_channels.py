"""Share of a study's time that channels take after the first block, in a study with little else to compute.

The study is A-FADMM's linear regression with 100 workers, 1,000 coherence blocks and five seeds. Channels are computed
in a thread of their own, ahead of the program that uses them. The share is one of processor time: that of
``Group.channels``, from fading to the arrays of the program, over that of the process once all is imported and
compiled. A first study, which is not counted, finds and keeps the paths. The times of the clock are printed as well,
with channels computed and with channels given.
"""

import os
import statistics
import time
from collections.abc import Callable
from typing import Any
from unittest import mock

import otafl
from otafl.engine.group import Group
from otafl.study.plan import Study
from otafl.study.run import run

SCENARIO = "linreg_communication"
FOUND = {"cell.most_loss_db": 110.0}
"""Keys of ray-traced cells, so that paths reach all workers."""
CHANNELS: dict[str, dict[str, Any]] = {"rayleigh": {}, "jakes": {}, "tdl": {}, "umi": FOUND, "raytraced": FOUND}
REPEATS = 5
WANTED = 0.2


Channel = Callable[..., Any]


class Counted:
    """Replacement of ``Group.channels`` that adds up the processor time it takes."""

    def __init__(self, channel: Channel) -> None:
        self.channel, self.seconds, self.calls = channel, 0.0, 0

    def __call__(self, group: Group, blocks: list[int]) -> Any:
        """Return the channels of blocks."""
        began = time.thread_time()
        found = self.channel(group, blocks)
        self.seconds += time.thread_time() - began
        self.calls += len(blocks) * len(group.seeds)
        return found


class Given:
    """Replacement of ``Group.channels`` that returns the channels of a former study."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.found: dict[Any, Any] = {}

    def __call__(self, group: Group, blocks: list[int]) -> Any:
        """Return the channels of blocks."""
        if (key := tuple(blocks)) not in self.found:
            self.found[key] = self.channel(group, blocks)
        return self.found[key]


def main() -> None:
    """Print the shares and times."""
    dataset = "california_housing" if os.environ.get("OTAFL_DATA_DIR") else "synthetic"
    print(f"channels of A-FADMM in {SCENARIO} on {dataset}: share of processor time (wanted: {WANTED:.0%})")
    for name, keys in CHANNELS.items():
        overrides = {"method": "A-FADMM", "problem.dataset": dataset, "channel.fading": name} | keys
        try:
            print(f"  {name:<10}{_measured(otafl.load(SCENARIO, overrides))}")
        except otafl.OtaflError as error:
            print(f"  {name:<10}skipped: {error}")


def _measured(scenario: Any) -> str:
    """Return the medians of the shares and times of a study."""
    given = Given(Group.channels)
    _seconds(scenario, given)
    rounds = [(counted := Counted(given.channel), _seconds(scenario, counted)) for _ in range(REPEATS)]
    without = statistics.median(_seconds(scenario, given)[1] for _ in range(REPEATS))
    share = statistics.median(counted.seconds / used for counted, (used, _) in rounds)
    each = statistics.median(counted.seconds / counted.calls for counted, _ in rounds)
    clock = statistics.median(seconds for _, (_, seconds) in rounds)
    return f"{share:4.0%}   {each * 1e6:4.0f} us a block and seed   {clock:.2f} s, {without:.2f} s if given beforehand"


def _seconds(scenario: Any, channel: Channel) -> tuple[float, float]:
    """Return the processor time and the time of the clock of a study with a replacement of ``Group.channels`` [s]."""
    used, began = time.process_time(), time.perf_counter()
    with mock.patch.object(Group, "channels", lambda group, blocks: channel(group, blocks)):
        run(Study(scenario))
    return time.process_time() - used, time.perf_counter() - began


if __name__ == "__main__":
    main()
