"""The map_projector_info.yaml of Autoware, which says how a map lies on the earth."""

import numpy as np

from . import projection
from .faults import Fault

LARGEST = 64 << 10  # bytes
UTM_SCALE = 0.9996  # Autoware's scale_factor of a TransverseMercator that gives none
DATUM = "WGS84"


def read(file, local_origin, say):
    """The projection that a file asks for. A local map may have its origin from --map-origin."""
    info = _yaml(file)
    kind = str(info.get("projector_type")).replace("_", "").lower()
    if kind == "local":
        if local_origin is None:
            raise Fault(file, "projector_type", "local has no place on the earth", "give --map-origin, --map-crs, or another file")
        return projection.Plane(local_origin)
    if local_origin is not None:
        raise Fault(file, "projector_type", f"{info.get('projector_type')} has an origin of its own", "leave out --map-origin")
    datum = str(info.get("vertical_datum", DATUM))
    if datum.upper() != DATUM:
        say(f"{file}: heights of the map are those of {datum}, heights of gnss.tum those of WGS 84, tens of metres apart; x and y are right")
    if kind == "mgrs":
        return projection.of_square(_square(file, info), option=str(file))
    makers = {"localcartesian": projection.Plane, "localcartesianutm": projection.of_utm,
              "transversemercator": lambda origin: projection.of_transverse_mercator(origin, _scale(file, info))}
    if kind not in makers:
        raise Fault(file, "projector_type", f"unknown '{info.get('projector_type')}'",
                    "supported: Local, MGRS, LocalCartesian, LocalCartesianUTM, TransverseMercator")
    return makers[kind](_origin(file, info))


def _square(file, info):
    square = str(info.get("mgrs_grid")).upper()
    if not projection.is_square(square):
        raise Fault(file, "mgrs_grid", f"'{square}' is not a square of MGRS", "give a square of 100 km, such as 54SUE")
    return square


def _origin(file, info):
    """(latitude, longitude, altitude)."""
    given = info.get("map_origin")
    given = given if isinstance(given, dict) else {}
    latitude, longitude = (_number(file, f"map_origin.{name}", given.get(name)) for name in ("latitude", "longitude"))
    altitude = _number(file, "map_origin.altitude", given.get("altitude", 0))
    if not (abs(latitude) <= 90 and abs(longitude) <= 180):
        raise Fault(file, "map_origin", f"latitude {latitude}, longitude {longitude}", "give degrees, at most 90 and 180")
    return latitude, longitude, altitude


def _scale(file, info):
    scale = _number(file, "scale_factor", info.get("scale_factor", UTM_SCALE))
    if not 0 < scale < 2:
        raise Fault(file, "scale_factor", f"{scale}", "give a number above 0 and near 1")
    return scale


def _number(file, key, value):
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
        raise Fault(file, key, f"'{value}' is not a number", "docs of Autoware's map_projection_loader tell what it needs")
    return float(value)


def _yaml(file):
    """The table of the file, by the package that rosbags brings."""
    from ruamel.yaml import YAML, YAMLError

    if not file.is_file() or file.stat().st_size > LARGEST:
        raise Fault(file, "", f"is no file of at most {LARGEST} bytes", "give Autoware's map_projector_info.yaml")
    try:
        table = YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise Fault(file, "", error.strerror, "give Autoware's map_projector_info.yaml") from None
    except (YAMLError, ValueError, RecursionError) as error:
        raise Fault(file, "", f"cannot be read as YAML ({' '.join(str(error).split())[:200]})", "correct it") from None
    if not isinstance(table, dict):
        raise Fault(file, "", "has no projector_type", "give Autoware's map_projector_info.yaml")
    return table
