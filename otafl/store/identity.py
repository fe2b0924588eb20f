"""Name of a run in a store: a hash of all that its result depends on, and of nothing else."""

import hashlib
import json
import math
import uuid
from collections.abc import Callable
from typing import NamedTuple

from otafl import algorithms
from otafl.algorithms.fedadmm_insa import FedADMMIn
from otafl.channels import fading, file_digests
from otafl.channels.fading.clusters import ClusterFading
from otafl.compressors import COMPRESSORS
from otafl.data import sources, user_data
from otafl.errors import OtaflError
from otafl.scenario import user_classes
from otafl.settings.keys import Settings
from otafl.uplinks import UPLINKS, chain, kind
from otafl.uplinks.physical_layer import drawn_by_upload, draws_lines, interferes
from otafl.user_code import modules, plugins

RESULTS_VERSION = 7
"""Version of the numbers, raised when a run brings others; ``tests/otafl/store/test_results_version.py`` notices."""


def _other_bits(settings: Settings) -> bool:
    """Return True where numbers of uploads are rounded, or bits of reports and broadcasts are others than before."""
    method, uplink, carrier = algorithms.parse(settings.method)[0], settings.uplink, UPLINKS[kind(settings)]
    compressor, double = COMPRESSORS[chain.names(settings)["compressor"]], method.solves_exactly
    numbers = double or (uplink.bits_per_element != 32 and (compressor.floats or method.scalars > 0))
    reports = (double and uplink.charge_side_information) or (settings.by_channel and (double or carrier.splits))
    broadcast = uplink.downlink == "digital" and (uplink.charge_downlink or settings.energy.whole)
    return (carrier.splits and numbers) or reports or broadcast


CORRECTED: dict[str, tuple[int, Callable[[Settings], bool]]] = {
    "neighbours": (2, lambda settings: bool(settings.cell.neighbours)),
    "surface": (2, lambda settings: bool(settings.cell.surface_elements)),
    "groups": (2, lambda settings: bool(user_classes.to_import([settings]))),
    "regularisers": (2, lambda settings: ":" in settings.problem.model),
    "weights": (2, lambda settings: settings.federation.weights != "equal"),
    "bits": (2, _other_bits),
    "work done": (2, lambda settings: _charges_other_work(settings)),
    "broadcast in one slot": (2, lambda settings: _broadcasts_in_one_slot(settings)),
    "backhaul": (2, lambda settings: _sends_double_sums(settings)),
    "circuits": (2, lambda settings: settings.energy.whole),
    "interference": (2, interferes),
    "pilots after lines": (4, draws_lines),
    "late data": (2, lambda settings: settings.channel.csi_delay_s > 0 and settings.channel.pilot_period_slots > 0),
    "clipping": (2, lambda settings: settings.uplink.peak_backoff_db < math.inf),
    "turning rays": (2, lambda settings: _turns_rays(settings)),
    # the server tells workers its estimates
    "feedback": (3, lambda settings: settings.channel.pilots > 0 and settings.uplink.charge_side_information),
    "pilots of uploads": (2, lambda settings: _draws_by_upload(settings)),
    "bytes as symbols": (2, lambda settings: _may_look_up(settings)),
    "analog broadcast": (2, lambda settings: settings.uplink.downlink == "analog" and settings.energy.whole),
}
"""Versions of the numbers of some runs alone, by what was corrected, raised when a correction changes them. The second
entry says for which settings."""
NOT_OF_A_RUN = {"iterations", "seeds", "seed", "target_loss", "target_accuracy"}
"""Keys of the table run on which the curves of one seed do not depend."""
DATA, MODEL, CHANNELS, START = user_classes.DATA, user_classes.MODEL, "channel.file", "problem.start"
KEYS = (DATA, MODEL, plugins.KEY, CHANNELS, START)
"""Keys that name files, modules or functions on which a run depends, in the order of the hash."""
SINCE = "has changed since the study began; the same command computes it again"
"""Rule that an input breaks which has changed."""
IMPORTED = (
    "has changed since this process imported it, and worker processes would import what it holds now; start a new "
    "process, or compute in this one, with engine='in_process'"
)
"""Rule that a file of the user's code breaks whose module this process has imported before."""


class Input(NamedTuple):
    """Data, code, channels or model that a key of a run names, with the SHA-256 digest of the content."""

    key: str
    what: str
    digest: str


ANEW = Input(plugins.KEY, "__main__", "")
"""Input without a digest, for code of the user's which no file holds; runs with it are computed each time."""


def run_name(settings: Settings, seed: int, known: list[Input] | None = None) -> str:
    """Return the name of a run in a store, 32 hexadecimal digits that do not depend on its number of iterations.

    It is the beginning of the SHA-256 digest of all that the result depends on: settings that are not at their
    defaults, the seed, the digests of inputs, and the version of results. A run with code of the user's that no file
    holds has another name every time. Plugins may read the number of iterations, so the name of a run with one depends
    on that.
    """
    present = inputs(settings) if known is None else known
    read = {"seed", "seeds"} if any(entry.key == plugins.KEY for entry in present) else NOT_OF_A_RUN
    keys = settings.model_dump(exclude_defaults=True, exclude={"run": read, "plugins": True})
    data, model, theirs, channels, start = ([entry[1:] for entry in present if entry.key == key] for key in KEYS)
    theirs += [("", uuid.uuid4().hex)] if ANEW in present else []
    content = {
        "results": RESULTS_VERSION,
        "settings": {table: values for table, values in keys.items() if values},
        "seed": seed,
        "data": data[0][1] if data else "",
        "model": model or "",
        **({"schemes": theirs} if theirs else {}),
        **({"channels": channels[0][1]} if channels else {}),
        **({"start": start[0][1]} if start else {}),
        **({"drawn": "for participants alone"} if settings.few_at_a_time else {}),
        **({"corrected": corrected} if (corrected := corrections(settings)) else {}),
    }
    return _digest(json.dumps(content, sort_keys=True, default=str))[:32]


