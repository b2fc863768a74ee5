"""An installation that was moved after cmake --install, and its headers, for who has neither Eigen nor fmt, nor sources of this project."""

import os
import re
import shutil

from conftest import BUILD, CMAKE, EXAMPLES, ROOT, VERSION, run


def test_the_program_finds_its_files(prefix):
    assert f"\nproject files    {prefix}/share/ndt\n" in run(prefix / "bin/ndt-bench", "doctor", cwd="/")
    listing = run(prefix / "bin/ndt-bench", "list", cwd="/")
    assert "kitti00" in listing and "tracking" in listing


def test_program_and_packages_tell_the_version(prefix, tmp_path):
    assert run(prefix / "bin/ndt-bench", "--version", cwd="/") == f"{VERSION}\n"
    assert f"\nVersion: {VERSION}\n" in next(prefix.rglob("ndt.pc")).read_text()
    (tmp_path / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.22)\nproject(asks C CXX)\nfind_package(ndt ${ASKED} EXACT REQUIRED)\n")
    for asked, code in ((VERSION, 0), (f"{VERSION}.1", 1)):
        run(CMAKE, "-S", tmp_path, "-B", tmp_path / asked, f"-DASKED={asked}", f"-DCMAKE_PREFIX_PATH={prefix}", code=code)


def test_no_file_names_the_build(prefix):
    for file in (*prefix.rglob("*.cmake"), *prefix.rglob("*.pc")):
        text = file.read_text()
        assert str(ROOT) not in text and BUILD not in text and str(prefix.parent) not in text, file


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


def test_the_shared_library_shows_our_names_alone(prefix):
    listing = run("nm", "-D", "-C", "--defined-only", next(prefix.rglob("libndt.so")))
    names = [line.split(maxsplit=2)[2] for line in listing.splitlines()]
    ours = ("ndt::", "ndt_", "typeinfo for ndt::", "typeinfo name for ndt::", "vtable for ndt::")
    assert names and [name for name in names if not name.startswith(ours)] == []
    assert not [name for name in names if "ndt::harness" in name]


# --- headers ---

# The includes allowed beside ndt/ and the standard library, whose names have no dot.
OTHERS = {"c.h": {"stddef.h", "stdint.h"}, "pcl/registration.hpp": {"pcl/common/transforms.h", "pcl/registration/registration.h", "Eigen/Core"},
          "pcl/autoware.hpp": {"pcl/point_types.h"}, "pcl/autoware_covariance.hpp": {"Eigen/LU"}}


def test_they_include_each_other_and_the_standard_library_alone(prefix):
    headers = sorted((prefix / "include/ndt").rglob("*.h*"))
    assert 25 < len(headers) <= 38
    for header in headers:
        others = OTHERS.get(str(header.relative_to(prefix / "include/ndt")), set())
        for kind, name in re.findall(r'^ *# *include *(["<])([^">]+)', header.read_text(encoding="utf-8"), re.MULTILINE):
            if kind == '"':
                assert (prefix / "include" / name).is_file(), f"{header}: includes {name}, which is not installed"
            else:
                assert name in others or re.fullmatch(r"[a-z_]+", name), f"{header}: includes <{name}>"


def test_they_compile_with_the_prefix_alone(prefix, tmp_path):
    """One file includes all of them, twice and in no order; that each stands alone is for tests/repository."""
    names = [str(header.relative_to(prefix / "include")) for header in (prefix / "include/ndt").rglob("*.hpp") if "pcl" not in header.parts]
    (tmp_path / "all.cpp").write_text("".join(f'#include "{name}"\n' for name in names + names[::-1]))
    run(os.environ["NDT_CXX"], "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{prefix}/include", tmp_path / "all.cpp")
    (tmp_path / "all.c").write_text('#include "ndt/c.h"\n#include "ndt/c.h"\n')
    run(os.environ["NDT_CXX"], "-x", "c", "-std=c99", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{prefix}/include", tmp_path / "all.c")
