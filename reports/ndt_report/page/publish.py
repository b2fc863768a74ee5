"""A folder for reports/ of a run folder, or of localisations: their rows, what made them, tables, figures, and the
beginning of a page. What the rows give again is left out: report.html, trajectories, large tables of figures."""

import json
import os
import re
from pathlib import Path

from .compact_svg import compact
from ..read.environment import gpus, known_commit
from ..read.files import MOST_FILE_BYTES, MOST_JSON_BYTES, content, is_there, make_folder, write_bytes, write_file
from ..read.json_files import parsed
from ..read.refusal import refusal
from .pack import pack
from .write import csv_text

PAGE = "index.md"
FIGURE_TABLE_BYTES = 64 << 10  # a figure's larger table is left out
RUN_FILES = ("environment.json", "plan.json", "implementations.json", "datasets.json", "columns.json", "results.jsonl")
LOCALIZATION_FILES = ("frames.csv", "localization.json", "localization_truth.tum", "preset.json")
WITH_PLACES = ("environment.json", "localization.json")  # of the machine, which are taken out
PLACE = re.compile(r"(?<![\w./~-])~?/(?:[^\s'\"/]+/)*([^\s'\"/]+)")
COMMIT_FIRST = "commit, build, and run again"


def publish_run(folder: Path, out: Path, figures, text_of) -> Path:
    """Returns the path of the page. figures: names of drawings, or empty for all. text_of: report -> lines of a
    terminal. Throws InputError for a run from a changed tree, or an unfinished one."""
    from ..read.load import load_run
    from ..sections.report import make_report

    run = load_run(folder)
    _refuse_changed(folder / "environment.json", run.environment)
    if run.notes:
        raise refusal(folder, "", run.notes[0].rstrip("."), "publish whole runs")
    _refuse_places(folder)
    _make_new(out)
    report = make_report(run)
    drawings = chosen(report.drawings, figures, folder)
    for name in RUN_FILES:
        if is_there(folder / name):
            copy_file(folder, name, out)
    for part in report.parts.values():
        write_tables(out, part.csv())
    write_figures(out, drawings)
    head = f"# {run.plan['preset']}: {run.plan['description']}"
    made = _made(run.environment, f"{len(run.measurements) + len(run.at_rates) + len(run.shifted)} measurements")
    return _write_page(out, head, made, drawings, text_of(report))


def publish_localizations(folders, out: Path, figures, text_of) -> Path:
    """As publish_run(); each localisation into runs/ under its folder's name."""
    from ..localization.load import load_localizations
    from ..localization.methods import markdown
    from ..localization.report import make_localization_report

    runs = load_localizations(folders)
    for run in runs:
        _refuse_changed(run.folder / "localization.json", run.facts.environment)
        if run.facts.environment["commit"] != runs[0].facts.environment["commit"]:
            raise refusal(run.folder, "", f"is of another commit than {runs[0].folder}", "publish localisations of one commit together")
    names = [run.name for run in runs]
    if len(set(names)) < len(names):
        raise refusal(folders[0], "", "two folders have one name", "give folders of different names")
    _make_new(out)
    report = make_localization_report(runs)
    drawings = chosen([d for drawings in report.drawings.values() for d in drawings], figures, folders[0])
    make_folder(out, "runs")
    for run in runs:
        make_folder(out / "runs", run.name)
        for name in LOCALIZATION_FILES:
            if is_there(run.folder / name):
                copy_file(run.folder, name, out / "runs" / run.name)
    # The first of them: commit and machine. A command line is in each localization.json.
    environment = {key: value for key, value in runs[0].facts.environment.items() if key != "command_line"}
    write_bytes(out, "environment.json", _json_text(without_places(environment)))
    write_tables(out, {"summary.csv": report.table} | ({"methods.csv": report.methods} if len(report.methods) else {}))
    write_figures(out, drawings)
    made = _made(environment, f"{len(runs)} followed, their commands in runs/*/localization.json")
    return _write_page(out, "# Localisations", made, drawings, text_of(report), markdown(report.methods))


