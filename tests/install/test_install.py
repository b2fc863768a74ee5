"""Tests an installation that was moved after cmake --install."""


import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import BUILD, CMAKE, HERE, run

ROOT = HERE.parent.parent
EXAMPLES = ROOT / "examples"


def test_the_program_finds_its_files(prefix):
    assert f"\nproject files    {prefix}/share/ndt\n" in run(prefix / "bin/ndt-bench", "doctor", cwd="/")
    listing = run(prefix / "bin/ndt-bench", "list", cwd="/")
    assert "kitti00" in listing and "tracking" in listing


def test_no_file_names_the_build(prefix):
    for file in (*prefix.rglob("*.cmake"), *prefix.rglob("*.pc")):
        text = file.read_text()
        assert str(ROOT) not in text and BUILD not in text and str(prefix.parent) not in text, file


def test_the_page_s_recipes_build_what_they_say(tmp_path):
    """The first as it stands, then in the same folder with the option for the library alone; what they would build is counted."""
    page = (ROOT / "docs/library.md").read_text()
    (recipe,) = re.findall(r"^cmake -S \. -B build/package.*$", page, re.MULTILINE)
    assert "`-DNDT_PROGRAMS=OFF`" in page
    words = [str(tmp_path) if word == "build/package" else word for word in recipe.split()[1:]]
    more = ["-GNinja", f"-DCMAKE_CXX_COMPILER={os.environ['NDT_CXX']}"]
    steps = []
    for option in ([], ["-DNDT_PROGRAMS=OFF"]):
        said = run(CMAKE, *words, *more, *option, cwd=ROOT)
        assert "tests          LEFT OUT" in said and ("programs       LEFT OUT: NDT_PROGRAMS=OFF" in said) == bool(option)
        steps.append(run("ninja", "-C", tmp_path, "-n").count("Building C"))
    assert steps[0] > steps[1] > 50


def test_a_new_implementation_is_its_folder_and_its_name(tmp_path):
    """The example as a module: its name in one list makes it a part of the library and of its table."""
    for entry in ("CMakeLists.txt", "cmake", "LICENSE", "package.xml"):
        (tmp_path / entry).symlink_to(ROOT / entry)
    for module in (ROOT / "modules").iterdir():
        if module.name == "align":
            shutil.copytree(module, tmp_path / "modules/align")
        else:
            (tmp_path / "modules").mkdir(exist_ok=True)
            (tmp_path / "modules" / module.name).symlink_to(module)
    shutil.copytree(EXAMPLES / "one_thread", tmp_path / "modules/one_thread")
    names = tmp_path / "modules/align/CMakeLists.txt"
    names.write_text(names.read_text().replace("gpu_persistent)", "gpu_persistent one_thread)", 1))
    build = tmp_path / "build"
    run(CMAKE, "-S", tmp_path, "-B", build, "-GNinja", "-DNDT_PROGRAMS=OFF", "-DNDT_CUDA=OFF", f"-DCMAKE_CXX_COMPILER={os.environ['NDT_CXX']}")
    run("ninja", "-C", build, "ndt_one_thread", "modules/align/CMakeFiles/ndt_align.dir/src/implementations.cpp.o")
    assert "one_thread::implementations" in (build / "modules/align/generated/implementation_modules.hpp").read_text()


@pytest.mark.parametrize(("kind", "examples"), [("static", "align_files.cpp align_files_c.c batch.cpp find_initial_pose.cpp follow_scans.cpp follow_tiles.cpp"),
                                                ("shared", "align_files.cpp align_files_c.c")])
def test_a_consumer_builds_the_examples(kind, examples, built, courtyard, bench_pose, prefix, tmp_path):
    sources = ";".join(str(EXAMPLES / name) for name in examples.split())
    folder = built("consumer", f"-DKIND={kind}", f"-DEXAMPLES={sources}")
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
    folder = built("c_consumer", f"-DKIND={kind}", f"-DEXAMPLE={EXAMPLES / 'align_files_c.c'}")
    assert "CMAKE_CXX_COMPILER_VERSION" not in (folder / "CMakeCache.txt").read_text()
    numbers = [float(word) for word in run(folder / "align_files_c", *courtyard).split()]
    assert numbers == bench_pose("0.3,-0.2,0.1,0,0,0")


def test_the_archives_are_refused_to_a_consumer_in_c_alone(prefix, tmp_path):
    said = run(CMAKE, "-S", HERE / "c_consumer", "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}", "-DKIND=static", code=1)
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
    if "set(ndt_WITH_CUDA TRUE)" not in next(prefix.rglob("ndt-config.cmake")).read_text():
        pytest.skip("skipped for want of a build with CUDA")
    program = built("consumer", "-DKIND=static", f"-DEXAMPLES={EXAMPLES / 'align_on_device.cpp'}", "-DWITH_CUDA=ON") / "align_on_device"
    why = json.loads(run(prefix / "bin/ndt-bench", "doctor", "--json", cwd="/"))["cuda"]["unavailable"]
    if why:
        assert why in run(program, *courtyard, code=1)
        pytest.skip(f"skipped for want of a GPU: {why}")
    numbers = [float(word) for word in run(program, *courtyard).split()]
    assert numbers == bench_pose("0.3,-0.2,0.1,0,0,0.05", "persistent_cuda"), "the bits of a scan on the host"


