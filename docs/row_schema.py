#!/usr/bin/env python3
"""Writes row-schema.md: ndt-bench list --columns | docs/row_schema.py > docs/row-schema.md"""

import json
import sys

KINDS = {
    "text": "text", "int": "int", "number": "number", "flag": "true or false", "matrix": "matrix", "numbers": "numbers",
    "maybe numbers": "numbers", "offset": "object", "trace": "object of lists", "search": "object, [below](#search)",
    "sigma": "5 numbers", "improvements": "list of objects", "paths": "lists of 7 numbers",
}
HEAD = """# The rows of results.jsonl

`docs/row_schema.py` generates this page from the table that writes the rows. A run writes one line of JSON for each
[measurement](glossary.md#measurements). Read keys by name, because keys may be added. `ndt-bench list --columns` prints this page
as JSON, and `columns.json` of a run has its keys.

```python
import json
rows = [json.loads(line) for line in open("run/results.jsonl")]
good = [row for row in rows if row["error"] is None]
```

- **Units** end a name (`_m`, `_deg`, `_us`, `_bytes`) or follow it.
- **Poses** are `map_from_scan`, 4x4 matrices row by row, in metres: `p_map = pose * p_scan`.
- **Null**: `!` is null only with an error. `?` may be null. `??` may be null and is missing in older runs. Others are never null.
"""
NULLS = {"never": "", "with an error": "!", "may be null": "?",
         "may be null, and is missing in runs made before there was such a column": "??"}


def kind_of(column):
    kind, _, link = KINDS[column["kind"]].partition(",")
    unit = column.get("unit") or ""
    said = f", {unit}" if unit and not column["name"].endswith("_" + unit.lower()) else ""
    return kind + NULLS[column["null"]] + said + (link and "," + link)


def keys(columns):
    return "\n".join(f"- `{column['name']}` ({kind_of(column)}): {column['meaning']}" for column in columns)


def page(schema):
    parts = [HEAD, "## Every key\n", keys(schema["row"]), "\n## Search\n", "The keys of `search`, if it is not null.\n", keys(schema["search"])]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page(json.load(sys.stdin)))
