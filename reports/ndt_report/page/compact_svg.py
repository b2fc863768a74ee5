"""A figure's SVG file for a published folder: what no picture can show is left out of it.

Numbers of paths and places are rounded to 0.01 pt, a style that comes often is a class, and what is drawn as pixels
has at most 64 colours. In a file that is still large, lines and markers are thinned. No two vertices of a line are
nearer than a part of a point. If markers cover one another that closely, only the last is drawn, which is on top.
"""

import base64
import io
import re
from collections import Counter

from PIL import Image

LARGE_BYTES = 200_000
CELLS_PT = (0.25, 0.5, 1.0)  # how closely a large file is thinned: the finest of them that makes it small
MOST_COLOURS = 64  # of pixels
LEAST_USES = 3  # of a style that becomes a class

NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
PIXELS = re.compile(r"data:image/png;base64,([A-Za-z0-9+/=\s]+)")
LINE = re.compile(r'd="(M[^"A-KN-Za-z]*)"')  # of straight pieces
PLACED = re.compile(r'<use xlink:href="([^"]+)" x="([^"]+)" y="([^"]+)"([^>]*)/>\n?')


def compact(text: str) -> str:
    """The text of an SVG file that matplotlib wrote, as one of fewer bytes that looks the same."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"<!DOCTYPE.*?>\s*", "", text, flags=re.S)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r'\b(d|x|y|points|transform)="([^"]*)"', _rounded, text)
    text = PIXELS.sub(_with_fewer_colours, text)
    text = _with_classes(re.sub(r"\n\s*", "\n", text))
    for cell in CELLS_PT:
        if len(text.encode()) > LARGE_BYTES:
            text = _without_covered(LINE.sub(lambda match: _thinned(match[1], cell), text), cell)
    return text


def _rounded(match) -> str:
    name, value = match.groups()
    if "matrix" in value or "scale" in value:
        # Scales of glyphs are small numbers, of which every digit counts; their places are not.
        value = re.sub(r"translate\([^)]*\)", lambda m: NUMBER.sub(_number, m[0]), value)
        return f'{name}="{value}"'
    value = NUMBER.sub(_number, value)
    if name == "d":
        value = re.sub(r"\s*([A-Za-z])\s*", r"\1", value).strip()
    return f'{name}="{value}"'


def _number(match) -> str:
    text = f"{float(match[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _with_fewer_colours(match) -> str:
    data = base64.b64decode(match[1])
    out = io.BytesIO()
    with Image.open(io.BytesIO(data)) as image:
        image.convert("RGBA").quantize(MOST_COLOURS, Image.Quantize.FASTOCTREE).save(out, "PNG", optimize=True)
    smaller = min(data, out.getvalue(), key=len)
    return "data:image/png;base64," + base64.b64encode(smaller).decode("ascii")


def _thinned(path: str, cell: float) -> str:
    """Drops vertices nearer than cell to the one kept before them; the last of every stroke stays."""
    strokes = []
    for stroke in path.replace("L", " ").split("M")[1:]:
        numbers = stroke.split()
        places = [(float(x), float(y), f"{x} {y}") for x, y in zip(numbers[::2], numbers[1::2])]
        kept = places[:1]
        for place in places[1:-1]:
            if max(abs(place[0] - kept[-1][0]), abs(place[1] - kept[-1][1])) >= cell:
                kept.append(place)
        strokes.append("M" + "L".join(text for *_, text in kept + places[1:][-1:]))
    return f'd="{"".join(strokes)}"'


def _without_covered(text: str, cell: float) -> str:
    """Keeps the last of the placed shapes with the same look in the same cell."""
    last = {_key(match, cell): match.start() for match in PLACED.finditer(text)}
    return PLACED.sub(lambda match: match[0] if last[_key(match, cell)] == match.start() else "", text)


def _key(match, cell: float) -> tuple:
    shape, x, y, look = match.groups()
    return shape, round(float(x) / cell), round(float(y) / cell), look


def _with_classes(text: str) -> str:
    """Moves styles that come often into the style sheet of matplotlib's text."""
    if "</style>" not in text or "\n.s0{" in text:
        return text
    counts = Counter(re.findall(r' style="([^"]*)"', text))
    often = [style for style, count in counts.most_common() if count >= LEAST_USES and len(style) > 12]
    names = {style: f"s{number}" for number, style in enumerate(sorted(often))}
    text = re.sub(r' style="([^"]*)"', lambda m: f' class="{names[m[1]]}"' if m[1] in names else m[0], text)
    rules = "".join(f".{name}{{{style.replace('; ', ';').replace(': ', ':')}}}\n" for style, name in names.items())
    return text.replace("</style>", "\n" + rules + "</style>", 1)
