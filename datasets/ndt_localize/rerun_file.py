"""A localisation as a recording of Rerun (https://rerun.io), by its Python package."""

import sys
import tempfile
from pathlib import Path

import numpy as np

from ndt_convert.clouds import read_cloud
from ndt_convert.faults import Fault
from ndt_convert.poses import quaternion_of

from .mcap_file import MAP_SHARE, on_body, thinned

GREY, BLUE, GREEN = (150, 150, 150), (40, 110, 255), (0, 200, 60)


def require_library():
    try:
        import rerun  # noqa: F401
    except ImportError:
        raise Fault("--rerun", "", "needs the Python package rerun-sdk", f"{sys.executable} -m pip install rerun-sdk") from None


def write(file, results, clouds, map_cloud, options):
    """As mcap_file.write."""
    import rerun

    with tempfile.TemporaryDirectory(prefix=f".{file.name}.", dir=file.parent) as work:
        recording = rerun.RecordingStream("ndt_localize")
        recording.save(Path(work) / "a.rrd")
        _record(rerun, recording, results, clouds, map_cloud, options)
        recording.disconnect()  # which writes what is left
        (Path(work) / "a.rrd").rename(file)


def _record(rerun, recording, results, clouds, map_cloud, options):
    map_frame = options.frames.map
    base = f"{map_frame}/{options.frames.base}"
    if map_cloud is not None:
        points = thinned(read_cloud(map_cloud, options.bin_fields), MAP_SHARE * options.cloud_points)
        recording.log(f"{map_frame}/points", rerun.Points3D(points, colors=GREY), static=True)
    path = np.array([result.map_from_body[:3, 3] for result in results])
    recording.log(f"{map_frame}/path", rerun.LineStrips3D([path], colors=GREEN), static=True)
    for result in results:
        recording.set_time("scan", timestamp=result.stamp_s)
        recording.set_time("frame", sequence=result.diagnostics["frame"])
        for entity, pose in ((base, result.map_from_body), (f"{base}_predicted", result.predicted)):
            recording.log(entity, rerun.Transform3D(translation=pose[:3, 3], quaternion=rerun.Quaternion(xyzw=quaternion_of(pose[:3, :3]))))
        if result.scan in clouds:
            points = thinned(read_cloud(clouds[result.scan], options.bin_fields), options.cloud_points)
            points = on_body(points, result)
            recording.log(f"{base}/points", rerun.Points3D(points, colors=GREEN))
            recording.log(f"{base}_predicted/points", rerun.Points3D(points, colors=BLUE))
        _log_numbers(rerun, recording, result.diagnostics)


def _log_numbers(rerun, recording, record):
    for key in ("nearest_voxel_transformation_likelihood", "transform_probability", "execution_time", "iteration_num"):
        if record[key] is not None:
            recording.log(f"diagnostics/{key}", rerun.Scalars(float(record[key])))
    if record["messages"]:
        recording.log("diagnostics/messages", rerun.TextLog("; ".join(record["messages"]), level=record["level"]))
