"""Command that prints the papers behind a study as BibTeX, from the bibliography of the pages."""

import re
from pathlib import Path
from typing import Annotated

import tyro

import otafl
from otafl import algorithms
from otafl.cli.arguments import Plugins, load_plugins
from otafl.cli.terminal import say
from otafl.scenario import dotted_keys, file
from otafl.scenario.scenario import Scenario

STUDY = tyro.conf.arg(metavar="RESULT.nc|NAME", help="file of a result, or scenario name or path to a TOML file")
SOFTWARE = """@software{{otafl,
  title = {{otafl: federated learning over the air, simulated down to the physical layer}},
  author = {{{{The otafl authors}}}},
  version = {{{version}}}
}}"""
KEYWORDS = re.compile(r"\n *keywords = \{(.*)\},")
"""Line of a BibTeX entry with what it is the source of: keys and choices, such as "channel.fading = tdl"."""


def cite(study: Annotated[str, tyro.conf.Positional, STUDY], plugins: Plugins = ()) -> None:
    """Print BibTeX entries of otafl and of the papers of the methods, schemes, parts, channels and data that a result
    or a scenario uses.
    """
    load_plugins(plugins)
    if not study.endswith(".nc"):
        say(bibtex(file.load(study), otafl.__version__))
        return
    from otafl.results import result_file

    data = result_file.load(study)
    say(bibtex(result_file.scenario_of(data, plugins), data.attrs.get("otafl_version", otafl.__version__)))


def bibtex(scenario: Scenario, version: str) -> str:
    """Return the entries of a study in BibTeX, each below a line that says what the study has of it."""
    used, cited = choices(scenario), [SOFTWARE.format(version=version)]
    for entry in entries():
        if reasons := [name for name in keywords(entry) if name in used]:
            cited.append(f"% {', '.join(reasons)}\n{KEYWORDS.sub('', entry)}")
    return "\n\n".join(cited)


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
