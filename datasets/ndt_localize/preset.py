"""A list of localisations, made one after the other: ./run localize --preset; see docs/measuring.md."""

import importlib.util
import json
import os
import re
import shutil
import string
import subprocess
import sys
import time
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from ndt_convert.ending import call
from ndt_convert.faults import EXIT_OK, Fault, UsageFault

from . import sources

FOLDER = Path(__file__).resolve().parent / "presets"
EXIT_RUNS_FAILED = 4
ENDED_LOST = 4  # exit code of ndt-bench localize: a result like others, if all was written
WRITTEN = "written to"  # begins the last line of a localisation that was finished
OUTPUT, RECORD, RECORDING, TILES = "output.txt", "preset.json", "localization.mcap", ".tiles"
AUTO = "auto"
SHOWN = ("scans  ", "time a scan", "closed-loop ATE")  # of what ndt-bench localize prints
KEYS = ("description", "implementations", "options", "methods", "variants")
NAME = r"\w[\w.-]*"
OWN = ("scans", "out", "implementation", "rerun")  # options that no list may give
DATASETS = "NDT_DATASETS"  # texts of a list may begin with $NDT_DATASETS or $PRESET, the folder of the list


class Run(NamedTuple):
    name: str  # of its folder
    scans: str
    implementation: str
    words: list  # options of ndt-bench localize
    record: dict  # its place in the list, for reports
    mcap: bool = False  # a recording of it is written, too
    tiles_m: object = None  # edge of the square tiles that the dataset's map is cut into, or None


def make(preset, bench, out, only, passed):
    """Makes the runs whose names match one of `only`, all if it is empty, but those that have a folder in `out`. `passed` goes to
    every run. Returns the exit code."""
    runs = chosen(read(file_of(preset)), only)  # a list with a mistake is refused before the first
    listing = _listing(bench)
    out.mkdir(parents=True, exist_ok=True)
    begun, kept, left_out, failed = time.monotonic(), [], {}, []
    for number, run in enumerate(runs, 1):
        why = missing(run, listing)
        if (out / run.name).exists():
            kept.append(run.name)
        elif why:
            left_out.setdefault(why, []).append(run.name)
        else:
            print(f"\n==> [{time.monotonic() - begun:4.0f} s] {number} of {len(runs)}: {run.name}", flush=True)
            if not _made(run, bench, out, passed):
                failed.append(run.name)
    _tell(len(runs), kept, left_out, failed, out)
    return EXIT_RUNS_FAILED if failed else EXIT_OK


def file_of(preset):
    """A name in presets/, or a TOML file."""
    if preset.endswith(".toml"):
        return Path(preset)
    names = sorted(file.stem for file in FOLDER.glob("*.toml"))
    if preset not in names:
        raise UsageFault("--preset", "", f"unknown preset '{preset}'", f"give {', '.join(names)} or a TOML file")
    return FOLDER / f"{preset}.toml"


def read(file):
    """The runs of a list, in its order: each of its entries with each of its variants and implementations."""
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise Fault(file, "", error.strerror, "give a TOML file with a list of runs") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Fault(file, "", error, "correct the TOML") from None
    _require(set(table) <= {*KEYS, "run"}, file, "", f"it has a key other than {', '.join(KEYS)}, run")
    entries, shared = table.get("run"), {key: table.get(key, {}) for key in ("options", "methods", "variants")}
    _require(isinstance(entries, list) and entries, file, "run", "no run is listed; give [[run]] with name and scans")
    _require(isinstance(shared["options"], dict), file, "options", "it is not a table")
    for key in ("methods", "variants"):
        by_name = isinstance(shared[key], dict) and all(isinstance(one, dict) for one in shared[key].values())
        _require(by_name, file, key, "it is not a table of options by name")
    usual = table.get("implementations", [AUTO])
    runs = [run for number, entry in enumerate(entries, 1) for run in _runs(entry, usual, shared, file, f"run {number}")]
    names = [run.name for run in runs]
    for name in names:
        _require(names.count(name) == 1, file, "run", f"the name {name} is not unique")
    return [run._replace(record={"number": number} | run.record) for number, run in enumerate(runs, 1)]


