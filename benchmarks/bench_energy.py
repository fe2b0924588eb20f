"""Time of the whole ``linreg_energy`` sweep, by vectorised programs and by a plain NumPy loop over its runs."""

import os
import time

import numpy as np

import otafl
from benchmarks import plain
from otafl.engine.run_spec import RunSpec
from otafl.study.plan import Study
from otafl.study.run import run

SCENARIO = "linreg_energy"
WANTED = 20


def main() -> None:
    """Time both, check that they agree, print the ratios."""
    dataset = "california_housing" if os.environ.get("OTAFL_DATA_DIR") else "synthetic"
    scenario = otafl.load(SCENARIO, {"problem.dataset": dataset})
    points = [settings for _, settings in scenario.points()]
    seeds = scenario.settings.run.seed_range
    started = time.perf_counter()
    data = run(Study(scenario))
    vectorised = time.perf_counter() - started
    ours = data["loss"].isel(seed=0).values.reshape(len(points), -1)

    print(f"{SCENARIO} on {dataset}: {len(points)} points x {len(seeds)} seeds, {len(points) * len(seeds)} runs")
    print(f"  one vectorised program, compilation and draws included          {vectorised:8.1f} s")
    kept = sum(_timed(RunSpec(point, seeds[0]), True, curve) for point, curve in zip(points, ours, strict=True))
    analog, digital = points[len(points) // 2 - 1], points[-1]
    solved = _timed(RunSpec(analog, seeds[0]), False, ours[len(points) // 2 - 1]) * len(points) / 2
    solved += _timed(RunSpec(digital, seeds[0]), False, ours[-1])
    for label, seconds in (
        ("plain NumPy loop, np.linalg.solve (one analog run timed)", solved * len(seeds)),
        ("plain NumPy loop, inverses kept for a block (one seed timed)", kept * len(seeds)),
    ):
        print(f"  {label:<61} {seconds:9.1f} s   ratio {seconds / vectorised:5.1f}   (wanted: {WANTED})")


def _timed(column: RunSpec, invert: bool, expected: np.ndarray) -> float:
    """Return the time of one plain run, whose curve must be the expected one [s]."""
    started = time.perf_counter()
    curve = plain.losses(column, invert)
    elapsed = time.perf_counter() - started
    np.testing.assert_allclose(curve, expected, rtol=1e-4, atol=1e-12)
    return elapsed


if __name__ == "__main__":
    main()
