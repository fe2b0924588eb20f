"""Share of a study's time that goes into channels, once the first block is there: one with little else to do, A-FADMM's
linear regression with 100 workers, 1,000 coherence blocks and five seeds.

Channels are computed in a thread of their own, ahead of the program that uses them, so what they take is counted in
processor time: that of ``Group.channels``, from fading to the arrays that the program sees, over that of the process,
which has imported and compiled everything. A first study, which is not counted, finds the paths, which are kept. Beside
the share stand times of the clock, as it is and with all channels given beforehand.
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
"""So that all workers are reached, by paths."""
CHANNELS: dict[str, dict[str, Any]] = {"rayleigh": {}, "jakes": {}, "tdl": {}, "umi": FOUND, "raytraced": FOUND}
REPEATS = 5
WANTED = 0.2


Channel = Callable[..., Any]


class Counted:
    """In place of ``Group.channels``: the same, and the processor time that it takes."""

    def __init__(self, channel: Channel) -> None:
        self.channel, self.seconds, self.calls = channel, 0.0, 0

    def __call__(self, group: Group, blocks: list[int]) -> Any:
        """The channels of blocks."""
        began = time.thread_time()
        found = self.channel(group, blocks)
        self.seconds += time.thread_time() - began
        self.calls += len(blocks) * len(group.seeds)
        return found


class Given:
    """In place of ``Group.channels``: what it found before."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.found: dict[Any, Any] = {}

    def __call__(self, group: Group, blocks: list[int]) -> Any:
        """The channels of blocks."""
        if (key := tuple(blocks)) not in self.found:
            self.found[key] = self.channel(group, blocks)
        return self.found[key]


def main() -> None:
    """Print the shares."""
    dataset = "california_housing" if os.environ.get("OTAFL_DATA_DIR") else "synthetic"
    print(f"channels of A-FADMM in {SCENARIO} on {dataset}: share of processor time (wanted: {WANTED:.0%})")
    for name, keys in CHANNELS.items():
        overrides = {"method": "A-FADMM", "problem.dataset": dataset, "channel.fading": name} | keys
        try:
            print(f"  {name:<10}{_measured(otafl.load(SCENARIO, overrides))}")
        except otafl.OtaflError as error:
            print(f"  {name:<10}skipped: {error}")


def _measured(scenario: Any) -> str:
    """Shares and times of a study, medians."""
    given = Given(Group.channels)
    _seconds(scenario, given)
    rounds = [(counted := Counted(given.channel), _seconds(scenario, counted)) for _ in range(REPEATS)]
    without = statistics.median(_seconds(scenario, given)[1] for _ in range(REPEATS))
    share = statistics.median(counted.seconds / used for counted, (used, _) in rounds)
    each = statistics.median(counted.seconds / counted.calls for counted, _ in rounds)
    clock = statistics.median(seconds for _, (_, seconds) in rounds)
    return f"{share:4.0%}   {each * 1e6:4.0f} us a block and seed   {clock:.2f} s, {without:.2f} s if given beforehand"


def _seconds(scenario: Any, channel: Channel) -> tuple[float, float]:
    """Processor time and time of the clock that a study takes, whose channels are found like this."""
    used, began = time.process_time(), time.perf_counter()
    with mock.patch.object(Group, "channels", lambda group, blocks: channel(group, blocks)):
        run(Study(scenario))
    return time.process_time() - used, time.perf_counter() - began


if __name__ == "__main__":
    main()
