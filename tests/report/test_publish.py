"""Folders for reports/: small, whole, without places of a machine, and read by every command as the run was."""

import needs  # noqa: F401  first: it skips

import io
import json
import lzma
import re
import tarfile
import zlib

import pytest
from ndt_report.page.compact_svg import LARGE_BYTES, compact
from ndt_report.page.pack import main as pack
from ndt_report.read.files import ROWS, content, is_there, packed_files
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
        "environment.json", "figures/pareto.svg", "index.md", "rows.tar.xz", "summary.csv"]  # fmt: skip
    packed = packed_files(out)
    assert sorted(packed) == ["datasets.json", "figures/pareto.csv", "implementations.json", "plan.json", "results.jsonl"]
    assert packed["results.jsonl"] == (run / "results.jsonl").read_bytes()
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


def test_localisations_are_published_together_and_read_again(tmp_path, ndt_report):
    drives = [SyntheticDrive(seed=k, implementation=name).write(tmp_path / name) for k, name in enumerate(("a", "b"))]
    for drive in drives:
        file = drive / "localization.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | {"environment": {"commit": COMMIT, "cores": 2, "command_line": f"localize /a/{drive.name}"}}))
    out = tmp_path / "published"
    code, _, err = ndt_report("publish", *drives, "--out", out, "--figure", "localization_latency")
    assert (code, err) == (0, "")
    assert [name for name in packed_files(out) if name.startswith("runs/b")] == [
        "runs/b/frames.csv", "runs/b/localization.json", "runs/b/localization_truth.tum"]
    assert [name for name in names(out) if name.endswith(".svg")] == ["figures/localization_latency.svg"]
    ndt_report("report", *drives, "--out", tmp_path / "first")
    for folders in ([out], [out / "runs/a", out / "runs/b"]):
        assert ndt_report("report", *folders, "--out", tmp_path / "page")[0] == 0
        latency = "figures/localization_latency.csv"
        assert (tmp_path / "page" / latency).read_bytes() == (tmp_path / "first" / latency).read_bytes()
    assert json.loads((out / "environment.json").read_text()) == {"commit": COMMIT, "cores": 2}
    assert "2 followed, their commands in runs/*/localization.json" in (out / "index.md").read_text()
    for environment, said in (({}, "localization.json: names no commit"), ({"commit": COMMIT[::-1]}, "b: is of another commit than ")):
        file.write_text(json.dumps(json.loads(file.read_text()) | {"environment": environment}))
        code, _, err = ndt_report("publish", *drives, "--out", tmp_path / "c")
        assert code == 2 and said in err


# --- the archive of a published folder ---


def archive(folder, *entries):
    """Writes an archive of (name, bytes, {what of its header is odd}), and returns its path."""
    with tarfile.open(folder / ROWS, "w:xz", format=entries[0][2].pop("format", tarfile.USTAR_FORMAT)) as tar:
        for name, data, odd in entries:
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            for key, value in odd.items():
                setattr(entry, key, value)
            tar.addfile(entry, io.BytesIO(data))
    return folder / ROWS


def changed(folder, change):
    (folder / ROWS).write_bytes(change(archive(folder, ("rows", b"line\n" * 1000, {})).read_bytes()))


def test_a_file_of_an_archive_is_bounded_and_one_beside_it_comes_first(tmp_path):
    archive(tmp_path, ("rows", b"line\n" * 1000, {}), ("runs/a/rows", b"a", {}))
    with pytest.raises(InputError, match="rows: 5000 bytes, at most 4999 are read"):
        content(tmp_path / "rows", 4999)
    assert content(tmp_path / "rows", 5000) == b"line\n" * 1000 and content(tmp_path / "runs/a/rows", 1) == b"a"
    assert not is_there(tmp_path / "runs") and not is_there(tmp_path / "a/b/rows")
    (tmp_path / "rows").write_bytes(b"mine")
    assert content(tmp_path / "rows", 5000) == b"mine"


@pytest.mark.parametrize("change", [
    lambda data: data[:-9], lambda data: b"line\n", lambda data: data[:40] + bytes(8) + data[48:], lambda data: data + b"x",
    lambda data: data[:60]])  # fmt: skip
def test_an_archive_that_is_no_whole_xz_file_is_refused(tmp_path, change):
    changed(tmp_path, change)
    with pytest.raises(InputError, match="rows.tar.xz: not a whole xz file"):
        is_there(tmp_path / "rows")


@pytest.mark.parametrize("change, said", [
    (lambda tar: tar[:512], "byte 0: 'rows' is longer than the archive"), (lambda tar: tar[:700], "byte 0: 'rows' is longer"),
    (lambda tar: b"", "byte 0: not a whole tar file: empty header"), (lambda tar: tar[:5632], "byte 5632: not a whole tar file: empty header"),
    (lambda tar: tar[:5700], "byte 5632: not a whole tar file: truncated header"), (lambda tar: b"x" + tar[1:], "byte 0: not a whole tar file: bad checksum"),
    (lambda tar: b"\n" * 10240, "byte 0: not a whole tar file")])  # fmt: skip
