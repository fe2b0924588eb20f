"""Scenario files: those that come with otafl, by name, and a user's own, by path.

A file may name a base and hold only what differs from it. It has the last word on every key that it holds, as the
command line has. A fixed key replaces a sweep of the base, and a sweep a fixed key; so does a key that says the same in
another unit. Both hold for all methods, also where the base's ``per_method`` has other values. Tables for methods that
the derived scenario does not run are dropped.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from otafl.errors import OtaflError, UnknownName
from otafl.scenario import library, toml, user_classes
from otafl.scenario.dotted_keys import alternatives, fields, require_known, without
from otafl.scenario.scenario import Scenario
from otafl.scenario.studies import Address, small_beside, studies
from otafl.scenario.sweeps import Flat, dimensions, flat, of_methods_run
from otafl.settings.plot import changed
from otafl.settings.types import Tables, Value
from otafl.system import machine
from otafl.system.home import at_home

LONGEST_CHAIN = 50
"""Largest number of scenarios each of which stands on the next; five are many."""


def find(name_or_path: str | Path, what: str = "scenario") -> Address:
    """Return the file of a study, and its name there."""
    if not isinstance(name_or_path, str | os.PathLike):
        raise OtaflError(what, name_or_path, "must be a scenario's name, or a path to a TOML file")
    text = str(name_or_path)
    if text.encode(errors="ignore").decode() != text:
        raise OtaflError(what, text, "must be a path in UTF-8, as results name it")
    address = Address.of_path(text) or library.find(text)
    if address is None:
        raise UnknownName(what, text, library.names(), see="`otafl list` has all of them")
    return address


def load(name_or_path: str | Path, overrides: Mapping[str, Value] | None = None, small: bool = False) -> Scenario:
    """Load a scenario by name or from a TOML file.

    >>> load("quickstart", {"channel.snr_db": [0, 20]}).sweep["channel.snr_db"]
    [0, 20]

    Arguments:
        name_or_path: a name that ``otafl list`` prints, or a path: "mine.toml", or "mine.toml#quiet" for another
            study of this file.
        overrides: values by dotted scenario key; a list sweeps the key.
        small: True for the small study beside it, such as "gong_scale_small" for "gong_scale".

    Returns:
        The scenario with its settings, swept keys and figure.

    Raises:
        OtaflError: an unknown name or key, a value that breaks a rule, or keys that contradict each other.
    """
    name_or_path = at_home(name_or_path)
    address = find(name_or_path)
    if small:
        name_or_path = small_beside(str(name_or_path))
        if not Address.of_path(name_or_path) and not library.find(name_or_path):
            raise OtaflError("scenario", address.study, "has no small study beside it; leave --small out")
        address = find(name_or_path)
    given, merged = read(address)
    return Scenario.from_tables(address.study, merged, overrides or {}, str(name_or_path), flat(given).keys)


def read(address: Address) -> tuple[Tables, Tables]:
    """Return the TOML tables of a study, alone and on top of those of its bases; import the modules that it names."""
    machine.require_folder()
    given = _read(address)
    return given, _on_base(given, address.path.parent, (address._replace(path=address.path.resolve()),))


def parse(name: str, text: str, overrides: Mapping[str, Value] | None = None) -> Scenario:
    """Return the scenario of a TOML text, whose path of a base starts in the working directory."""
    given = toml.tables(text, name)
    return Scenario.from_tables(name, _on_base(given, Path(), ()), overrides or {}, name, flat(given).keys)


def _on_base(given: Tables, beside: Path, chain: tuple[Address, ...]) -> Tables:
    """Return a study's tables on top of those of its base."""
    if "base" not in given:
        return given
    path, study = find(given["base"], what="base")
    address = Address(beside / path, study)
    if not os.path.isfile(address.path):
        rule = f"must be a scenario's name, or a path from {beside.resolve()} to a TOML file"
        raise OtaflError("base", given["base"], rule)
    chain = (*chain, address._replace(path=address.path.resolve()))
    if chain[-1] in chain[:-1]:
        names_of_chain = " on ".join(study for _, study in chain)
        raise OtaflError("base", given["base"], f"must not lead back to the scenario itself: {names_of_chain}")
    if len(chain) > LONGEST_CHAIN:
        rule = f"must not make a chain of more than {LONGEST_CHAIN} scenarios, each the base of the one before"
        raise OtaflError("base", given["base"], rule)
    return derived(_on_base(_read(address), address.path.parent, chain), given)


def _read(address: Address) -> Tables:
    """Return the tables of a study, with the file's own as its base, and import the user's modules that it names."""
    known = studies(toml.read(address.path), address.path)
    if address.study not in known:
        raise UnknownName(f"study of {address.path}", address.study, list(known))
    read = known[address.study]
    user_classes.load(read.get("plugins", []))
    return read if address.study == address.path.stem else {"base": address.path.name, **read}


def derived(base: Mapping[str, Value], given: Mapping[str, Value]) -> Tables:
    """Return the tables of a scenario that has a base, the keys that it gives in place of the base's."""
    before, after = flat(base), flat(given)
    for key in (*before.fixed, *after.fixed):
        require_known(key, fields())
    others = alternatives(after.fixed | after.swept)
    swept = without(before.swept, {*after.fixed, *others}) | after.swept
    fixed = without(before.fixed, {*after.swept, *others}) | after.fixed
    methods = swept.get("method", fixed.get("method", []))
    of_base = of_methods_run(before.of_methods, methods if isinstance(methods, list) else [methods], strict=False)
    replaced = {*after.fixed, *after.swept, *others}
    of_methods = {
        method: without(of_base.get(method, {}), replaced) | after.of_methods.get(method, {})
        for method in {**of_base, **after.of_methods}
    }
    plot = changed(before.plot, after.plot, dimensions(before.swept), dimensions(swept))
    tables = Flat(fixed, swept, of_methods, plot).tables(given.get("title", base.get("title", "")))
    return tables | {"duration": given.get("duration", "")}
