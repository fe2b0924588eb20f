"""Comments in the TOML of scenarios."""

from collections.abc import Collection


def marked(text: str, keys: Collection[str], remark: str) -> str:
    """Return a scenario's TOML text with a comment behind some keys, on the first line of each.

    Arguments:
        text: as tomli_w writes it: keys and tables start a line, items of lists are indented.
        keys: dotted keys to mark.
        remark: text of the comment.
    """
    table, lines = "", []
    for line in text.splitlines():
        table = line.strip("[]") if line.startswith("[") else table
        lines.append(f"{line}  # {remark}" if _key(table, line) in keys else line)
    return "\n".join(lines) + "\n"


def _key(table: str, line: str) -> str:
    """Return the dotted key that a line of a table sets; empty where it sets none."""
    name, equals, _ = line.partition(" = ")
    if not equals or line.startswith(" "):
        return ""
    dotted_already = not table or table == "sweep" or table.startswith("per_method.")
    return name.strip('"') if dotted_already else f"{table}.{name}"
