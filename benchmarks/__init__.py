"""Speed, as ratios. Nothing is taken from programs that were kept: each benchmark compiles what it runs."""

import os

os.environ["OTAFL_CACHE_DIR"] = ""
