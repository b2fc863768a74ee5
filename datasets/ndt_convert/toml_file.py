"""TOML out; the standard library only reads it."""

import json


def write_toml(file, table):
    with open(file, "w", encoding="utf-8") as out:
        out.write("\n".join(_lines(table, "")) + "\n")


def _lines(table, path):
    """Values first, then tables, each under its full name."""
    lines = [f"{key} = {_value(value)}" for key, value in table.items() if not isinstance(value, dict)]
    for key, value in table.items():
        if isinstance(value, dict):
            inner = _lines(value, f"{path}{key}.")
            lines += ["", f"[{path}{key}]", *inner] if any(not isinstance(v, dict) for v in value.values()) else inner
    return lines


def _value(value):
    if isinstance(value, str):  # a path may hold bytes that are not UTF-8
        value = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if isinstance(value, (bool, str, list)):
        return json.dumps(value, ensure_ascii=False)  # TOML's strings and arrays of strings are JSON's
    return repr(value)
