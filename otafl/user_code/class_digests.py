"""Digests of the files in which the user's classes and functions are defined or made."""

import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from otafl.channels import class_origins, file_digests
from otafl.errors import OtaflError
from otafl.user_code import loaded, module_files
from otafl.user_code.plugins import FROM_FILE, KEY

OURS = ("otafl", "builtins", "typing", "abc")
"""Packages whose classes are not the user's."""
imported: dict[tuple[Any, str], str] = {}
"""Digests of the files of classes at the time of their registration, by class and module."""


def sources(schemes: Iterable[Any]) -> dict[str, Path | None]:
    """Return the user's modules in which classes and their bases are defined, or made by a function of another module.

    Arguments:
        schemes: classes of a run, of methods, fading models, uplinks and their parts, and functions of its metrics.

    Returns:
        The file of each module, by the name or path under which ``plugins.load`` finds it; None: it has no file, as in
        a notebook.
    """
    found = [module for scheme in schemes for _, module in _modules(scheme)]
    return {_findable(module): module_files.file_of(module) for module in found}


def _modules(scheme: Any) -> list[tuple[Any, ModuleType]]:
    """Return a class and its bases that are the user's, each with a module that defines or makes it.

    Raises:
        OtaflError: a module was forgotten, as a class of it was refused.
    """
    theirs = [base for base in getattr(scheme, "__mro__", (scheme,)) if base.__module__.split(".")[0] not in OURS]
    if gone := [base.__module__ for base in theirs if base.__module__ not in sys.modules]:
        raise OtaflError(KEY, gone[0], f"was forgotten, as a class of it was refused; import {scheme.__name__} anew")
    defining = [(base, sys.modules[base.__module__]) for base in theirs]
    origins = [(base, sys.modules.get(class_origins.of.get(base, ""))) for base in theirs]
    making = [(base, module) for base, module in origins if module]
    return [*defining, *(pair for pair in making if pair not in defining and _is_theirs(pair[1]))]


def _is_theirs(module: ModuleType) -> bool:
    """Return True if a module is a file of the user's, or an interactive session."""
    file = module_files.file_of(module)
    return module_files.is_theirs(file) if file else module.__name__ == "__main__"


def note(scheme: Any) -> None:
    """Note the digests of the files of a class at its registration, so that later changes of them are found.

    Arguments:
        scheme: class of a method, a fading model, an uplink or a part of one, or the function of a metric.

    Raises:
        OtaflError: a file lies in an archive.
    """
    for base, module in _modules(scheme):
        module_files.require_file(KEY, module.__name__, getattr(module, "__file__", None))
        file = module_files.file_of(module)
        if file and (base, module.__name__) not in imported:
            imported[base, module.__name__] = loaded.loaded.get(module.__name__) or file_digests.digest(file)


def digests(scheme: Any) -> list[tuple[str, str]]:
    """Return the files of a class and of the user's modules that these import, each with its digest.

    Arguments:
        scheme: class of a method, a fading model, an uplink or a part of one, or the function of a metric.

    Returns:
        Pairs of a file's or a module's name and the SHA-256 digest of the source, in hexadecimal; none for otafl's
        classes.

    Raises:
        OtaflError: a file has changed since it was imported, so that it is not the code that runs.
    """
    pairs = []
    for base, module in _modules(scheme):
        if file := module_files.file_of(module):
            found = loaded.digests(KEY, module.__name__, file)
            own = found.pop(module.__name__)
            if imported.setdefault((base, module.__name__), own) != own:
                raise loaded.Changed(KEY, file.name)
            pairs += [(file.name, own), *found.items()]
    return pairs


def _findable(module: ModuleType) -> str:
    """Return the name or the path by which a module can be loaded."""
    if module.__name__ != "__main__" and not module.__name__.startswith(FROM_FILE):
        return module.__name__
    spec, file = getattr(module, "__spec__", None), module_files.file_of(module)
    if module.__name__ == "__main__" and spec:
        return spec.name
    return str(file.resolve()) if file else module.__name__
