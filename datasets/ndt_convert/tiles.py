"""A cloud as square tiles with Autoware's metadata, as ndt-bench map cut writes them, but with coordinates that stay double."""

import numpy as np

from .clouds import is_wide, write_pcd

METADATA = "pointcloud_map_metadata.yaml"
MOST = 1 << 16  # tiles of one map: ndt-bench's kTilesMost
CHUNK = 1_000_000  # points at a time


def write_tiles(folder, points, size_m):
    """Writes a tile_<x>_<y>.pcd, named by its lower-left corner, for every square [i size, (i+1) size) x [j size, (j+1) size) metres that
    has points, all finite, and the metadata. A tile's points keep their order; all tiles have the type of coordinates that the whole would
    have. The size is doubled until there are no more than MOST tiles. Returns (tiles, metres)."""
    while len(tiles := _squares(points, size_m)) > MOST:
        size_m *= 2
    lines = [f"x_resolution: {_text(size_m)}", f"y_resolution: {_text(size_m)}"]
    wide = is_wide(points)
    for (i, j), parts in sorted(tiles.items()):
        x, y = _text(i * size_m), _text(j * size_m)
        name = f"tile_{x}_{y}.pcd"
        write_pcd(folder / name, np.concatenate(parts), wide)
        lines.append(f"{name}: [{x}, {y}]")
    (folder / METADATA).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(tiles), size_m


def _squares(points, size_m):
    """The points of each square (i, j), in parts that follow each other; no more squares than one too many."""
    squares = {}
    for start in range(0, len(points), CHUNK):
        chunk = points[start:start + CHUNK]
        i, j = (_square(chunk[:, axis], size_m) for axis in (0, 1))
        order = np.lexsort((j, i))  # stable
        i, j, chunk = i[order], j[order], chunk[order]
        borders = np.flatnonzero((np.diff(i) != 0) | (np.diff(j) != 0)) + 1
        for first, part in zip([0, *borders], np.split(chunk, borders)):
            squares.setdefault((int(i[first]), int(j[first])), []).append(part)
        if len(squares) > MOST:
            break
    return squares


def _square(coordinates, size_m):
    """The i with i size <= coordinate < (i+1) size, as these products round: a quotient may round up to the next square."""
    i = np.floor(coordinates / size_m)
    i -= coordinates < i * size_m
    return (i + (coordinates >= (i + 1) * size_m)).astype(np.int64)


def _text(metres):
    return np.format_float_positional(metres, trim="-")
