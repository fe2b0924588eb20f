"""Classes of the user's own: the files that define and that make them, and whether these have changed."""

import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from channels import class_origins, file_digests
from otafl.user_code import loaded, module_files
from otafl.user_code.plugins import FROM_FILE, KEY

OURS = ("otafl", "channels", "builtins", "typing", "abc")
"""Packages of which no class is the user's."""
imported: dict[tuple[type, str], str] = {}
"""Digests of the files that classes come from, by class and module, as they were when the classes were registered."""


def sources(schemes: Iterable[type]) -> dict[str, Path | None]:
    """The modules that define or make some classes and those that they are derived from, but for otafl's own.

    Returns:
        By the name under which ``plugins.load`` finds a module, its file; None where it has none, as in a notebook.
    """
    found = [module for scheme in schemes for _, module in _modules(scheme)]
    return {_findable(module): module_files.file_of(module) for module in found}


def _modules(scheme: type) -> list[tuple[type, ModuleType]]:
    """The user's modules that define or make a class and those of the user's own that it is derived from, with it."""
    theirs = [base for base in scheme.__mro__ if base.__module__.split(".")[0] not in OURS]
    defining = [(base, sys.modules[base.__module__]) for base in theirs]
    making = [
        (base, sys.modules[class_origins.of[base]]) for base in theirs if class_origins.of.get(base) in sys.modules
    ]
    return [*defining, *(pair for pair in making if pair not in defining and _is_theirs(pair[1]))]


def _is_theirs(module: ModuleType) -> bool:
    """Return if a module is a file of the user's, or an interactive session."""
    file = module_files.file_of(module)
    return module_files.is_theirs(file) if file else module.__name__ == "__main__"


def note(scheme: type) -> None:
    """Note what the files hold that a class comes from, as it is registered.

    Raises:
        OtaflError: it lies in an archive.
    """
    for base, module in _modules(scheme):
        module_files.require_file(KEY, module.__name__, getattr(module, "__file__", None))
        file = module_files.file_of(module)
        if file and (base, module.__name__) not in imported:
            imported[base, module.__name__] = loaded.loaded.get(module.__name__) or file_digests.digest(file)


def digests(scheme: type) -> list[tuple[str, str]]:
    """The files that a class comes from, and the modules of the user's own that these import, each with its digest.

    Raises:
        OtaflError: one of them has changed since it was imported, so that it does not say any more what runs.
    """
    files = [
        (base, module.__name__, file) for base, module in _modules(scheme) if (file := module_files.file_of(module))
    ]
    return [pair for one in files for pair in _digests(*one)]


def _digests(made: type, module: str, file: Path) -> list[tuple[str, str]]:
    found = loaded.digests(KEY, module, file)
    own = found.pop(module)
    if imported.setdefault((made, module), own) != own:
        raise loaded.Changed(KEY, file.name)
    return [(file.name, own), *found.items()]


def _findable(module: ModuleType) -> str:
    """The name by which a module can be loaded."""
    if module.__name__ != "__main__" and not module.__name__.startswith(FROM_FILE):
        return module.__name__
    spec, file = getattr(module, "__spec__", None), module_files.file_of(module)
    if module.__name__ == "__main__" and spec:
        return spec.name
    return str(file.resolve()) if file else module.__name__
