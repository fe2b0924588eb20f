"""Gradient-inversion attack on the first round of a run, from the signals that the server receives."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from otafl.data import shares
from otafl.data.user_data import anew
from otafl.engine.group import Group
from otafl.engine.run_spec import RunSpec
from otafl.errors import OtaflError
from otafl.privacy import estimate
from otafl.privacy.inversion import likeness, pictures
from otafl.privacy.observation import observe
from otafl.privacy.privacy_study import at_server, swept
from otafl.scenario import file, privacy_rules
from otafl.scenario.scenario import Scenario
from otafl.settings.keys import Settings
from otafl.system import process

CANDIDATES = 3
"""Number of reconstructions that are compared with the original."""
FOUND = 0.99
"""Least |cosine| at which an image of the worker counts as that behind its exact update."""


def attack(scenario: str | Scenario, overrides: Mapping[str, Any] | None = None, worker: int = 0) -> xr.Dataset:
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
        found = [_attacked(settings, seed, worker) for _, settings in points for seed in settings.run.seed_range]
    dims = swept(resolved)
    shape, image = tuple(map(len, dims.values())), found[0]["original"].shape
    axes = {"likeness": (), "original": image, "reconstruction": image}
    where = ("row", "column", "channel")[: len(image)]
    data = {
        name: ((*dims, *where[: len(own)]), np.reshape([one[name] for one in found], (*shape, *own)))
        for name, own in axes.items()
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


def _attacked(settings: Settings, seed: int, worker: int) -> dict[str, Any]:
    """Return the original, the reconstruction and their likeness for one run."""
    group = Group([RunSpec(settings, seed)])
    pixels, units = _first_layer(group)
    seen = next(iter(observe(group)))
    update = seen.model[worker] - seen.known
    revealed = estimate.best(update, np.vstack([at_server(group, seen, worker), seen.known]))
    images = shares.samples(settings, seed).features[shares.shares(settings, seed)[worker]].astype(float)
    original = _original(update, images, pixels, units, settings.problem.model)
    found = max(pictures(revealed, pixels, units, CANDIDATES), key=lambda one: likeness(one, original.ravel()))
    whole = {"original": original / np.linalg.norm(original), "reconstruction": found.reshape(original.shape)}
    return whole | {"likeness": likeness(found, original.ravel())}


def _first_layer(group: Group) -> tuple[int, int]:
    learner = group.task.learner
    shapes = learner.network.shapes if learner else ()
    if not shapes or len(shapes[0]) != 2 or shapes[0][0] != group.task.width:
        raise OtaflError("problem.model", group.settings.problem.model, "must begin with a dense layer on the image")
    return shapes[0]  # pyright: ignore[reportReturnType]


def _original(update: np.ndarray, images: np.ndarray, pixels: int, units: int, model: str) -> np.ndarray:
    """Return the image of a worker that its exact update was made of.

    Raises:
        OtaflError: no image matches, as when the first layer has learned nothing.
    """
    (exact,) = pictures(update, pixels, units)
    alike = [likeness(exact, image.ravel()) for image in images]
    if max(alike) < FOUND:
        rule = f"hides its image even from an observer of the update: |cosine| {max(alike):.2f}"
        raise OtaflError("problem.model", model, rule)
    return images[int(np.argmax(alike))]
