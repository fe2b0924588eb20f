"""The name of a run: a hash of all that its result depends on, and of nothing else."""

import hashlib
import json

from channels import fading
from otafl import plugins
from otafl.data import sources
from otafl.scenario import schemes
from otafl.settings.keys import Problem, Settings

RESULTS_VERSION = 6
"""Raised where a run brings other numbers than before; ``tests/otafl/store/test_results_version.py`` notices."""
NOT_OF_A_RUN = {"iterations", "seeds", "seed", "target_loss", "target_accuracy"}
"""Keys of the table run that say how long and how often, and what summaries read; a run's own seed is told apart."""


def run_name(settings: Settings, seed: int) -> str:
    """The name of the run of some settings under a seed, however many iterations it has. 32 hexadecimal digits."""
    told = settings.model_dump(exclude_defaults=True, exclude={"run": NOT_OF_A_RUN, "plugins": True})
    theirs = schemes.digests(settings)
    content = {
        "results": RESULTS_VERSION,
        "settings": {table: keys for table, keys in told.items() if keys},
        "seed": seed,
        "data": sources.fingerprint(settings.problem),
        "model": _source(settings.problem),
        **({"schemes": theirs} if theirs else {}),
        **_channels(settings),
    }
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _channels(settings: Settings) -> dict[str, str]:
    """A digest of the file that channels come from, where they do."""
    digest = getattr(fading.model(settings.channel.fading, **settings.channel.model_dump()), "digest", "")
    return {"channels": digest} if digest else {}


def _source(problem: Problem) -> str:
    """A digest of the module that a user's own model comes from; empty for models that come with otafl."""
    module, _, function = problem.model.partition(":")
    return plugins.digest(module) if function else ""
