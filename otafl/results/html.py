"""HTML as trees of elements: whatever text comes in is escaped on the way out."""

from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element, indent, tostring

Content = str | Element
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""What a browser may load for a page of ours: nothing but the styles in it."""


def element(tag: str, *content: Content, **attributes: str) -> Element:
    """An element that holds text and other elements; ``class_`` stands for the attribute class, ``a_b`` for a-b."""
    made = Element(tag, {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()})
    for part in content:
        if isinstance(part, Element):
            made.append(part)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + part
        else:
            made.text = (made.text or "") + part
    return made


def table(caption: str, headings: Sequence[str], rows: Iterable[tuple[Sequence[str], Sequence[Content]]]) -> Element:
    """A table whose rows are headed by labels, in a box that scrolls where it is too wide."""
    head = element("tr", *(element("th", heading, scope="col") for heading in headings))
    body = [element("tr", *_headers(labels), *(element("td", cell) for cell in cells)) for labels, cells in rows]
    whole = element("table", element("caption", caption), element("thead", head), element("tbody", *body))
    return element("div", whole, class_="scroll", tabindex="0", role="group", aria_label=caption)


def _headers(labels: Sequence[str]) -> list[Element]:
    return [element("th", label, scope="row") for label in labels]


def facts(pairs: Iterable[tuple[str, str]]) -> Element:
    """A list of terms, each with what it is."""
    return element("dl", *(element("div", element("dt", term), element("dd", what)) for term, what in pairs))


def document(title: str, style: str, *content: Content) -> str:
    """A whole page that stands alone."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("title", title),
        element("style", style),
    )
    page = element("html", head, element("body", element("main", *content)), lang="en")
    indent(page)
    return "<!DOCTYPE html>\n" + tostring(page, encoding="unicode", method="html") + "\n"
