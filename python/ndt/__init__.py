"""NDT scan matching: registers LiDAR scans against a map.

    import ndt
    aligner = ndt.Aligner(ndt.read_cloud("map.pcd"), resolution=2.0)
    result = aligner.align(ndt.read_cloud("scan.pcd"), guess)
    result.map_from_scan, result.converged, result.nvtl

Clouds are numpy arrays of shape (N, 3) or (N, 4), float32 or float64, in metres. Columns after the third are not looked at. Points
that are not finite are dropped and counted. Poses are rigid 4x4 matrices, map_from_scan. The interpreter's lock is free while an aligner
works, and one aligner is for one thread at a time.

With a GPU's implementation, map and scan may be float32 arrays in its memory (PyTorch, CuPy, Numba: DLPack or
__cuda_array_interface__). They stay there, and are read in the order of their streams.
"""

from ._ndt import (AlignResult, Aligner, Evaluation, FinishStep, Implementation, InputError, Judge, Localizer, PoseJudgement, PreparedScan, ScanReport,
                   Scores, SearchResult, auto_implementation, implementations, initial_pose, read_cloud, version as __version__, write_cloud)

__all__ = ["AlignResult", "Aligner", "Evaluation", "FinishStep", "Implementation", "InputError", "Judge", "Localizer", "PoseJudgement",
           "PreparedScan", "ScanReport", "Scores", "SearchResult", "__version__", "auto_implementation", "implementations", "initial_pose", "read_cloud", "write_cloud"]
