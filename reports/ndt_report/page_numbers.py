"""Numbers as a reader wants them: three digits, thousands apart, a dash for none."""

import math

NONE = "–"


def number(value, digits=3) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return NONE
    if value == 0:
        return "0"
    if abs(value) >= 10**digits:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"