def corrections(settings: Settings) -> dict[str, int]:
    """Return the versions, above 1, of the numbers of a run's method and parts, and of corrections that concern it."""
    parts = {key: chain.PARTS[key][name].version for key, name in chain.names(settings).items()}
    parts["method"] = algorithms.parse(settings.method)[0].version
    carrier = UPLINKS[kind(settings)]
    parts["coded"] = chain.chain(settings).compressor.digital_version if carrier.splits else 1
    others = {what: version for what, (version, concerns) in CORRECTED.items() if concerns(settings)}
    return {key: version for key, version in parts.items() if version > 1} | others


def _broadcasts_in_one_slot(settings: Settings) -> bool:
    """Return True where a broadcast is charged on a band that is just wide enough for digital uploads."""
    digital = settings.uplink.downlink == "digital" and UPLINKS[kind(settings)].splits
    return digital and settings.uplink.charge_downlink and settings.subcarriers == "one_slot"


def _draws_by_upload(settings: Settings) -> bool:
    """Return True where several uploads of a block have pilots, phases or offsets of their own."""
    several = settings.channel.coherence_s is not None or settings.channel.coherence_iterations > 1
    return several and drawn_by_upload(settings)


def _turns_rays(settings: Settings) -> bool:
    """Return True where clusters of rays turn from block to block, as workers move."""
    channel = settings.channel
    moves = issubclass(fading.FADING[channel.fading], ClusterFading) and channel.model_dump()["speed_m_s"] > 0
    return moves and (channel.coherence_s is not None or channel.coherence_iterations < math.inf)


def _may_look_up(settings: Settings) -> bool:
    own, model = user_data.is_own(settings.problem.dataset), settings.problem.model
    return own and (":" in model or model == "transformer")


def _sends_double_sums(settings: Settings) -> bool:
    return algorithms.parse(settings.method)[0].solves_exactly and chain.chain(settings).power_control.edges > 1


def _charges_other_work(settings: Settings) -> bool:
    """Return True where computation is charged, and workers may do less, or more, than all their epochs or steps."""
    method, local = algorithms.parse(settings.method)[0], settings.local
    if method.solves_exactly or not (settings.energy.whole or local.compute_s == "by_clock"):
        return False
    otherwise = isinstance(method, FedADMMIn) or method.flips(settings) or not (local.steps or local.epochs)
    return otherwise or (settings.energy.whole and local.work == "uniform")


def inputs(settings: Settings) -> list[Input]:
    """Return the present inputs of a run, with digests: data, files of the user's code, of channels and of a model."""
    problem, theirs = settings.problem, user_classes.modules_of([settings])
    given = not sources.source(problem).seeded
    channels = getattr(fading.FADING.make(settings.channel.fading, **settings.channel.model_dump()), "digest", "")
    return [
        *([Input(DATA, problem.dataset, sources.load(problem, 0, 0).digest)] if given else []),
        *(Input(key, *pair) for key in (MODEL, plugins.KEY) for pair in _told(theirs[key])),
        *([ANEW] if None in map(modules.file_of, user_classes.all_modules([settings])) else []),
        *([Input(CHANNELS, settings.value(CHANNELS), channels)] if channels else []),
        *([Input(START, start, file_digests.digest(start))] if (start := problem.start) else []),
    ]


def _told(names: set[str]) -> list[tuple[str, str]]:
    """Return the files of modules, each as seen from its module, with digests of both the module's and its content."""
    by_module = [[*modules.files([name]).values()] for name in names]
    return sorted({(what, _digest(files[0][1] + digest)) for files in by_module for what, digest in files})


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def inputs_as_imported(settings: Settings, here: bool) -> list[Input]:
    """Return the inputs of a run whose code this process has imported, perhaps from files that have changed since."""
    changed = user_classes.changed([settings], surely=not here)
    if changed and not here:
        raise OtaflError(plugins.KEY, changed[0], IMPORTED)
    return inputs(settings) + [ANEW] * bool(changed)


def require_unchanged(settings: Settings, known: list[Input]) -> None:
    """Refuse a run if its data, code or channels are not those that its name stands for."""
    compared = (DATA, CHANNELS, START) if ANEW in known else KEYS
    others = [entry for entry in {*inputs(settings)} ^ {*known} if entry.key in compared]
    if others:
        # a module's own file is in the digests of all that it imports; ANEW is also the code of a deleted file
        own = {file.name for name in user_classes.all_modules([settings]) if (file := modules.file_of(name))}
        changed = min(others, key=lambda entry: (entry == ANEW, entry.what not in own, entry))
        raise OtaflError(changed.key, changed.what, SINCE)
    for file in user_classes.changed([settings]) if ANEW not in known else ():
        raise OtaflError(plugins.KEY, file, SINCE)
