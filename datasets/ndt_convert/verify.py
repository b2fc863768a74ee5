"""Whether the files of the catalogue's datasets are there and are the right ones."""

import hashlib
import os
import tomllib
from pathlib import Path

from .faults import EXIT_BAD_INPUT, EXIT_OK, UsageFault

CATALOGUE = Path(__file__).resolve().parent.parent / "catalogue"


def entries():
    """Entries of the catalogue by name, in the order of their names."""
    return {file.stem: tomllib.loads(file.read_text(encoding="utf-8")) for file in sorted(CATALOGUE.glob("*.toml"))}


def verify(name, say, root=None):
    """Exit code for `name` or "all"; of all, datasets that are not there at all are only named."""
    root = root or os.environ.get("NDT_DATASETS")
    if not root:
        raise UsageFault("verify", "", "NDT_DATASETS is not set", "set it to the folder that holds the datasets")
    catalogue = entries()
    if name != "all" and name not in catalogue:
        raise UsageFault("verify", "", f"unknown dataset '{name}'", "choose from all, " + ", ".join(catalogue))
    good = True
    for each, entry in catalogue.items():
        if name in (each, "all"):
            good &= _verify_one(each, entry, Path(root) / entry.get("root", each), name == "all", say)
    return EXIT_OK if good else EXIT_BAD_INPUT


def _verify_one(name, entry, folder, absence_is_fine, say):
    if not folder.is_dir():
        say(f"{name}: not there: {folder}; {entry['provenance']['obtain']}")
        return absence_is_fine
    if "checksums" not in entry:
        say(f"{name}: the catalogue has no checksums of it, so its files are not checked")
        return True
    faults = []
    for file, expected in entry["checksums"].items():
        if not (folder / file).is_file():
            faults.append(f"{folder / file}: is missing; see 'obtain' in datasets/catalogue/{name}.toml")
        elif sha256(folder / file) != expected:
            faults.append(f"{folder / file}: differs from what the catalogue describes; fetch it again")
    for fault in faults:
        say(f"{name}: {fault}")
    if not faults:
        say(f"{name}: {len(entry['checksums'])} files are right")
    return not faults


def sha256(file):
    with open(file, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
