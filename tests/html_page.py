"""Pages in HTML, read back."""

from html.parser import HTMLParser

VOID = ("meta",)


class Page(HTMLParser):
    """Content of a page: its tags, with their attributes and text, and the rows of its tables."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open, self.tags, self.text, self.rows = [], [], "", []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" in self.open:
            return
        self.text += data
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data.strip()
