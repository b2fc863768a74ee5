"""The Conan package: `conan create .` of docs/library.md builds it with Debian's packages, and then its consumer."""

import os
import re
from pathlib import Path

import pytest
from conftest import BUILD, PAGE, ROOT, run

OPTIONS = {"tools.cmake.cmaketoolchain:generator": "Ninja",
           "tools.cmake.cmaketoolchain:extra_variables": "{'CMAKE_UNITY_BUILD': 'ON'}",  # an eighth of the files
           "tools.build:cxxflags": "['-O0']"}  # no test here measures speed


def test_a_consumer_runs_with_the_package(builder, tmp_path):
    """Keeps the package beside the build: it is built once for each state of the sources."""
    if not Path(builder).with_name("conan").exists():
        pytest.skip("skipped for want of conan (tests/requirements-wheel.txt)")
    (create,) = re.findall(r"`(conan create \.)`", PAGE)
    options = {**OPTIONS, "tools.cmake.cmake_layout:test_folder": tmp_path}
    words = " ".join(f'-c "{name}={value}"' for name, value in options.items())
    environment = {"CONAN_HOME": f"{BUILD}/conan", "CXX": os.environ["NDT_CXX"], "PATH": f"{Path(builder).parent}:{os.environ['PATH']}"}
    said = run("bash", "-c", f"conan profile detect --exist-ok && {create} --no-remote --build=missing {words} 2>&1", cwd=ROOT,
               environment=environment)
    assert re.search(r"^converged after \d+ iterations at x 0\.0", said, re.MULTILINE), said
    run("conan", "remove", "ndt/*#!latest", "--confirm", environment=environment)
