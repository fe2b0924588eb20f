"""Keys that a run reads. A key that is not read has no effect on a run, and a study must not set it."""

from collections.abc import Collection, Iterable

from otafl import algorithms, losses, uplinks
from otafl.algorithms import Method
from otafl.channels import fading
from otafl.channels.cell import link_budget
from otafl.compressors import COMPRESSORS
from otafl.data import sources
from otafl.federation import partition
from otafl.receivers import RECEIVERS
from otafl.scenario.dotted_keys import IN_PLACE, fields
from otafl.schemes import OF_SCHEMES
from otafl.settings.energy import Energy
from otafl.settings.keys import Settings
from otafl.settings.run import Run
from otafl.settings.types import ALWAYS, Table, Values
from otafl.uplinks import chain
from otafl.uplinks.kinds import scheme
from otafl.uplinks.physical_layer import OF_OFFSETS, cell, changing, decibels, symbol_gain

ALWAYS_READ = tuple(key for key, field in fields().items() if ALWAYS in field.metadata)
OF_CELL = tuple(
    f"cell.{key}"
    for key in ("inner_radius_m", "sector_deg", "path_loss_db", "path_loss_exponent", "shadowing_db", "snr_at")
)
OF_BUDGET = ("cell.transmit_power_dbm", "cell.noise_figure_db")
BY_BUDGET = ("channel.snr_db", "uplink.noise_psd_w_per_hz", "uplink.power_reference")
"""Keys that follow from the link budget."""
OF_ENERGY = tuple(f"energy.{key}" for key in Energy.model_fields)
OF_CLOCK = ("energy.cycles_per_sample", "energy.clock_hz", "energy.clock_spread")
OF_TRAINING = frozenset({"evaluate_every", "worker_chunk", "threads", "precision"})
"""Keys of the table run that only training on mini-batches reads."""
OF_HOSTILE = ("federation.attack", "federation.attack_strength")
OF_CONDUCT = ("federation.hostile", *OF_HOSTILE, "uplink.clip_norm")
"""Keys of attacks and defences, which methods read whose workers upload an update alone."""
OF_LABELS = ("algorithm.pseudo_steps", "algorithm.pseudo_learning_rate")
UPDATES = "attacks and bounds are on updates, and it uploads other vectors or numbers, too, or whole models"
"""Reason for which other methods do not read them."""
FOLLOWS = "needs a carrier offset, phase noise or channel.evolves = 'by_symbol', and a receiver that knows phases"
NEEDS = {
    "algorithm.regulariser_weight": "needs algorithm.regulariser",
    **dict.fromkeys(OF_LABELS, "needs samples without a label, federation.labelled below 1"),
    "cell.neighbours": "needs a ring of workers, cell.radius_m",
    **dict.fromkeys(OF_OFFSETS, "needs channel.carrier_offset_hz or channel.carrier_offset_ppm"),
    "channel.pilot_period_slots": FOLLOWS,
    "channel.csi_delay_s": FOLLOWS,
    "channel.between_pilots": f"needs channel.pilot_period_slots, which {FOLLOWS}",
}
"""Conditions without which keys have no effect on a run."""
OF_MODEL = tuple(
    f"problem.{key}"
    for key in ("model", "start", "standardise", "pretraining", "pretraining_epochs", "adapter_rank", "adapter_alpha")
)
TARGETS = {"linear_regression": "target_loss", "classification": "target_accuracy"}


def keys_read(settings: Settings) -> frozenset[str]:
    """Return the dotted scenario keys that a run reads; other keys have no effect on it."""
    method, _ = algorithms.parse(settings.method)
    carried = uplinks.keys_read(settings)
    partitioned = partition.PARTITIONS.get(settings.federation.partition)
    read = {
        *ALWAYS_READ,
        *method.keys,
        *carried,
        *(partitioned.keys if partitioned else ()),
        *(_of_fading(settings) if "channel.fading" in carried else ()),
        *_of_problem(settings, method),
        *_of_run(settings, method),
        *(OF_ENERGY if settings.energy.whole else ()),
        *(OF_CLOCK if settings.local.compute_s == "by_clock" else ()),
        *(OF_CONDUCT if method.by_signs else ()),
    }
    return frozenset(read).difference(_idle(settings), method.idle(settings))


