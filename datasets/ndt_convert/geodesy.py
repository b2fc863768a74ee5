"""Places on the WGS 84 ellipsoid to metres around one of them."""

import numpy as np

RADIUS_M, FLATTENING = 6378137.0, 1 / 298.257223563
ECCENTRICITY_2 = FLATTENING * (2 - FLATTENING)


def east_radius_m(latitude_rad):
    """The radius of the curve that runs east."""
    return RADIUS_M / np.sqrt(1 - ECCENTRICITY_2 * np.sin(latitude_rad) ** 2)


def north_radius_m(latitude_rad):
    """The radius of the meridian."""
    return RADIUS_M * (1 - ECCENTRICITY_2) / (1 - ECCENTRICITY_2 * np.sin(latitude_rad) ** 2) ** 1.5


def earth_centred(latitude_deg, longitude_deg, height_m):
    """(3,), metres from the middle of the earth."""
    latitude, longitude = np.radians(latitude_deg), np.radians(longitude_deg)
    normal = east_radius_m(latitude)
    return np.array([(normal + height_m) * np.cos(latitude) * np.cos(longitude), (normal + height_m) * np.cos(latitude) * np.sin(longitude),
                     (normal * (1 - ECCENTRICITY_2) + height_m) * np.sin(latitude)])


def east_north_up(place, origin):
    """Places (latitude, longitude, height) in the frame that touches the ellipsoid below the origin, itself such a triple."""
    latitude, longitude = np.radians(origin[0]), np.radians(origin[1])
    s, c, sl, cl = np.sin(latitude), np.cos(latitude), np.sin(longitude), np.cos(longitude)
    axes = np.array([[-sl, cl, 0], [-s * cl, -s * sl, c], [c * cl, c * sl, s]])
    return axes @ (earth_centred(*place) - earth_centred(*origin))
