"""ndt_report on the path, a skip where its packages are missing, and its command line as a function."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "reports"))
for module, package in {"numpy": "numpy", "pandas": "pandas", "matplotlib": "matplotlib", "jinja2": "jinja2"}.items():
    pytest.importorskip(module, reason=f"skipped for want of {module} (Debian: python3-{package})")

from ndt_report.__main__ import main  # noqa: E402


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
