"""python3 -m ndt_report.index [--check | --commits]: reports/README.md and reports/index.html from reports/index.toml.

One picture a question, and of every published page what was measured where, at which commit, and which of its sources
have changed since (provenance.py). reports/measured.json keeps the fingerprints of those commits. --check writes nothing and exits
with 1 if a file is not what would be written. --commits counts the commits since, for which it needs the whole history.
"""

import json
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup, escape

from .environment import gpus, known_commit
from .page import template
from .provenance import GitError, at_commit, commits_since, has_commit, today

ROOT = Path(__file__).resolve().parents[2]
KEPT = "measured.json"
FILES = {"README.md": "index.md.jinja", "index.html": "index.html.jinja"}
COMMAND = "PYTHONPATH=reports python3 -m ndt_report.index"


@dataclass
class Page:
    name: str
    title: str
    commit: str
    dirty: bool
    machine: str
    measures: list
    changed: list  # of measures; None where the commit's sources are unknown

    @property
    def date(self) -> str:
        return self.name[:10]

    @property
    def since(self) -> str:
        """A sentence's end, in Markdown."""
        if self.dirty:
            return "from a changed tree, so what changed since is not known"
        if self.changed is None:
            return "which is not in the history, so what changed since is not known"
        if not self.changed:
            return "nothing that it measures has changed since"
        return "changed since: " + ", ".join(f"`{path}`" for path in self.changed)


def read_list(root: Path) -> dict:
    return tomllib.loads((root / "reports/index.toml").read_text("utf-8"))


def pages(root: Path, listed: dict, kept: dict) -> list:
    """Newest first. kept: {page: {path: fingerprint}}, to which what the history has is added."""
    now = {path: today(root, path) for paths in listed["measures"].values() for path in paths}
    return [_page(root, name, listed, kept, now) for name in sorted(listed["measures"], reverse=True)]


def _page(root: Path, name: str, listed: dict, kept: dict, now: dict) -> Page:
    folder, measures = root / "reports" / name, listed["measures"][name]
    title = (folder / "index.md").read_text("utf-8").splitlines()[0].removeprefix("# ")
    environment = _environment(folder)
    commit, dirty = known_commit(environment)
    machine = f"{gpus(environment) or environment.get('cpu_model')}, {environment.get('cores')} CPU cores"
    if not environment:
        commit, machine = (listed["commits"][name][key] for key in ("commit", "machine"))
    if not dirty and has_commit(root, commit):
        kept[name] = {path: at_commit(root, commit, path) for path in measures}
    then = {} if dirty else kept.get(name, {})
    known = bool(then) and set(then) == set(measures)
    changed = [path for path in measures if then[path] != now[path]] if known else None
    return Page(name, title, commit[:7], dirty, machine, measures, changed)


def _environment(folder: Path) -> dict:
    """The folder's own, or that of its first part; empty without."""
    there = [folder / "environment.json", *sorted(folder.glob("*/environment.json"))]
    return next((json.loads(path.read_text("utf-8")) for path in there if path.is_file()), {})


def html_words(text: str) -> Markup:
    """Markdown's code and links as HTML, which is all that the words here have."""
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text)))
    return Markup(re.sub(r"\[([^\]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', text))


def written(root: Path) -> dict:
    """{name in reports/: text} of all that the command makes."""
    listed, path = read_list(root), root / "reports" / KEPT
    kept = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    found = pages(root, listed, kept)
    kept = {page.name: kept[page.name] for page in sorted(found, key=lambda page: page.name) if page.name in kept}
    by_name = {page.name: page for page in found}
    questions = [entry | {"page": by_name[entry["page"]], "words": entry["words"].strip()} for entry in listed["question"]]
    values = {"questions": questions, "pages": found, "words": html_words, "command": COMMAND}
    texts = {name: template(file).render(**values) for name, file in FILES.items()}
    return texts | {KEPT: json.dumps(kept, indent=1) + "\n"}


def stale(root: Path) -> list:
    """Names in reports/ that are not what the command would write."""
    there = {name: root / "reports" / name for name in (*FILES, KEPT)}
    texts = written(root)
    return [name for name, path in there.items() if not path.is_file() or path.read_text("utf-8") != texts[name]]


def count_commits(root: Path) -> list:
    lines = []
    for page in pages(root, read_list(root), {}):
        known = not page.dirty and has_commit(root, page.commit)
        count = commits_since(root, page.commit, page.measures) if known else "?"
        lines.append(f"{count:>4}  {page.name} {page.commit}")
    return lines


def main(words) -> int:
    if words not in ([], ["--check"], ["--commits"]):
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 1
    try:
        if words == ["--commits"]:
            print("\n".join(count_commits(ROOT)))
        elif words == ["--check"]:
            old = stale(ROOT)
            print("\n".join(f"reports/{name} is not what the command makes: {COMMAND}" for name in old), end="\n" * bool(old))
            return int(bool(old))
        else:
            for name, text in written(ROOT).items():
                (ROOT / "reports" / name).write_text(text, "utf-8")
    except (GitError, OSError, KeyError) as error:
        print(f"ndt_report.index: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