def test_an_archive_that_is_no_whole_tar_file_is_refused(tmp_path, change, said):
    changed(tmp_path, lambda data: lzma.compress(change(lzma.decompress(data))))
    with pytest.raises(InputError, match=said):
        is_there(tmp_path / "rows")


@pytest.mark.parametrize("name, odd, said", [
    ("/etc/rows", {}, "is no path inside"), ("../rows", {}, "is no path inside"), ("a/../../rows", {}, "is no path inside"), ("a//b", {}, "is no path inside"),
    ("a", {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}, "is no regular file"), ("a", {"type": tarfile.LNKTYPE, "linkname": "b"}, "is no regular file"),
    ("a", {"type": tarfile.FIFOTYPE}, "is no regular file"), ("a", {"type": tarfile.CHRTYPE}, "is no regular file"), ("a", {"type": tarfile.DIRTYPE}, "is no regular file"),
    ("a", {"type": tarfile.GNUTYPE_SPARSE}, "is no regular file"), ("a" * 300, {"format": tarfile.GNU_FORMAT}, "is no regular file"),
    ("é" * 99, {"format": tarfile.PAX_FORMAT}, "is no regular file"), ("b", {}, "'b' is there twice"), ("\x1b/..", {}, r"'\\x1b/\.\.' is no path")])  # fmt: skip
def test_a_member_that_is_no_file_inside_the_folder_is_refused(tmp_path, name, odd, said):
    archive(tmp_path, ("b", b"", {key: odd.pop(key) for key in list(odd) if key == "format"}), (name, b"", odd))
    with pytest.raises(InputError, match=f"rows.tar.xz: byte 512: .*{said}"):
        is_there(tmp_path / "rows")


def test_an_archive_has_a_bound_by_its_size_and_one_of_files(tmp_path, monkeypatch):
    monkeypatch.setattr("ndt_report.read.files.MOST_UNPACKED", 10240)
    monkeypatch.setattr("ndt_report.read.files.MOST_MEMBERS", 2)
    bomb = archive(tmp_path, ("rows", b" " * 10_000_000, {}))
    most = 10240 + 256 * bomb.stat().st_size
    assert most < 10_000_000
    with pytest.raises(InputError, match=f"rows.tar.xz: unpacks to more than {most} bytes, the bound for its size"):
        is_there(tmp_path / "rows")
    archive(tmp_path, *((name, b"x", {}) for name in "ab"))
    assert content(tmp_path / "a", 1 << 30) == b"x"
    archive(tmp_path, *((name, b"x", {}) for name in "abc"))
    with pytest.raises(InputError, match="more than 2 files"):
        is_there(tmp_path / "rows")


def test_a_dictionary_that_needs_gigabytes_of_memory_is_refused(tmp_path):
    data = bytearray(lzma.compress(bytes(10240)))
    header = data[12:24]
    assert header[0] == 2 and header[2] == 0x21  # a block header of 12 bytes with the filter LZMA2
    header[4] = 37  # a dictionary of 1.5 GiB
    data[12:24] = header[:8] + zlib.crc32(header[:8]).to_bytes(4, "little")
    (tmp_path / ROWS).write_bytes(data)
    with pytest.raises(InputError, match="rows.tar.xz: not a whole xz file: Memory usage limit exceeded"):
        is_there(tmp_path / "rows")


def test_files_added_by_hand_are_packed_and_packing_again_gives_the_same_bytes(tmp_path, capsys):
    files = {"index.md": "# A", "summary.csv": "a", "figures/a.svg": "<svg/>", "drives.log": "b", "again/plan.json": "{}", "again/figures/a.svg": "<svg />"}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "empty").mkdir()
    archive(tmp_path / "again", ("results.jsonl", b"c", {}))
    assert pack([str(tmp_path)]) == 0
    assert names(tmp_path) == ["again/figures/a.svg", "figures/a.svg", "index.md", "rows.tar.xz", "summary.csv"] and not (tmp_path / "empty").exists()
    assert packed_files(tmp_path) == {"again/plan.json": b"{}", "again/results.jsonl": b"c", "drives.log": b"b"}
    first = (tmp_path / ROWS).read_bytes()
    assert pack([str(tmp_path)]) == 0 and (tmp_path / ROWS).read_bytes() == first
    (tmp_path / "drives.log").write_text("d")
    assert pack([str(tmp_path)]) == 0 and packed_files(tmp_path)["drives.log"] == b"d"
    (tmp_path / "link").symlink_to(tmp_path / "index.md")
    assert pack([str(tmp_path)]) == 2 and "link: not a regular file" in capsys.readouterr().err
    assert pack([]) == 1 and pack(["--help"]) == 1


def test_rows_that_could_not_be_read_again_are_not_packed(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("ndt_report.read.files.MOST_UNPACKED", 0)
    (tmp_path / "rows").write_bytes(bytes(1_000_000))
    assert pack([str(tmp_path)]) == 2 and "bytes of rows, at most" in capsys.readouterr().err and names(tmp_path) == ["rows"]
    (tmp_path / "rows").rename(tmp_path / ("r" * 200))
    assert pack([str(tmp_path)]) == 2 and "cannot be packed: name is too long" in capsys.readouterr().err


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
