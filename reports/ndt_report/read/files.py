"""The files of a run folder. What is read is a regular file of a bounded size, in a published folder packed
with xz or not. What is written stays in the folder: no name leads out of it, and no link is followed."""

import errno
import lzma
import os
import re
import stat
import zlib
from contextlib import contextmanager
from pathlib import Path

from .refusal import refusal

MOST_FILE_BYTES = 16 << 30  # of results.jsonl: as ndt::Limits::kFileBytes
MOST_JSON_BYTES = 1 << 30  # of any other JSON file
MOST_CLOUD_BYTES = 2 << 30  # of a picture's cloud: more than ndt::Limits::kPoints of 12 bytes
MOST_NAME = 100  # characters of a file name made of names from a run
MOST_UNPACKED, MOST_OF_BYTE = 32 << 20, 256  # bytes of a packed file, and more for each of its own: results have up to 65
PACKED = ".xz"  # ends the name of a packed file
RUN_AGAIN = "run ndt-bench run again"


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


def packed(path: Path) -> Path:
    return path.with_name(path.name + PACKED)


def is_there(path: Path) -> bool:
    """Packed or not. A link counts, wherever it leads."""
    return os.path.lexists(path) or os.path.lexists(packed(path))


@contextmanager
def unpacked(path: Path, most_bytes: int, advice: str = RUN_AGAIN):
    """As opened(), and where the file is there only packed, what is in it, bounded by its size: most_bytes bounds the packed file,
    and the caller counts what it reads. Throws InputError, within the with-block too."""
    if os.path.lexists(path) or not os.path.lexists(packed(path)):
        with opened(path, most_bytes, advice) as file:
            yield file
        return
    path = packed(path)
    with opened(path, most_bytes, advice) as file, lzma.open(file) as inner:
        try:
            most = MOST_UNPACKED + MOST_OF_BYTE * os.fstat(file.fileno()).st_size
            yield _Counted(inner, most, refusal(path, "", f"unpacks to more than {most} bytes, the bound for its size", advice))
        except (lzma.LZMAError, EOFError) as error:
            raise refusal(path, "", f"not a whole xz file: {error}", advice) from None


class _Counted:
    """Reads a file that is unpacked, and refuses it where it has more bytes than the bound."""

    def __init__(self, inner, most: int, too_large: Exception):
        self._inner, self._left, self._too_large = inner, most, too_large

    def read(self, most_bytes: int) -> bytes:
        return self._counted(self._inner.read(min(most_bytes, self._left + 1)))

    def readline(self, most_bytes: int) -> bytes:
        return self._counted(self._inner.readline(min(most_bytes, self._left + 1)))

    def _counted(self, data: bytes) -> bytes:
        self._left -= len(data)
        if self._left < 0:
            raise self._too_large
        return data


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
