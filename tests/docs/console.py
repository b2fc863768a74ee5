"""The console of a Markdown page: its commands, in order, and what the page says they print."""

import re
import shlex
from typing import NamedTuple

from markdown import FENCE, HEADING

LANGUAGES = {"", "console", "sh", "bash", "text"}
PROGRAMS = {"./run", "PYTHONPATH=reports", "alias", "bench", "build/release/bin/ndt-bench", "cmake", "for", "ndt-bench", "pip", "python3", "source", "venv/bin/pip"}
# Times with their unit, which differ between runs and machines.
TIME = re.compile(r"\b\d+(\.\d+)? (ms|us|s|min)\b")


class Command(NamedTuple):
    line: int
    text: str


class Block(NamedTuple):
    line: int
    commands: list  # empty where the block shows something else
    output: list  # lines that the page says are printed
    about: str  # its first line


def fenced(text):
    """(number of the first line inside, language, lines) of every fenced block; (number, None, []) of every heading."""
    fence, language, begin, lines = "", "", 0, []
    for number, line in enumerate(text.splitlines(), 1):
        match = FENCE.match(line.lstrip())
        if fence and line.strip() == fence:
            yield begin, language, lines
            fence = ""
        elif fence:
            lines.append(line)
        elif match:
            fence, begin, lines = match.group(1), number + 1, []
            language = line.strip()[len(fence):].strip()
        elif HEADING.match(line):
            yield number, None, []


def commands_of(begin, lines):
    """A line that is indented, and the end of a loop, go on with the command above."""
    commands = []
    for number, line in enumerate(lines, begin):
        if commands and (line.startswith((" ", "\t")) or line == "done"):
            commands[-1] = Command(commands[-1].line, commands[-1].text + "\n" + line)
        elif line.strip():
            commands.append(Command(number, line))
    return commands


def blocks(text):
    """The console blocks of a page. An output belongs to the commands right before it, if no heading is between."""
    found, open_to_output = [], False
    for begin, language, lines in fenced(text):
        if language is None or language not in LANGUAGES:
            open_to_output = False
        elif lines and lines[0].split()[0] in PROGRAMS:
            found.append(Block(begin, commands_of(begin, lines), [], lines[0]))
            open_to_output = True
        elif open_to_output:
            found[-1].output.extend(lines)
            open_to_output = False
        else:
            found.append(Block(begin, [], lines, lines[0] if lines else ""))
    return found


def script(commands, marker):
    """For bash: all commands in one shell, as a reader types them; marker and number before each."""
    parts = ["set -euo pipefail", "shopt -s expand_aliases", "exec 2>&1"]
    for k, command in enumerate(commands):
        parts += [f"echo; echo {shlex.quote(marker)} {k}", command.text]
    return "\n".join(parts) + "\n"


def printed_by(output, marker):
    """Returns what each command of the script printed; the script ended in the last one."""
    return [part.partition("\n")[2] for part in output.split(f"\n{marker} ")[1:]]


def comparable(line):
    """Removes times, and the blanks that align columns."""
    return " ".join(TIME.sub(r"- \2", line).split())


def missing(shown, printed):
    """The first line that is shown but not printed, in the order of the page, or None. Not every printed line need be shown."""
    rest = iter([comparable(line) for line in printed.splitlines()])
    for line in shown:
        if line.strip() not in ("", "...") and comparable(line) not in rest:
            return line
    return None


def nearest(line, printed):
    """The printed line that begins like this one, for a message."""
    first = comparable(line).split()[:1]
    return next((other for other in printed.splitlines() if comparable(other).split()[:1] == first), "(none that begins so)")
