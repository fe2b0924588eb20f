"""Where data files are looked for: in the folder that the environment variable OTAFL_DATA_DIR names."""

import os
from pathlib import Path

from otafl.errors import OtaflError


def data_file(*names: str) -> Path | None:
    """Path of the first of some data files in OTAFL_DATA_DIR, or None where that variable is not set.

    Raises:
        OtaflError: the variable is set, and none of the files is there.
    """
    folder = os.environ.get("OTAFL_DATA_DIR")
    if not folder:
        return None
    for name in names:
        if os.path.isfile(Path(folder) / name):
            return Path(folder) / name
    raise OtaflError("OTAFL_DATA_DIR", folder, f"must be a folder that holds {' or '.join(names)}")
