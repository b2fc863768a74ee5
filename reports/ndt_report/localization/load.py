"""Reads a folder of ndt-bench localize. Only frames.csv must be there; of anything else that is missing or
cannot be read, a sentence says so."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from ..read.clouds import read_pcd
from ..read.files import content, is_there, packed_files
from ..read.printable import printable
from ..read.refusal import InputError
from ..trajectory_command import LONGEST_GAP_S, associated, read_tum
from .errors import with_errors
from .facts import AGAIN, Facts, read_facts
from .frames import FILE, MOST_BYTES, POSE, read_frames
from .methods import Listed, read_listed

MAP, TRUTH = "localization_map.pcd", "localization_truth.tum"
MOST_LABEL = 60  # characters


@dataclass
class Localization:
    folder: Path
    facts: Facts
    frames: pd.DataFrame  # of read_frames() and with_errors()
    poses: np.ndarray  # [n, 4, 4] of each frame; NaN without
    truth: np.ndarray  # the same
    map_points: np.ndarray  # [m, 3], or None
    poses_text: bytes  # lines of poses.tum: the same bits give the same text; empty without
    notes: list  # sentences on what is missing
    listed: Listed | None = None  # its place in a list of runs
    label: str = ""  # of the run on the page

    @property
    def dataset(self) -> str:
        return self.facts.scans

    @property
    def name(self) -> str:
        return printable(self.folder.resolve().name)


def is_localization(folder: Path) -> bool:
    return is_there(folder / FILE) and not is_there(folder / "results.jsonl")


def localizations_in(folder: Path) -> list:
    """Returns the folders of the localisations that a published folder has packed, and of any other folder itself."""
    inside = [folder / name for name in packed_files(folder) if name.endswith("/" + FILE)]
    return [path.parent for path in inside] if not is_there(folder / "results.jsonl") and inside else [folder]


def load_localizations(folders) -> list:
    """Each with a label of its own. Throws InputError for a folder without frames.csv."""
    runs = [_load(Path(folder)) for folder in folders]
    for run, label in zip(runs, _labels(runs)):
        run.label = label
    return runs


def _load(folder: Path) -> Localization:
    frames, notes = read_frames(folder)
    facts, more = read_facts(folder)
    notes += more
    poses = poses_of(frames)
    truth = _truth(folder, frames, notes)
    frames = with_errors(frames, poses, truth)
    map_points = _optional(folder / MAP, read_pcd, notes)
    if not is_there(folder / MAP):
        notes.append(f"There is no {MAP}: trajectories are drawn without the map.")
    if len(frames) and frames.number.max() + 1 < facts.scan_count:
        last = frames.number.max()
        notes.append(f"The run did not finish: its last frame is {last:g}, of {facts.scan_count} scans.")
    return Localization(folder, facts, frames, poses, truth, map_points, _poses_text(folder, notes), notes, read_listed(folder))


def poses_of(frames: pd.DataFrame) -> np.ndarray:
    """[n, 4, 4], NaN where one of the six numbers is none. R = Rx(roll) Ry(pitch) Rz(yaw)."""
    x, y, z, roll, pitch, yaw = frames[POSE].to_numpy(float).T
    (cr, sr), (cp, sp), (cy, sy) = ((np.cos(a), np.sin(a)) for a in (roll, pitch, yaw))
    one, none = np.ones_like(x), np.zeros_like(x)
    rows = [
        [cp * cy, -cp * sy, sp, x],
        [cr * sy + sr * sp * cy, cr * cy - sr * sp * sy, -sr * cp, y],
        [sr * sy - cr * sp * cy, sr * cy + cr * sp * sy, cr * cp, z],
        [none, none, none, one],
    ]
    poses = np.moveaxis(np.array(rows), 2, 0).reshape(-1, 4, 4)
    poses[~np.isfinite(poses).all(axis=(1, 2))] = np.nan
    return poses


def _truth(folder: Path, frames: pd.DataFrame, notes: list) -> np.ndarray:
    """Reads localization_truth.tum, by the frames' times."""
    out = np.full((len(frames), 4, 4), np.nan)
    found = _optional(folder / TRUTH, lambda path, _: read_tum(path), notes)
    stamps = frames.stamp_s.to_numpy(float)
    mine = np.flatnonzero(stamps > np.fmax.accumulate(np.r_[-np.inf, stamps])[:-1])
    if found is None or not len(mine):
        return out
    times, poses = found
    here, there = associated(stamps[mine], times, LONGEST_GAP_S)
    if not len(here):
        notes.append("No time of localization_truth.tum is that of a frame.")
    out[mine[here]] = poses[there]
    return out


def _optional(path: Path, read, notes: list):
    """None if it is not there, or if it cannot be read, which a note says then."""
    if not is_there(path):
        return None
    try:
        return read(path, AGAIN)
    except InputError as error:
        notes.append(printable(f"{error}."))
        return None


def _poses_text(folder: Path, notes: list) -> bytes:
    text = _optional(folder / "poses.tum", lambda path, advice: content(path, MOST_BYTES, advice), notes)
    lines = (text or b"").split(b"\n")[:-1]  # without one that was being written
    return b"\n".join(line for line in lines if not line.startswith(b"#"))


def _labels(runs) -> list:
    """Returns labels that tell the runs apart, in the fewest words: implementation, dataset, folder."""
    datasets, folders = {run.dataset for run in runs}, [run.name for run in runs]
    out = [run.facts.implementation or folder for run, folder in zip(runs, folders)]
    if len(datasets) > 1:
        out = [f"{label}, {run.dataset}" if run.dataset else label for label, run in zip(out, runs)]
    if len({run.listed.method for run in runs if run.listed}) > 1:
        out = folders  # which are named by scans, variant and method
    out = [f"{label} ({folder})" if out.count(label) > 1 else label for label, folder in zip(out, folders)]
    out = [label if len(label) <= MOST_LABEL else label[: MOST_LABEL - 1] + "…" for label in out]
    return [f"{label} #{i + 1}" if out.count(label) > 1 else label for i, label in enumerate(out)]
