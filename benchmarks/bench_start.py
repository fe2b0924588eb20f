"""Times of commands that compute nothing, against the import of TensorFlow, which they do not need."""

import subprocess
import sys
import time

COMMANDS = (["list"], ["show", "quickstart"], ["--help"])
REPEATS = 3


def seconds(*words: str) -> float:
    """Return the least time of several calls of a Python process [s]."""
    taken = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        subprocess.run([sys.executable, *words], check=True, capture_output=True)
        taken.append(time.perf_counter() - started)
    return min(taken)


def main() -> None:
    """Print the times and their ratios."""
    heavy = seconds("-c", "import tensorflow")
    print(f"start of commands, a process each; import tensorflow takes {heavy:.1f} s")
    for words in COMMANDS:
        light = seconds("-m", "otafl.cli", *words)
        print(f"  otafl {' '.join(words):16} {light:.2f} s   ratio {light / heavy:.2f}")


if __name__ == "__main__":
    main()
