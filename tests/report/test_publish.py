"""Folders for reports/: small, whole, without places of a machine, and read by every command as the run was."""

import needs  # noqa: F401  first: it skips

import json
import lzma
import re

import pytest
from ndt_report.page import publish
from ndt_report.page.compact_svg import LARGE_BYTES, compact
from ndt_report.read.files import content, unpacked
from ndt_report.read.load import load_run
from ndt_report.page.publish import without_places
from ndt_report.read.refusal import InputError
from ndt_report.figures.svg import picture_of
from ndt_report.figures.style import plt
from synthetic_localization import SyntheticDrive
from synthetic_run import SyntheticRun

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def run_in(folder, commit=COMMIT, **environment):
    run = SyntheticRun(cuda=False).tracking("town", frames=6, block=2).write(folder)
    file = run / "environment.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"commit": commit} | environment))
    return run


def names(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_published_run_is_read_as_the_run_was(tmp_path, ndt_report):
    run, out = run_in(tmp_path / "run"), tmp_path / "published"
    code, said, err = ndt_report("publish", run, "--out", out, "--figure", "pareto")
    assert (code, err) == (0, "") and said.strip() == str(out / "index.md")
    assert names(out) == [
        "datasets.json", "environment.json", "figures/pareto.csv", "figures/pareto.svg", "implementations.json",
        "index.md", "plan.json", "results.jsonl.xz", "summary.csv",
    ]  # fmt: skip
    assert lzma.decompress((out / "results.jsonl.xz").read_bytes()) == (run / "results.jsonl").read_bytes()
    assert load_run(out).measurements.to_json() == load_run(run).measurements.to_json()
    for folder in (run, out):
        assert ndt_report("report", folder, "--out", tmp_path / f"page of {folder.name}")[0] == 0
    for file in ("summary.csv", "figures/pareto.csv", "figures/latency_ecdf.csv"):
        same = [(tmp_path / f"page of {name}" / file).read_bytes() for name in ("run", "published")]
        assert same[0] == same[1], file
    code, text, _ = ndt_report("compare", run, out)
    assert code == 0 and "SAME" in text


def test_its_page_begins_with_what_the_report_says(tmp_path, ndt_report):
    run, out = run_in(tmp_path / "run"), tmp_path / "published"
    ndt_report("publish", run, "--out", out)
    page = (out / "index.md").read_text()
    assert page.startswith("# synthetic: made up for the tests\n") and f"at commit {COMMIT[:7]} on" in page
    assert "Use persistent_cpu" in page and "dataset" in page and "ndt_report report" in page
    shown = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page)
    assert "figures/latency_ecdf.svg" in shown and all((out / name).is_file() for name in shown)
    own = tmp_path / "own"
    own.mkdir()
    (own / "index.md").write_text("# Mine\n")
    assert ndt_report("publish", run, "--out", own)[0] == 0 and (own / "index.md").read_text() == "# Mine\n"
    code, _, err = ndt_report("publish", run, "--out", own)
    assert code == 2 and "holds more than index.md; delete it" in err


@pytest.mark.parametrize("commit, said", [(COMMIT + "-dirty", "local changes"), ("unknown", "names no commit"), ("", "names no commit")])
def test_a_run_of_changed_or_unknown_sources_is_refused(tmp_path, ndt_report, commit, said):
    code, out, err = ndt_report("publish", run_in(tmp_path / "run", commit), "--out", tmp_path / "published")
    assert code == 2 and out == "" and said in err and "environment.json" in err and not (tmp_path / "published").exists()


