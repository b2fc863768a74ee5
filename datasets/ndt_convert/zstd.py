"""Data that zstd packed, by whichever Python package is there: rosbags brings one."""

import importlib
import shutil

from .faults import Fault

SUFFIX = ".zstd"  # of a file that rosbag2 packed
MAGIC = b"\x28\xb5\x2f\xfd"  # begins a frame
PACKAGES = ("compression.zstd", "backports.zstd", "zstandard")


def unpack(file, out):
    """Writes the unpacked file."""
    library = _library(file)
    with library.open(file, "rb") as packed, open(out, "wb") as plain:
        shutil.copyfileobj(packed, plain)


def unpacked(data):
    """The bytes of a message, which is packed if it begins like a frame."""
    return _library("message").decompress(data) if bytes(data[:4]) == MAGIC else data


def _library(file):
    for name in PACKAGES:
        try:
            return importlib.import_module(name)
        except ImportError:
            pass
    raise Fault(file, "", "is packed with zstd, which requires the Python package zstandard", "install it with pip")
