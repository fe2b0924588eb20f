"""Chain of the parts of an uplink, chosen by the keys of a run or by the name of a published scheme."""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from otafl import algorithms
from otafl.channels.allocation import ALLOCATIONS, Allocation
from otafl.channels.codes import CODES, Code
from otafl.channels.combiners import COMBINERS, Combiner
from otafl.channels.power_control import POWER_CONTROLS, PowerControl
from otafl.channels.precoding import PRECODERS, Precoder
from otafl.channels.registry import Registry
from otafl.compressors import COMPRESSORS, Compressor
from otafl.receivers import RECEIVERS, Receiver
from otafl.schemes import OF_SCHEMES, SCHEMES
from otafl.settings.keys import Settings
from otafl.uplinks.kinds import UPLINKS, kind, scheme

PARTS: dict[str, Registry] = {
    "compressor": COMPRESSORS,
    "precoder": PRECODERS,
    "power_control": POWER_CONTROLS,
    "combiner": COMBINERS,
    "code": CODES,
    "allocation": ALLOCATIONS,
    "receiver": RECEIVERS,
}
"""Registries of parts, by the key of the table ``uplink`` that chooses one."""
COMPUTING = ("compressor", "power_control", "receiver")
"""Parts that compute inside programs; the others appear there as real arrays, or not at all."""


PartNumbers: TypeAlias = Mapping[str, Mapping[str, object]]
"""Numbers of parts that compute in programs, by part and name, such as {"compressor": {"sparsity": 0.05}}."""


class Chain(NamedTuple):
    """Parts of an uplink, some of which belong to analog and some to digital uploads (``Uplink.parts``)."""

    compressor: Compressor
    precoder: Precoder
    power_control: PowerControl
    combiner: Combiner
    code: Code
    allocation: Allocation
    receiver: Receiver

    @property
    def numbers(self) -> PartNumbers:
        """Parameters of the parts that compute in programs, which take them as inputs."""
        return {name: getattr(self, name).numbers() for name in COMPUTING}

    @property
    def form(self) -> "Chain":
        """Chain of all that shapes a program: numbers are None, and parts that do not compute there the plain ones."""
        others = {name: registry[plain(name)]() for name, registry in PARTS.items() if name not in COMPUTING}
        none = {name: dict.fromkeys(numbers) for name, numbers in self.numbers.items()}
        return self.with_numbers(none)._replace(**others)

    def with_numbers(self, numbers: PartNumbers) -> "Chain":
        """Return the chain with other numbers of its parts, such as tensors of shape [runs]."""
        return self._replace(**{part: getattr(self, part).with_numbers(values) for part, values in numbers.items()})


def plain(key: str) -> str:
    """Return the name of the plain part of a key, the first in its registry, such as "none" for "compressor"."""
    return next(iter(PARTS[key]))


def names(settings: Settings) -> dict[str, str]:
    """Return the names of the parts of a run's uplink, by key, such as {"compressor": "top_k", "receiver": "sum", ...}.

    Without a precoder of its own, a run has the first one that truncates, leaving workers in deep fades silent, or the
    first that does not, as its method needs. Workers that know nothing of their channels do not precode.
    """
    of_scheme, fields = scheme(settings), type(settings.uplink).model_fields
    chosen = {key: getattr(settings.uplink, key) for key in PARTS}
    chosen |= dict.fromkeys(OF_SCHEMES) | SCHEMES[of_scheme].parts if of_scheme else {}
    named = {key: chosen.get(key) or fields[key].default for key in PARTS}
    truncates = algorithms.parse(settings.method)[0].truncates and not settings.blind
    inverse = next(name for name, precoder in PRECODERS.items() if precoder.truncates == truncates)
    return named | {"precoder": named["precoder"] or inverse}


def scheme_line(settings: Settings) -> str:
    """Return the parts that the scheme of a run chooses, as a line of text; empty without a scheme."""
    if not (of_scheme := scheme(settings)):
        return ""
    named, read = names(settings), UPLINKS[kind(settings)].parts
    return f"{of_scheme}: " + ", ".join(f'{key} = "{named[key]}"' for key in OF_SCHEMES if key in read)


def chain(settings: Settings) -> Chain:
    """Return all seven parts of a run's uplink, also those that its kind of uplink does not read."""
    method, values = algorithms.parse(settings.method)[0], settings.uplink.model_dump()
    weight = 1 / settings.federation.workers if method.weighted else 1.0
    return Chain(*(PARTS[key].make(name, **values).weighed(weight) for key, name in names(settings).items()))


def keys(settings: Settings, parts: tuple[str, ...] = tuple(PARTS)) -> tuple[str, ...]:
    """Return the dotted keys that choose some parts of a run, by default all, and those of the chosen parts."""
    named = names(settings)
    choosing = [key for key in parts if not (scheme(settings) and key in OF_SCHEMES)]
    choosing += ["scheme"] if scheme(settings) else []
    replaced = {leaf for key in parts for leaf in PARTS[key][named[key]].replaces}
    leaves = [*choosing, *(leaf for key in parts for leaf in PARTS[key].parameters(named[key]))]
    return tuple(f"uplink.{leaf}" for leaf in leaves if leaf not in replaced)
