"""python3 -m ndt_report report DIR... [--out DIR] [--beside DIR] [--open] · python3 -m ndt_report compare A B [--fail-on slower]
[--json] · python3 -m ndt_report trajectory TRUTH ESTIMATE [--align] [--delta N] [--max-gap S] [--json] · python3 -m
ndt_report publish DIR... --out DIR [--figure NAME]..."""

import argparse
import io
import json
import logging
import os
import signal
import sys
import traceback
import warnings
import webbrowser
from pathlib import Path

from . import live_line
from .read.printable import printable

EXIT_OK, EXIT_USAGE, EXIT_BAD_INPUT, EXIT_REGRESSION = 0, 1, 2, 3
EXIT_INTERRUPTED = 130  # as a shell says it


class Parser(argparse.ArgumentParser):
    def error(self, message):
        print(f"{self.prog}: {message}", file=sys.stderr)
        print(self.format_usage().rstrip(), file=sys.stderr)
        raise SystemExit(EXIT_USAGE)


def parser() -> argparse.ArgumentParser:
    top = Parser(
        prog="ndt-bench",
        description="Reports on run folders of ndt-bench run, and errors of trajectories.",
        epilog="Exit codes: 0 ok, 1 usage, 2 bad input, 3 regression (compare --fail-on slower).",
    )
    commands = top.add_subparsers(
        dest="command", required=True, metavar="report|compare|trajectory|publish", parser_class=Parser
    )
    add_report(commands)
    compare = commands.add_parser(
        "compare", help="SAME, FASTER, SLOWER or UNCLEAR for every implementation of two runs: B against A"
    )
    compare.add_argument("a", metavar="A", type=Path, help="run folder, the one before")
    compare.add_argument("b", metavar="B", type=Path, help="run folder, the one after")
    compare.add_argument("--fail-on", choices=["slower"], help="exit with 3 if any implementation is SLOWER")
    compare.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    add_trajectory(commands)
    add_publish(commands)
    return top


def add_report(commands):
    command = commands.add_parser("report", help="report.html, figures, summary.csv and trajectories of a run")
    command.add_argument(
        "folders",
        metavar="DIR",
        type=Path,
        nargs="+",
        help="what ndt-bench run --out wrote, the report goes into it; or one or several folders of ndt-bench localize",
    )
    command.add_argument(
        "--out", type=Path, help="folder of the page, made if need be; needed for several localisations"
    )
    command.add_argument("--beside", type=Path, metavar="DIR", help="another run, side by side with it on the page")
    command.add_argument("--open", action="store_true", help="show the page in a browser")


def add_trajectory(commands):
    command = commands.add_parser("trajectory", help="ATE, RPE and KITTI's errors of one TUM file against another")
    command.add_argument("truth", metavar="TRUTH", type=Path, help="TUM file: time x y z qx qy qz qw")
    command.add_argument("estimate", metavar="ESTIMATE", type=Path, help="TUM file that is judged")
    command.add_argument(
        "--align", action="store_true", help="first move the estimate onto the truth, for the ATE alone [Umeyama]"
    )
    command.add_argument("--delta", type=whole_from_1, default=1, metavar="N", help="frames of the RPE (1)")
    command.add_argument(
        "--max-gap", type=seconds, default=0.01, metavar="S", help="poses farther apart in time are not paired (0.01)"
    )
    command.add_argument("--json", action="store_true", help="one JSON object with every number")


def add_publish(commands):
    command = commands.add_parser("publish", help="a small folder of a run, or of localisations, for reports/")
    command.add_argument("folders", metavar="DIR", type=Path, nargs="+", help="as of report")
    command.add_argument("--out", type=Path, required=True, help="reports/DATE-MACHINE-SUBJECT, new but for index.md")
    command.add_argument(
        "--figure", action="append", default=[], metavar="NAME", help="one that the page shows, as its file is named; all without"
    )


def whole_from_1(text):
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


def seconds(text):
    value = float(text)
    if not 0 <= value < float("inf"):
        raise ValueError(text)
    return value


def show(lines):
    """On stdout, without what a terminal would obey."""
    live_line.end()
    print("\n".join(map(printable, lines)))


def make_report(arguments) -> int:
    localized = _localized(arguments)
    page = _report_localizations(arguments) if all(localized) else _report_run(arguments, localized)
    if arguments.open:
        webbrowser.open(page.resolve().as_uri())
    return EXIT_OK


def _localized(arguments) -> list:
    """Whether each folder is that of a localisation. A published folder of localisations becomes theirs."""
    from .localization.load import is_localization, localizations_in

    if len(arguments.folders) == 1:
        arguments.out = arguments.out or arguments.folders[0]
    arguments.folders = [inner for folder in arguments.folders for inner in localizations_in(folder)]
    return [is_localization(folder) for folder in arguments.folders]


def _report_run(arguments, localized) -> Path:
    from .read.load import load_run
    from .sections.report import make_report as sections_of
    from .page.beside import beside_of
    from .page.terminal import summary_lines, width
    from .page.write import write_report

    folder = _only(arguments.folders, localized)
    live_line.draw(f"reading {printable(str(folder))}")
    report = sections_of(load_run(folder))
    beside = None
    if arguments.beside:
        live_line.draw(f"reading {printable(str(arguments.beside))}")
        beside = beside_of(sections_of(load_run(arguments.beside)), report)
    folder = arguments.out or folder
    folder.mkdir(parents=True, exist_ok=True)
    page = write_report(report, folder, beside)
    show(summary_lines(report, page, width()))
    return page


