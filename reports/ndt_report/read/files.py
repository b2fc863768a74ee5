"""The files of a run folder. A file that is read is a regular one of a bounded size, or a member of the archive of a published
folder. A file that is written stays in the folder: no name leads out of it, and no link is followed."""

import errno
import io
import lzma
import os
import re
import stat
import tarfile
import zlib
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from .printable import printable
from .refusal import refusal

MOST_FILE_BYTES = 16 << 30  # of results.jsonl: as ndt::Limits::kFileBytes
MOST_JSON_BYTES = 1 << 30  # of any other JSON file
MOST_CLOUD_BYTES = 2 << 30  # of a picture's cloud: more than ndt::Limits::kPoints of 12 bytes
MOST_NAME = 100  # characters of a file name made of names from a run
ROWS = "rows.tar.xz"  # the archive of a published folder
DEEPEST = 3  # an archive is at most so many folders above a file that is in it
MOST_ROWS_BYTES = 64 << 20  # of an archive: all published folders together have less
MOST_UNPACKED, MOST_OF_BYTE = 32 << 20, 256  # bytes of an unpacked archive, and more for each of its own: archives have up to 15
MOST_MEMBERS = 10_000
MOST_XZ_MEMORY = 256 << 20  # preset 9 needs 65 MiB
RUN_AGAIN = "run ndt-bench run again"
PACK_AGAIN = "publish the folder again"


def opened(path: Path, most_bytes: int, advice: str = RUN_AGAIN):
    """The file to read from, in binary. Throws InputError; never waits, as for the other end of a FIFO."""
    try:
        file = open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
        state = os.fstat(file.fileno())
    except FileNotFoundError:
        raise refusal(path, "", "missing", advice) from None
    except IsADirectoryError:
        raise refusal(path, "", "a folder, not a file", advice) from None
    except OSError as error:
        raise refusal(path, "", f"cannot be read: {error.strerror}", advice) from None
    if not stat.S_ISREG(state.st_mode):
        file.close()
        raise refusal(path, "", "not a regular file", advice)
    if state.st_size > most_bytes:
        file.close()
        raise refusal(path, "", f"{state.st_size} bytes, at most {most_bytes} are read", advice)
    return file


def is_there(path: Path) -> bool:
    """True if the file is there, or is in the archive of a published folder. A link counts, wherever it leads."""
    return os.path.lexists(path) or archive_of(path) is not None


def unpacked(path: Path, most_bytes: int, advice: str = RUN_AGAIN):
    """As opened(), also for a file that is in the archive of a published folder. Throws InputError."""
    archive = archive_of(path)
    if archive is None:
        return opened(path, most_bytes, advice)
    data = packed_files(archive.parent)[path.relative_to(archive.parent).as_posix()]
    if len(data) > most_bytes:
        raise refusal(path, "", f"{len(data)} bytes, at most {most_bytes} are read", advice)
    return io.BytesIO(data)


def packed_files(folder: Path) -> dict:
    """Returns {name: bytes} of the folder's archive; empty without one. Throws InputError."""
    path = folder / ROWS
    if not os.path.lexists(path):
        return {}
    with opened(path, MOST_ROWS_BYTES, PACK_AGAIN) as file:
        state = os.fstat(file.fileno())
    return _members(path.absolute(), path, state.st_ino, state.st_mtime_ns, state.st_size)


def archive_of(path: Path):
    """Returns the archive that has a file which is not there itself, or None."""
    folder = next((f for f in path.parents[:DEEPEST] if os.path.lexists(f / ROWS)), None)
    if folder is None or os.path.lexists(path) or path.relative_to(folder).as_posix() not in packed_files(folder):
        return None
    return folder / ROWS


def most_unpacked(packed_bytes: int) -> int:
    return min(MOST_UNPACKED + MOST_OF_BYTE * packed_bytes, MOST_JSON_BYTES)


@lru_cache(maxsize=1)
def _members(_, path: Path, *__) -> dict:
    """Keeps the last archive, by its place and state: a page reads many of its files."""
    with opened(path, MOST_ROWS_BYTES, PACK_AGAIN) as file:
        return _tar_members(path, _tar_of(path, file.read(MOST_ROWS_BYTES)))


def _tar_of(path: Path, data: bytes) -> bytes:
    most, xz = most_unpacked(len(data)), lzma.LZMADecompressor(lzma.FORMAT_XZ, MOST_XZ_MEMORY)
    try:
        tar = xz.decompress(data, most + 1)
    except lzma.LZMAError as error:
        raise refusal(path, "", f"not a whole xz file: {error}", PACK_AGAIN) from None
    if len(tar) > most:
        raise refusal(path, "", f"unpacks to more than {most} bytes, the bound for its size", PACK_AGAIN)
    if not xz.eof or xz.unused_data:
        raise refusal(path, "", "not a whole xz file: no end, or more behind it", PACK_AGAIN)
    return tar


