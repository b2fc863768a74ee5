"""python3 -m ndt_report report DIR [--open] · python3 -m ndt_report compare A B [--fail-on slower]
[--json]"""

import argparse
import json
import os
import sys
import webbrowser
from pathlib import Path

EXIT_OK, EXIT_USAGE, EXIT_BAD_INPUT, EXIT_REGRESSION = 0, 1, 2, 3


class Parser(argparse.ArgumentParser):
    def error(self, message):
        print(f"{self.prog}: {message}", file=sys.stderr)
        print(self.format_usage().rstrip(), file=sys.stderr)
        raise SystemExit(EXIT_USAGE)


def parser() -> argparse.ArgumentParser:
    top = Parser(
        prog="ndt-bench",
        description="Reports on run folders of ndt-bench run.",
        epilog="Exit codes: 0 ok, 1 usage, 2 bad input, 3 regression (compare --fail-on slower).",
    )
    commands = top.add_subparsers(
        dest="command", required=True, metavar="report|compare", parser_class=Parser
    )
    report = commands.add_parser("report", help="report.html, figures, summary.csv and trajectories of a run")
    report.add_argument(
        "folder", metavar="DIR", type=Path, help="what ndt-bench run --out wrote; the report goes into it"
    )
    report.add_argument("--open", action="store_true", help="show the page in a browser")
    compare = commands.add_parser(
        "compare", help="SAME, FASTER, SLOWER or UNCLEAR for every implementation of two runs: B against A"
    )
    compare.add_argument("a", metavar="A", type=Path, help="run folder, the one before")
    compare.add_argument("b", metavar="B", type=Path, help="run folder, the one after")
    compare.add_argument("--fail-on", choices=["slower"], help="exit with 3 if any implementation is SLOWER")
    compare.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    return top


def make_report(arguments) -> int:
    from .load import load_run
    from .sections import make_report as sections_of
    from .terminal import summary_lines
    from .write import write_report

    report = sections_of(load_run(arguments.folder))
    page = write_report(report, arguments.folder)
    print("\n".join(summary_lines(report, page)))
    if arguments.open:
        webbrowser.open(page.resolve().as_uri())
    return EXIT_OK


def compare_runs(arguments) -> int:
    from .compare import SLOWER, comparison, comparison_json, comparison_lines
    from .load import load_run

    found = comparison(load_run(arguments.a), load_run(arguments.b))
    print(
        json.dumps(comparison_json(found), indent=1) if arguments.json else "\n".join(comparison_lines(found))
    )
    slower = (found.rows.verdict == SLOWER).any()
    return EXIT_REGRESSION if slower and arguments.fail_on == "slower" else EXIT_OK


def main() -> int:
    arguments = parser().parse_args()
    try:
        import jinja2, matplotlib, numpy, pandas  # noqa: E401, F401
    except ImportError as error:
        print(
            f"ndt-bench: {sys.executable} has no {error.name}; on Debian: apt-get install"
            f" python3-{error.name}, and use /usr/bin/python3",
            file=sys.stderr,
        )
        return EXIT_BAD_INPUT
    from .refusal import InputError

    try:
        return make_report(arguments) if arguments.command == "report" else compare_runs(arguments)
    except InputError as error:
        print(f"ndt-bench: {error}", file=sys.stderr)
        return EXIT_BAD_INPUT
    except BrokenPipeError:
        # The reader of the pipe has closed it, and the files are written by then. Python would complain once
        # more when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    except OSError as error:
        print(f"ndt-bench: {error.filename}: {error.strerror}; check that it can be written", file=sys.stderr)
        return EXIT_BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
