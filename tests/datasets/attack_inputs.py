"""The good files that attack.py damages: how each is made, placed, read, and given its checksums again."""

import importlib
import io
import json
import lzma
import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
SENSORS = ("--odometry-topic", "/odom", "--gnss-topic", "/fix", "--map-origin", "49,8.4,100", "--pose-tf", "map", "--build-map", "even")
PAGE = 1024  # bytes of E57, the last four of which are a checksum
OLD_MAP = {"site.pcd": b"an earlier map", "site.json": b'{"source": "old.las", "points": 1}'}


@dataclass
class Kind:
    suffix: str
    build: object  # (folder) -> bytes
    words: tuple = ()
    opened: object = staticmethod(lambda data: data)  # what is damaged
    mended: object = staticmethod(lambda data, rng: data)  # back to a file

    def place(self, data, work):
        (work / f"in{self.suffix}").write_bytes(data)

    def read(self, work):
        from ndt_convert.cli import main

        return main([str(work / f"in{self.suffix}"), *self.words, "--out", str(work / "out")])


class Map(Kind):
    """Beside an earlier map, which must stay if the new one fails."""

    def place(self, data, work):
        super().place(data, work)
        for name, old in OLD_MAP.items():
            (work / name).write_bytes(old)

    def read(self, work):
        from ndt_convert.cli import main

        return main(["map", str(work / f"in{self.suffix}"), "--out", str(work / "site.pcd")])


class Results(Kind):
    """A folder of a localisation, whose localization.json or frames.csv is in an archive."""

    def place(self, data, work):
        from synthetic_localization import SyntheticDrive

        SyntheticDrive(frames=8).write(work / "run")
        (work / "run" / self.suffix).unlink()
        (work / "run/rows.tar.xz").write_bytes(data)

    def read(self, work):
        from ndt_report.localization.load import load_localizations
        from ndt_report.read.refusal import InputError

        try:
            load_localizations([work / "run"])
        except InputError as error:
            print(error)
            return 2
        return 0


def load_libraries():
    """Loads them once for all readers, which are forked."""
    for name in ("rosbags.rosbag1", "rosbags.rosbag2", "rosbags.typesys", "mcap.reader", "zstandard", "laspy", "lazrs", "pye57",
                 "ndt_convert.cli", "ndt_report.localization.load"):
        importlib.import_module(name)


def make(name, folder):
    return KINDS[name].build(folder)


def script(name, *words, text=""):
    subprocess.run([sys.executable, HERE / name, *map(str, words)], input=text, text=True, check=True, capture_output=True)


def ros1(folder):
    script("write_bag.py", "ros1", folder / "a.bag")
    return (folder / "a.bag").read_bytes()


def sensors(folder):
    shutil.rmtree(folder / "bag", ignore_errors=True)
    script("write_bag.py", "sensors", folder / "bag")
    return next((folder / "bag").glob("*.db3"))


def mcap(compression, with_index=True):
    def build(folder):
        from mcap.writer import CompressionType, IndexType, Writer
        from rosbags.rosbag2 import Reader

        stream = io.BytesIO()
        writer = Writer(stream, compression=CompressionType[compression], chunk_size=4096,
                        index_types=IndexType.ALL if with_index else IndexType.NONE, enable_crcs=False)
        writer.start(profile="ros2")
        with Reader(sensors(folder)) as bag:
            topics = {c.id: writer.register_channel(c.topic, "cdr", writer.register_schema(c.msgtype, "ros2msg", c.msgdef.data.encode()))
                      for c in bag.connections}
            for connection, time_ns, data in bag.messages():
                writer.add_message(topics[connection.id], time_ns, bytes(data), time_ns)
        writer.finish()
        return stream.getvalue()
    return build


def foreign(folder):
    topics = (("/p", "cloud", 6), ("/l", "livox1", 3))
    wanted = [[topic, 0.1 * k, kind, {"stamp": 0.1 * k}] for topic, kind, count in topics for k in range(count)]
    script("write_odd_bag.py", folder / "a.mcap", "ros1", text=json.dumps(wanted))
    return (folder / "a.mcap").read_bytes()


