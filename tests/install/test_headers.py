"""The headers of the prefix, for who has nothing else: neither Eigen nor fmt, and no sources of this project."""

import os
import re

from conftest import run

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