def _runs(entry, implementations, shared, file, where):
    _require(isinstance(entry, dict) and set(entry) <= {"name", "scans", "implementations", "variants", "options", "tiles"}, file, where,
             "it has a key other than name, scans, implementations, variants, options, tiles")
    name, scans, options = entry.get("name"), entry.get("scans"), entry.get("options", {})
    _require(isinstance(name, str) and re.fullmatch(NAME, name, re.ASCII), file, where, "name is missing, or cannot name a folder")
    where = f"run {name}"
    _require(isinstance(scans, str) and scans, file, where, "scans is missing; give a dataset or a folder")
    _require(isinstance(options, dict), file, where, "options is not a table")
    own, variants, tiles = entry.get("implementations", implementations), entry.get("variants", [""]), entry.get("tiles")
    for key, of in (("implementations", own), ("variants", variants)):
        _require(isinstance(of, list) and of and all(isinstance(one, str) for one in of), file, where, f"{key} is not a list of names")
    for variant in variants:
        _require(variant in shared["variants"] or not variant, file, where, f"the variant {variant} is not in [variants]")
    _require(tiles is None or (isinstance(tiles, (int, float)) and not isinstance(tiles, bool)), file, where, "tiles is not a number")
    return [_run(name, _filled(scans, file), variant, one, options, shared, file)._replace(tiles_m=tiles) for variant in variants for one in own]


def _run(name, scans, variant, method, options, shared, file):
    """A run of an entry. Options come from the list, the entry, the variant and the method; the later take precedence."""
    folder = "-".join([name, *([variant] if variant else []), *([method.replace(":", "_")] if method != AUTO else [])])
    _require(re.fullmatch(NAME, folder, re.ASCII), file, f"run {name}", f"{folder} cannot name a folder")
    of_method = dict(shared["methods"].get(method, {"implementation": method}))
    implementation = of_method.pop("implementation", AUTO)
    _require(isinstance(implementation, str), file, f"run {folder}", "implementation is not a name")
    own = shared["options"] | options | shared["variants"].get(variant, {}) | of_method
    mcap = own.pop("mcap", False)
    _require(isinstance(mcap, bool), file, f"run {folder}", "mcap is neither true nor false")
    words = [word for key, value in own.items() for word in _words(key, value, file, f"run {folder}")]
    return Run(folder, scans, implementation, words, {"run": name, "variant": variant, "method": method}, mcap)


def _filled(text, file):
    known = {"PRESET": file.resolve().parent, **{name: os.environ[name] for name in (DATASETS,) if os.environ.get(name)}}
    return string.Template(text).safe_substitute(known)


def _words(key, value, file, where):
    """Turns an option into words: covariance = "laplace", debug-iterations = true, init = [1, 2, 0, 0, 0, 0]."""
    _require(re.fullmatch("[a-z][a-z0-9-]*", key) and key not in OWN, file, where, f"{key} is not an option of a run")
    if isinstance(value, bool):
        return [f"--{key}"] if value else []
    numbers = value if isinstance(value, list) else [value]
    fits = all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in numbers) or isinstance(value, str)
    _require(fits and numbers, file, where, f"{key} is not a number, text, true, or list of numbers")
    return [_filled(f"--{key}={','.join(map(str, numbers))}", file)]


def _require(fits, file, where, what):
    if not fits:
        raise Fault(file, where, what, "docs/measuring.md tells how a list is written")


def chosen(runs, only):
    for pattern in only:
        if not any(fnmatchcase(run.name, pattern) for run in runs):
            raise UsageFault("--only", "", f"no run is named {pattern}", "these are: " + " ".join(run.name for run in runs))
    return [run for run in runs if not only or any(fnmatchcase(run.name, pattern) for pattern in only)]


