"""The files of a bag, and their messages as bytes. metadata.yaml merely names files: what they hold is read from themselves."""

import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePath
from typing import NamedTuple

from . import livox, mcap_files, zstd
from .clouds import KEPT_FORMATS
from .faults import Fault

SUFFIXES = (".bag", ".mcap", ".db3")
METADATA = "metadata.yaml"
ADVICE = {  # by a word of the library's message
    "index": "the recorder ended hard: mend it with 'rosbag reindex'", "malformed": "mend it with 'sqlite3 FILE .recover | sqlite3 NEW.db3'",
    "end magic": "the recorder ended hard: mend it with 'mcap recover FILE -o NEW.mcap'",
    "empty": "nothing was recorded, or it was not copied whole"}
MORE_ADVICE = "check with the program that recorded it that the file is whole"


def is_bag(path):
    return _is_part(path) if path.is_file() else (path / METADATA).is_file() or bool(parts_of(path))


def _is_part(file):
    return _kind(file) in SUFFIXES


def _kind(file):
    """The suffix that it has unpacked."""
    return Path(file.stem).suffix if file.suffix == zstd.SUFFIX else file.suffix


def parts_of(folder):
    """The files of a bag in a folder without metadata.yaml; none of a folder with clouds."""
    files = sorted(path for path in folder.glob("*") if path.is_file())
    if any(path.suffix.lower() in KEPT_FORMATS for path in files):
        return []
    return [path for path in files if _is_part(path) and not (path.suffix == zstd.SUFFIX and path.with_suffix("") in files)]


class Raw(NamedTuple):
    """A message as it was recorded."""

    time_ns: int  # when it was received
    data: bytes
    decode: object  # (data, type) -> message


class Part:
    """An open file of a bag."""

    def __init__(self, file, reader, store):
        self._file, self._reader = file, reader
        self._ros1 = _kind(file) == ".bag"
        self._decoders = {"ros1": store.deserialize_ros1, "cdr": lambda data, kind: store.deserialize_cdr(zstd.unpacked(data), kind)}

    def topics(self):
        """[(name, type, number of messages)]"""
        return [(str(c.topic), str(c.msgtype), c.msgcount) for c in self._reader.connections]  # sqlite may hold other things than text

    def messages(self, topic):
        """Yields Raw, in the order of time."""
        connections = [c for c in self._reader.connections if str(c.topic) == topic]
        if not connections:
            return
        messages = self._reader.messages(connections=connections)
        while True:
            try:
                connection, time_ns, data = next(messages)
            except StopIteration:
                return
            except MemoryError:
                raise
            except Exception as error:  # the library's own, and what sqlite and the codecs raise
                raise unreadable(self._file, error) from None
            yield Raw(time_ns, data, self._decoders.get(self._encoding(connection), _undecoded))

    def _encoding(self, connection):
        if self._ros1:
            return "ros1"
        return connection.encoding if hasattr(connection, "encoding") else connection.ext.serialization_format


def _undecoded(data, kind):
    raise ValueError("its encoding is not one of ROS")


@contextmanager
def opened(path, work, say):
    """The parts of the bag. What is packed is unpacked in the folder `work`, and removed at the end."""
    try:
        from rosbags.rosbag1 import Reader as Reader1
        from rosbags.rosbag2 import Reader as Reader2
    except ImportError:
        advice = "python3 -m venv extras && extras/bin/pip install rosbags, and call extras/bin/python -m ndt_convert"
        raise Fault(path, "", "reading bags needs the Python package rosbags", advice) from None
    files = _files(path)
    if len({_kind(file) == ".bag" for file in files}) > 1:
        raise Fault(path, "", "has bags of ROS 1 and of ROS 2", "leave the parts of one recording in the folder")
    with ExitStack() as stack:
        parts = []
        for file in files:
            plain = _plain(file, work, stack, say)
            mcap_files.require_small(plain)
            try:
                reader = (Reader1 if plain.suffix == ".bag" else mcap_files.Reader if _is_foreign(plain) else Reader2)(plain)
                reader.open()
                stack.callback(reader.close)
                parts.append(Part(file, reader, _store(reader, plain)))
            except (Fault, MemoryError):
                raise
            except Exception as error:  # the library's own, and what sqlite, yaml and the codecs raise
                raise unreadable(file, error) from None
        yield parts


def _is_foreign(file):
    return file.suffix == ".mcap" and mcap_files.is_foreign(file)


def _files(path):
    """The bag's files: the one given, those that its metadata names, or all that are there."""
    if path.is_file():
        return [path]
    named = [_packed_or_not(file) for file in _named(path / METADATA)]
    missing = [file.name for file in named if not file.is_file()]
    if missing:
        raise Fault(path, METADATA, f"names {missing[0]}, which is not there", f"copy it into the folder, or remove {METADATA} to read the others")
    files = named or parts_of(path)
    if not files:
        raise unreadable(path, f"{METADATA} names no file that is there")
    return files


def _named(metadata):
    """The files that metadata.yaml names; none if it is missing or says nothing that can be used."""
    if not metadata.is_file():
        return []
    from ruamel.yaml import YAML  # which rosbags brings

    try:
        names = YAML(typ="safe", pure=True).load(metadata.read_text(encoding="utf-8"))["rosbag2_bagfile_information"]["relative_file_paths"]
        return [metadata.parent / PurePath(name).name for name in names]
    except Exception:  # any of the library's; the files that are there are read instead
        return []


def _packed_or_not(file):
    """The file, or the one that it was unpacked to or packed into."""
    other = file.with_suffix("") if file.suffix == zstd.SUFFIX else file.with_name(file.name + zstd.SUFFIX)
    return other if other.is_file() and not file.is_file() else file


def _plain(file, work, stack, say):
    if file.suffix != zstd.SUFFIX:
        return file
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="unpacked.", dir=work))
    say(f"{file.name} is packed with zstd, and is unpacked for the conversion")
    try:
        zstd.unpack(file, Path(folder) / file.stem)
    except (Fault, OSError, MemoryError):
        raise
    except Exception as error:  # the library's own
        raise unreadable(file, error) from None
    return Path(folder) / file.stem


def _store(reader, file):
    """The types of the messages, with those of Livox as the file defines them, if it does."""
    from rosbags.typesys import Stores, get_typestore

    ros1 = file.suffix == ".bag" or any(getattr(c, "encoding", "cdr") == "ros1" for c in reader.connections)
    store = get_typestore(Stores.ROS1_NOETIC if ros1 else Stores.ROS2_HUMBLE)
    for connection in reader.connections:
        if connection.msgtype in livox.TYPES and connection.msgtype not in store.fielddefs:
            store.register(_livox_types(connection))
    return store


def _livox_types(connection):
    from rosbags.typesys import get_types_from_msg

    text = connection.definition if hasattr(connection, "definition") else _text(connection.msgdef)
    if "CustomPoint" in text and "offset_time" in text:
        package = connection.msgtype.split("/")[0] + "/"
        return {name: fields for name, fields in get_types_from_msg(text, connection.msgtype).items() if name.startswith(package)}
    return livox.definitions(connection.msgtype, get_types_from_msg)


def _text(definition):
    """The definition as a .msg file; empty if there is none, or in another language."""
    data = getattr(definition, "data", definition) or ""
    return "" if getattr(getattr(definition, "format", None), "name", "MSG") != "MSG" else str(data)


def unreadable(path, error):
    text = " ".join(str(error).split()) or type(error).__name__
    return Fault(path, "", f"cannot be read as a ROS bag ({text})",
                 next((advice for cause, advice in ADVICE.items() if cause in text.lower()), MORE_ADVICE))
