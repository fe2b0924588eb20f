"""Faults planted one by one in the mathematics, and the share of them that the tests of every day find.

``python -P tests/mutants.py --help`` says how to choose. Each fault is planted in a copy of the project, and the tests
that call the function it is in are run there, the nearest and fastest first, up to ``MOST_S`` seconds of them. The
process that forks for this has loaded the libraries, but nothing of the project.
"""

import argparse
import ast
import collections
import functools
import hashlib
import importlib
import itertools
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
ACCEPTED = Path(__file__).with_suffix(".toml")
COPIED = ("channels", "otafl", "scenarios", "tests", "pyproject.toml")
TESTS = {
    "channels": ["tests/channels", "tests/otafl/uplinks", "tests/otafl/engine"],
    "otafl/algorithms": ["tests/otafl/algorithms", "tests/otafl/engine"],
    "otafl/uplinks": ["tests/otafl/uplinks", "tests/otafl/engine"],
    "otafl/compressors": ["tests/otafl/compressors", "tests/otafl/uplinks"],
    "otafl/receivers": ["tests/otafl/receivers", "tests/otafl/uplinks"],
    "otafl/engine/ledger.py": ["tests/otafl/engine"],
}
"""Folders in which faults are planted, with those of tests that are to find them, the nearest first."""
LIBRARIES = (
    "tensorflow",
    "scipy.special",
    "scipy.stats",
    "sklearn.linear_model",
    "xarray",
    "h5netcdf",
    "matplotlib.pyplot",
)
LIBRARIES += ("pydantic", "tyro", "rich.console", "hypothesis.strategies", "xdist", "pytest_benchmark.plugin")
UNTOUCHED = ("annotation", "returns", "decorator_list")
WANTED = 0.9
MOST_S = 90.0
LATE = 124
"""Code in place of the exit code of a process that was ended at its limit, as in timeout(1)."""
VERDICTS = {0: "survived", 1: "found", LATE: "timed out"}
"""Verdicts by exit codes of pytest; with another one no test has failed, and none has passed: it is broken."""
COUNTED = ("found", "survived", "called by no test")

SWAPS = [("Add", "Sub"), ("Mult", "Div"), ("BitAnd", "BitOr"), ("Lt", "LtE"), ("Gt", "GtE"), ("Eq", "NotEq")]
SWAPS += [("Is", "IsNot"), ("In", "NotIn"), ("And", "Or")]
OPERATORS = {**dict(SWAPS), **{new: old for old, new in SWAPS}, "Pow": "Mult", "FloorDiv": "Div", "Mod": "FloorDiv"}
PAIRS = [("min", "max"), ("minimum", "maximum"), ("sum", "mean"), ("reduce_sum", "reduce_mean"), ("any", "all")]
PAIRS += [("reduce_min", "reduce_max"), ("reduce_any", "reduce_all"), ("floor", "ceil"), ("sin", "cos")]
PAIRS += [("real", "imag"), ("zeros", "ones"), ("zeros_like", "ones_like"), ("cumsum", "cumprod"), ("argmin", "argmax")]
NAMES = {**dict(PAIRS), **{new: old for old, new in PAIRS}, "log2": "log", "expm1": "exp", "log1p": "log"}
DROPPED = ("conj", "sqrt", "abs", "exp", "square")


class Mutant(NamedTuple):
    """A fault: its file, its line, as text too, what is changed into what, and which it is of its file's."""

    file: str
    line: int
    text: str
    change: str
    place: int

    @property
    def key(self) -> tuple[str, str, str]:
        """Key by which it is known when lines shift."""
        return self.file, self.text, self.change


