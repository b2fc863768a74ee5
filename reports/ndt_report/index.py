"""python3 -m ndt_report.index: reports/README.md and reports/index.html from reports/index.toml and the folders beside it.

One picture a question, and of every published page what was measured where, at which commit.
"""

import json
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup, escape

from .read.environment import gpus, known_commit
from .page.html import template
from .read.files import MOST_JSON_BYTES, content, is_there, packed_files

ROOT = Path(__file__).resolve().parents[2]
FILES = {"README.md": "index.md.jinja", "index.html": "index.html.jinja"}
COMMAND = "PYTHONPATH=reports python3 -m ndt_report.index"


@dataclass
class Page:
    name: str
    title: str
    commit: str
    machine: str

    @property
    def date(self) -> str:
        return self.name[:10]


def read_list(root: Path) -> dict:
    return tomllib.loads((root / "reports/index.toml").read_text("utf-8"))


def pages(root: Path, listed: dict) -> list:
    """Every published page, newest first."""
    folders = sorted((path.parent for path in root.glob("reports/20*/index.md")), reverse=True)
    return [_page(folder, listed.get("commits", {})) for folder in folders]


def _page(folder: Path, commits: dict) -> Page:
    title = (folder / "index.md").read_text("utf-8").splitlines()[0].removeprefix("# ")
    environment = _environment(folder)
    if not environment:
        return Page(folder.name, title, commits[folder.name]["commit"], commits[folder.name]["machine"])
    commit, dirty = known_commit(environment)
    machine = f"{gpus(environment) or environment.get('cpu_model')}, {environment.get('cores')} CPU cores"
    return Page(folder.name, title, commit[:7] + (" with local changes" if dirty else ""), machine)


def _environment(folder: Path) -> dict:
    """The folder's own, or that of its first part; empty without."""
    there = [folder / "environment.json", *(folder / name for name in packed_files(folder) if name.endswith("/environment.json"))]
    return next((json.loads(content(path, MOST_JSON_BYTES)) for path in there if is_there(path)), {})


def html_words(text: str) -> Markup:
    """Markdown's code and links as HTML, which is all that the words here have."""
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text)))
    return Markup(re.sub(r"\[([^\]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', text))


def written(root: Path) -> dict:
    """{name in reports/: text} of all that the command makes."""
    listed = read_list(root)
    found = pages(root, listed)
    by_name = {page.name: page for page in found}
    questions = [entry | {"page": by_name[entry["page"]], "words": entry["words"].strip()} for entry in listed["question"]]
    values = {"questions": questions, "pages": found, "words": html_words, "command": COMMAND}
    return {name: template(file).render(**values) for name, file in FILES.items()}


def main(words) -> int:
    if words:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 1
    try:
        for name, text in written(ROOT).items():
            (ROOT / "reports" / name).write_text(text, "utf-8")
    except (OSError, KeyError) as error:
        print(f"ndt_report.index: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
