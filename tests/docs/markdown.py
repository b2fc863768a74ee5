"""A Markdown file's headings, with the anchors that a forge gives them, and its links."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = {"build", ".git", "bench-results", "node_modules", "out"}
FENCE = re.compile(r"^(```+|~~~+)")
HEADING = re.compile(r"^(#{1,6}) (.+?)\s*$")
LINK = re.compile(r"(?<!\\)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)(?: \"[^\"]*\")?\)")
CODE = re.compile(r"(`+).+?\1")


class Heading(NamedTuple):
    line: int
    level: int
    text: str


def files():
    """Every Markdown file of the repository."""
    return sorted(path for path in ROOT.rglob("*.md") if not SKIPPED & set(path.relative_to(ROOT).parts))


def prose(text):
    """(number, line) of the lines outside code blocks, and the line of a block that is never closed, or None."""
    lines, fence, opened = [], "", None
    for number, line in enumerate(text.splitlines(), 1):
        if match := FENCE.match(line.lstrip()):
            if not fence:
                fence, opened = match.group(1), number
            elif line.strip() == fence:
                fence, opened = "", None
        elif not fence:
            lines.append((number, line))
    return lines, opened


def headings(text):
    return [Heading(number, len(match.group(1)), match.group(2)) for number, line in prose(text)[0] if (match := HEADING.match(line))]


def anchor(heading):
    """As forges make it: lower case, no punctuation, hyphens for blanks."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors(text):
    seen, out = {}, set()
    for heading in headings(text):
        name = anchor(heading.text)
        out.add(f"{name}-{seen[name]}" if name in seen else name)
        seen[name] = seen.get(name, 0) + 1
    return out


def links(text):
    """(line, target) of every link and picture; a link may run over a line's end."""
    lines = prose(text)[0]
    joined, starts = "", []
    for number, line in lines:
        starts.append((len(joined), number))
        joined += CODE.sub(lambda match: "`" * len(match.group(0)), line) + "\n"
    found = []
    for match in LINK.finditer(joined):
        found.append((max(number for start, number in starts if start <= match.start()), match.group(1)))
    return found
