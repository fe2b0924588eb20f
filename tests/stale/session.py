"""A process of its own, in which runs of all kinds of input are computed or served: folder, version, store, kinds."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from tests.stale.kinds import outcome, put


def main() -> None:
    """Write all kinds in a version, run them, and print their outcomes."""
    folder, version, store, *chosen = sys.argv[1:]
    os.chdir(folder)
    print(json.dumps(outcomes(Path(folder), int(version), Path(store), chosen)))


def outcomes(folder: Path, version: int, store: Path, chosen: list[str]) -> dict[str, Any]:
    """Write the chosen kinds in a version into the working folder, and run them; outcomes by kind."""
    found = {}
    for number, kind in enumerate(chosen):
        name = f"between{number}"
        put(kind, name, version, folder)
        found[kind] = outcome(kind, name, out=store / f"out{number}", store=store, overwrite=True)
    return found


if __name__ == "__main__":
    main()
