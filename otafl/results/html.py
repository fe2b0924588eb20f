"""HTML as trees of elements, whose text has no control characters, and is escaped when it is written."""

from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element, indent, tostring

from otafl.plain_text import printable

Content = str | Element
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Content security policy of a page: a browser loads nothing but the styles in it."""


def element(tag: str, *content: Content, **attributes: str) -> Element:
    """Return an HTML element with text and other elements in it.

    Arguments:
        tag: name of the element, such as "p".
        content: text and elements, in their order.
        attributes: attributes by name; ``class_`` stands for class, and ``a_b`` for a-b.

    Returns:
        An ``xml.etree.ElementTree.Element``.
    """
    made = Element(tag, {name.rstrip("_").replace("_", "-"): printable(value) for name, value in attributes.items()})
    for part in content:
        if isinstance(part, Element):
            made.append(part)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + printable(part, "\n\t")
        else:
            made.text = (made.text or "") + printable(part, "\n\t")
    return made


def table(caption: str, headings: Sequence[str], rows: Iterable[tuple[Sequence[str], Sequence[Content]]]) -> Element:
    """Return an HTML table in a box that scrolls if it is too wide.

    Arguments:
        caption: caption of the table.
        headings: headings of its columns, those of the rows' labels first.
        rows: labels that head a row, and its cells (text or elements), for each row.

    Returns:
        A ``div`` around the table, an ``xml.etree.ElementTree.Element``.
    """
    head = element("tr", *(element("th", heading, scope="col") for heading in headings))
    body = element("tbody")
    for labels, cells in rows:
        headers = (element("th", label, scope="row") for label in labels)
        body.append(element("tr", *headers, *(element("td", cell) for cell in cells)))
    whole = element("table", element("caption", caption), element("thead", head), body)
    return element("div", whole, class_="scroll", tabindex="0", role="group", aria_label=caption)


def facts(pairs: Iterable[tuple[str, str]]) -> Element:
    """Return an HTML list of terms with their descriptions, a ``dl`` element.

    Arguments:
        pairs: term and description, as text.
    """
    return element("dl", *(element("div", element("dt", term), element("dd", what)) for term, what in pairs))


def document(title: str, style: str, *content: Content) -> str:
    """Return a whole HTML page as text.

    Arguments:
        title: title of the page.
        style: its CSS.
        content: text and elements of its body.
    """
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
