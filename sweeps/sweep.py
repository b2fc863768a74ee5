"""Reads and checks a sweep's file, which becomes a preset of ndt-bench or names one."""

import itertools
import json
import os
from typing import NamedTuple

KEYS = {"bench", "shards", "datasets", "towns", "implementations", "options", "guesses", "frames", "threads", "timed", "preset"}
OF_A_PRESET = ("options", "guesses", "frames", "threads")


class SweepError(Exception):
    """Says which key was wrong, and what to write."""


class Sweep(NamedTuple):
    shards: int
    datasets: list  # names, and absolute folders
    towns: dict  # {name of a folder: (scale, seed)}
    implementations: list
    preset: str  # a name or a file; empty: text is it
    text: str  # of a preset, as TOML
    threads: int
    timed: bool


def whole(config, key, standard, least):
    value = config.get(key, standard)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise SweepError(f"{key}: {value!r} is no whole number from {least} on")
    return value


def names(config, key):
    value = config.get(key) or []
    if not isinstance(value, list) or not all(isinstance(name, str) and name for name in value):
        raise SweepError(f"{key}: {value!r} is no list of names, such as [courtyard]")
    return value


def placed(name, folder):
    """A folder is found from where the sweep is started, wherever its jobs run."""
    path = os.path.join(folder, os.path.expanduser(name))
    return os.path.abspath(path) + "/" if os.path.isdir(path) else name


def towns(config):
    given = config.get("towns") or {"seeds": []}
    if not isinstance(given, dict) or not set(given) <= {"scale", "seeds"}:
        raise SweepError(f"towns: {given!r} is not of the form {{scale: small, seeds: [1, 2]}}")
    scale, seeds = given.get("scale", "small"), given.get("seeds")
    if not isinstance(scale, str) or not scale.isalpha():  # ndt-bench knows which scales there are
        raise SweepError(f"towns: scale {scale!r} is no name, such as small")
    if not isinstance(seeds, list) or not all(type(seed) is int and seed >= 0 for seed in seeds) or len(set(seeds)) < len(seeds):
        raise SweepError(f"towns: seeds {seeds!r} are no list of different whole numbers")
    return {f"{scale}_seed{seed}": (scale, seed) for seed in seeds}


def value_in_toml(value):
    return json.dumps(value, ensure_ascii=False)  # the same for texts, numbers, true and false, and lists of them


def table_in_toml(table):
    return "{ " + ", ".join(f"{key} = {value_in_toml(value)}" for key, value in table.items()) + " }"


def variants(options):
    """Every value of each option with every value of the others; named by what differs."""
    if not isinstance(options, dict) or not all(isinstance(key, str) and isinstance(values, list) and values for key, values in options.items()):
        raise SweepError(f"options: {options!r} is not of the form {{resolution: [1.0, 2.0]}}, a list of values for each option")
    swept = [key for key, values in options.items() if len(values) > 1]
    for combination in itertools.product(*options.values()):
        setting = dict(zip(options, combination))
        name = " ".join(f"{key}={value_in_toml(setting[key])}".replace('"', "") for key in swept)
        yield {"name": name or "all"} | setting


def preset_text(config, datasets, threads, timed):
    guesses = config.get("guesses", {})
    if not isinstance(guesses, dict):
        raise SweepError(f"guesses: {guesses!r} is not of the form {{guesses: 5, xy_m: 0.3}}")
    lines = ['description = "a sweep of options, datasets and guesses"', "[[study]]", f"datasets = {value_in_toml(datasets)}",
             f"threads = [{threads}]", f"timed = {value_in_toml(timed)}"]
    if "frames" in config:
        lines.append(f"frames = {whole(config, 'frames', None, 1)}")
    if guesses:
        lines.append(f"scatters = [{table_in_toml(guesses)}]")
    return "\n".join([*lines, "variants = [", *(f"  {table_in_toml(variant)}," for variant in variants(config.get("options", {}))), "]", ""])


def read_sweep(config, folder, town_folder):
    """Relative folders in it are those of `folder`; towns will be made in `town_folder`."""
    if unknown := sorted(set(config) - KEYS):
        raise SweepError(f"{unknown[0]}: there is no such key; there are {', '.join(sorted(KEYS))}")
    preset = config.get("preset", "")
    if preset and (beside := [key for key in OF_A_PRESET if key in config]):
        raise SweepError(f"{beside[0]}: given beside preset, which says it already; remove one of the two")
    timed = config.get("timed", bool(preset))
    if not isinstance(timed, bool):
        raise SweepError(f"timed: {timed!r} is neither true nor false")
    made = towns(config)
    datasets = [placed(name, folder) for name in names(config, "datasets")]
    datasets += [os.path.join(os.path.abspath(town_folder), name) + "/" for name in made]
    if not datasets and not preset:
        raise SweepError("datasets: none, and no towns; name some of ndt-bench list, or folders with a dataset.toml")
    threads = whole(config, "threads", 1, 1)
    if preset and os.path.isfile(os.path.join(folder, preset)):
        preset = os.path.abspath(os.path.join(folder, preset))
    text = "" if preset else preset_text(config, datasets, threads, timed)
    return Sweep(whole(config, "shards", 1, 1), datasets, made, names(config, "implementations"), preset, text, threads, timed)


def plan_arguments(sweep, preset_file):
    """Returns the arguments for ndt-bench run --plan-only."""
    words = ["--preset", sweep.preset or preset_file]
    if sweep.preset:
        words += [word for name in sweep.datasets for word in ("--dataset", name)]
    return words + [word for name in sweep.implementations for word in ("--implementation", name)]
