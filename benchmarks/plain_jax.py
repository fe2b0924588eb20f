"""A round of network training by hand in JAX: ``python benchmarks/plain_jax.py [CLIENTS]`` with JAX installed.

100 clients, or as many as given, train an MLP of 109,184 weights by 20 Adam steps of batch 100 on random images,
compiled as a user would write it, with the dual and the penalty of A-SFADMM. JAX is no requirement of otafl.
"""

import time

BEGAN = time.perf_counter()

import functools  # noqa: E402
import itertools  # noqa: E402
import sys  # noqa: E402

import jax  # noqa: E402 # pyright: ignore[reportMissingImports]
import jax.numpy as jnp  # noqa: E402 # pyright: ignore[reportMissingImports]
import numpy as np  # noqa: E402

CLIENTS = int(sys.argv[1]) if len(sys.argv) > 1 else 100
STEPS, BATCH, SAMPLES, RATE, PENALTY = 20, 100, 600, 0.01, 0.5
WIDTHS = (784, 128, 64, 10)


def logits(weights, images):
    for layer in weights[:-1]:
        images = jax.nn.relu(images @ layer)
    return images @ weights[-1]


def objective(weights, dual, anchor, images, labels):
    fit = -jnp.mean(jax.nn.log_softmax(logits(weights, images))[jnp.arange(BATCH), labels])
    pulls = (
        jnp.vdot(mu, theta) + PENALTY / 2 * jnp.sum((theta - centre) ** 2)
        for theta, mu, centre in zip(weights, dual, anchor, strict=True)
    )
    return fit + sum(pulls)


def train(dual, anchor, images, labels, key):
    """Train one client: Adam from the anchor on shuffled mini-batches."""
    order = jnp.concatenate([jax.random.permutation(one, SAMPLES) for one in jax.random.split(key, 4)])
    order = order[: STEPS * BATCH].reshape(STEPS, BATCH)

    def step(state, which):
        weights, first, second, count = state
        slope = jax.grad(objective)(weights, dual, anchor, images[which], labels[which])
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, slope)
        second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, slope)
        scale = RATE * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        weights = jax.tree.map(lambda w, m, v: w - scale * m / (jnp.sqrt(v) + 1e-7), weights, first, second)
        return (weights, first, second, count + 1), None

    zero = [jnp.zeros_like(layer) for layer in anchor]
    return jax.lax.scan(step, (anchor, zero, zero, 1.0), order)[0][0]


@jax.jit
def one_round(dual, anchor, images, labels, key):
    """Train all clients, and return their mean."""
    clients = dual, images, labels, jax.random.split(key, CLIENTS)
    # On a processor a client's model stays in the core's cache; a card takes all clients at once.
    of_all = jax.vmap if jax.default_backend() == "gpu" else lambda of_one: functools.partial(jax.lax.map, of_one)
    trained = of_all(lambda own: train(own[0], anchor, *own[1:]))(clients)
    return [layer.mean(axis=0) for layer in trained]


def main() -> None:
    """Print the time of the first call and of later ones."""
    rng = np.random.default_rng(0)
    images = rng.random((CLIENTS, SAMPLES, WIDTHS[0]), np.float32)
    labels = rng.integers(0, WIDTHS[-1], (CLIENTS, SAMPLES))
    shapes = list(itertools.pairwise(WIDTHS))
    anchor = [jnp.asarray(rng.standard_normal(shape).astype(np.float32) / np.sqrt(shape[0])) for shape in shapes]
    dual = [jnp.zeros((CLIENTS, *shape)) for shape in shapes]
    imported = time.perf_counter()
    for name in ("first", "second", "third", "fourth"):
        began = time.perf_counter()
        jax.block_until_ready(one_round(dual, anchor, images, labels, jax.random.key(0)))
        print(f"{name} call {time.perf_counter() - began:.4f} s")
    print(f"import and data {imported - BEGAN:.2f} s")


if __name__ == "__main__":
    main()
