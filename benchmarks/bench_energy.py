"""The whole ``linreg_energy`` sweep, as one vectorised program and as a plain NumPy loop over its runs."""

import os
import time

import numpy as np

import otafl
from benchmarks import plain
from otafl import sweep
from otafl.group import Column

SCENARIO = "linreg_energy"


def main() -> None:
    """Time both, check that they agree, print the ratio."""
    dataset = "california_housing" if os.environ.get("OTAFL_DATA_DIR") else "synthetic"
    scenario = otafl.load(SCENARIO, {"problem.dataset": dataset})
    points = [settings for _, settings in scenario.points()]
    seeds = scenario.settings.run.seed_range
    started = time.perf_counter()
    data = sweep.run(sweep.prepare(scenario))
    vectorised = time.perf_counter() - started

    started = time.perf_counter()
    curves = [plain.losses(Column(settings, seeds[0])) for settings in points]
    looped = (time.perf_counter() - started) * len(seeds)
    ours = data["loss"].isel(seed=0).values.reshape(len(points), -1)
    np.testing.assert_allclose(np.array(curves), ours, rtol=1e-4, atol=1e-12)
    print(f"{SCENARIO} on {dataset}: {len(points)} points x {len(seeds)} seeds, {len(points) * len(seeds)} runs")
    print(f"  one vectorised program, compilation and draws included   {vectorised:8.1f} s")
    print(f"  plain NumPy loop over runs, one seed timed x {len(seeds)}           {looped:8.1f} s")
    print(f"  ratio                                                    {looped / vectorised:8.1f}   (wanted: 20)")


if __name__ == "__main__":
    main()
