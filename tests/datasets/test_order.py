"""The order of scans by their names."""

from conftest import convert, np, write_cloud, write_tum
from test_folder import SHIFT, corner, scans_in

NAMES = [f"scan_{2 * i + 7}.pcd" for i in range(5)]


def test_orders_that_differ_are_named_where_a_file_has_a_row_for_each_scan(tmp_path):
    scans = scans_in(tmp_path / "in")  # scan_11 and scan_13 before scan_7 by letter
    poses = write_tum(tmp_path / "poses", SHIFT)
    (tmp_path / "stamps").write_text("1\n2\n3\n4\n5\n")
    said = convert(scans, "--poses", poses, "--stamps", tmp_path / "stamps", "--time-offset", 1, "--out", tmp_path / "times")
    assert f"order of the numbers in their names: scan_7.pcd before scan_11.pcd, and so are the rows of {tmp_path / 'stamps'}; --order name" in said
    said = convert(scans, "--poses", poses, "--out", tmp_path / "number")
    assert f"scan_7.pcd before scan_11.pcd, and so are the rows of {poses}; --order name takes the other" in said
    said = convert(scans, "--poses", poses, "--order", "name", "--out", tmp_path / "name")
    assert f"order of the letters in their names: scan_11.pcd before scan_7.pcd, and so are the rows of {poses}; --order number" in said
    for folder, names in (("number", NAMES), ("name", sorted(NAMES))):
        for i, name in enumerate(names):
            assert (tmp_path / folder / "scans" / f"{i:06d}.pcd").read_bytes() == (scans / name).read_bytes()
        assert np.loadtxt(tmp_path / folder / "poses.tum")[:, 1].tolist() == [x for x, _, _ in SHIFT]
    same = tmp_path / "same"
    same.mkdir()
    for i in range(3):
        write_cloud(same / f"{i:03d}.pcd", corner())
    assert "order of" not in convert(same, "--out", tmp_path / "agree")
