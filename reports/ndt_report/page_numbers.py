"""Numbers and short texts as a reader wants them: three digits, thousands apart, a dash for none."""

import math
from decimal import Decimal

NONE = "–"


LEAST_PLAIN = 1e-6  # smaller numbers have an exponent: no reader counts their zeros


def number(value, digits=3) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return NONE
    if value == 0:
        return "0"
    said = f"{value:.{digits}g}"
    if "e" not in said or abs(value) < LEAST_PLAIN:
        return said if abs(value) < 10**digits else f"{value:,.0f}"
    return f"{Decimal(said):,f}" if abs(value) < 10**digits else f"{value:,.0f}"


def percent(share, digits=3) -> str:
    return NONE if share != share else f"{100 * share:.{digits}g}"


def error(value, least) -> str:
    return f"<{least:g}" if 0 < value < least else number(value, 2)


def joined(parts) -> str:
    parts = list(parts)
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else "".join(parts)


def aligned(lines, left) -> list:
    """Pads the texts of a table: columns in left begin together, all others end together."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    padded = [[t.ljust(w) if i in left else t.rjust(w) for i, (t, w) in enumerate(zip(line, widths))] for line in lines]
    return ["  ".join(line).rstrip() for line in padded]