def test_an_unfinished_run_and_an_unknown_figure_are_refused(tmp_path, ndt_report):
    run = run_in(tmp_path / "run")
    code, _, err = ndt_report("publish", run, "--out", tmp_path / "a", "--figure", "basin")
    assert code == 2 and "no figure basin" in err and "pareto" in err
    text = (run / "results.jsonl").read_text()
    (run / "results.jsonl").write_text(text[: len(text) // 2])
    code, _, err = ndt_report("publish", run, "--out", tmp_path / "b")
    assert code == 2 and "was stopped" in err and "publish whole runs" in err


def test_places_of_the_machine_are_taken_out(tmp_path, ndt_report):
    line = "/home/me/b/ndt-bench run --preset 'a b' --out=/tmp/x/run --dataset ~/data/site --threads 1/2"
    run = run_in(tmp_path / "run", command_line=line, variables={"NDT_DATASETS": "/srv/data"}, os="Debian, https://a.org/b")
    ndt_report("publish", run, "--out", tmp_path / "published")
    environment = json.loads((tmp_path / "published/environment.json").read_text())
    assert environment["command_line"] == "ndt-bench run --preset 'a b' --out=run --dataset site --threads 1/2"
    assert environment["variables"] == {"NDT_DATASETS": "data"} and environment["os"] == "Debian, https://a.org/b"
    assert "/home" not in (tmp_path / "published/index.md").read_text()
    assert without_places(["build/x/bin/y", 3, None, "a /b/c, d"]) == ["build/x/bin/y", 3, None, "a c, d"]
    plan = run / "plan.json"
    plan.write_text(json.dumps(json.loads(plan.read_text()) | {"description": "/home/me/site"}))
    code, _, err = ndt_report("publish", run, "--out", tmp_path / "other")
    assert code == 2 and "plan.json: names a place of this machine, /home/me/site" in err


def test_localisations_are_published_together_and_read_again(tmp_path, ndt_report, monkeypatch):
    monkeypatch.setattr(publish, "PACK_BYTES", 2000)
    drives = [SyntheticDrive(seed=k, implementation=name).write(tmp_path / name) for k, name in enumerate(("a", "b"))]
    for drive in drives:
        file = drive / "localization.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | {"environment": {"commit": COMMIT, "cores": 2, "command_line": f"localize /a/{drive.name}"}}))
    out = tmp_path / "published"
    code, _, err = ndt_report("publish", *drives, "--out", out, "--figure", "localization_latency")
    assert (code, err) == (0, "")
    assert [name for name in names(out) if name.startswith("runs/b")] == [
        "runs/b/frames.csv.xz", "runs/b/localization.json", "runs/b/localization_truth.tum.xz"]
    assert [name for name in names(out) if name.endswith(".svg")] == ["figures/localization_latency.svg"]
    assert ndt_report("report", out / "runs/a", out / "runs/b", "--out", tmp_path / "page")[0] == 0
    ndt_report("report", *drives, "--out", tmp_path / "first")
    latency = "figures/localization_latency.csv"
    assert (tmp_path / "page" / latency).read_bytes() == (tmp_path / "first" / latency).read_bytes()
    assert json.loads((out / "environment.json").read_text()) == {"commit": COMMIT, "cores": 2}
    assert "2 followed, their commands in runs/*/localization.json" in (out / "index.md").read_text()
    for environment, said in (({}, "localization.json: names no commit"), ({"commit": COMMIT[::-1]}, "b: is of another commit than ")):
        file.write_text(json.dumps(json.loads(file.read_text()) | {"environment": environment}))
        code, _, err = ndt_report("publish", *drives, "--out", tmp_path / "c")
        assert code == 2 and said in err


def test_what_is_no_whole_xz_file_is_refused(tmp_path):
    whole = lzma.compress(b"line\n" * 1000)
    for wrong in (whole[:-9], b"line\n", whole[:40] + bytes(8) + whole[48:]):
        (tmp_path / "rows.xz").write_bytes(wrong)
        with pytest.raises(InputError, match="rows.xz: not a whole xz file"):
            content(tmp_path / "rows", 1 << 20)
    (tmp_path / "rows.xz").write_bytes(whole)
    with pytest.raises(InputError, match="at most 4999 bytes"):
        content(tmp_path / "rows", 4999)
    assert content(tmp_path / "rows", 5000) == b"line\n" * 1000


def test_a_packed_file_is_bounded_by_its_size(tmp_path, monkeypatch):
    monkeypatch.setattr("ndt_report.read.files.MOST_UNPACKED", 1000)
    bomb = lzma.compress(b"[" + b" " * 10_000_000 + b"]\n")
    (tmp_path / "rows.xz").write_bytes(bomb)
    most = 1000 + 256 * len(bomb)
    assert most < 10_000_000
    with pytest.raises(InputError, match=f"rows.xz: unpacks to more than {most} bytes, the bound for its size"):
        content(tmp_path / "rows", 1 << 30)
    with pytest.raises(InputError, match="the bound for its size"), unpacked(tmp_path / "rows", 1 << 30) as file:
        file.readline(1 << 30)
    (tmp_path / "rows.xz").write_bytes(lzma.compress(b"x" * 1000))
    assert content(tmp_path / "rows", 1 << 30) == b"x" * 1000


def pixels(svg):
    """Numbers of all paths and places."""
    return [float(n) for value in re.findall(r'\b(?:d|x|y)="([^"]*)"', svg) for n in re.findall(r"-?\d+(?:\.\d+)?", value)]


def test_a_figure_is_the_same_in_fewer_bytes(tmp_path):
    figure, ax = plt.subplots()
    ax.plot([0, 1, 2], [1, 3, 2], "o-", label="a")
    file = picture_of(figure, "a").file
    small = compact(file)
    assert len(small) < 0.75 * len(file) and small.count("<use") == file.count("<use") and small.count("<path") == file.count("<path")
    assert pixels(small) == pytest.approx(pixels(file), abs=0.0051) and compact(small) == small
    assert "<metadata" not in small and "<?xml" in small


def test_a_large_figure_is_thinned_and_keeps_the_ends_of_its_lines():
    figure, ax = plt.subplots()
    x = [k / 40_000 for k in range(40_000)]
    ax.plot(x, [(k % 7) * 1e-5 + v for k, v in enumerate(x)], "s", markevery=3)
    with plt.rc_context({"path.simplify": False}):
        ax.plot(x, [v + (k % 5) * 1e-4 for k, v in enumerate(x)])
        file = picture_of(figure, "b").file
    small = compact(file)
    assert len(file) > 5 * LARGE_BYTES and len(small) <= LARGE_BYTES
    ends = [(min(numbers), max(numbers)) for numbers in (pixels(file), pixels(small))]
    assert ends[0] == pytest.approx(ends[1], abs=0.5)
