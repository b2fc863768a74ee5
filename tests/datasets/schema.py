"""The schema of dataset.toml, as documented in datasets/README.md."""

NUMBER, WHOLE, TEXT, FLAG = (int, float), int, str, bool
FILTERS = {"min_range_m?": NUMBER, "max_range_m?": NUMBER, "crop_box?": list, "remove_box?": list, "voxel_leaf_m?": NUMBER,
           "sample_points?": WHOLE, "sample_seed?": WHOLE}
# A name that ends with ? may be left out.
TOP = {
    "format": WHOLE, "name": TEXT, "root?": TEXT, "description": TEXT, "kind": TEXT, "map?": TEXT, "scans": list, "order?": TEXT, "scan_density?": TEXT, "resolution_m?": NUMBER, "bin_fields?": WHOLE,
    "frames?": {"first?": WHOLE, "step?": WHOLE, "count?": WHOLE},
    "truth?": {"file": TEXT, "format": TEXT, "quality": TEXT, "exact": FLAG, "accuracy_m": NUMBER},
    "times?": {"file": TEXT},
    "odometry?": {"file": TEXT},
    "gnss?": {"file": TEXT},
    "success?": {"translation_m": NUMBER, "rotation_deg": NUMBER},
    "guess": {"kind": TEXT, "file?": TEXT, "seed?": WHOLE, "count?": WHOLE, "xy_sigma_m?": NUMBER, "z_sigma_m?": NUMBER,
              "roll_pitch_sigma_deg?": NUMBER, "yaw_sigma_deg?": NUMBER},
    "preparation?": {"scan?": FILTERS, "map?": FILTERS},
    "provenance": {"licence": TEXT, "source": TEXT, "obtain": TEXT},
    "checksums?": dict,
    "download?": dict,
    "originals?": {"address": TEXT, "checksums": dict},
}


def check_table(table, keys=TOP, path=""):
    names = {key.rstrip("?"): kind for key, kind in keys.items()}
    assert set(table) <= set(names), f"{path}: unknown {set(table) - set(names)}"
    missing = {key for key in keys if not key.endswith("?") and key not in table}
    assert not missing, f"{path}: missing {missing}"
    for key, value in table.items():
        if isinstance(names[key], dict):
            check_table(value, names[key], f"{path}{key}.")
        else:
            assert isinstance(value, names[key]) and (names[key] is FLAG or not isinstance(value, bool)), f"{path}{key} = {value!r}"


def check_description(table):
    """Keys and types, and what they must say together."""
    check_table(table)
    assert table["format"] == 1 and table["name"].replace("_", "a").isalnum() and table["name"] == table["name"].lower()
    assert table["kind"] in ("scan_to_map", "sequence", "pair")
    assert ("map" in table) == (table["kind"] != "sequence")
    assert table["scans"] and all(pattern.count("*") <= 1 and "*" not in pattern.rpartition("/")[0] for pattern in table["scans"])
    assert table["kind"] != "pair" or len(table["scans"]) == 1
    if "truth" in table:
        assert table["truth"]["format"] in ("tum", "kitti", "matrix") and table["truth"]["exact"] == (table["truth"]["accuracy_m"] == 0)
    assert not ("times" in table and "truth" in table), "the truth has times"
    guess = table["guess"]
    assert guess["kind"] in ("noise", "odometry", "identity")
    assert guess["kind"] != "noise" or ("truth" in table and {"seed", "count", "xy_sigma_m", "z_sigma_m", "roll_pitch_sigma_deg",
                                                              "yaw_sigma_deg"} < set(guess))
    assert (guess["kind"] == "odometry") == ("file" in guess)
