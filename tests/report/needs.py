"""Imported first by every test: a module is skipped, with the reason, where a package of the report is
missing."""

import pytest

for module in ("numpy", "pandas", "matplotlib", "jinja2"):
    pytest.importorskip(module, reason=f"skipped for want of {module} (Debian: python3-{module})")
