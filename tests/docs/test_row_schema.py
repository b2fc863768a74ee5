"""docs/row-schema.md is what docs/row_schema.py makes of this program's table of columns."""

import json
import os
import subprocess
import sys

from markdown import ROOT


def test_the_page_is_current():
    schema = subprocess.run([os.environ["NDT_BENCH"], "list", "--columns"], capture_output=True, text=True, check=True).stdout
    assert len(json.loads(schema)["row"]) > 40
    page = subprocess.run([sys.executable, ROOT / "docs/row_schema.py"], input=schema, capture_output=True, text=True, check=True).stdout
    assert page == (ROOT / "docs/row-schema.md").read_text(encoding="utf-8"), (
        "run: build/release/bin/ndt-bench list --columns | docs/row_schema.py > docs/row-schema.md")
