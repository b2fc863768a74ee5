"""ndt_report on the path, toy frames, and one synthetic run with its report for all tests."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "reports"))
for module, package in {"numpy": "numpy", "pandas": "pandas", "matplotlib": "matplotlib", "jinja2": "jinja2"}.items():
    pytest.importorskip(module, reason=f"skipped for want of {module} (Debian: python3-{package})")

from ndt_report.__main__ import main  # noqa: E402
from synthetic_run import every_kind  # noqa: E402


@pytest.fixture
def ndt_report(monkeypatch, capsys):
    """Runs the command line in this process: (exit code, stdout, stderr)."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["ndt_report", *map(str, arguments)])
        try:
            code = main()
        except SystemExit as exit:
            code = exit.code
        streams = capsys.readouterr()
        return code, streams.out, streams.err

    return run


@pytest.fixture(scope="session")
def full_run(tmp_path_factory):
    """The folder of a run with every kind of row. Not to be written to."""
    return every_kind().write(tmp_path_factory.mktemp("runs") / "full")
