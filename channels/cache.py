"""Folders of what is kept for the next process."""

import os
from pathlib import Path


def folder(name: str) -> Path | None:
    """Return a folder of the cache: of that which OTAFL_CACHE_DIR names, or of the user's; None: nothing is kept.

    Nothing is where the variable is there and empty.
    """
    import platformdirs

    given = os.environ.get("OTAFL_CACHE_DIR")
    if given == "":
        return None
    return (Path(given).absolute() if given else platformdirs.user_cache_path("otafl")) / name