def _refuse_changed(path: Path, environment: dict):
    commit, changed = known_commit(environment)
    if not commit:
        raise refusal(path, "", "names no commit, so nobody could repeat the run", COMMIT_FIRST)
    if changed:
        raise refusal(path, "", f"was built from {commit[:12]} with local changes, which nobody has", COMMIT_FIRST)


def _refuse_places(folder: Path):
    for name in ("plan.json", "datasets.json"):
        text = content(folder / name, MOST_JSON_BYTES).decode("utf-8")
        if found := re.search(r'"(/[^"]*/[^"]*)"', text):
            advice = "give the dataset by its name (NDT_DATASETS), and run again"
            raise refusal(folder / name, "", f"names a place of this machine, {found[1]}", advice)


def _make_new(out: Path):
    if out.exists() and any(entry.name != PAGE for entry in out.iterdir()):
        raise refusal(out, "", f"is there, and holds more than {PAGE}", "delete it, or give another --out")
    out.mkdir(parents=True, exist_ok=True)


def chosen(drawings: list, names, folder: Path) -> list:
    """Returns the drawings that are named, in report order; all without names. Throws InputError for a name that no drawing has."""
    there = {drawing.name: drawing for drawing in drawings}
    if missing := [name for name in names if name not in there]:
        raise refusal(folder, "", f"its report has no figure {missing[0]}", f"it has {', '.join(there) or 'none'}")
    return [drawing for name, drawing in there.items() if not names or name in names]


def without_places(value):
    """A JSON value whose absolute paths are their last part: the machine's folders are nobody's business."""
    if isinstance(value, str):
        return PLACE.sub(r"\1", value)
    if isinstance(value, list):
        return [without_places(inner) for inner in value]
    if isinstance(value, dict):
        return {key: without_places(inner) for key, inner in value.items()}
    return value


def copy_file(folder: Path, name: str, out: Path):
    """A file of WITH_PLACES loses them."""
    data = content(folder / name, MOST_FILE_BYTES)
    if name in WITH_PLACES:
        data = _json_text(without_places(parsed(folder / name, data.decode("utf-8"))))
    write_bytes(out, name, data)


def _json_text(value) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode("utf-8")


def write_tables(out: Path, tables: dict):
    for name, table in tables.items():
        write_file(out, name, csv_text(table))


def write_figures(out: Path, drawings):
    make_folder(out, "figures")
    for drawing in drawings:
        write_file(out, f"figures/{drawing.svg_file}", compact(drawing.picture.file))
        if len(table := csv_text(drawing.data)) <= FIGURE_TABLE_BYTES:
            write_file(out, f"figures/{drawing.file}", table)


def _made(environment: dict, what: str) -> str:
    environment = without_places(environment)
    machine = gpus(environment) or environment.get("cpu_model") or "an unknown machine"
    date = str(environment.get("date_utc") or "")[:10]
    command = f"`{environment['command_line']}`" if environment.get("command_line") else "`ndt-bench localize`"
    commit = known_commit(environment)[0][:7]
    return f"{command} at commit {commit} on {machine} with {environment.get('cores', '?')} CPU cores{date and f', {date}'}: {what}."


def _write_page(out: Path, head: str, made: str, drawings, lines, table: str = "") -> Path:
    """Packs the rows, and writes the page from the report's words and numbers, unless there is one."""
    pack(out)
    parts = [head, made, f"`PYTHONPATH=reports python3 -m ndt_report report {os.path.relpath(out)} --out page` makes the whole page of its rows."]
    parts += [f"![{_caption(drawing)}](figures/{drawing.svg_file})" for drawing in drawings]
    parts.append("```\n" + "\n".join(lines) + "\n```")
    parts += [table] if table else []
    if not (out / PAGE).exists():
        write_file(out, PAGE, "\n\n".join(parts) + "\n")
    return out / PAGE


def _caption(drawing) -> str:
    return re.sub(r"[\[\]\n]", " ", drawing.finding or drawing.title)
