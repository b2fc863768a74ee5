"""ndt_report on the path, and its command line as a function."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "reports"))


@pytest.fixture
def ndt_report(monkeypatch, capsys):
    """Runs the command line in this process: (exit code, stdout, stderr)."""
    from ndt_report.__main__ import main

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["ndt_report", *map(str, arguments)])
        try:
            code = main()
        except SystemExit as exit:
            code = exit.code
        streams = capsys.readouterr()
        return code, streams.out, streams.err

    return run


@pytest.fixture
def no_pdf(monkeypatch):
    """Leaves out the PDF of each figure, which takes as long as its SVG."""
    from ndt_report.figures import svg

    saved = svg._saved
    monkeypatch.setattr(svg, "_saved", lambda figure, form, metadata: b"%PDF-1.4" if form == "pdf" else saved(figure, form, metadata))
