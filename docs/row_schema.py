#!/usr/bin/env python3
"""Writes row-schema.md: ndt-bench list --columns | docs/row_schema.py > docs/row-schema.md"""

import json
import sys

KINDS = {
    "text": "text", "int": "whole number", "number": "number", "flag": "true or false", "matrix": "16 numbers, row by row", "numbers": "list of numbers",
    "maybe numbers": "list of numbers, may be empty", "offset": "object", "trace": "object of lists", "search": "object, [below](#search)",
    "sigma": "5 numbers", "improvements": "list of objects", "paths": "list of 7 numbers each",
}
HEAD = """# The rows of results.jsonl

Generated from the table that writes the rows, by `docs/row_schema.py`; a test fails where it is not current.

A run writes one line of JSON for each measurement into `results.jsonl`: one implementation, one scan, one guess, one set of options.
Read keys by their names, because keys may be added. `columns.json` beside it has the first table for programs, as it was when the run was made;
`ndt-bench list --columns` prints both as JSON. Units are in the names: `_m`, `_deg`, `_rad`, `_us`, `_bytes`, `_hz`. Every pose is `map_from_scan`, a 4x4 matrix row by row:
`p_map = pose * p_scan`, in metres.

*null* says when a value may be null: *never*; *with an error*, where the measurement failed and `error` says why; *may be*; or *older*: it
may be null, and is missing in runs made before there was such a column.

```python
import json
rows = [json.loads(line) for line in open("run/results.jsonl")]
good = [row for row in rows if row["error"] is None]
```
`ndt-bench report` reads them with [ndt_report](../reports/ndt_report/README.md), which checks every key by this table.
"""
NULLS = {"never": "never", "with an error": "with an error", "may be null": "may be",
         "may be null, and is missing in runs made before there was such a column": "older"}


def cell(text):
    return text.replace("|", "\\|")


def table(columns):
    lines = ["| key | what | unit | null | meaning |", "|---|---|---|---|---|"]
    for column in columns:
        lines.append(f"| `{column['name']}` | {KINDS[column['kind']]} | {cell(column.get('unit') or '')} | {NULLS[column['null']]} | {cell(column['meaning'])} |")
    return "\n".join(lines)


def page(schema):
    return "\n".join([HEAD, "## Every key\n", table(schema["row"]), "\n## Search\n", "The keys of `search`, where it is not null.\n",
                      table(schema["search"])]) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page(json.load(sys.stdin)))
