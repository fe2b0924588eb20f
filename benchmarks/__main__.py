"""Run of all benchmarks, one after the other: ``python -m benchmarks``."""

from benchmarks import (
    bench_cache,
    bench_channels,
    bench_commands,
    bench_devices,
    bench_draws,
    bench_energy,
    bench_engines,
    bench_memory,
    bench_participation,
    bench_ray,
    bench_round,
    bench_schemes,
    bench_store,
    bench_workers,
)

BENCHES = (
    bench_energy,
    bench_workers,
    bench_round,
    bench_schemes,
    bench_commands,
    bench_participation,
    bench_devices,
    bench_draws,
    bench_channels,
    bench_memory,
    bench_cache,
    bench_engines,
    bench_ray,
    bench_store,
)
for bench in BENCHES:
    bench.main()
