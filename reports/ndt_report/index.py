"""python3 -m ndt_report.index: reports/README.md from reports/index.toml and the folders beside it.

It says what to take on which machine, has one picture a question, and of every published page what was measured where, of which
release, at which commit.
"""

import json
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from .read.environment import gpus, known_commit
from .page.html import template
from .read.files import MOST_JSON_BYTES, content, is_there, packed_files

ROOT = Path(__file__).resolve().parents[2]
COMMAND = "PYTHONPATH=reports python3 -m ndt_report.index"


@dataclass
class Page:
    name: str
    title: str
    commit: str
    machine: str
    release: str  # the version that its programs told; empty if the environment lacks it

    @property
    def made(self) -> str:
        """Names the date, the machine, the release and the commit. Pages of one run of the suite share them."""
        release = f"release {self.release}, " if self.release else ""
        return f"{self.name[:10]}, {self.machine}, {release}commit {self.commit}"


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
        listed = commits[folder.name]
        return Page(folder.name, title, listed["commit"], listed["machine"], listed.get("release", ""))
    commit, dirty = known_commit(environment)
    machine = f"{gpus(environment) or environment.get('cpu_model')}, {environment.get('cores')} CPU cores"
    release = environment.get("versions", {}).get("ndt", "")
    return Page(folder.name, title, commit[:7] + (" with local changes" if dirty else ""), machine, release)


def _environment(folder: Path) -> dict:
    """The folder's own, or that of its first part; empty without."""
    there = [folder / "environment.json", *(folder / name for name in packed_files(folder) if name.endswith("/environment.json"))]
    return next((json.loads(content(path, MOST_JSON_BYTES)) for path in there if is_there(path)), {})


def written(root: Path) -> str:
    """The text of reports/README.md."""
    listed = read_list(root)
    found = pages(root, listed)
    by_name = {page.name: page for page in found}
    questions = [entry | {"page": by_name[entry["page"]], "words": entry["words"].strip()} for entry in listed["question"]]
    answers = {}  # {machine: answers}
    for entry in listed["answer"]:
        answers.setdefault(entry["machine"], []).append(entry | {"page": by_name[entry["page"]]})
    releases = ", ".join(dict.fromkeys(page.release for page in found if page.release))
    machines = " / ".join(dict.fromkeys(answer["page"].machine for entries in answers.values() for answer in entries))
    return template("index.md.jinja").render(answers=answers, machines=machines, releases=releases, questions=questions, pages=found, command=COMMAND)


def main(words) -> int:
    if words:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 1
    try:
        (ROOT / "reports/README.md").write_text(written(ROOT), "utf-8")
    except (OSError, KeyError) as error:
        print(f"ndt_report.index: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
