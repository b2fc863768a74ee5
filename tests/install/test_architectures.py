"""The GPUs that a build has code for: those that its cache names, and in a package every generation and those to come."""

import re
import shutil
from pathlib import Path

import pytest

from conftest import BUILD, CMAKE, run

ROOT = Path(__file__).resolve().parents[2]


def cached(build, name):
    found = re.search(rf"^{name}:\w+=(.*)$", (Path(build) / "CMakeCache.txt").read_text(), re.MULTILINE)
    return found[1] if found else ""


def code_in(file):
    """Compute capabilities with machine code in a file, and those with PTX."""
    if not shutil.which("cuobjdump"):
        pytest.skip("skipped for want of cuobjdump (it comes with the CUDA toolkit; pip: nvidia-cuda-cuobjdump)")
    return (set(re.findall(rf"\.sm_(\d+)a?\.{ending}", run("cuobjdump", f"--list-{kind}", file)))
            for kind, ending in (("elf", "cubin"), ("ptx", "ptx")))


def expected_of(architectures):
    """Reads a list of architectures: "75-real;80" stands for machine code for both, and PTX for 80 only."""
    kinds = [re.fullmatch(r"(\d+)(-real|-virtual)?", one).groups() for one in architectures.split(";")]
    return {name for name, kind in kinds if kind != "-virtual"}, {name for name, kind in kinds if kind != "-real"}


@pytest.mark.skipif(not cached(BUILD, "CMAKE_CUDA_COMPILER"), reason="skipped for want of a build with CUDA")
def test_the_library_has_code_for_what_it_was_built_for():
    architectures = cached(BUILD, "CMAKE_CUDA_ARCHITECTURES")
    machine, ptx = code_in(Path(BUILD) / "libndt.so")
    if architectures == "native":
        assert machine, "no code for the GPU of this machine"
    else:
        assert (machine, ptx) == expected_of(architectures)


@pytest.mark.skipif(not cached(BUILD, "CMAKE_CUDA_COMPILER"), reason="skipped for want of a build with CUDA")
def test_a_package_has_code_for_every_generation_and_for_those_to_come(tmp_path):
    run(CMAKE, "-S", ROOT, "-B", tmp_path, "-G", "Ninja", "-DNDT_CUDA=ON", "-DNDT_CUDA_ARCHITECTURES=shipped", "-DNDT_PROGRAMS=OFF",
        "-DNDT_TESTS=OFF", "-DNDT_PCL=OFF")
    architectures = cached(tmp_path, "CMAKE_CUDA_ARCHITECTURES")
    machine, ptx = expected_of(architectures)
    assert {"75", "80", "90", "100", "120"} <= machine
    assert ptx == {max(machine, key=int)}
    # One small file of the library, because kernels for every generation take minutes each.
    file = "modules/common/CMakeFiles/ndt_common.dir/src/cuda/device.cu.o"
    run(CMAKE, "--build", tmp_path, "--target", file)
    assert tuple(code_in(tmp_path / file)) == (machine, ptx)


def test_a_build_that_wants_other_architectures_is_told_how(tmp_path):
    said = run(CMAKE, "-S", ROOT, "-B", tmp_path, "-DNDT_CUDA=ON", "-DNDT_CUDA_ARCHITECTURES=90", "-DNDT_PROGRAMS=OFF", "-DNDT_TESTS=OFF",
               code=1)
    assert "NDT_CUDA_ARCHITECTURES=90: choose machine or shipped; CMAKE_CUDA_ARCHITECTURES takes a list." in " ".join(said.split())
