"""Gradient-inversion attack on the first round of a run, from the signals that the server receives.

A dense first layer's gradient on one image is δ·xᵀ, so the image is the leading singular vector of a revealed gradient.

Source: J. Geiping, H. Bauermeister, H. Dröge, M. Moeller, "Inverting Gradients: How easy is it to break privacy in
federated learning?", proposition 3.1.
"""

from collections.abc import Mapping

import numpy as np
import xarray as xr

from otafl.data import shares
from otafl.data.user_data import anew
from otafl.engine.group import Group
from otafl.engine.run_spec import RunSpec
from otafl.errors import OtaflError
from otafl.privacy import estimate
from otafl.privacy.observation import observe
from otafl.privacy.privacy_study import at_server
from otafl.scenario import file, privacy_rules
from otafl.scenario.scenario import Scenario
from otafl.settings.keys import Settings
from otafl.settings.types import Value
from otafl.study.study_curves import coordinates
from otafl.system import process

CANDIDATES = 3
AXES = ("row", "column", "channel")
FOUND = 0.99
"""Least |cosine| at which an image of the worker counts as that behind its exact update."""


def attack(scenario: str | Scenario, overrides: Mapping[str, Value] | None = None, worker: int = 0) -> xr.Dataset:
    """Reconstruct the image behind a worker's first update, as the server can.

    A digital uplink reveals the update itself, an analog one its best linear estimate. Of the first three images
    (CANDIDATES) behind it, the one most like the original is kept, which favours the attacker.

    Arguments:
        scenario: a scenario, its name, or the path of its file. Its network begins with a dense layer, and takes one
            step of plain SGD on one image (``local.batch_size`` and ``local.steps`` are 1).
        overrides: dotted scenario keys and their values; a list sweeps a key.
        worker: number of the worker whose image is sought, from 0.

    Returns:
        A dataset of ``original`` and ``reconstruction``, of 2-norm 1, [swept keys, seed, ...] with the image's axes
        (row, column, channel), and ``likeness``, their |cosine|, [swept keys, seed]; all without unit.

    Raises:
        OtaflError: runs without one image a step, a network that begins otherwise, or bad input as for ``assess``.
    """
    anew()
    resolved = scenario if isinstance(scenario, Scenario) else file.load(scenario)
    resolved = resolved.override({"run.iterations": 1, **(overrides or {})})
    privacy_rules.check(resolved, worker)
    points = list(resolved.points())
    for _, settings in points:
        _check(settings)
    with process.alone():
        attacks = [_attacked(settings, seed, worker) for _, settings in points for seed in settings.run.seed_range]
    dims = coordinates(resolved)
    lengths, image = tuple(map(len, dims.values())), attacks[0]["original"].shape
    data = {
        name: ((*dims, *AXES[: len(shape)]), np.reshape([of_run[name] for of_run in attacks], (*lengths, *shape)))
        for name, shape in {"likeness": (), "original": image, "reconstruction": image}.items()
    }
    return xr.Dataset(data, dims, {"name": resolved.name, "scenario": resolved.to_toml(), "worker": worker})


def _check(settings: Settings) -> None:
    if settings.problem.kind != "classification":
        raise OtaflError("problem.kind", settings.problem.kind, "must be classification, where there are images")
    if settings.problem.adapter_rank:
        raise settings.refusal("problem.adapter_rank", "must be 0: images are read from gradients of the first layer")
    for key in ("local.batch_size", "local.steps"):
        if settings.value(key) != 1:
            raise OtaflError(key, settings.value(key) or 0, "must be 1: the update is then made of one image")
    if settings.local.optimizer not in (None, "sgd"):
        raise OtaflError("local.optimizer", settings.local.optimizer, "must be sgd, whose updates are gradients")


def _attacked(settings: Settings, seed: int, worker: int) -> dict[str, np.ndarray]:
    group = Group([RunSpec(settings, seed)])
    pixels, units = _first_layer(group)
    observed = next(iter(observe(group)))
    update = observed.model[worker] - observed.known
    revealed = estimate.best(update, np.vstack([at_server(group, observed, worker), observed.known]))
    images = shares.samples(settings, seed).features[shares.shares(settings, seed)[worker]].astype(float)
    original = _original(update, images, pixels, units, settings.problem.model)
    candidates = pictures(revealed, pixels, units, CANDIDATES)
    best = max(candidates, key=lambda candidate: likeness(candidate, original.ravel()))
    return {
        "original": original / np.linalg.norm(original),
        "reconstruction": best.reshape(original.shape),
        "likeness": np.array(likeness(best, original.ravel())),
    }


def _first_layer(group: Group) -> tuple[int, int]:
    learner = group.task.learner
    shapes = learner.network.shapes if learner else ()
    if not shapes or len(shapes[0]) != 2 or shapes[0][0] != group.task.width:
        raise OtaflError("problem.model", group.settings.problem.model, "must begin with a dense layer on the image")
    return shapes[0]  # pyright: ignore[reportReturnType]


def _original(update: np.ndarray, images: np.ndarray, pixels: int, units: int, model: str) -> np.ndarray:
    """Return the image of a worker that its exact update was made of."""
    (exact,) = pictures(update, pixels, units)
    alike = [likeness(exact, image.ravel()) for image in images]
    if max(alike) < FOUND:
        rule = f"hides its image even from an observer of the update: |cosine| {max(alike):.2f}"
        raise OtaflError("problem.model", model, rule)
    return images[int(np.argmax(alike))]


def pictures(gradient: np.ndarray, pixels: int, units: int, count: int = 1) -> np.ndarray:
    """Return images of norm 1 behind a gradient [d] of a dense first layer, the strongest first. [count, pixels]"""
    left, _, _ = np.linalg.svd(gradient[: pixels * units].reshape(pixels, units), full_matrices=False)
    images = left.T[:count]
    return images * np.where(images.sum(axis=1, keepdims=True) < 0, -1.0, 1.0)


def likeness(image: np.ndarray, original: np.ndarray) -> float:
    """Return |cosine| of the angle between two images, 1 if they agree up to a factor; 0 if one of them is 0."""
    norms = np.linalg.norm(image) * np.linalg.norm(original)
    return float(abs(image @ original) / norms) if norms > 0 else 0.0
