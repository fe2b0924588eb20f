"""Papers behind a study as BibTeX, from the bibliography of the pages."""

import re
from collections.abc import Sequence
from pathlib import Path

import otafl
from otafl import algorithms
from otafl.data.sources import DATASETS
from otafl.scenario import dotted_keys, file
from otafl.scenario.scenario import Scenario

SOFTWARE = """@software{{otafl,
  title = {{otafl: federated learning over the air, simulated down to the physical layer}},
  author = {{{{The otafl authors}}}},
  version = {{{version}}},
  year = {{2026}}
}}"""
KEYWORDS = re.compile(r"\n *keywords = \{(.*)\},")
"""Line of a BibTeX entry with what it is the source of: keys and choices, such as "channel.fading = tdl"."""


def of_study(study: str, plugins: Sequence[str]) -> str:
    """Return the BibTeX of a scenario, by its name or path, or of the result in a .nc file."""
    if not study.endswith(".nc"):
        return bibtex(file.load(study), otafl.__version__)
    from otafl.results import result_file

    data = result_file.load(study)
    return bibtex(result_file.scenario_of(data, plugins), data.attrs.get("otafl_version", otafl.__version__))


def bibtex(scenario: Scenario, version: str) -> str:
    """Return the entries of a study, each below a line that says what the study has of it."""
    used, cited = choices(scenario), [SOFTWARE.format(version=version)]
    for entry in entries():
        if reasons := [name for name in keywords(entry) if name in used]:
            cited.append(f"% {', '.join(map(_by_key, reasons))}\n{KEYWORDS.sub('', entry)}")
    return "\n\n".join(cited)


def _by_key(name: str) -> str:
    """Return a keyword with the key of a scenario in place of the kind of problem that a data set is for."""
    kind, _, choice = name.partition(" = ")
    return f"problem.dataset = {choice}" if kind in DATASETS else name


def entries() -> list[str]:
    """Return the entries of the bibliography, which stands inside the installed package, or in a checkout's pages."""
    installed = Path(__file__).with_name("paper.bib")
    path = installed if installed.exists() else Path(__file__).parents[2] / "docs" / "paper.bib"
    return path.read_text(encoding="utf-8").strip().split("\n\n")


def keywords(entry: str) -> list[str]:
    """Return what an entry is the source of; empty for one that no study cites."""
    line = KEYWORDS.search(entry)
    return line[1].split(", ") if line else []


def choices(scenario: Scenario) -> set[str]:
    """Return keys that differ from their defaults, and "key = choice" of all keys, schemes and data of a study."""
    used = {f"uplink.scheme = {line.partition(':')[0]}" for line in scenario.scheme_lines}
    for _, settings in scenario.points():
        used.add(f"method = {algorithms.parse(settings.method)[0].name}")
        used.add(f"{settings.problem.family} = {settings.problem.dataset}")
        for key, field in dotted_keys.fields().items():
            value = settings.value(key)
            used |= {f"{key} = {value}", *([key] if value != field.default else [])}
    return used
