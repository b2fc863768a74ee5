"""Parses JSON of a run folder, whatever it holds: what cannot be taken is refused with its file and line."""

import json
from pathlib import Path

from .files import MOST_JSON_BYTES, RUN_AGAIN, content
from .printable import all_printable
from .refusal import refusal

MOST_NESTING = 32  # lists and objects in one another


def parsed(path: Path, text: str, where: str = "", advice: str = RUN_AGAIN):
    """The value, with printable texts. NaN and Infinity are text, which is no number. where: of a line, whose
    errors are at a column of it."""
    try:
        value = json.loads(text, parse_constant=str)
        value = all_printable(value) if _may_hold_odd_characters(text) else value
    except json.JSONDecodeError as error:
        at = f"{error.msg} at column {error.colno}" if where else error.msg
        raise refusal(path, where or f"line {error.lineno}", f"not JSON: {at}", advice) from None
    except RecursionError:
        raise _too_deep(path, where, advice) from None
    except ValueError:  # of Python's own limit on the digits of a whole number
        raise refusal(path, where, "a number has too many digits", advice) from None
    return value


def _may_hold_odd_characters(text: str) -> bool:
    """JSON text holds control characters as escapes only, but for DEL."""
    return "\\" in text or "\x7f" in text or not text.isascii()


def read_json(path: Path, advice: str = RUN_AGAIN):
    """Reads a whole file. Throws InputError."""
    try:
        text = content(path, MOST_JSON_BYTES, advice).decode("utf-8")
    except UnicodeDecodeError as error:
        raise refusal(path, f"byte {error.start}", "not UTF-8", advice) from None
    value = parsed(path, text, "", advice)
    if _nested_too_deep(value):
        raise _too_deep(path, "", advice)
    return value


def _too_deep(path, where, advice):
    said = f"lists and objects are nested deeper than {MOST_NESTING} levels"
    return refusal(path, where, said, advice)


def _nested_too_deep(value) -> bool:
    level = [value]
    for _ in range(MOST_NESTING):
        level = [inner for outer in level for inner in _entries(outer) if isinstance(inner, (list, dict))]
        if not level:
            return False
    return True


def _entries(value):
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
