"""One table of a GPU: network studies and two published benchmarks, beside its bandwidth and its products.

The settings are the network study of Elgabli et al. (20 Adam steps of batch 100 of each worker), the CIFAR-10 benchmark
of pfl-research (50 of 1,000 devices, 50 samples, batch 10) and the FEMNIST benchmark of FLUTE (10 of 3,400 devices, 200
samples, batch 20), the latter two with their networks and random images of their shapes. Without a GPU, a hundredth of
the rounds are done on the processor. ``python benchmarks/plain_jax.py`` is the first setting by hand.
"""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import otafl  # first, as it quietens TensorFlow

# isort: split
import tensorflow as tf

from benchmarks.bench_round import timed, work
from benchmarks.groups import first_group
from otafl.engine.simulate import simulate

SIDE, ELEMENTS = 8192, 2**28
"""Rows of a matrix of the products, and numbers of an array that is read and written, which are measured."""
STUDY = {"channel.coherence_iterations": 10, "local.steps": 20, "local.batch_size": 100, "run.iterations": 500}
ALONE = STUDY | {"method": "FedAvg@ideal"}
MANY = {"federation.workers": 1_000, "run.iterations": 100}
DEVICES = {"method": "FedAvg@ideal", "federation.partition": "natural", "local.epochs": 1, "local.optimizer": "sgd"}
DEVICES |= {"local.learning_rate": 0.1, "problem.model": "benchmarks.dropout_cnn:dropout_cnn", "run.iterations": 300}
PFL, FLUTE = DEVICES | {"local.batch_size": 10}, DEVICES | {"local.batch_size": 20}
IMAGES = {"pfl CIFAR-10": (1_000, 50, 50, (32, 32, 3), 10), "FLUTE FEMNIST": (3_400, 10, 200, (28, 28, 1), 62)}
"""Number of devices, of participants and of samples of a device, shape of an image, and classes."""
ROWS: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("A-SFADMM, 100", STUDY | {"method": "A-SFADMM"}, ("float32", "tf32", "bfloat16")),
    ("training, 100", ALONE, ("float32", "tf32")),
    ("A-SFADMM, 1,000", STUDY | MANY | {"method": "A-SFADMM"}, ("tf32",)),
    ("training, 1,000", ALONE | MANY, ("tf32",)),
    ("pfl CIFAR-10", PFL, ("float32", "tf32")),
    ("FLUTE FEMNIST", FLUTE, ("tf32",)),
]
"""Settings by name, and the precisions in which each is timed."""


def main() -> None:
    """Print the table."""
    gpus = [tf.config.experimental.get_device_details(one) for one in tf.config.list_physical_devices("GPU")]
    share = 1 if gpus else 100
    print(f"on {gpus[0].get('device_name') if gpus else 'the processor'}, 1/{share} of the rounds")
    if gpus:
        floor()
    print(f"  {'setting':<16} {'precision':<9} first run [s]  second [s]  a round [ms]  rounds/s")
    with tempfile.TemporaryDirectory() as folder:
        for name, keys, precisions in ROWS:
            drawn = images(*IMAGES[name], Path(folder) / f"{len(name)}.npz") if name in IMAGES else {}
            scenario = "digits_quickstart" if name in IMAGES else "mnist_communication"
            for precision in precisions if gpus else ("float32",):
                rounds = keys["run.iterations"] // share
                first, second = seconds(scenario, keys | drawn | {"run.iterations": rounds, "run.precision": precision})
                a_round = f"{1e3 * second / rounds:11.1f}  {rounds / second:9.1f}"
                print(f"  {name:<16} {precision:<9} {first:12.1f} {second:12.1f} {a_round}", flush=True)
    one, five = (study_seconds(count, share) for count in (1, 5))
    print(f"  the first setting as a study {one:.1f} s, with five seeds {five / one:.2f} times that")


def floor() -> None:
    """Print the rates of the card, and what they mean for 20 Adam steps of 100 workers of the network study."""
    vector = tf.random.stateless_normal([ELEMENTS], (0, 0))
    added = tf.function(lambda x: x + 1, jit_compile=True)
    bandwidth = 8 * ELEMENTS / fastest(lambda: added(vector))
    rates = {}
    for precision in ("float32", "tf32", "bfloat16"):
        tf.config.experimental.enable_tensor_float_32_execution(precision == "tf32")
        kind = tf.bfloat16 if precision == "bfloat16" else tf.float32
        matrix = tf.cast(tf.random.stateless_normal([SIDE, SIDE], (1, 0)), kind)
        rates[precision] = 2 * SIDE**3 / fastest(lambda matrix=matrix: tf.matmul(matrix, matrix))
    told = ", ".join(f"{precision} {rate / 1e12:.0f}" for precision, rate in rates.items())
    group = first_group(otafl.load("mnist_communication", ALONE))
    arrays_s = 20 * group.workers * 8 * 4 * group.elements / bandwidth
    print(f"  bandwidth {bandwidth / 1e12:.2f} TB/s; products {told} TFLOP/s")
    print(f"  Adam's arrays {1e3 * arrays_s:.1f} ms; products in float32 {1e3 * work(group) / rates['float32']:.1f} ms")


def fastest(compute: Any) -> float:
    """Return the shortest time of a computation on the card [s]."""
    return min(timed(lambda: tf.reshape(compute(), [-1])[:1].numpy()) for _ in range(10))


def images(devices: int, active: int, samples: int, shape: tuple[int, ...], classes: int, path: Path) -> dict[str, Any]:
    """Write random images of many devices, and return the keys with which a scenario reads them."""
    rng, count = np.random.default_rng(0), devices * samples
    x = rng.integers(0, 256, (count, *shape), dtype=np.uint8)
    y = np.arange(count, dtype=np.int32) % classes
    np.savez(path, x_train=x, y_train=y, x_test=x[:classes], y_test=y[:classes], worker=np.arange(count) // samples)
    keys = {"problem.dataset": str(path), "federation.workers": devices}
    return keys | {"federation.participation": active / devices}


def seconds(scenario: str, keys: dict[str, Any]) -> tuple[float, float]:
    """Return the times of a first run, which compiles, and of a second one [s]."""
    more = {"run.evaluate_every": keys["run.iterations"], "run.seeds": 1}
    group = first_group(otafl.load(scenario, keys | more))
    return timed(lambda: simulate(group)), timed(lambda: simulate(group))


def study_seconds(seeds: int, share: int) -> float:
    """Return the time of a whole study of the first setting with several seeds [s]."""
    rounds = STUDY["run.iterations"] // share
    more = {"method": "A-SFADMM", "run.seeds": seeds, "run.iterations": rounds, "run.evaluate_every": rounds}
    return timed(lambda: otafl.run("mnist_communication", STUDY | more, progress=False, store=False))


if __name__ == "__main__":
    main()
