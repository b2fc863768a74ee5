#!/usr/bin/env bash
# From nothing to the same pose three ways, in a bare Debian 12: debootstrap's minbase, the .deb, g++ and the example of
# docs/library.md, the wheel, the completion. It needs root, debootstrap and a network.
#
#   tests/install/bare_root.sh PACKAGE.deb WHEEL.whl [EMPTY_FOLDER]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
[[ $# -ge 2 && -f $1 && -f $2 ]] || { echo "bare_root.sh: give the .deb of cpack and the wheel of auditwheel repair" >&2; exit 1; }
((EUID == 0)) || { echo "bare_root.sh: it must be root, for chroot" >&2; exit 1; }
package=$(realpath "$1") wheel=$(realpath "$2") root=${3-$(mktemp -d)}
certificates=${PIP_CERT:-/etc/ssl/certs/ca-certificates.crt}  # this machine's network may have one of its own
[[ -f $certificates ]] || certificates=

clean_up() { umount "$root/proc" "$root/dev" 2>/dev/null || true; }
trap clean_up EXIT

# show COMMAND: prints it as one types it, and what it says.
show() {
  printf '# %s\n' "$1"
  chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    ${certificates:+PIP_CERT=/etc/pip.pem} bash -c "cd /root && $1" 2>&1
}

[[ -e $root/etc/debian_version ]] || debootstrap --variant=minbase bookworm "$root" >/dev/null
mountpoint -q "$root/proc" || mount --bind /proc "$root/proc"
mountpoint -q "$root/dev" || mount --bind /dev "$root/dev"
cp /etc/resolv.conf "$root/etc/resolv.conf"
if [[ $certificates ]]; then cp "$certificates" "$root/etc/pip.pem"; fi
mkdir -p "$root/root/project"
cp "$package" "$wheel" "$root/root/"
cp "$here"/examples/align_files.{cpp,py} "$root/root/project/"
cat >"$root/root/project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(align_files LANGUAGES CXX)
find_package(ndt REQUIRED)
add_executable(align_files align_files.cpp)
target_link_libraries(align_files PRIVATE ndt::align ndt::io)
CMAKE

show 'cat /etc/debian_version; dpkg --list | grep -c ^ii; ls'
show 'apt-get update -qq; apt-get install -y -qq --no-install-recommends ./ndt_*.deb >/dev/null 2>&1; dpkg --list ndt | tail -n 1'
show 'ndt-bench --version; ndt-bench export --dataset courtyard --out courtyard'
show 'ndt-bench align --map courtyard/map.pcd --scan courtyard/scan.pcd --guess 0.3,-0.2,0.1,0,0,0.05 | head -n 8'
show 'apt-get install -y -qq --no-install-recommends g++ cmake make python3-venv >/dev/null 2>&1; ls -d /usr/include/{eigen3,fmt}/* 2>/dev/null | wc -l'
show 'cmake -S project -B build >/dev/null && cmake --build build | tail -n 1'
show 'python3 -m venv venv && venv/bin/pip install -q ./ndt-*.whl && venv/bin/pip list 2>/dev/null | tail -n +3'
cat >"$root/root/thrice.py" <<'PYTHON'
import json, math
import ndt, numpy as np

line = np.array(json.load(open("line.json"))["matrix"]).reshape(4, 4)
cpp = np.array(open("cpp.txt").read().split(), float).reshape(4, 4)
scan, site = ndt.read_cloud("courtyard/scan.pcd"), ndt.read_cloud("courtyard/map.pcd")
print("numpy clouds:", site.shape, site.dtype, scan.shape, scan.dtype)
c, s = math.cos(0.05), math.sin(0.05)
guess = np.array([[c, -s, 0, 0.3], [s, c, 0, -0.2], [0, 0, 1, 0.1], [0, 0, 0, 1]])
result = ndt.Aligner(site).align(scan, guess)
poses = {"command line": line, "C++ program": cpp, "Python": result.map_from_scan}
for name, pose in poses.items():
    print(f"{name:13}", " ".join(number.hex() for number in pose[:3, 3].tolist()))
assert result.converged and len({np.ascontiguousarray(pose).tobytes() for pose in poses.values()}) == 1
print("all 16 numbers have the same bits")
PYTHON
show 'ndt-bench align --json --map courtyard/map.pcd --scan courtyard/scan.pcd --guess 0.3,-0.2,0.1,0,0,0.05 >line.json'
show 'build/align_files courtyard/map.pcd courtyard/scan.pcd | tee cpp.txt'
show 'cat thrice.py; venv/bin/python thrice.py'
show 'source <(ndt-bench completion bash); COMP_WORDS=(ndt-bench align --imp); COMP_CWORD=2; _ndt_bench; echo "${COMPREPLY[@]}"'