def _tar_members(path: Path, tar: bytes) -> dict:
    """Reads one header after the other. Extended headers, links and folders are refused, so no header changes another."""
    out, at, view = {}, 0, memoryview(tar)
    while True:
        try:
            entry = tarfile.TarInfo.frombuf(tar[at : at + tarfile.BLOCKSIZE], "utf-8", "backslashreplace")
        except tarfile.EOFHeaderError:
            return out
        except tarfile.HeaderError as error:
            raise refusal(path, f"byte {at}", f"not a whole tar file: {error}", PACK_AGAIN) from None
        begin = at + tarfile.BLOCKSIZE
        if len(out) == MOST_MEMBERS:
            raise refusal(path, f"byte {at}", f"more than {MOST_MEMBERS} files", PACK_AGAIN)
        if what := _wrong_member(entry, out, len(tar) - begin):
            raise refusal(path, f"byte {at}", f"'{printable(entry.name)}' {what}", PACK_AGAIN)
        out[entry.name] = view[begin : begin + entry.size]
        at = begin - (-entry.size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE


def _wrong_member(entry, before: dict, left: int) -> str:
    if entry.type not in (tarfile.REGTYPE, tarfile.AREGTYPE):
        return "is no regular file"
    if entry.name in before:
        return "is there twice"
    if {"", ".", ".."} & set(entry.name.split("/")):
        return "is no path inside the folder"
    return "" if 0 <= entry.size <= left else "is longer than the archive"


def content(path: Path, most_bytes: int, advice: str = RUN_AGAIN) -> bytes:
    """All of the file, unpacked. Throws InputError."""
    with unpacked(path, most_bytes, advice) as file:
        try:
            read = file.read(most_bytes + 1)
        except OSError as error:
            raise refusal(path, "", f"cannot be read: {error.strerror}", advice) from None
    if len(read) > most_bytes:
        raise refusal(path, "", f"grows while it is read, at most {most_bytes} bytes are", advice)
    return read


def leads_out(folder: Path, name: str) -> bool:
    """Whether a name from a file of the folder is that of a place outside, by itself or through a link."""
    there = os.path.realpath(folder)
    return os.path.commonpath([there, os.path.realpath(os.path.join(there, name))]) != there


def file_name(text: str, ending: str) -> str:
    """A file name for something that is named by a run: letters, digits and ._+- of its name, and where that
    is not all of it a checksum, so that different names stay different."""
    plain = re.sub(r"[^A-Za-z0-9._+-]", "_", text)[:MOST_NAME]
    plain = re.sub(r"^([.-]|$)", "_", plain)
    return (plain if plain == text else f"{plain}_{zlib.crc32(text.encode()):08x}") + ending


def write_file(folder: Path, name: str, text: str):
    """Writes folder/name, where name may begin with a folder that make_folder() made. The file takes the
    place of what has its name, and is there whole or not at all. Throws OSError that names it."""
    write_bytes(folder, name, text.encode("utf-8"))


def write_bytes(folder: Path, name: str, data: bytes):
    """As write_file()."""
    inner, _, last = name.rpartition("/")
    with _naming(folder / name), _folder(folder) as place:
        if not inner:
            _write_into(place, last, data)
            return
        with _folder(inner, place, os.O_NOFOLLOW) as inner_place:
            _write_into(inner_place, last, data)


def make_folder(folder: Path, name: str):
    """Makes folder/name unless it is there. A link in its place is refused. Throws OSError that names it."""
    with _naming(folder / name), _folder(folder) as place:
        try:
            os.mkdir(name, dir_fd=place)
        except FileExistsError:
            if not stat.S_ISDIR(os.stat(name, dir_fd=place, follow_symlinks=False).st_mode):
                raise OSError(errno.ENOTDIR, "a link or a file, where the report needs a folder") from None


@contextmanager
def _naming(path: Path):
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


@contextmanager
def _folder(path, dir_fd=None, flags=0):
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | flags, dir_fd=dir_fd)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _write_into(place: int, name: str, data: bytes):
    part = name + ".part"
    try:
        os.unlink(part, dir_fd=place)  # of a report that was stopped
    except FileNotFoundError:
        pass
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(part, flags, 0o666, dir_fd=place), "wb") as file:
            file.write(data)
        os.replace(part, name, src_dir_fd=place, dst_dir_fd=place)
    except OSError:
        try:
            os.unlink(part, dir_fd=place)
        except OSError:
            pass
        raise
