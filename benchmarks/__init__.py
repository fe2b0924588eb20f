"""Benchmarks of speed, as ratios. Each compiles its programs, and takes none from the cache."""

import os

os.environ["OTAFL_CACHE_DIR"] = ""
