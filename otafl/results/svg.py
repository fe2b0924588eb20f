"""Figures as SVG drawings inside an HTML page."""

import io
import re
from xml.etree.ElementTree import Element, fromstring

from otafl.results import html
from otafl.results.matplotlib_setup import Figure, matplotlib, plt
from otafl.results.style import STYLE

ANONYMOUS = dict.fromkeys(("Creator", "Date", "Format", "Type"))
"""Metadata that are left out of a drawing."""
NAMES = re.compile(r'(?<= id=")|(?<=xlink:href="#)|(?<=url\(#)')
"""Pattern of the beginning of a name of a drawing's part."""


def inline(drawn: Figure, name: str, title: str) -> Element:
    """Return a figure as an SVG element of an HTML page, with letters as paths, and close the figure.

    Arguments:
        drawn: the figure.
        name: prefix of the names of its parts, another one for each figure of a page.
        title: title for readers who do not see the figure.
    """
    text = io.StringIO()
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": "otafl"}):
        drawn.savefig(text, format="svg", transparent=True, metadata=ANONYMOUS)
    plt.close(drawn)
    made = fromstring(NAMES.sub(f"{name}-", text.getvalue()))
    for part in made.iter():  # inside HTML, names have no namespaces
        part.tag = part.tag.rpartition("}")[2]
        part.attrib = {key.rpartition("}")[2]: value for key, value in part.attrib.items()}
    made.insert(0, html.element("title", title))
    made.set("role", "img")
    return made