def _idle(settings: Settings) -> list[str]:
    """Return keys that describe a thing that a run does not have."""
    channel, carrier = settings.channel, uplinks.uplink(uplinks.kind(settings))
    in_cell, by_symbol = settings.cell.radius_m is not None, channel.symbol_snr_db is not None
    by_budget, receiver = budgeted(settings), RECEIVERS[chain.names(settings)["receiver"]]
    follows = bool(changing(settings)) and (not receiver.non_coherent or settings.heard_alone)
    located = in_cell or fading.FADING[channel.fading].placed
    has = {
        "local.momentum": settings.local.optimizer == "momentum",
        "algorithm.regulariser_weight": settings.value("algorithm.regulariser") != "none",
        **dict.fromkeys(OF_LABELS, settings.federation.labelled < 1),
        "problem.pretraining_epochs": settings.problem.pretraining > 0,
        "problem.adapter_alpha": settings.problem.adapter_rank > 0,
        "channel.carrier_hz": channel.carrier_offset_ppm > 0
        or "carrier_hz" in fading.FADING.parameters(channel.fading),
        **dict.fromkeys(OF_OFFSETS, channel.carrier_offset_hz + channel.carrier_offset_ppm > 0),
        **dict.fromkeys(("channel.pilot_period_slots", "channel.csi_delay_s"), follows),
        "channel.between_pilots": follows and channel.pilot_period_slots > 0,
        **dict.fromkeys(("channel.pilot_snr_db", "channel.estimator"), channel.pilots > 0),
        "channel.noise_alpha": channel.noise == "alpha_stable",
        "uplink.combiner": settings.cell.antennas > 1,
        **dict.fromkeys(("cell.surface_distance_m", "cell.surface_exponent"), settings.cell.surface_elements > 0),
        "uplink.bits_per_element": carrier.splits or not COMPRESSORS[chain.names(settings)["compressor"]].floats,
        "cell.activity": settings.cell.neighbours > 0,
        "channel.symbol_snr_db": by_symbol and not by_budget,
        **dict.fromkeys(("cell.most_loss_db", "federation.largest_loss_db"), located),
        **dict.fromkeys(OF_HOSTILE, settings.federation.hostile > 0),
        **dict.fromkeys((*OF_CELL, "cell.neighbours"), in_cell),
        **dict.fromkeys(OF_BUDGET, in_cell and by_budget),
        **dict.fromkeys(BY_BUDGET, not by_budget),
        "channel.snr_db": not by_budget and not by_symbol,
        "cell.snr_at": in_cell or (located and settings.cell.snr_at == "worst"),
    }
    return [key for key, there in has.items() if not there]


def budgeted(settings: Settings) -> bool:
    """Return True if power and noise of a run follow from a link budget: a cell with ``snr_at = "link_budget"``."""
    return settings.cell.radius_m is not None and settings.cell.snr_at == "link_budget"


def keys_read_by(points: Iterable[Settings]) -> frozenset[str]:
    """Return the dotted scenario keys that at least one of several runs reads."""
    return frozenset().union(*map(keys_read, points))


def _of_problem(settings: Settings, method: Method) -> tuple[str, ...]:
    of_data = sources.source(settings.problem).keys
    if settings.classifies:
        return (*of_data, *OF_MODEL)
    reduced = method.solves_exactly and settings.problem.kind == "linear_regression"
    of_loss = ("problem.loss_reduction", "problem.loss_function") if reduced else ()
    return (*of_data, *losses.keys(settings.problem.kind), *of_loss)


def _of_fading(settings: Settings) -> tuple[str, ...]:
    name = settings.channel.fading
    of_model = tuple(f"channel.{parameter}" for parameter in fading.FADING.parameters(name))
    if fading.FADING[name].static:
        return of_model
    if settings.channel.coherence_s is None:
        return (*of_model, "channel.coherence_iterations", "channel.coherence_s")
    return (*(key for key in of_model if key != "channel.iteration_s"), "channel.coherence_s")


def _of_run(settings: Settings, method: Method) -> tuple[str, ...]:
    target = set() if settings.run.stop_at else {TARGETS[settings.problem.family]}
    unread = ({*TARGETS.values()} - target) | (OF_TRAINING if method.solves_exactly else set())
    return tuple(f"run.{key}" for key in Run.model_fields if key not in unread)


def keys_by_scheme(settings: Settings) -> frozenset[str]:
    """Return the dotted keys of parts that follow from the published scheme of a run; empty without a scheme."""
    parts = uplinks.uplink(uplinks.kind(settings)).parts if scheme(settings) else ()
    return frozenset(f"uplink.{part}" for part in parts if part in OF_SCHEMES)


