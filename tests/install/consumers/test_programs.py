"""Programs in C++ and C by CMake and pkg-config: the examples, built from the moved prefix, have the bits of the command line."""

import json
import os
import re
import shutil

import pytest
from conftest import CMAKE, EXAMPLES, HERE, run, with_cuda


@pytest.mark.parametrize(("kind", "examples"), [("static", "align_files.cpp align_files_c.c batch.cpp find_initial_pose.cpp follow_scans.cpp follow_tiles.cpp"),
                                                ("shared", "align_files.cpp align_files_c.c")])
def test_a_consumer_builds_the_examples(kind, examples, built, courtyard, bench_pose, prefix, tmp_path):
    sources = ";".join(str(EXAMPLES / name) for name in examples.split())
    folder = built("cpp", f"-DKIND={kind}", f"-DEXAMPLES={sources}")
    numbers = [float(word) for word in run(folder / "align_files", *courtyard).split()]
    assert numbers == bench_pose("0.3,-0.2,0.1,0,0,0.05"), "the bits of the command line"
    numbers = [float(word) for word in run(folder / "align_files_c", *courtyard).split()]
    assert numbers == bench_pose("0.3,-0.2,0.1,0,0,0")
    if kind == "shared":
        return
    ends = run(folder / "batch", *courtyard).splitlines()
    assert len(ends) == 9 and all(end.startswith("converged x 0.00") or "x -0.00" in end for end in ends), ends
    assert run(folder / "find_initial_pose", *courtyard).startswith("reliable at x ")
    assert run(folder / "follow_scans", *courtyard, courtyard[1]).count("ok at x ") == 2
    run(prefix / "bin/ndt-bench", "map", "cut", courtyard[0], "--size", "10", "--out", tmp_path / "tiles")
    followed = run(folder / "follow_tiles", tmp_path / "tiles", courtyard[1], courtyard[1]).splitlines()
    assert len(followed) == 2 and all(re.match(r"ok at x .*, \d+ tiles$", line) for line in followed), followed


@pytest.mark.parametrize("kind", ["", "shared"])
def test_a_consumer_in_c_alone_builds_the_example(kind, built, courtyard, bench_pose):
    folder = built("c", f"-DKIND={kind}", f"-DEXAMPLE={EXAMPLES / 'align_files_c.c'}")
    assert "CMAKE_CXX_COMPILER_VERSION" not in (folder / "CMakeCache.txt").read_text()
    numbers = [float(word) for word in run(folder / "align_files_c", *courtyard).split()]
    assert numbers == bench_pose("0.3,-0.2,0.1,0,0,0")


def test_the_shared_library_is_taken_where_the_archives_lack_a_library(prefix, tmp_path):
    """A machine without them: CMake looks for libraries in an empty root."""
    for name, root in (("here", "/"), ("nowhere", tmp_path / "empty")):
        run(CMAKE, "-S", HERE / "consumers/cpp", "-B", tmp_path / name, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_FIND_ROOT_PATH={root}",
            "-DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY", f"-DEXAMPLES={EXAMPLES / 'align_files.cpp'}", "-GNinja")
    words = {name: (tmp_path / name / "build.ninja").read_text() for name in ("here", "nowhere")}
    assert "libndt.so" not in words["here"] and "libndt_align.a" in words["here"]
    if "lzf" in words["here"]:
        assert "libndt.so" in words["nowhere"] and "libndt_align.a" not in words["nowhere"]


def test_the_archives_are_refused_to_a_consumer_in_c_alone(prefix, tmp_path):
    said = run(CMAKE, "-S", HERE / "consumers/c", "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}", "-DKIND=static", code=1)
    assert "the archives need a project with the language CXX" in " ".join(said.split())


@pytest.mark.parametrize(("compiler", "example", "yaw"), [(["cc", "-std=c11"], "align_files_c.c", "0"), (["NDT_CXX", "-std=c++20"], "align_files.cpp", "0.05")])
def test_pkg_config_says_how_to_build_the_examples(compiler, example, yaw, prefix, courtyard, bench_pose, tmp_path):
    if not shutil.which("pkg-config"):
        pytest.skip("skipped for want of pkg-config (Debian: pkgconf)")
    file = next(prefix.rglob("ndt.pc"))
    flags = run("pkg-config", "--cflags", "--libs", "ndt", environment={"PKG_CONFIG_PATH": str(file.parent)}).split()
    program = tmp_path / "program"
    run(os.environ.get(compiler[0], compiler[0]), *compiler[1:], EXAMPLES / example, "-o", program, *flags)
    library = next(prefix.rglob("libndt.so")).parent
    numbers = [float(word) for word in run(program, *courtyard, environment={"LD_LIBRARY_PATH": str(library)}).split()]
    assert numbers == bench_pose(f"0.3,-0.2,0.1,0,0,{yaw}")


def test_a_consumer_with_cuda_aligns_a_scan_on_the_device(built, prefix, courtyard, bench_pose):
    if not with_cuda(prefix):
        pytest.skip("skipped for want of a build with CUDA")
    program = built("cpp", "-DKIND=static", f"-DEXAMPLES={EXAMPLES / 'align_on_device.cpp'}", "-DWITH_CUDA=ON") / "align_on_device"
    why = json.loads(run(prefix / "bin/ndt-bench", "doctor", "--json", cwd="/"))["cuda"]["unavailable"]
    if why:
        assert why in run(program, *courtyard, code=1)
        pytest.skip(f"skipped for want of a GPU: {why}")
    numbers = [float(word) for word in run(program, *courtyard).split()]
    assert numbers == bench_pose("0.3,-0.2,0.1,0,0,0.05", "persistent_cuda"), "the bits of a scan on the host"


def test_a_part_that_was_not_built_is_refused_with_the_reason(prefix, tmp_path):
    if with_cuda(prefix):
        pytest.skip("skipped for want of a build without CUDA")
    said = run(CMAKE, "-S", HERE / "consumers/cpp", "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}", "-DKIND=CUDA", code=1)
    assert "it was built without CUDA" in said
