"""Identifiers in the user's modules, among them the keys that their code reads."""

import ast
import sys

from otafl.user_code import module_files


def identifiers() -> set[str]:
    """Return all names that the user's loaded modules read, and their texts, which may name an attribute.

    A name that is only given a value, as a field of a dataclass or an argument of a call, does not count.
    """
    files = {file for module in list(sys.modules.values()) if (file := module_files.file_of(module))}
    trees = [ast.parse(file.read_bytes()) for file in files if file.suffix == ".py" and module_files.is_theirs(file)]
    return set().union(*map(_identifiers, trees))


def _identifiers(tree: ast.AST) -> set[str]:
    found = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found
