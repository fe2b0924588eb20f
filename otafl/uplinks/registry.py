"""Kinds of uplink by name, otafl's and the user's."""

from collections.abc import Callable
from typing import Any, TypeVar

from otafl.settings import user_keys
from otafl.uplinks.kinds import UPLINKS
from otafl.uplinks.uplink import Uplink

Made = TypeVar("Made", bound=Uplink)


def register(kind: str, **parameters: Any) -> Callable[[type[Made]], type[Made]]:
    """Register a class as a kind of uplink that scenarios can have, as a decorator.

    One that is derived from another kind carries what that carries.

    Arguments:
        kind: what ``uplink.kind`` calls it, such as "digital".
        parameters: of its own, made by ``otafl.key``: they become keys of the table ``uplink``, which it reads, and
            stand in ``settings.uplink``.

    Raises:
        OtaflError: the name or a key is taken, or the class is no uplink.
    """

    def taken(made: type[Made]) -> type[Made]:
        user_keys.require_new("uplink", kind, UPLINKS.get(kind), made, Uplink)
        numbers, others = user_keys.added("uplink", parameters, kind)
        made.kind, made.keys = kind, (*made.keys, *numbers, *others)
        UPLINKS[kind] = made
        return made

    return taken
