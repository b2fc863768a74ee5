"""The .deb: what is in it, and its way into a bare Debian."""

import os
import shutil
import subprocess

import pytest
from conftest import BUILD, HERE, VERSION, run

MIRROR = "http://deb.debian.org/debian/dists/bookworm/InRelease"


def test_it_holds_the_prefix(deb):
    listing = run("dpkg-deb", "--contents", deb)
    for file in ("bin/ndt-bench", "include/ndt/c.h", "lib/libndt.so", "lib/pkgconfig/ndt.pc", "share/ndt/harness/presets/smoke.toml",
                 "share/ndt/reports/ndt_report/__main__.py", "share/ndt/datasets/ndt_convert/__main__.py", "share/ndt/package.xml"):
        assert f" ./usr/{file}" in listing
    assert "libgomp1" in run("dpkg-deb", "--field", deb, "Depends")
    assert run("dpkg-deb", "--field", deb, "Version") == f"{VERSION}\n"


def why_no_bare_root():
    """Says what is missing for a root of its own, or nothing."""
    if os.geteuid() != 0:
        return "root, for chroot"
    for program in ("debootstrap", "unshare", "curl"):
        if not shutil.which(program):
            return f"{program} (Debian: {'util-linux' if program == 'unshare' else program})"
    for reason, words in (("the right to mount", ["unshare", "--mount", "mount", "--bind", "/proc", "/mnt"]),
                          ("Debian's packages from the network", ["curl", "-fsSI", "--max-time", "10", MIRROR])):
        if subprocess.run(words, capture_output=True).returncode:
            return reason
    return ""


def test_a_bare_root_with_it_and_the_wheel_has_one_pose_three_ways(deb, repaired, tmp_path):
    """Keeps the bare root beside the build, and installs into a copy."""
    if why := why_no_bare_root():
        pytest.skip(f"skipped for want of {why}")
    kept, root = f"{BUILD}/bare_root", tmp_path / "root"
    if not os.path.exists(kept):
        run("debootstrap", "--variant=minbase", "bookworm", f"{kept}.part")
        os.rename(f"{kept}.part", kept)
    run("cp", "-a", kept, root)
    said = run("unshare", "--mount", HERE / "bare_root.sh", deb, repaired, root)
    shutil.rmtree(root)
    assert "\nall 16 numbers have the same bits\n" in said and said.endswith("\n--implementation\n")
