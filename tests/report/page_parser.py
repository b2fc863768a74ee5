"""Reads a page of the report for the tests."""

import re
from html.parser import HTMLParser

VOID = {"meta", "link", "img", "br", "hr", "input", "wbr"}


class Page(HTMLParser):
    """Collects tags with attributes and text, and whether every tag is closed in order."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.wrong, self.text, self.captions = [], [], [], "", []
        self.source = text
        self.feed(text)
        self.text = re.sub(r"\s*\n\s*", " ", self.text)  # a browser shows a new line as a space

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "figcaption":
            self.captions.append("")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style"):
            return
        self.text += data
        if "figcaption" in self.open:
            self.captions[-1] += data

    def of(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]