def resolved(settings: Settings) -> Settings:
    """Return settings as a run uses them: unread keys at their defaults, and what follows from other keys filled in."""
    method, read = algorithms.parse(settings.method)[0], keys_read(settings)
    masked = _without(settings, read)
    given = {"steps", "epochs"} if masked.local.steps or masked.local.epochs else set()
    defaults = {f"local.{key}": value for key, value in method.defaults.items() if key not in given}
    missing = {key: value for key, value in defaults.items() if key in read and masked.value(key) is None}
    kind = uplinks.kind(settings)
    carrier = uplinks.uplink(kind)
    # the paper's formulas have one analog symbol in a slot, so that both spellings are one run
    if carrier.superposes and masked.uplink.symbols_per_slot == "as_printed":
        missing["uplink.symbols_per_slot"] = 1
    if "channel.between_pilots" in read and masked.channel.between_pilots is None:
        missing["channel.between_pilots"] = "linear" if carrier.splits else "hold"
    parts = {f"uplink.{key}": chain.names(settings)[key] for key in carrier.parts}
    filled = masked.with_values(missing | _budget(masked) | parts | {"uplink.kind": kind, "uplink.scheme": None})
    return filled.with_values(_by_symbol(filled))


def _budget(settings: Settings) -> Values:
    """Return SNR, noise and power that follow from a link budget, by dotted key; empty without one."""
    if not budgeted(settings):
        return {}
    budget = link_budget(settings.cell.transmit_power_dbm, settings.cell.noise_figure_db)
    median_db = cell(settings).median_gain_db
    snr_db = budget.snr_db(settings.uplink.subcarrier_spacing_hz) + median_db
    noise = budget.noise_psd_w_per_hz / 10 ** (median_db / 10)
    return dict(zip(BY_BUDGET, (snr_db, noise, "total"), strict=True))


def _by_symbol(settings: Settings) -> Values:
    """Return the SNR that follows from the one of a symbol, by dotted key; empty without one."""
    if settings.channel.symbol_snr_db is None:
        return {}
    # rounded, so that a run has one name whichever of the two is given; and not -0.0
    snr_db = round(settings.channel.symbol_snr_db - decibels(symbol_gain(settings)), 6) + 0.0
    return {"channel.snr_db": snr_db, "channel.symbol_snr_db": None}


def _without(settings: Settings, read: frozenset[str]) -> Settings:
    defaults: Values = {}
    for name, table in settings:
        for leaf, field in type(table).model_fields.items() if isinstance(table, Table) else ():
            if f"{name}.{leaf}" not in read and getattr(table, leaf) != field.default:
                defaults[f"{name}.{leaf}"] = field.default
    return settings.with_values(defaults)


def why_unread(key: str, points: Collection[Settings]) -> str:
    """Return the reason, in words, why no run of a study reads a key, the end of an error message."""
    if IN_PLACE.get(key, key) in BY_BUDGET and all(map(budgeted, points)):
        return 'follows from the link budget, cell.snr_at = "link_budget"'
    if key in NEEDS and all(key in _idle(settings) for settings in points):
        return NEEDS[key]
    schemes = {settings.uplink.scheme for settings in points if key in keys_by_scheme(settings)}
    if schemes:
        return f"is chosen by uplink.scheme = {' or '.join(sorted(map(str, schemes)))}; leave one of the two out"
    methods = {settings.method: algorithms.parse(settings.method)[0] for settings in points}
    kinds = {uplinks.kind(settings) for settings in points}
    who = f"{_chosen(key, points)}{', '.join(methods)} over the {' or '.join(sorted(kinds))} uplink"
    unread = [methods[settings.method].unread | methods[settings.method].idle(settings) for settings in points]
    reasons = [*sorted({reasons[key] for reasons in unread if key in reasons}), *_other_uplink(key, kinds)]
    stopped = key.startswith("run.target_") and any(settings.run.stop_at for settings in points)
    reasons += ["run.stop_at is the target"] if stopped else []
    reasons += [UPDATES] if key in OF_CONDUCT and not any(method.by_signs for method in methods.values()) else []
    return ": ".join([f"{who} {'do' if len(methods) > 1 else 'does'} not read it", *reasons[:1]])


def _chosen(key: str, points: Collection[Settings]) -> str:
    """Return the choice of channel, data set or problem on which it depends that a key is read, in words."""
    chosen = {"channel": "channel.fading", "problem": "problem.dataset"}.get(key.split(".")[0])
    chosen = "problem.kind" if any(key in losses.keys(kind) for kind in losses.PROBLEMS) else chosen
    names = sorted({settings.value(chosen) for settings in points}) if chosen else ()
    return f"{chosen} = {' or '.join(names)} with " if chosen else ""


def _other_uplink(key: str, kinds: set[str]) -> list[str]:
    part, known = key.removeprefix("uplink."), uplinks.UPLINKS.items()
    others = [kind for kind, carrier in known if key in carrier.keys or part in carrier.parts]
    return [f"only uplink.kind = {' or '.join(map(repr, others))} has it"] if others and not kinds & {*others} else []
