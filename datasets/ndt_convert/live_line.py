"""One line of stderr that changes, for people who wait. A pipe or a file gets none."""

import os
import sys
import time

EVERY_S = 0.1

_drawn_s = None  # of the line that is there; None without one


def draw(text):
    """Draws the line, cut to the terminal's width."""
    global _drawn_s
    if sys.stderr is None or not sys.stderr.isatty() or (_drawn_s is not None and time.monotonic() - _drawn_s < EVERY_S):
        return
    columns = os.get_terminal_size(sys.stderr.fileno()).columns or 80
    print(f"\r\x1b[K{text[:columns - 1]}", end="", file=sys.stderr, flush=True)
    _drawn_s = time.monotonic()


def end():
    """Takes the line away. Do it before an answer or a message."""
    global _drawn_s
    if _drawn_s is not None:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    _drawn_s = None


def counted(items, what):
    """Yields the items, and draws what is done with them and how far it is."""
    for number, item in enumerate(items, 1):
        draw(f"{what}: {number} of {len(items)}")
        yield item
