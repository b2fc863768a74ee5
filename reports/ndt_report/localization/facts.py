"""localization.json: what made a run. A page is made without it, so what is missing or odd is left out."""

from dataclasses import dataclass, field
from pathlib import Path

from ..read.environment import flat
from ..read.files import is_there
from ..read.json_files import read_json
from ..read.kinds import FITS
from ..read.printable import printable
from ..read.refusal import InputError

FILE = "localization.json"
AGAIN = "run ndt-bench localize again"
WRONG_M, WRONG_DEG = 0.2, 1.0  # farther from the truth a pose is wrong, where its dataset does not say


@dataclass
class Facts:
    implementation: str = ""
    runs_on: str = ""
    scans: str = ""  # name of the dataset, or the folder
    scan_count: int = 0  # 0: unknown
    truth_quality: str = ""
    wrong_m: float = WRONG_M
    wrong_deg: float = WRONG_DEG
    options: dict = field(default_factory=dict)  # {"localizer": {...}, "align": {...}}
    environment: dict = field(default_factory=dict)

    def option(self, group: str, name: str):
        """Its number or text; None if it is not known."""
        value = self.options.get(group, {}).get(name)
        return value if FITS["number"](value) or FITS["text"](value) else None

    def lines(self) -> list:
        """(name, text) of all options and of the environment."""
        return flat(self.options) + flat(self.environment)


def read_facts(folder: Path):
    """(Facts, sentences on what is missing)."""
    path = folder / FILE
    if not is_there(path):
        return Facts(), [f"There is no {FILE}: which implementation and options made this run is not known."]
    try:
        value = read_json(path, AGAIN)
    except InputError as error:
        return Facts(), [f"{printable(str(error))}."]
    if not isinstance(value, dict):
        return Facts(), [f"{FILE} is not a JSON object: which implementation and options made this run is not known."]
    truth = _object(value, "truth")
    options = {group: _object(value, group) for group in ("localizer", "align")}
    facts = Facts(
        *(_text(value, key) for key in ("implementation", "runs_on", "scans")),
        scan_count=value["scan_count"] if FITS["int"](value.get("scan_count")) else 0,
        truth_quality=_text(truth, "quality"),
        wrong_m=_above_0(truth.get("success_translation_m"), WRONG_M),
        wrong_deg=_above_0(truth.get("success_rotation_deg"), WRONG_DEG),
        options={group: own for group, own in options.items() if own},
        environment=_object(value, "environment"),
    )
    return facts, [] if facts.implementation else [f"{FILE} does not name the implementation."]


def _object(value: dict, key: str) -> dict:
    inner = value.get(key)
    return inner if isinstance(inner, dict) else {}


def _text(value: dict, key: str) -> str:
    return value[key] if FITS["text"](value.get(key)) else ""


def _above_0(value, otherwise: float) -> float:
    return float(value) if FITS["number"](value) and value > 0 else otherwise