def _listing(bench):
    """Implementations and datasets by name: why one cannot be used, or None."""
    try:
        done = subprocess.run([bench, "list", "--json"], stdout=subprocess.PIPE, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Fault(bench, "", error, "build the programs, and give ndt-bench as --bench") from None
    listing = json.loads(done.stdout)
    return {one["name"]: one["unavailable_reason"] for kind in ("implementations", "peers", "datasets") for one in listing[kind]}


def drawn_from(name):
    """The dataset in the list of which a name asks for another seed or for other beams: town_drive_beams16_seed7."""
    return re.sub(r"(_beams\d+)?(_seed\d+)?$", "", name)


def missing(run, listing):
    """Why it cannot be made on this machine; None if it can. ndt-bench lists no folders."""
    method = ":".join(run.implementation.split(":")[:2])  # without the arguments of a peer
    reasons = [f"{name}: {listing[name]}" for name in (method, run.scans) if listing.get(name)]
    if method.startswith("exec:") and method not in listing:
        reasons.append(f"{method}: no such peer; docs/peers.md says how peers are built")
    if any(f"${DATASETS}" in word for word in (run.scans, *run.words)):
        reasons.append(f"{DATASETS} is not set")
    elif drawn_from(run.scans) not in listing and not Path(run.scans).exists():
        reasons.append(f"{run.scans}: neither a dataset of ndt-bench list nor a folder; does {DATASETS} have it?")
    if run.mcap and importlib.util.find_spec("rosbags") is None:
        reasons.append("writing MCAP requires the Python package rosbags")
    return next(iter(reasons), None)


def _tiles(run, bench, out):
    """The folder of the map's tiles, cut once for all implementations."""
    folder = out / TILES / f"{re.sub('[^A-Za-z0-9]+', '_', run.scans).strip('_')}-{run.tiles_m:g}"
    if not folder.exists():
        work = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(work, ignore_errors=True)
        source = sources.map_file(run.scans) or run.scans  # ndt-bench makes a dataset that is not there yet
        if call([bench, "map", "cut", str(source), f"--size={run.tiles_m:g}", "--out", str(work)], stdout=subprocess.DEVNULL) != EXIT_OK:
            raise Fault(run.scans, "", "its map was not cut into tiles", "see the message above")
        work.rename(folder)
    return folder


def _command(run, bench, out, work):
    words = [f"--map={_tiles(run, bench, out)}"] if run.tiles_m else []
    if not run.mcap:
        return [bench, "localize", *words]
    return [sys.executable, "-P", "-m", "ndt_localize", "--bench", bench, *words, f"--mcap={work / RECORDING}"]


def _made(run, bench, out, passed):
    """Makes a run and tells whether it could. Its folder gets its name when it is whole."""
    work, folder = out / f".{run.name}.part", out / run.name
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    (work / RECORD).write_text(json.dumps(run.record) + "\n", encoding="utf-8")
    try:
        command = _command(run, bench, out, work)
    except Fault as fault:
        print(f"    {fault}", flush=True)
        return False
    words = [*command, "--scans", run.scans, "--implementation", run.implementation, *run.words, *passed, "--out", str(work)]
    begun = time.monotonic()
    with open(work / OUTPUT, "w", encoding="utf-8") as output:
        code = call(words, stdout=output)
    print(f"    {time.monotonic() - begun:.1f} s", end="")
    lines = (work / OUTPUT).read_text(encoding="utf-8").splitlines()
    finished = any(line.startswith(WRITTEN) for line in lines)
    if code not in (EXIT_OK, ENDED_LOST) or not finished:
        print(f", failed with exit code {code}; what it left is in {work}", flush=True)
        return False
    told = [" ".join(line.split()) for line in lines if line.startswith(SHOWN)]
    print("; ".join([", ended lost" if code == ENDED_LOST else "", *told]), flush=True)
    work.rename(folder)
    return True


def _tell(count, kept, left_out, failed, out):
    unable = sum(map(len, left_out.values()))
    print(f"\n{count} runs: {count - len(kept) - unable - len(failed)} made, {len(kept)} there before, {unable} left out, {len(failed)} failed")
    for why, names in left_out.items():
        print(f"left out, {len(names)}: {why}")
    for name in failed:
        print(f"FAILED: {name}")
    print(f"a page of them: ndt-bench report {out}/* --out PAGE")
