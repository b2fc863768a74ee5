"""python3 -m ndt_report.page.pack FOLDER: moves all files of a published folder that a reader does not open into rows.tar.xz.

Equal files give equal bytes: names are sorted, and times and owners are left out.
"""

import io
import lzma
import re
import stat
import sys
import tarfile
from pathlib import Path

from ..read.files import MOST_FILE_BYTES, ROWS, content, most_unpacked, packed_files, write_bytes
from ..read.refusal import InputError, refusal

OPEN = re.compile(r"index\.md|environment\.json|[^/]+\.csv|.+\.svg")


def pack(folder: Path):
    """Archives of folders inside become parts of the folder's own. Throws InputError."""
    paths = [path for path in sorted(folder.rglob("*")) if not path.is_dir() or path.is_symlink()]
    if odd := [path for path in paths if not stat.S_ISREG(path.lstat().st_mode)]:
        raise refusal(odd[0], "", "not a regular file", "take it out of the folder")
    archives = [path for path in paths if path.name == ROWS]
    closed = [path for path in paths if path.name != ROWS and not OPEN.fullmatch(_name(folder, path))]
    rows = {_name(folder, path.parent / name): data for path in archives for name, data in packed_files(path.parent).items()}
    rows |= {_name(folder, path): content(path, MOST_FILE_BYTES) for path in closed}
    write_bytes(folder, ROWS, archive(folder, rows))
    for path in closed + [path for path in archives if path.parent != folder]:
        path.unlink()
    for path in sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True):
        if not any(path.iterdir()):
            path.rmdir()


def _name(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()


def archive(folder: Path, rows: dict) -> bytes:
    """rows: {name: bytes}. Throws InputError for what would not be read again."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in sorted(rows.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            try:
                tar.addfile(entry, io.BytesIO(data))
            except ValueError as error:
                raise refusal(folder / name, "", f"cannot be packed: {error}", "give shorter names") from None
    packed = lzma.compress(out.getbuffer(), preset=9 | lzma.PRESET_EXTREME)
    if (most := most_unpacked(len(packed))) < out.tell():
        raise refusal(folder, "", f"{out.tell()} bytes of rows, at most {most} are read again", "publish fewer")
    return packed


def main(words) -> int:
    if len(words) != 1 or words[0].startswith("-"):
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 1
    try:
        pack(Path(words[0]))
    except (InputError, OSError) as error:
        print(f"ndt_report.page.pack: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
