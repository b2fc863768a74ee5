"""One table of run folders that are refused: what is changed in a valid one, and what report and compare say of it."""

import needs  # noqa: F401  first: it skips

import json
from functools import partial

import pytest
from folder_edits import change_line, copied, edit_json, edit_text, raw, refused_everywhere, rename_everywhere, replace, sentence
from folder_edits import with_columns
from ndt_report.read.columns import LATER, REQUIRED
from ndt_report.read.kinds import BUDGET_KEYS
from synthetic_run import SyntheticRun

ROWS = 20
DEEP = "[" * 100_000 + "]" * 100_000
TOO_DEEP = "lists and objects are nested deeper than 32 levels"
SKEWED = [1.0, 0.5, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
MIRRORED = [-1.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
LOWER = [1.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0.5, 1]
NAN = float("nan")

# Values of a row as raw JSON: key, text, words.
RAW_ROWS = [
    ("pose", json.dumps(SKEWED), "pose is not a rigid motion"),
    ("pose", json.dumps(MIRRORED), "pose is not a rigid motion"),
    ("truth", json.dumps(LOWER), "truth is not a rigid motion"),
    ("guess", json.dumps([0] * 16), "guess is not a rigid motion"),
    ("pose", json.dumps([1e308] * 16), "pose is not 16 finite numbers"),
    ("points", "9" * 5000, "a number has too many digits"),
    ("points", "9" * 4000, "points is not a whole number"),
    ("score", "9" * 4000, "score is not a finite number"),
    ("score", "1e400", "score is not a finite number"),
    ("score", "NaN", "score is not a finite number"),
    ("score", "-Infinity", "score is not a finite number"),
    ("score", DEEP, TOO_DEEP),
    ("iterations", "-1", "iterations is not a whole number"),
    ("align_us", "[0]", "align_us holds a time that is not above 0"),
    ("align_us", "[-5.5]", "align_us holds a time that is not above 0"),
    ("job", "77", "there is no job 77 in plan.json"),
    ("job", "-1", "job is not a whole number"),
    ("stop", json.dumps("x" * 70_000), "stop is not text of at most 65536 characters"),
    ("frame", "{}", "frame is not text"),
    ("dataset", "[]", "dataset is not text"),
    ("implementation", '"\\u001b[2J"', r"implementation '\x1b[2J' is not in implementations.json"),
    ("timing", '"\\ud800"', r"timing is '\ud800', not one of"),
    ("search", '{"name": "x"}', "search: key 'strategy' is missing"),
]
# Values of a row: changes, words.
CHANGED_ROWS = [
    (dict(pose=[1.0] * 15), "pose is not 16 finite numbers"),
    (dict(pose=None), "pose is null"),
    (dict(iterations=1.5), "iterations is not a whole number"),
    (dict(uploads=1.5), "uploads is not a whole number"),
    (dict(iterations=True), "iterations is not a whole number"),
    (dict(align_us=[]), "align_us is not a list of finite numbers"),
    (dict(align_us=[1.0, NAN]), "align_us is not a list of finite numbers"),
    (dict(stop=3), "stop is not text"),
    (dict(timing="best"), "timing is 'best', not one of settled, wall_cap, single"),
    (dict(implementation="gicp"), "implementation 'gicp' is not in implementations.json"),
    (dict(dataset="moon"), "dataset 'moon' is not in datasets.json"),
    (dict(trace={"score": [1.0]}), "trace is not an object of equally long lists"),
    (dict(guess_offset={"x_m": 1.0}), "guess_offset is not an object"),
    (dict(error="it crashed"), "error and error_kind must both be null"),
    (dict(error="it crashed", error_kind="bad luck"), "error_kind is 'bad luck'"),
    (dict(colour="red"), "unknown key 'colour'; make the report with the checkout"),
]
# Values of plan.json and environment.json as raw JSON: file, key, text, words.
RAW_FILES = [
    ("environment.json", "cuda", "[]", "cuda is not an object"),
    ("environment.json", "cuda", '{"devices": [3]}', "cuda is not an object"),
    ("environment.json", "cuda", '{"devices": [{"name": null}]}', "cuda is not an object"),
    ("environment.json", "commit", "7", "commit is not text"),
    ("environment.json", "command_line", "[]", "command_line is not text"),
    ("environment.json", "cores", '"two"', "cores is not a whole number"),
    ("environment.json", "run_id", "null", "run_id is null"),
    ("environment.json", "variables", DEEP, TOO_DEEP),
    ("environment.json", "variables", "[" * 40 + "]" * 40, TOO_DEEP),
    ("environment.json", "cores", "9" * 5000, "a number has too many digits"),
    ("plan.json", "left_out", '["a"]', "left_out is not a list of objects with the texts what and why"),
    ("plan.json", "left_out", '{"what": "a"}', "left_out is not a list of objects"),
    ("plan.json", "left_out", '[{"what": "a", "why": 3}]', "left_out is not a list of objects"),
    ("plan.json", "preset", "{}", "preset is not text"),
    ("plan.json", "jobs", "{}", "jobs is not a list"),
    ("plan.json", "jobs", "3", "jobs is not a list"),
    ("plan.json", "jobs", "[[]]", "job 1: job is missing"),
    ("plan.json", "jobs", '[{"job": 0}]', "job 1: row_count is missing or not a whole number"),
    ("plan.json", "jobs", '[{"job": 1, "row_count": 1e3}]', "job 1: row_count is missing"),
    ("plan.json", "jobs", '[{"job": 1, "row_count": 1, "shared_rows": -1}]', "job 1: shared_rows is missing or not a whole"),
    ("plan.json", "run_id", '"another"', "run_id is 'another', that of environment.json is '20261121T13"),
]
# Texts of whole files: file, text, words.
TEXTS = [
    ("plan.json", "[]", "not a JSON object"),
    ("plan.json", "{}", "key 'preset' is missing"),
    ("datasets.json", "{", "line 1: not JSON"),
    ("datasets.json", "[]", "not a list of objects, or empty"),
    ("implementations.json", "[{}]", "entry 1: key 'name' is missing"),
    ("results.jsonl", "", "empty: no measurement in it"),
]
# The columns of the run: change of columns.json, words.
COLUMNS = [
    (lambda e: e.clear(), "column 'run_id' is missing"),
    (lambda e: e.remove(_of(e, "job")), "column 'job' is missing"),
    (lambda e: e.append(e[0]), f"entry {len(REQUIRED) + 1}: duplicate column 'run_id'"),
    (lambda e: e[0].pop("unit"), "entry 1: not an object of name, unit, kind, null, meaning"),
    (lambda e: e[2].update(colour="red"), "entry 3: not an object of name"),
    (lambda e: e[0].update(meaning=None), "entry 1: meaning is not text"),
    (lambda e: e[0].update(kind="float"), "entry 1: kind is 'float', not one of text, int"),
    (lambda e: e[0].update(null="seldom"), "entry 1: null is 'seldom', not one of never; "),
    (lambda e: e[0].update(kind="int"), "column 'run_id': kind is 'int', expected 'text'"),
    (lambda e: _of(e, "align_us").update(unit="ms"), "column 'align_us': unit is 'ms', expected 'us'"),
    (lambda e: e[0].update(null="may be null"), "column 'run_id': null is 'may be null', expected 'never'"),
]
BUDGETS = [{}, *(dict.fromkeys(BUDGET_KEYS) | wrong for wrong in ({"joules": 1}, {"waits": -1}, {"waits": "few"}))]
# A thing in a file's place: words.
PLACES = {
    "FIFO": "not a regular file", "device": "not a regular file", "folder": "a folder, not a file", "not UTF-8": "not UTF-8",
    "empty": "", "a broken link": "missing",
}  # fmt: skip
FILES = ["plan.json", "environment.json", "implementations.json", "datasets.json", "columns.json", "results.jsonl"]


def _of(entries, name):
    return next(entry for entry in entries if entry["name"] == name)


def _lines(change):
    """Changes the list of lines of results.jsonl."""

    def edit(folder):
        path = folder / "results.jsonl"
        lines = path.read_text().splitlines()
        change(lines)
        path.write_text("\n".join(lines) + "\n")

    return edit


def _raw_row(key, text):
    return _lines(lambda lines: lines.__setitem__(2, raw(lines[2], key, text)))


def _raw_file(name, key, text):
    return lambda folder: edit_text(folder / name, lambda before: raw(before, key, text))


def _budget(value):
    return lambda folder: edit_json(folder / "implementations.json", lambda entries: entries[0].update(budget=value))


def _job_of_line_3(key, value):
    """The job of a row as planned, but for one key."""

    def edit(folder):
        row = json.loads((folder / "results.jsonl").read_text().split("\n")[2])
        planned = {name: row[name] for name in ("dataset", "implementation", "variant", "threads")} | {key: value}
        edit_json(folder / "plan.json", lambda plan: _job(plan, row["job"]).update(planned))

    return edit


def _job(plan, number):
    return next(job for job in plan["jobs"] if job["job"] == number)


def _another_run(folder):
    """Rows of another run after those of this one."""
    run = SyntheticRun(cuda=False, seed=2)
    run.names = ["pcl_ndt"]
    other = run.tracking("town", frames=4, block=2).write(folder.parent / "other")
    text = (other / "results.jsonl").read_text().replace("20261121T134819Z", "20261122T000000Z").replace('"noise0"', '"noise1"')
    edit_text(folder / "results.jsonl", lambda own: own + text)


def cases():
    """(edit of a folder, the file that is named, words)"""
    yield from ((_raw_row(key, text), "results.jsonl: line 3: ", words) for key, text, words in RAW_ROWS)
    for values, words in CHANGED_ROWS:
        yield partial(change_line, number=5, change=lambda entry, v=values: entry.update(v)), "results.jsonl: line 5: ", words
    for name in (column.name for column in REQUIRED if column.null != LATER):
        edit = partial(change_line, number=2, change=lambda entry, n=name: entry.pop(n))
        yield edit, "results.jsonl: line 2: ", f"key '{name}' is missing"
    yield from ((_raw_file(name, key, text), f"{name}: ", words) for name, key, text, words in RAW_FILES)
    yield from ((lambda folder, n=name, t=text: (folder / n).write_text(t), f"{name}: ", words) for name, text, words in TEXTS)
    yield from ((partial(with_columns, change=change), "columns.json: ", words) for change, words in COLUMNS)
    for budget in BUDGETS:
        yield _budget(budget), "implementations.json: ", "entry 1: budget is not an object of numbers or null launches, waits, "
    for name in FILES:
        yield from ((lambda folder, n=name, w=what: replace(folder / n, w), name, words) for what, words in PLACES.items())
    for name in FILES[:4]:
        yield lambda folder, n=name: replace(folder / n, "missing"), f"{name}: ", "missing; run ndt-bench run again"
    yield _lines(lambda lines: lines.__setitem__(6, lines[6][:100])), "results.jsonl: line 7: ", "not JSON"
    yield _lines(lambda lines: lines.append(lines[0])), f"results.jsonl: line {ROWS + 1}: ", "the measurement of line 1 again"
    yield partial(change_line, number=4, change=lambda entry: entry.update(frame="scans/000000.bin")), "line 4: ", "the measurement of line"
    yield _another_run, f"results.jsonl: line {ROWS + 1}: ", "run_id is '20261122T000000Z', that of environment.json is"
    yield _another_run, "results.jsonl", "two runs were written into one folder: give each its own --out"
    for key, value in (("dataset", "moon"), ("implementation", "gicp"), ("variant", "x"), ("threads", 9)):
        words = f"another {key} than job 2 in plan.json; two runs were written into one folder"
        yield _job_of_line_3(key, value), "results.jsonl: line ", words


CASES = list(cases())


@pytest.fixture(scope="module")
def valid(tmp_path_factory):
    folder = SyntheticRun(cuda=False).tracking("town", frames=4, block=2).picture("town").write(tmp_path_factory.mktemp("valid") / "run")
    with_columns(folder)
    return folder


@pytest.fixture
def folder(valid, tmp_path):
    return copied(valid, tmp_path)


def test_the_valid_folder_is_taken(folder, ndt_report):
    assert ndt_report("compare", folder, folder)[0] == 0 and len((folder / "results.jsonl").read_text().splitlines()) == ROWS


@pytest.mark.parametrize("edit, file, words", CASES, ids=[f"{number} {file}{words[:40]}" for number, (_, file, words) in enumerate(CASES)])
def test_a_bad_folder_is_one_sentence(folder, ndt_report, edit, file, words):
    edit(folder)
    said = refused_everywhere(ndt_report, folder)
    assert f"{folder}/" in said and file in said and words in said


def test_a_folder_that_is_missing_is_named(tmp_path, ndt_report):
    assert "no results.jsonl in it; give the folder" in refused_everywhere(ndt_report, tmp_path / "nowhere")


@pytest.mark.parametrize("what", ["FIFO", "device", "folder"])
def test_a_picture_that_is_no_file_is_one_sentence(folder, ndt_report, what):
    replace(folder / "clouds/map.pcd", what)
    words = {"FIFO": "map.pcd: not a regular file", "folder": "map.pcd: a folder, not a file"}
    assert words.get(what, "map is outside the run's folder") in sentence(ndt_report("report", folder))


@pytest.mark.parametrize("name", ["/etc/hostname", "../secret.pcd", "clouds/../../secret.pcd", "clouds/link.pcd"])
def test_a_picture_outside_the_folder_is_refused(folder, ndt_report, name):
    (folder / "clouds" / "map.pcd").rename(folder.parent / "secret.pcd")
    (folder / "clouds" / "link.pcd").symlink_to(folder.parent / "secret.pcd")
    rename_everywhere(folder, "clouds/map.pcd", name)
    said = refused_everywhere(ndt_report, folder)
    assert "datasets.json: dataset 'town', picture: map is outside the run's folder" in said


def test_what_is_too_large_is_not_read(folder, ndt_report, monkeypatch):
    monkeypatch.setattr("ndt_report.read.rows.MOST_LINE_BYTES", 50)
    assert "results.jsonl: line 1: longer than 50 bytes" in refused_everywhere(ndt_report, folder)
    monkeypatch.setattr("ndt_report.read.json_files.MOST_JSON_BYTES", 50)
    assert "json: " in (said := refused_everywhere(ndt_report, folder)) and "at most 50 are read" in said
