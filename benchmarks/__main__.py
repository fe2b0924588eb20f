"""All benchmarks, one after the other: ``python -m benchmarks``."""

from benchmarks import bench_cache, bench_energy, bench_memory, bench_participation, bench_round, bench_workers

for bench in (bench_energy, bench_workers, bench_round, bench_participation, bench_memory, bench_cache):
    bench.main()
