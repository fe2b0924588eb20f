"""A process of its own, in which runs of all kinds of input are computed or served: folder, version, store, kinds."""

import json
import os
import sys
from pathlib import Path

from tests.stale.kinds import outcome, put


def main() -> None:
    """Write all kinds in a version, run them, and print their outcomes."""
    folder, version, store, *chosen = sys.argv[1:]
    os.chdir(folder)
    found = {}
    for number, kind in enumerate(chosen):
        name = f"between{number}"
        put(kind, name, int(version), Path(folder))
        found[kind] = outcome(kind, name, out=Path(store) / f"out{number}", store=store, overwrite=True)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
