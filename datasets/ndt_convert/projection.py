"""Places on the earth to metres in a map. Packages: pyproj for grids, mgrs for squares of MGRS; see from_las for maps that name theirs."""

import re

import numpy as np

from . import geodesy
from .faults import Fault, UsageFault

SQUARE_M = 100_000
STEP_M = 10.0  # of the derivative
MGRS_SQUARE = "[0-9]{1,2}[C-HJ-NP-X][A-HJ-NP-Z][A-HJ-NP-V]"


class Plane:
    """The plane that touches the ellipsoid below the origin: x is east and y is north there."""

    def __init__(self, origin):
        self.origin, self.height_m = origin, origin[2]
        turn = abs(utm_convergence_deg(*origin[:2]))
        self.name = (f"a local tangent plane at {origin[0]:g}, {origin[1]:g}, x east and y north; if the map is a UTM or MGRS grid, its axes are "
                     f"turned by {turn:.2f} degrees there, {turn * np.pi / 180 * 1000:.0f} m at 1 km: give --map-crs")

    def metres(self, places):
        return np.array([geodesy.east_north_up(place, self.origin) for place in places])

    def check(self, positions, say):
        """Nothing to say: a plane has no edge."""


class Grid:
    """A projected coordinate system, less an offset in its axes and a height. `side_m`: the edge of a square that begins there."""

    def __init__(self, name, to_grid, offset=(0.0, 0.0), height_m=0.0, side_m=None):
        self.name, self.height_m, self._to_grid, self._side_m = name, height_m, to_grid, side_m
        self._offset = np.array([*offset, height_m])

    def metres(self, places):
        places = np.asarray(places, dtype=float)
        x, y = self._to_grid(places[:, 1], places[:, 0])
        return np.column_stack([x, y, places[:, 2]]) - self._offset  # not finite too far from the system's middle

    def check(self, positions, say):
        """Says how many positions (x, y) lie beside the square."""
        beside = self._side_m and ((positions < 0) | (positions >= self._side_m)).any(axis=1).sum()
        if beside:
            say(f"{beside} of {len(positions)} fixes lie outside of {self.name}: their x and y go on below 0 or above {self._side_m} m, where "
                "Autoware begins at 0 again")


def axes_at(projection, place):
    """2x2: metres in the map for a metre east and one north of a place. Turned by the meridian convergence and stretched by the scale."""
    latitude, longitude = np.radians(place[0]), place[1]
    north = np.degrees(STEP_M / geodesy.north_radius_m(latitude))
    east = np.degrees(STEP_M / (geodesy.east_radius_m(latitude) * np.cos(latitude)))
    around = [(place[0], longitude + east), (place[0], longitude - east), (place[0] + north, longitude), (place[0] - north, longitude)]
    x = projection.metres([(*each, place[2]) for each in around])[:, :2]
    return np.column_stack([x[0] - x[1], x[2] - x[3]]) / (2 * STEP_M)


def of_crs(text, origin=None, option="--map-crs"):
    """The grid that a text names, from the origin if there is one. Messages name the option."""
    if text.lower().startswith("mgrs:"):
        square = text[5:].upper()
        if not is_square(square):
            raise UsageFault("--map-crs", "", f"'{text}' is not a square of MGRS", "give a square of 100 km, such as mgrs:54SUE")
        return of_square(square, origin)
    return _from(origin, *_projected(text, option))


def is_square(text):
    return bool(re.fullmatch(MGRS_SQUARE, text))


def of_square(square, origin=None, option="--map-crs"):
    """Coordinates from a square's south-west corner. They go on past its edges, where Autoware begins at 0 again."""
    try:
        import mgrs
    except ImportError:
        raise Fault(option, "", "a square of MGRS needs the Python package mgrs", _install("mgrs")) from None
    try:
        zone, hemisphere, x, y = mgrs.MGRS().MGRSToUTM(f"{square}5000050000")  # its middle: versions differ in rounding
    except Exception as error:  # the library's own
        raise UsageFault(option, "", f"there is no square {square} ({error})", "give a square of 100 km, such as mgrs:54SUE") from None
    corner = np.floor(np.array([x, y]) / SQUARE_M) * SQUARE_M
    name, to_grid = _projected(f"EPSG:{326 if hemisphere == 'N' else 327}{zone:02d}", option)
    if origin:
        return _from(origin, name, to_grid)
    return Grid(f"square {square} of MGRS in {name}", to_grid, corner, side_m=SQUARE_M)


def of_utm(origin):
    """The zone of the origin, from there."""
    code = f"EPSG:{326 if origin[0] >= 0 else 327}{utm_zone(*origin[:2]):02d}"
    return _from(origin, *_projected(code, "map_origin"))


def of_transverse_mercator(origin, scale):
    """A transverse Mercator whose middle is the origin."""
    code = f"+proj=tmerc +lat_0={origin[0]!r} +lon_0={origin[1]!r} +k={scale!r} +x_0=0 +y_0=0 +ellps=WGS84 +units=m +type=crs"
    _, to_grid = _projected(code, "map_origin")
    return Grid(f"a transverse Mercator projection at {origin[0]:g}, {origin[1]:g}, scale {scale:g}", to_grid, height_m=origin[2])


def utm_zone(latitude, longitude):
    """The number of the zone, with the wider zones of Norway and Svalbard."""
    zone = int((longitude + 180) // 6) % 60 + 1
    if 56 <= latitude < 64 and 3 <= longitude < 12:
        return 32
    if 72 <= latitude <= 84 and 0 <= longitude < 42:
        return 31 + 2 * int((longitude + 3) // 12)
    return zone


def utm_convergence_deg(latitude, longitude):
    """The angle from true north to the north of the UTM grid, on a sphere: right to 0.01 degrees."""
    from_middle = np.radians(longitude - (6 * utm_zone(latitude, longitude) - 183))
    return float(np.degrees(np.arctan(np.tan(from_middle) * np.sin(np.radians(latitude)))))


def _from(origin, name, to_grid):
    if origin is None:
        return Grid(name, to_grid)
    start = Grid(name, to_grid).metres([origin])[0]
    return Grid(f"{name}, from {origin[0]:g}, {origin[1]:g}", to_grid, start[:2], origin[2])


def _projected(text, option):
    """(name, function of longitudes and latitudes) of a coordinate system. Refuses degrees and feet; a height system is left out."""
    try:
        import pyproj
    except ImportError:
        raise Fault(option, "", "a coordinate system needs the Python package pyproj", _install("pyproj")) from None
    try:
        crs = pyproj.CRS.from_user_input(text).to_2d()
        crs = crs.sub_crs_list[0] if crs.is_compound else crs
    except pyproj.exceptions.CRSError as error:
        raise UsageFault(option, "", f"'{text[:80]}' is not a coordinate system ({' '.join(str(error).split())[:120]})",
                         "give one that pyproj knows, such as EPSG:32654") from None
    units = {axis.unit_name for axis in crs.axis_info}
    if not crs.is_projected or units != {"metre"}:
        raise UsageFault(option, "", f"{crs.name} is not a projection in metres, but has {', '.join(sorted(units)) or 'no unit'}",
                         "give the projected system of the map, such as EPSG:32654")
    transformer = pyproj.Transformer.from_crs("EPSG:4326", crs, always_xy=True)

    def to_grid(longitudes, latitudes):
        return transformer.transform(longitudes, latitudes)

    code = ":".join(crs.to_authority() or ())
    return f"{crs.name} ({code})" if code else crs.name, to_grid


def _install(package):
    return f"python3 -m venv extras && extras/bin/pip install rosbags {package}, and call extras/bin/python -m ndt_convert"
