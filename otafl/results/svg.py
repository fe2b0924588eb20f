"""Figures as drawings inside a page."""

import io
import re
from xml.etree.ElementTree import Element, fromstring

from otafl.results import html
from otafl.results.matplotlib_setup import Figure, matplotlib, plt
from otafl.results.style import STYLE

ANONYMOUS = dict.fromkeys(("Creator", "Date", "Format", "Type"))
NAMES = re.compile(r'(?<= id=")|(?<=xlink:href="#)|(?<=url\(#)')
"""Where the name of a part of a drawing begins."""


def inline(drawn: Figure, name: str, title: str) -> Element:
    """A figure as an element of a page, whose letters are paths, and whose figure is closed.

    Arguments:
        drawn: the figure.
        name: begins the names of its parts, so that figures on one page do not share them.
        title: what one hears who does not see it.
    """
    text = io.StringIO()
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": "otafl"}):
        drawn.savefig(text, format="svg", transparent=True, metadata=ANONYMOUS)
    plt.close(drawn)
    made = fromstring(NAMES.sub(f"{name}-", text.getvalue()))
    for part in made.iter():
        _without_namespaces(part)
    made.insert(0, html.element("title", title))
    made.set("role", "img")
    return made


def _without_namespaces(part: Element) -> None:
    """Give an element the names that it has inside HTML."""
    part.tag = part.tag.rpartition("}")[2]
    part.attrib = {name.rpartition("}")[2]: value for name, value in part.attrib.items()}
