"""Figures as SVG drawings inside an HTML page."""

import io
import re
from xml.etree.ElementTree import Element, fromstring, tostring

from markupsafe import Markup

from otafl.plain_text import printable
from otafl.results.matplotlib_setup import Figure, matplotlib, plt
from otafl.results.style import STYLE

ANONYMOUS = dict.fromkeys(("Creator", "Date", "Format", "Type"))
"""Metadata that are left out of a drawing."""
NAMES = re.compile(r'(?<= id=")|(?<=xlink:href="#)|(?<=url\(#)')
"""Pattern of the beginning of a name of a drawing's part."""


def inline(figure: Figure, name: str, title: str) -> Markup:
    """Return a figure as an SVG element of an HTML page, with letters as paths, and close the figure.

    Arguments:
        figure: the figure.
        name: prefix of the names of its parts, another one for each figure of a page.
        title: title for readers who do not see the figure.
    """
    text = io.StringIO()
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": "otafl"}):
        figure.savefig(text, format="svg", transparent=True, metadata=ANONYMOUS)
    plt.close(figure)
    drawing = fromstring(NAMES.sub(f"{name}-", text.getvalue()))
    for part in drawing.iter():  # inside HTML, names have no namespaces
        part.tag = part.tag.rpartition("}")[2]
        part.attrib = {key.rpartition("}")[2]: value for key, value in part.attrib.items()}
    heading = Element("title")
    heading.text = printable(title)
    drawing.insert(0, heading)
    drawing.set("role", "img")
    return Markup(tostring(drawing, encoding="unicode", method="html"))
