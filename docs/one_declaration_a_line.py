"""Doxygen's input filter: prints a header with `T a = 0, b = 0;` as one declaration each, all with the comment.

Members that belong together are declared together, with one comment, of which Doxygen would give the first (or the last) alone.
"""

import re
import sys

# A type without parentheses, then two or more names with their initial values.
NAME = r"\w+(?:\[\w+\])?(?: = [^,;{}]+|\{[^;}]*\}| = \{[^;}]*\})?"
DECLARATION = re.compile(rf"(?P<indent> +)(?P<type>[\w:]+(?:<[\w:]+(?:<\w+>)?>)?) (?P<names>{NAME}(?:, {NAME})+);(?P<comment> *(///|/\*\*)<.*)?")


def split(lines):
    above = []  # the comment that stands directly above
    for line in lines:
        if re.match(r" *(///(?!<)|/\*\*(?!<)|\* |\*/)", line):
            above.append(line)
            yield line
            continue
        found = DECLARATION.fullmatch(line)
        if not found:
            above = []
            yield line
            continue
        for k, name in enumerate(re.findall(NAME, found["names"])):
            if k and not found["comment"]:
                yield from above
            yield f"{found['indent']}{found['type']} {name};{found['comment'] or ''}"
        above = []


if __name__ == "__main__":
    print("\n".join(split(open(sys.argv[1]).read().split("\n"))), end="")