def _only(folders, localized) -> Path:
    """The folder of a run, of which several are no page."""
    from .read.refusal import refusal

    if len(folders) > 1:
        advice = "give folders of localisations alone; ndt-bench merge joins the parts of a run"
        said = "not of ndt-bench localize, of which alone a page of several is made"
        raise refusal(folders[localized.index(False)], "", said, advice)
    return folders[0]


def _report_localizations(arguments) -> Path:
    from .localization.load import load_localizations
    from .localization.page import terminal_lines, write_localization
    from .localization.report import make_localization_report
    from .page.terminal import width
    from .read.refusal import refusal

    live_line.draw("reading localisations")
    first, *others = arguments.folders
    if arguments.beside:
        raise refusal(arguments.beside, "--beside", "is for runs of ndt-bench run", "give all folders of localisations one after another")
    if others and not arguments.out:
        raise refusal(first, "", "one of several, whose page needs a folder of its own", "give --out")
    report = make_localization_report(load_localizations(arguments.folders))
    folder = arguments.out or first
    folder.mkdir(parents=True, exist_ok=True)
    page = write_localization(report, folder)
    show(terminal_lines(report, page, width()))
    return page


def compare_runs(arguments) -> int:
    from .compare import SLOWER, comparison, comparison_json, comparison_lines
    from .read.load import load_run

    found = comparison(load_run(arguments.a), load_run(arguments.b))
    if arguments.json:
        print(json.dumps(comparison_json(found), indent=1))
    else:
        show(comparison_lines(found))
    slower = (found.rows.verdict == SLOWER).any()
    return EXIT_REGRESSION if slower and arguments.fail_on == "slower" else EXIT_OK


def judge_trajectory(arguments) -> int:
    from .trajectory_command import run

    run(arguments, show)
    return EXIT_OK


def publish(arguments) -> int:
    from .localization.page import terminal_lines
    from .page.publish import publish_localizations, publish_run
    from .page.terminal import summary_lines

    localized = _localized(arguments)
    if all(localized):
        page = publish_localizations(
            arguments.folders, arguments.out, arguments.figure, lambda report: terminal_lines(report, "")[:-1]
        )
    else:
        folder = _only(arguments.folders, localized)
        page = publish_run(folder, arguments.out, arguments.figure, lambda report: summary_lines(report, "")[:-1])
    show([str(page)])
    return EXIT_OK


COMMANDS = {"report": make_report, "compare": compare_runs, "trajectory": judge_trajectory, "publish": publish}


# The files of a command that is interrupted.
KEPT = {"report": "files that were there before are whole", "publish": "files that were there before are whole",
        "compare": "there is no answer, and the runs are as they were", "trajectory": "there is no answer, and it writes no file"}


def main() -> int:
    arguments = parser().parse_args()
    try:
        return answer(arguments)
    except KeyboardInterrupt:
        live_line.draw("")  # takes the terminal's ^C away
        say(f"interrupted: {KEPT[arguments.command]}")
        return EXIT_INTERRUPTED


def answer(arguments) -> int:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # numpy makes a missing module of it
    try:
        import jinja2, matplotlib, numpy, pandas  # noqa: E401, F401
    except ImportError as error:
        say(
            f"{sys.executable} has no {error.name}; on Debian: apt-get install python3-{error.name}, and use"
            " /usr/bin/python3"
        )
        return EXIT_BAD_INPUT
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    from .read.refusal import InputError

    warnings.simplefilter("ignore")  # of libraries, on numbers that the page shows as they are
    # Newer ones of matplotlib log that axes of equal scale widen the limits they were given, which is meant here.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # of characters that the terminal lacks
    try:
        code = COMMANDS[arguments.command](arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except InputError as error:
        say(error)
    except BrokenPipeError:  # the reader of the pipe has closed it, and the files are written by then
        _drop_stdout()
        return EXIT_OK
    except OSError as error:
        if error.filename is None:
            _drop_stdout()
        say(f"{error.filename or 'standard output'}: {error.strerror}; check that it can be written")
    except MemoryError:
        say(f"{_folders(arguments)}: there is too little memory for so large a run; use a machine with more")
    except Exception as error:
        say(
            f"{_folders(arguments)}: these measurements need what the report cannot do"
            f" ({type(error).__name__} at {_place(error)}); please report it, with the folder"
        )
    return EXIT_BAD_INPUT


def _drop_stdout():
    """Python would complain once more when it flushes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(text):
    """One line on stderr, without what a terminal would obey."""
    live_line.end()
    print(f"ndt-bench: {printable(str(text))}", file=sys.stderr)


def _folders(arguments) -> str:
    if arguments.command == "trajectory":
        return f"{arguments.truth}, {arguments.estimate}"
    return ", ".join(map(str, arguments.folders if arguments.command in ("report", "publish") else (arguments.a, arguments.b)))


def _place(error) -> str:
    """The last place in this package that the error came by."""
    here = str(Path(__file__).parent)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(here)]
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}"


if __name__ == "__main__":
    sys.exit(main())
