"""Folders that keep results of one process for the next."""

import os
from pathlib import Path


def folder(name: str) -> Path | None:
    """Return a folder of the cache, which need not exist yet; None where OTAFL_CACHE_DIR is empty: nothing is kept."""
    import platformdirs

    given = os.environ.get("OTAFL_CACHE_DIR")
    if given == "":
        return None
    return (Path(given).expanduser().absolute() if given else platformdirs.user_cache_path("otafl")) / name
