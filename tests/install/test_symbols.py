"""Code for newer CPUs stays where it is asked for: no function that a linker could take for another file's copy has it."""

import re
import shutil
from pathlib import Path

import pytest

from conftest import BUILD, run

OBJECTS = Path(BUILD) / "modules/common/CMakeFiles/ndt_common.dir/src"
NEWER = {OBJECTS / "core/range_kernels_x86_64_v3.cpp.o": ("RangeKernels", "add_near"),  # table, and a function of it
         OBJECTS / "score/point_kernels_x86_64_v3.cpp.o": ("PointKernels", "add_points")}

pytestmark = pytest.mark.skipif(not all(path.exists() for path in NEWER) or not shutil.which("objdump"),
                                reason="skipped for want of kernels for x86-64-v3 or of objdump (Debian: binutils)")


def functions_with_avx(*objects):
    """Names of the functions that use registers of AVX, and the number of all functions. A clone for a CPU has a name of its own."""
    found, all_of_them, name = set(), 0, ""
    for line in run("objdump", "-d", "-C", "--no-show-raw-insn", *objects).splitlines():
        if heading := re.fullmatch(r"[0-9a-f]+ <(.*)>:", line):
            name, all_of_them = heading[1], all_of_them + 1
        elif re.search(r"%[yz]mm\d", line):
            found.add(name)
    return found, all_of_them


@pytest.mark.parametrize("newer", NEWER, ids=lambda path: path.name)
def test_all_that_the_newer_code_defines_is_its_own(newer):
    symbols = [line.split(maxsplit=2)[1:] for line in run("nm", "-C", "--defined-only", newer).splitlines()]
    assert [name for kind, name in symbols if kind.isupper() or kind in "uvw"] == [f"ndt::kX86_64_v3{NEWER[newer][0]}"]


@pytest.mark.parametrize("newer", NEWER, ids=lambda path: path.name)
def test_the_newer_code_is_newer(newer):
    found, _ = functions_with_avx(newer)
    assert any(NEWER[newer][1] in name for name in found)


def test_no_other_code_of_the_library_needs_a_newer_cpu():
    if "-march" in (Path(BUILD) / "CMakeCache.txt").read_text().partition("CMAKE_CXX_FLAGS:")[2].partition("\n")[0]:
        pytest.skip("skipped for want of a build for every CPU: CMAKE_CXX_FLAGS has -march")
    others = [path for path in OBJECTS.parents[3].rglob("*.cpp.o") if path not in NEWER and "/ndt_pcl" not in str(path)]
    found, functions = functions_with_avx(*others)
    assert len(others) > 30 and functions > 1000
    assert {name for name in found if "[clone .avx2]" not in name} == set()