def changed(node: ast.AST) -> Iterator[ast.AST]:
    """Replacements of a node, one fault at a time."""
    match node:
        case ast.BinOp(left, operator, right) if (new := OPERATORS.get(type(operator).__name__)) and not _joins(node):
            yield ast.BinOp(left, getattr(ast, new)(), right)
        case ast.UnaryOp(ast.USub() | ast.Not(), operand):
            yield operand
        case ast.Compare(left, [operator], right) if new := OPERATORS.get(type(operator).__name__):
            yield ast.Compare(left, [getattr(ast, new)()], right)
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(getattr(ast, OPERATORS[type(operator).__name__])(), values)
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() as value):
            yield ast.Constant(value + 1)
        case ast.Constant(float() as value):
            yield ast.Constant(2 * value or 1.0)
        case ast.IfExp(test, body, orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.keyword("axis", ast.Constant(int() as value)) if value in (0, 1):
            yield ast.keyword("axis", ast.Constant(1 - value))
        case ast.Call(ast.Attribute(value, "conj"), []):
            yield value
        case ast.Call(ast.Attribute(_, name), [argument]) if name in DROPPED:
            yield argument
        case ast.Attribute(value, name, context) if name in NAMES:
            yield ast.Attribute(value, NAMES[name], context)
        case ast.Name(("min" | "max" | "any" | "all") as name, ast.Load()):
            yield ast.Name(NAMES[name], ast.Load())


def _joins(node: ast.BinOp) -> bool:
    """Tell whether texts, lists or tuples are put together, not numbers added."""
    texts = (ast.JoinedStr, ast.Tuple, ast.List, ast.ListComp)
    return any(
        isinstance(side, texts) or isinstance(getattr(side, "value", None), str) for side in (node.left, node.right)
    )


def mutants(file: str) -> Iterator[Mutant]:
    """Yield all faults of a file; none in annotations, defaults of keys, messages, and what is raised."""
    text = (ROOT / file).read_text(encoding="utf-8")
    lines, seen = text.splitlines(), collections.Counter()
    for place, (node, new, _) in enumerate(_changes(ast.parse(text))):
        line = int(vars(node.value if isinstance(node, ast.keyword) else node)["lineno"])
        change = f"{ast.unparse(node)} -> {ast.unparse(new)}"
        seen[line, change] += 1
        turn = f" ({seen[line, change]})" if seen[line, change] > 1 else ""
        yield Mutant(file, line, lines[line - 1].strip(), change + turn, place)


def planted(mutant: Mutant) -> str:
    """The text of a file with a fault in it."""
    tree = ast.parse((ROOT / mutant.file).read_text(encoding="utf-8"))
    _, new, put = next(itertools.islice(_changes(tree), mutant.place, None))
    put(new)
    return ast.unparse(ast.fix_missing_locations(tree))


def _changes(tree: ast.AST) -> Iterator[tuple[ast.AST, ast.AST, Callable[[ast.AST], None]]]:
    """Nodes, what each is replaced by, and a function that does so."""
    for node, put in list(_places(tree)):
        for new in changed(node):
            yield node, new, put


def _places(node: ast.AST) -> Iterator[tuple[ast.AST, Callable[[ast.AST], None]]]:
    """All nodes below one that may be changed, each with a function that replaces it."""
    for field, value in ast.iter_fields(node):
        children = value if isinstance(value, list) else [value]
        for place, child in enumerate(children if field not in UNTOUCHED else ()):
            if isinstance(child, ast.AST) and not _is_left_alone(child, node):
                at = functools.partial(value.__setitem__, place) if isinstance(value, list) else None
                yield child, at or functools.partial(setattr, node, field)
                yield from () if getattr(child, "arg", None) == "axis" else _places(child)


def _is_left_alone(node: ast.AST, parent: ast.AST) -> bool:
    """Tell whether a node is a message, or a field of a class, whose default is a choice."""
    return isinstance(node, ast.Raise | ast.JoinedStr) or (
        isinstance(parent, ast.ClassDef) and isinstance(node, ast.AnnAssign)
    )


def sample(rooms: list[str], count: int, seed: int) -> list[Mutant]:
    """Draw faults among all of some folders, such that the others stay when a line of the project changes."""
    files = [
        path for room in rooms for path in ([ROOT / room] if room.endswith(".py") else (ROOT / room).rglob("*.py"))
    ]
    found = [mutant for path in files for mutant in mutants(str(path.relative_to(ROOT)))]
    return sorted(found, key=lambda one: hashlib.sha256(repr((seed, one.key)).encode()).digest())[:count]


class Calls:
    """A plugin of pytest: seconds of each test that passes, and the functions of the project that it calls."""

    def __init__(self, tree: Path) -> None:
        self.tree, self.found, self.now, self.failed = f"{tree}{os.sep}", {}, set(), False

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        self.now, self.failed, began = set(), False, time.perf_counter()
        sys.settrace(self._called)
        done = yield
        sys.settrace(None)
        if not self.failed:
            self.found[item.nodeid] = [time.perf_counter() - began, sorted(self.now)]
        return done

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.failed |= report.failed

    def _called(self, frame: Any, event: str, given: Any) -> None:
        name = frame.f_code.co_filename
        if name.startswith(self.tree):
            self.now.add(f"{name[len(self.tree) :]}:{frame.f_code.co_firstlineno}")


def function(mutant: Mutant) -> str | None:
    """The innermost function that a fault is in, as ``Calls`` notes it; None: outside of all."""
    tree, found = ast.parse((ROOT / mutant.file).read_text(encoding="utf-8")), None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.body[0].lineno <= mutant.line <= (node.end_lineno or 0):
            found = f"{mutant.file}:{min(part.lineno for part in (node, *node.decorator_list))}"
    return found


def concerned(mutant: Mutant, known: dict[str, Any]) -> list[str]:
    """Tests that call the function, or where none does any of its file: the nearest and fastest first."""
    name = function(mutant)
    near = next(tests for room, tests in TESTS.items() if mutant.file.startswith(room))[0]
    hit = _calling(known, lambda call: call == name) or _calling(known, lambda call: call.startswith(f"{mutant.file}:"))
    mirrored = f"test_{Path(mutant.file).stem}.py"
    hit.sort(key=lambda test: (mirrored not in test, not test.startswith(near), known[test][0]))
    spent = itertools.accumulate(known[test][0] for test in hit)
    return [test for test, seconds in zip(hit, spent, strict=True) if seconds <= MOST_S or test == hit[0]]


def _calling(known: dict[str, Any], wanted: Callable[[str], bool]) -> list[str]:
    return [test for test, (_, calls) in known.items() if any(map(wanted, calls))]


def run(tree: Path, words: list[str], plugin: Calls | None = None, left: Path | None = None) -> int:
    """Fork a process that runs tests in a copy of the project; its number."""
    child = os.fork()
    if child:
        return child
    os.setsid()
    os.chdir(tree)
    sys.path.insert(0, str(tree))
    os.environ |= {"PYTHONPATH": str(tree), "OTAFL_CACHE_DIR": str(tree / "cache")}
    shutil.rmtree(tree / "cache", ignore_errors=True)
    log = os.open(tree.parent / f"{tree.name}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    words = ["-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-seed=0", *words]
    code = int(pytest.main(words, [plugin] if plugin else []))
    if plugin and left:
        left.write_text(json.dumps(plugin.found))
    os._exit(code)


def ended(child: int, limit: float) -> int | None:
    """Exit code of a process, once it has ended; beyond its limit it is ended: ``LATE``. None: it goes on."""
    pid, status = os.waitpid(child, os.WNOHANG)
    if pid:
        return os.waitstatus_to_exitcode(status)
    if time.monotonic() > limit:
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return LATE
    return None


def in_turn(
    trees: list[Path], jobs: list[Any], start: Callable[[Path, Any], tuple[int, float]]
) -> Iterator[tuple[Any, Path, int]]:
    """Do jobs, one at a time in each copy; yield each with its copy and exit code as it ends."""
    waiting, free, busy = collections.deque(jobs), list(trees), {}
    while waiting or busy:
        while waiting and free:
            tree, job = free.pop(), waiting.popleft()
            busy[tree] = (job, *start(tree, job))
        time.sleep(0.02)
        for tree, (job, child, limit) in list(busy.items()):
            if (code := ended(child, limit)) is not None:
                del busy[tree]
                free.append(tree)
                yield job, tree, code


def traced(trees: list[Path], folders: list[str]) -> dict[str, Any]:
    """Seconds and calls of each test of every day in some folders that passes where nothing is planted."""
    known: dict[str, Any] = {}
    files = sorted(path for folder in folders for path in (ROOT / folder).rglob("test_*.py"))

    def start(tree: Path, file: str) -> tuple[int, float]:
        return run(tree, [file], Calls(tree), tree.parent / f"{tree.name}.json"), time.monotonic() + 3600

    for _, tree, _ in in_turn(trees, [str(file.relative_to(ROOT)) for file in files], start):
        left = tree.parent / f"{tree.name}.json"
        known |= json.loads(left.read_text()) if left.exists() else {}
        left.unlink(missing_ok=True)
    return known


def tried(trees: list[Path], chosen: list[Mutant], known: dict[str, Any]) -> Iterator[tuple[Mutant, str]]:
    """Each fault and how it fared: found, survived, called by no test, timed out, or broken."""
    tests = {mutant: concerned(mutant, known) for mutant in chosen}
    yield from ((mutant, "called by no test") for mutant in chosen if not tests[mutant])

    def start(tree: Path, mutant: Mutant) -> tuple[int, float]:
        (tree / mutant.file).write_text(planted(mutant), encoding="utf-8")
        seconds = sum(known[test][0] for test in tests[mutant])
        return run(tree, ["-x", *tests[mutant]]), time.monotonic() + 10 * seconds + 120

    for mutant, tree, code in in_turn(trees, [mutant for mutant in chosen if tests[mutant]], start):
        shutil.copy2(ROOT / mutant.file, tree / mutant.file)
        yield mutant, VERDICTS.get(code, "broken")


def share(verdicts: collections.Counter[str], left_out: int = 0) -> float:
    """Found faults over those that tests have judged, or none calls, but so many that need not be found.

    Those that timed out or were broken do not count.
    """
    return verdicts["found"] / max(sum(verdicts[verdict] for verdict in COUNTED) - left_out, 1)


def copied(folder: Path) -> Path:
    """A copy of the project in a new folder."""
    folder.mkdir(parents=True)
    for name in COPIED:
        source, how = ROOT / name, {"symlinks": True, "ignore": shutil.ignore_patterns("__pycache__", "*.nc")}
        shutil.copytree(source, folder / name, **how) if source.is_dir() else shutil.copy2(source, folder)
    return folder


def accepted() -> dict[tuple[str, str, str], str]:
    """Faults that no test need find, with their reasons."""
    listed = tomllib.loads(ACCEPTED.read_text(encoding="utf-8"))["survivor"] if ACCEPTED.exists() else []
    return {(one["file"], one["line"], one["change"]): one["reason"] for one in listed}


def main() -> None:
    """Plant faults, print those that survive, and the share that is found of all and of those that need be; exit code 1
    where the latter is too small."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=200, help="how many faults (200)")
    parser.add_argument("--seed", type=int, default=0, help="which ones (0)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="how many at once")
    parser.add_argument("--near", action="store_true", help="only by the tests that mirror their folder")
    parser.add_argument("rooms", nargs="*", default=list(TESTS), help=f"folders or files ({', '.join(TESTS)})")
    given = parser.parse_args()
    chosen, reasons, verdicts = sample(given.rooms, given.count, given.seed), accepted(), collections.Counter()
    listed = 0
    folders = dict.fromkeys(
        folder
        for room, tests in TESTS.items()
        if any(one.file.startswith(room) for one in chosen)
        for folder in tests[: 1 if given.near else None]
    )
    for library in LIBRARIES:
        importlib.import_module(library)
    with tempfile.TemporaryDirectory() as folder:
        trees = [copied(Path(folder).resolve() / f"copy{job}") for job in range(given.jobs)]
        known = traced(trees, list(folders))
        print(f"{len(chosen)} faults, {len(known)} tests that pass", flush=True)
        for mutant, verdict in tried(trees, chosen, known):
            verdicts[verdict] += 1
            listed += verdict in COUNTED[1:] and mutant.key in reasons
            if verdict != "found":
                reason = reasons.get(mutant.key, "no reason given")
                print(
                    f"{mutant.file}:{mutant.line}: {mutant.text}\n    {mutant.change}: {verdict} ({reason})", flush=True
                )
    possible = {mutant.key for mutant in sample(given.rooms, sys.maxsize, given.seed)}
    for key in [key for key in reasons if key not in possible and key[0].startswith(tuple(given.rooms))]:
        print(f"listed in {ACCEPTED.name}, but there is no such line any more: {key}")
    found = share(verdicts, listed)
    print(", ".join(f"{verdict}: {count}" for verdict, count in verdicts.items()))
    print(f"share found of those that neither timed out nor were broken: {share(verdicts):.1%}")
    print(f"of these but {listed} that {ACCEPTED.name} lists: {found:.1%} (wanted: {WANTED:.0%})")
    sys.exit(found < WANTED)


if __name__ == "__main__":
    main()
