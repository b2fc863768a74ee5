"""Every code block of docs/library.md as it stands: compiled with the moved prefix, and run where it is a program.

The block in C is a part of examples/align_files_c.c, which test_programs.py builds and runs."""

import os
import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest
from conftest import CMAKE, EXAMPLES, HERE, PAGE, ROOT, blocks, command, run

COMPILER = os.environ["NDT_CXX"]


def test_no_block_is_left_out():
    tested = {"": 2, "cmake": 1, "cpp": 2, "c": 1, "diff": 1, "python": 1}
    assert {language: len(blocks(language)) for language in tested} == tested and PAGE.count("\n```") == 2 * sum(tested.values())


def link_checkout(folder):
    """Fills a folder in which the page's commands run as they stand: the sources, without what was built."""
    for entry in ROOT.iterdir():
        if entry.name not in ("build", ".git", "venv"):
            (folder / entry.name).symlink_to(entry)


def test_the_commands_of_a_build_configure_the_programs_and_the_library_alone(tmp_path):
    """The first as it stands, then with the option for the library alone. What they would build is counted: conan builds the second."""
    link_checkout(tmp_path)
    assert command("cmake --build") == "cmake --build build/package" and "`-DNDT_PROGRAMS=OFF`" in PAGE
    steps = []
    for option in ("", " -DNDT_PROGRAMS=OFF"):
        said = run("bash", "-c", command("cmake -S") + option, cwd=tmp_path, environment={"CMAKE_GENERATOR": "Ninja", "CXX": COMPILER})
        assert "tests          LEFT OUT" in said and ("programs       LEFT OUT: NDT_PROGRAMS=OFF" in said) == bool(option)
        steps.append(run("ninja", "-C", tmp_path / "build/package", "-n").count("Building C"))
    assert steps[0] > steps[1] > 50


def test_the_program_in_cpp_builds_with_the_lines_of_cmake(prefix, courtyard, bench_pose, tmp_path):
    (tmp_path / "align_files.cpp").write_text(blocks("cpp")[0])
    (tmp_path / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.22)\nproject(page CXX)\n" + blocks("cmake")[0])
    run(CMAKE, "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={COMPILER}")
    run(CMAKE, "--build", tmp_path / "build")
    numbers = [float(word) for word in run(tmp_path / "build/align_files", *courtyard).split()]
    assert numbers == bench_pose("0.3,-0.2,0.1,0,0,0.05")
    assert (EXAMPLES / "align_files.cpp").read_text().endswith(blocks("cpp")[0])


ON_DEVICE = """#include <vector>
#include "ndt/core/point_cloud.hpp"
struct Record { float x, y, z, intensity; };
ndt::DeviceCloud perceive(const ndt::PointCloud& cloud, const std::vector<Record>& records, void* points, void* stream) {
%s  return out;
}
"""


def test_the_lines_for_a_gpu_compile_without_cuda(prefix, tmp_path):
    lines = blocks("cpp")[1]
    (tmp_path / "on_device.cpp").write_text(ON_DEVICE % lines)
    run(COMPILER, "-std=c++20", "-Wall", "-Werror", "-fsyntax-only", f"-I{prefix}/include", tmp_path / "on_device.cpp")
    assert lines in (EXAMPLES / "align_on_device.cpp").read_text()


def test_the_lines_in_c_are_those_of_the_example():
    assert textwrap.indent(blocks("c")[0], "  ") in (EXAMPLES / "align_files_c.c").read_text()


def swapped_lines():
    """{line before: line after} of the change from PCL's class to ours, by the page's diff."""
    lines = blocks("diff")[0].splitlines()
    return dict(zip((line[1:] for line in lines if line[0] == "-"), (line[1:] for line in lines if line[0] == "+"), strict=True))


# The change in CMake: a line beside find_package(PCL), and what is linked.
IN_CMAKE = {"find_package(PCL REQUIRED COMPONENTS registration)":
                "find_package(PCL REQUIRED COMPONENTS registration)\nfind_package(ndt REQUIRED COMPONENTS PCL)",
            "PRIVATE ${PCL_LIBRARIES}": "PRIVATE ndt::pcl"}


def test_code_for_pcl_runs_with_two_lines_changed(built, tmp_path):
    before = tmp_path / "before"
    shutil.copytree(HERE / "consumers/pcl", before)
    if subprocess.run([CMAKE, "-S", before, "-B", tmp_path / "probe"], capture_output=True).returncode:
        pytest.skip("skipped for want of PCL (Debian: libpcl-dev)")
    after = shutil.copytree(before, tmp_path / "after")
    assert len(swapped_lines()) == 2 and "`find_package(ndt REQUIRED COMPONENTS PCL)` with `ndt::pcl`" in PAGE
    for name, lines in {"localise.cpp": swapped_lines(), "CMakeLists.txt": IN_CMAKE}.items():
        text = (after / name).read_text()
        for old, new in lines.items():
            assert text.count(old) == 1
            text = text.replace(old, new)
        (after / name).write_text(text)

    said = {folder.name: run(built(folder) / "localise").split() for folder in (before, after)}
    for converged, iterations, *position in said.values():
        assert converged == "1" and int(iterations) > 0
        assert all(abs(float(metres)) < 0.05 for metres in position), said
    assert said["before"] != said["after"], "two methods do not end at the same bits"


def test_the_lines_in_python_run_after_the_command_that_installs(builder, building_wheels, courtyard, bench_pose, tmp_path):
    """The command installs below PIP_TARGET, with the installed library and no network."""
    link_checkout(tmp_path)
    (tmp_path / "venv").symlink_to(Path(builder).parent.parent)
    environment = building_wheels | {"PATH": f"{Path(builder).parent}:{os.environ['PATH']}", "PIP_TARGET": str(tmp_path / "site"),
                                     "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_INDEX": "1"}
    run("bash", "-c", command("venv/bin/pip install"), cwd=tmp_path, environment=environment)
    (tmp_path / "lines.py").write_text(blocks("python")[0] + "print(*result.map_from_scan.ravel().tolist())\n")
    said = run(builder, tmp_path / "lines.py", cwd=courtyard[0].parent, environment={"PYTHONPATH": str(tmp_path / "site")})
    assert [float(word) for word in said.split()] == bench_pose("0.3,-0.2,0.1,0,0,0")