def packed(folder):
    import zstandard

    return zstandard.ZstdCompressor().compress(sensors(folder).read_bytes())


def opened_zstd(data):
    import zstandard

    return zstandard.ZstdDecompressor().decompress(data)


def packed_again(data, rng):
    import zstandard

    data = zstandard.ZstdCompressor().compress(data)
    return data if rng.random() < 0.7 else data[:rng.randrange(len(data))] + bytes([rng.randrange(256)]) + data[rng.randrange(len(data)):]


def las(suffix):
    def build(folder):
        import laspy

        header = laspy.LasHeader(point_format=6, version="1.4")
        header.scales, header.offsets = [0.001] * 3, [500000, 5000000, 100]
        header.vlrs.append(laspy.vlrs.known.WktCoordinateSystemVlr('PROJCS["a",UNIT["metre",1]]'))
        cloud = laspy.LasData(header)
        cloud.x, cloud.y, cloud.z = np.random.default_rng(1).uniform((500000, 5000000, 90), (500100, 5000050, 130), (300, 3)).T
        cloud.write(str(folder / f"a{suffix}"))
        return (folder / f"a{suffix}").read_bytes()
    return build


def e57(folder):
    import pye57

    file = pye57.E57(str(folder / "a.e57"), mode="w")
    for k in range(2):
        x, y, z = np.random.default_rng(k).uniform(-20, 20, (3, 200))
        file.write_scan_raw({"cartesianX": x, "cartesianY": y, "cartesianZ": z}, translation=np.array([k, 0, 0]))
    file.close()
    return (folder / "a.e57").read_bytes()


def with_checksums(data, rng):
    """Two of three E57 get right checksums again: CRC-32C of each page."""
    if rng.random() < 0.33:
        return data
    return b"".join(with_checksum(data[i:i + PAGE - 4]) for i in range(0, len(data), PAGE))


def with_checksum(page):
    """The page whole; one that is cut off stays so."""
    return page + struct.pack(">I", crc32c(page)) if len(page) == PAGE - 4 else page


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ (crc >> 8)
    return crc ^ 0xffffffff


def _row(value):
    for _ in range(8):
        value = (value >> 1) ^ (0x82f63b78 if value & 1 else 0)
    return value


TABLE = [_row(value) for value in range(256)]


def results(name):
    def build(folder):
        from ndt_report.page.pack import archive
        from synthetic_localization import SyntheticDrive

        shutil.rmtree(folder / "run", ignore_errors=True)
        SyntheticDrive(frames=8).write(folder / "run")
        return archive(folder, {name: (folder / "run" / name).read_bytes()})
    return build


def packed_by_xz(data, rng):
    data = lzma.compress(data)
    return data if rng.random() < 0.7 else data[:rng.randrange(len(data))]


KINDS = {
    "ros1": Kind(".bag", ros1, ("--pose-topic", "/odom", "--topic", "/lidar/top,/lidar/front")),
    "db3": Kind(".db3", lambda folder: sensors(folder).read_bytes(), SENSORS),
    "db3_zstd": Kind(".db3.zstd", packed, SENSORS, opened_zstd, packed_again),
    "mcap": Kind(".mcap", mcap("NONE"), SENSORS),
    "mcap_zstd": Kind(".mcap", mcap("ZSTD"), SENSORS),
    "mcap_lz4": Kind(".mcap", mcap("LZ4", with_index=False), SENSORS),
    "mcap_ros1": Kind(".mcap", foreign),
    "las": Map(".las", las(".las")), "laz": Map(".laz", las(".laz")),
    "e57": Map(".e57", e57, mended=with_checksums),
    "json_xz": Results("localization.json", results("localization.json"), (), lzma.decompress, packed_by_xz),
    "csv_xz": Results("frames.csv", results("frames.csv"), (), lzma.decompress, packed_by_xz),
}
