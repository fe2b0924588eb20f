"""Reference of what comes with otafl, kept on the disk, as it takes half a second to read it from the code."""

import contextlib
import functools
import hashlib
import json
import sys
from pathlib import Path
from typing import NamedTuple

from otafl.channels import cache
from otafl.cli.help_search import MethodEntry, Topic
from otafl.system.whole_files import replacing


class Reference(NamedTuple):
    """Methods, and help on all that has a name."""

    methods: list[MethodEntry]
    topics: list[Topic]


def reference(anew: bool) -> Reference:
    """Return the reference: read from the code where the user's classes belong to it, else as kept for this code."""
    kept = None if anew or sys.flags.optimize > 1 else cache.folder("reference")  # without docstrings there is no help
    if kept is None:
        return _of_code()
    file, code = kept / "reference.json", _digest()
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        if (content := json.loads(file.read_bytes()))["code"] == code:
            methods = [MethodEntry(*entry) for entry in content["methods"]]
            return Reference(methods, [Topic(*topic) for topic in content["topics"]])
    found = _of_code()
    with contextlib.suppress(OSError), replacing(file) as temporary:
        temporary.write_text(json.dumps({"code": code, **found._asdict()}), encoding="utf-8")
    return found


def _of_code() -> Reference:
    from otafl.cli import key_reference

    return Reference(key_reference.methods(), list(key_reference.topics()))


@functools.cache
def _digest() -> str:
    """Return a digest of the files of otafl and of its channels, which a checkout has elsewhere."""
    digest = hashlib.sha256()
    for root in (Path(__file__).parents[1], Path(cache.__file__).resolve().parent):
        for file in sorted([*root.rglob("*.py"), *root.rglob("*.csv")]):
            digest.update(file.read_bytes())
    return digest.hexdigest()
