"""make_site.py <site>: every Markdown page of the repository as HTML that opens from a disk and from any static host.

The pages are copied to <site>-pages, with README.md as index.md, and Sphinx makes HTML of them there. A link to another file of the
repository leads to a copy of that file. A link or an anchor that leads nowhere fails the build.
"""

import os
import re
import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("*.md", "docs/*.md", "modules/*/README.md", "*/README.md", "reports/ndt_report/README.md", "reports/20*/index.md")
LINK = re.compile(r"(?<=\]\()([^()\s#]+)(?=[)#])")
ANSWERS = re.compile(r"## Which, on my machine, .*?(?=A picture for each question)", re.DOTALL)
GUIDES, PUBLISHED = "docs/README.md", "reports/README.md"


def page_paths() -> list:
    return sorted({path.relative_to(ROOT) for pattern in PAGES for path in ROOT.glob(pattern)})


def placed(path: Path) -> Path:
    """A page's path in the site. A folder has a page that lists it."""
    if path.name == "README.md":
        return path.with_name("index.md")
    return path / "index.md" if (ROOT / path).is_dir() else path


class Pages:
    """The folder that Sphinx reads."""

    def __init__(self, folder: Path):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)

    def write(self, path: Path, text: str):
        place = self.folder / placed(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")

    def copy(self, path: Path):
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, self.folder / path)

    def linked(self, text: str, page: Path, shown_on: Path = None) -> str:
        """The text of a page with the links of the site. Copies what they lead to. shown_on: another page that shows the text."""
        origin, shown = page.parent, (shown_on or page).parent

        def link(match):
            target = Path(os.path.normpath(origin / match[1]))
            if ":" in match[1] or not (ROOT / target).exists():
                return match[1]
            if (ROOT / target).is_dir():
                self.list_folder(target)
            elif target.suffix != ".md":
                self.copy(target)
            return os.path.relpath(placed(target), shown)

        return LINK.sub(link, text)

    def list_folder(self, folder: Path):
        files = sorted(path.relative_to(ROOT) for path in (ROOT / folder).iterdir() if path.is_file())
        for path in files:
            self.copy(path)
        lines = [f"- [{path.name}]({path.name})" for path in files]
        self.write(folder, "\n".join(["---", "orphan: true", "---", f"# {folder}", "", *lines, ""]))


def home(pages: Pages, text: str) -> str:
    """The README with the answers of the published runs before its first picture."""
    answers = ANSWERS.search((ROOT / PUBLISHED).read_text("utf-8"))[0]
    return text.replace("\n![", "\n" + pages.linked(answers, Path(PUBLISHED), Path("README.md")) + "\n![", 1)


def files_of_run(pages: Pages, page: Path) -> str:
    """A last line of a published page: its tables and its machine."""
    folder = ROOT / page.parent
    names = [path.relative_to(folder).as_posix() for path in (*sorted(folder.rglob("*.csv")), *folder.glob("environment.json"))]
    return pages.linked("\n\nFiles: " + ", ".join(f"[{name}]({name})" for name in names) + "\n", page) if names else ""


def contents(paths: list) -> dict:
    """{page: sections of its table of contents as (heading, pages)}: the guides in the order of their list."""
    order = [placed(Path(os.path.normpath(Path(GUIDES).parent / name))) for name in LINK.findall((ROOT / GUIDES).read_text("utf-8"))]
    rest = [placed(path) for path in paths if path.as_posix() not in ("README.md", GUIDES)]
    rest.sort(key=lambda path: order.index(path) if path in order else len(order))
    runs = sorted((path for path in rest if path.match("reports/20*/index.md")), reverse=True)
    guides = [path for path in rest if path.parts[0] == "docs"]
    project = [path for path in rest if len(path.parts) == 1]
    code = [path for path in rest if path not in (*runs, *guides, *project, placed(Path(PUBLISHED)))]
    sections = [("", [placed(Path(PUBLISHED))]), ("Guides", [placed(Path(GUIDES)), *guides]), ("Code and data", code), ("Project", project)]
    return {Path("README.md"): sections, Path(PUBLISHED): [("", runs)]}


def toctree(page: Path, sections: list) -> str:
    blocks = [["```{toctree}", ":hidden:", *([f":caption: {heading}"] if heading else []), "",
               *(os.path.relpath(path, page.parent) for path in listed), "```"] for heading, listed in sections]  # fmt: skip
    return "\n\n" + "\n\n".join("\n".join(block) for block in blocks) + "\n"


def write_pages(pages: Pages):
    paths = page_paths()
    tables = contents(paths)
    for path in paths:
        text = pages.linked((ROOT / path).read_text("utf-8"), path)
        if path.as_posix() == "README.md":
            text = home(pages, text)
        if path.match("reports/20*/index.md"):
            text += files_of_run(pages, path)
        pages.write(path, text + (toctree(path, tables[path]) if path in tables else ""))
    return paths


def main(words) -> int:
    if len(words) != 1:
        print(f"make_site.py: {len(words)} arguments, expected the folder of the site", file=sys.stderr)
        return 1
    site = Path(words[0]).resolve()
    pages = Pages(site.with_name(site.name + "-pages"))
    written = write_pages(pages)
    shutil.rmtree(site, ignore_errors=True)
    folders = ["-c", str(Path(__file__).parent), "-d", str(pages.folder / ".doctrees"), str(pages.folder), str(site)]
    status = build_main(["-b", "html", "-W", "--keep-going", "-q", "-j", "2", *folders])
    if status == 0:
        print(f"{len(written)} pages: {site}/index.html")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
