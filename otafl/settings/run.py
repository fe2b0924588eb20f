"""Keys of the table run: length, seeds, recording and precision."""

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from otafl.metrics import REGISTERED
from otafl.metrics.result_variables import Quantity
from otafl.settings.types import Count, Positive, Seed, Table, one_of, rule

MOST_THREADS = 1024
Metrics = Annotated[
    tuple[Annotated[str, one_of(REGISTERED)], ...],
    Field(strict=False),
    rule(lambda names: len(set(names)) == len(names), "must not list a metric twice"),
]
StopAt = Annotated[
    dict[str, Annotated[float, Field(allow_inf_nan=False)]],
    rule(lambda targets: len(targets) < 2, "must name one variable"),
]


class Run(Table, frozen=True):
    """Length, seeds, recording and precision of a study's runs."""

    iterations: Count = 500
    """Number of iterations."""
    seeds: Count = 5
    """Number of runs, each with another seed."""
    seed: Seed = 0
    """First seed."""
    record: Literal["all", "log"] = "all"
    """Iterations kept in the result: all, or log: 100 per decade (linear regression)."""
    target_loss: Positive = 1e-4
    """Linear regression: loss at which the summary reads slots, uses and energy."""
    target_accuracy: Annotated[float, Field(gt=0, le=1)] = 0.9
    """Classification: test accuracy at which the summary reads slots, uses and energy."""
    stop_at: StopAt = Field(default={})
    """Target at which a run ends, such as {test_accuracy = 0.95}: the first round at which the variable, your own
    metrics among them, has been within it at every reading of the last eighth of the rounds so far, and at least at
    six in a row. It is also the target of the summary."""
    evaluate_every: Count = 1
    """Classification: rounds between readings of test accuracy."""
    metrics: Metrics = ()
    """Metrics that results have beside the usual variables: your own, and those of workers' accuracies."""
    max_channel_uses: Annotated[Positive | None, Quantity("Limit on channel uses", "use")] = None
    """Limit on channel uses: a run ends before the iteration that would exceed it, and later values are NaN."""
    worker_chunk: Count | None = None
    """Networks: workers trained at once. Left out: on a processor one on each core, as its model then stays in the
    core's cache; on a GPU 500 million weights. Results depend on it by rounding, about 1e-7."""
    threads: Annotated[int | None, Field(ge=1, le=MOST_THREADS)] = None
    """Networks on a processor: threads of an operation. Results depend on it by rounding, as the order of additions
    does. Left out: 1 for models that may convolve, 2 for the others, on any machine."""
    precision: Literal["float32", "tf32", "bfloat16"] = "float32"
    """Networks: type in which layers compute. Weights, optimiser, duals and uploads stay float32. tf32: a GPU that can
    rounds the factors of products to ten bits of fraction; elsewhere it is float32."""

    @property
    def seed_range(self) -> range:
        """Seeds of the runs as a range: ``seeds`` whole numbers from ``seed`` on."""
        return range(self.seed, self.seed + self.seeds)

    @property
    def recorded(self) -> np.ndarray:
        """Numbers of the iterations in a result, from 1, ascending: all, or the first 100 and then 100 per decade."""
        if self.record == "all":
            return np.arange(1, self.iterations + 1)
        points = 10 ** np.arange(2, math.log10(self.iterations), 0.01) if self.iterations > 100 else []
        early = np.arange(1, min(self.iterations, 100) + 1)
        return np.unique([*early, *np.round(points), self.iterations]).astype(int)

    @property
    def evaluated(self) -> np.ndarray:
        """Numbers of the iterations with a reading of the test accuracy, from 1, ascending; the last is always one."""
        return np.unique([*range(self.evaluate_every, self.iterations + 1, self.evaluate_every), self.iterations])
