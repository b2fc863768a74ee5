"""The wheel: built against the moved prefix, installed alone into an environment of its own, tested there."""

import email
import os
import re
import zipfile
from pathlib import Path

import pytest
from conftest import EXAMPLES, ROOT, run, with_cuda

MOST_BYTES = 3_000_000


def test_it_is_small(repaired, prefix):
    if with_cuda(prefix):
        pytest.skip("skipped for want of a build without CUDA")
    assert repaired.stat().st_size < MOST_BYTES


def test_its_metadata_are_fit_for_an_index(repaired):
    with zipfile.ZipFile(repaired) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        found = email.message_from_bytes(archive.read(name))
        licence = archive.read(name.replace("METADATA", "licenses/LICENSE"))
    assert licence == (ROOT / "LICENSE").read_bytes()
    assert (found["Name"], found["License-Expression"], found["Description-Content-Type"]) == ("ndt", "Apache-2.0", "text/markdown")
    assert 0 < len(found["Summary"]) < 512 and found.get_payload().startswith("# ndt for Python")
    assert "Topic :: Scientific/Engineering" in found.get_all("Classifier") and not found.get_all("Project-URL"), "there is no public address yet"


def test_it_asks_a_machine_for_nothing_but_the_libraries_of_every_linux(python, repaired):
    assert "-manylinux_2_" in repaired.name
    module = run(python, "-c", "import ndt._ndt; print(ndt._ndt.__file__)").strip()
    needed = dict(re.findall(r"(\S+?\.so\S*)(?: => (\S+))?", run("ldd", module)))
    outside = {name for name, file in needed.items() if not file.startswith(str(Path(module).parents[1]))}
    everywhere = {"libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1"}
    assert {name for name in outside if not name.startswith(("linux-vdso", "/lib"))} <= everywhere, needed
    assert any(name.startswith("libgomp-") for name in needed)


def test_it_answers_as_the_command_line(python, prefix, courtyard):
    environment = {"NDT_BENCH": str(prefix / "bin/ndt-bench"), "NDT_CLOUDS": str(courtyard[0].parent), "PYTHONDONTWRITEBYTECODE": "1"}
    said = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", ROOT / "tests/python", environment=environment, cwd=Path("/"))
    assert " passed" in said


def test_the_example_has_the_bits_of_the_command_line(python, courtyard, bench_pose):
    said = run(python, EXAMPLES / "align_files.py", *courtyard)
    assert [float(word) for word in said.split()] == bench_pose("0.3,-0.2,0.1,0,0,0")


def test_the_notebook_aligns_judges_and_draws(python, prefix, bench_pose, tmp_path):
    """Run by the interpreter that has matplotlib, with the wheel. Every cell alone is code."""
    extras = os.environ.get("NDT_EXTRAS_PYTHON")
    if not extras:
        pytest.skip("skipped for want of NDT_EXTRAS_PYTHON, which ./run sets (tests/requirements-extras.txt)")
    notebook = EXAMPLES / "notebook.py"
    cells = notebook.read_text().split("# %%")
    assert len(cells) >= 8 and all(compile(cell.split("\n", 1)[1], "cell", "exec") for cell in cells[1:])
    run(prefix / "bin/ndt-bench", "export", "--dataset", "courtyard", "--out", tmp_path / "courtyard")
    site = next(python.parents[1].glob("lib/python3*/site-packages"))
    words = [extras, "-c", f"import runpy; print(*runpy.run_path({str(notebook)!r})['result'].map_from_scan.ravel().tolist())"]
    said = run(*words, cwd=tmp_path, environment={"PYTHONPATH": str(site), "MPLBACKEND": "Agg"}).splitlines()
    assert "verdict ok" in said and [float(word) for word in said[-1].split()] == bench_pose("0.9,-0.7,0.1,0,0,0.08")
    header = (tmp_path / "aligned.png").read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n" and int.from_bytes(header[16:20], "big") == 1000
