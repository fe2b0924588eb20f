"""Three published settings on a GPU, each precision apart; without a GPU a hundredth of their rounds on the processor.

The settings are the network study of Elgabli et al. (100 workers, 20 Adam steps of batch 100), the CIFAR-10 benchmark
of pfl-research (1,500 rounds of 50 of 1,000 devices, 50 samples, batch 10) and the FEMNIST benchmark of FLUTE (1,500
rounds of 10 of 3,400 devices). Of the latter two, images are random numbers of the same shapes, and models are similar.
"""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import otafl  # first, as it quietens TensorFlow

# isort: split
import tensorflow as tf

from benchmarks.bench_round import timed
from benchmarks.groups import first_group
from otafl.engine.simulate import simulate

PRECISIONS = ("float32", "tf32", "bfloat16")
PAPER = {"method": "A-SFADMM", "run.iterations": 500, "channel.coherence_iterations": 10}
DEVICES = {"method": "FedAvg@ideal", "federation.partition": "natural", "local.epochs": 1, "local.optimizer": "sgd"}
PFL = DEVICES | {"problem.model": "cnn2", "local.batch_size": 10, "run.iterations": 1_500}
FLUTE = DEVICES | {"problem.model": "cnn1", "local.batch_size": 20, "run.iterations": 1_500}
IMAGES = {"pfl CIFAR-10": (1_000, 50, 50, (32, 32, 3), 10), "FLUTE FEMNIST": (3_400, 10, 60, (28, 28, 1), 62)}
"""Number of devices, of participants and of samples of a device, shape of an image, and classes."""
WANTED = {"A-SFADMM": "10 s", "pfl CIFAR-10": "60 s", "FLUTE FEMNIST": "60 s"}


def main() -> None:
    """Print the time of each setting in each precision."""
    gpus = [tf.config.experimental.get_device_details(one) for one in tf.config.list_physical_devices("GPU")]
    share = 1 if gpus else 100
    print(f"on {gpus[0].get('device_name') if gpus else 'the processor'}, 1/{share} of the rounds")
    with tempfile.TemporaryDirectory() as folder:
        settings = {"A-SFADMM": ("mnist_communication", PAPER)}
        for name, keys in (("pfl CIFAR-10", PFL), ("FLUTE FEMNIST", FLUTE)):
            settings[name] = ("digits_quickstart", keys | images(*IMAGES[name], Path(folder) / f"{len(name)}.npz"))
        for name, (scenario, keys) in settings.items():
            for precision in PRECISIONS if gpus else ("float32", "bfloat16"):
                start, each = seconds(scenario, keys, share, precision)
                whole = start + keys["run.iterations"] * each
                print(f"  {name:<14} {precision:<9} start {start:5.1f} s, then {1 / each:6.1f} rounds a second", end="")
                print(f"; all {keys['run.iterations']:,} rounds {whole:,.0f} s (wanted: {WANTED[name]} on a GPU)")


def images(devices: int, active: int, samples: int, shape: tuple[int, ...], classes: int, path: Path) -> dict[str, Any]:
    """Write random images of many devices, and return the keys with which a scenario reads them."""
    rng, count = np.random.default_rng(0), devices * samples
    x = rng.integers(0, 256, (count, *shape), dtype=np.uint8)
    y = np.arange(count, dtype=np.int32) % classes
    np.savez(path, x_train=x, y_train=y, x_test=x[:classes], y_test=y[:classes], worker=np.arange(count) // samples)
    keys = {"problem.dataset": str(path), "federation.workers": devices}
    return keys | {"federation.participation": active / devices}


def seconds(scenario: str, keys: dict[str, Any], share: int, precision: str) -> tuple[float, float]:
    """Return the time of compilation and set-up, which a second run of the kind does not need, and of a round [s]."""
    rounds = keys["run.iterations"] // share
    more: dict[str, Any] = {"run.iterations": rounds, "run.evaluate_every": rounds, "run.seeds": 1}
    more["run.precision"] = precision
    group = first_group(otafl.load(scenario, keys | more))
    first, second = timed(lambda: simulate(group)), timed(lambda: simulate(group))
    return first - second, second / rounds


if __name__ == "__main__":
    main()