def test_the_shared_library_shows_our_names_alone(prefix):
    listing = run("nm", "-D", "-C", "--defined-only", next(prefix.rglob("libndt.so")))
    names = [line.split(maxsplit=2)[2] for line in listing.splitlines()]
    ours = ("ndt::", "ndt_", "typeinfo for ndt::", "typeinfo name for ndt::", "vtable for ndt::")
    assert names and [name for name in names if not name.startswith(ours)] == []
    assert not [name for name in names if "ndt::harness" in name]


def test_a_part_that_was_not_built_is_refused_with_the_reason(prefix, tmp_path):
    if "set(ndt_WITH_CUDA TRUE)" in next(prefix.rglob("ndt-config.cmake")).read_text():
        pytest.skip("skipped for want of a build without CUDA")
    said = run(CMAKE, "-S", HERE / "consumer", "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}", "-DKIND=CUDA", code=1)
    assert "it was built without CUDA" in said


def test_a_deb_holds_the_prefix(tmp_path):
    for program in ("dpkg-shlibdeps", "dpkg-deb"):
        if not shutil.which(program):
            pytest.skip(f"skipped for want of {program} (Debian: dpkg-dev)")
    run(Path(CMAKE).with_name("cpack"), "--config", f"{BUILD}/CPackConfig.cmake", "-B", tmp_path)
    package = next(tmp_path.glob("ndt_*.deb"))
    listing = run("dpkg-deb", "--contents", package)
    for file in ("bin/ndt-bench", "include/ndt/c.h", "lib/libndt.so", "lib/pkgconfig/ndt.pc", "share/ndt/harness/presets/smoke.toml",
                 "share/ndt/reports/ndt_report/__main__.py", "share/ndt/datasets/ndt_convert/__main__.py", "share/ndt/package.xml"):
        assert f" ./usr/{file}" in listing
    assert "libgomp1" in run("dpkg-deb", "--field", package, "Depends")


def test_the_page_shows_what_the_examples_have():
    page = (ROOT / "docs/library.md").read_text()
    examples = "".join(file.read_text() for file in EXAMPLES.glob("*.c*"))
    blocks = re.findall(r"^```(?:cpp|c)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.splitlines() if line.strip() not in ("", "...")]
    assert len(lines) > 10 and [line for line in lines if line not in examples] == []
    swap = {f"-{old}\n" for old in SWAP["localise.cpp"]} | {f"+{new}\n" for new in SWAP["localise.cpp"].values()}
    assert all(line in page for line in swap)


# The whole change from PCL's class to ours: two lines of C++, and a line of CMake beside find_package.
SWAP = {"localise.cpp": {"#include <pcl/registration/ndt.h>": '#include "ndt/pcl/registration.hpp"',
                         "pcl::NormalDistributionsTransform<Point, Point> ndt;": "ndt::NormalDistributionsTransform<Point, Point> ndt;"},
        "CMakeLists.txt": {"find_package(PCL REQUIRED COMPONENTS registration)":
                               "find_package(PCL REQUIRED COMPONENTS registration)\nfind_package(ndt REQUIRED COMPONENTS PCL)",
                           "PRIVATE ${PCL_LIBRARIES}": "PRIVATE ndt::pcl"}}


def test_code_for_pcl_runs_with_two_lines_changed(built, tmp_path):
    before = tmp_path / "before"
    shutil.copytree(HERE / "pcl_consumer", before)
    if subprocess.run([CMAKE, "-S", before, "-B", tmp_path / "probe"], capture_output=True).returncode:
        pytest.skip("skipped for want of PCL (Debian: libpcl-dev)")
    after = shutil.copytree(before, tmp_path / "after")
    for name, lines in SWAP.items():
        text = (after / name).read_text()
        for old, new in lines.items():
            assert text.count(old) == 1
            text = text.replace(old, new)
        (after / name).write_text(text)
    changed = [line for line, was in zip((after / "localise.cpp").read_text().splitlines(),
                                         (before / "localise.cpp").read_text().splitlines(), strict=True) if line != was]
    assert len(changed) <= 3

    said = {folder.name: run(built(folder) / "localise").split() for folder in (before, after)}
    for converged, iterations, *position in said.values():
        assert converged == "1" and int(iterations) > 0
        assert all(abs(float(metres)) < 0.05 for metres in position), said
    assert said["before"] != said["after"], "two methods do not end at the same bits"
