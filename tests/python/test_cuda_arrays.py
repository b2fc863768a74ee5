"""Arrays in a GPU's memory, by what they say of themselves. NDT_CLOUDS: folder with map.pcd, scan.pcd."""

import os
from pathlib import Path

import ndt
import numpy as np
import pytest

CLOUDS = Path(os.environ["NDT_CLOUDS"])
GUESS = np.eye(4)
GUESS[:3, 3] = 0.3, -0.2, 0.1
ON_A_GPU = [entry.name for entry in ndt.implementations() if entry.runs_on == "GPU" and not entry.unavailable_reason]


class Described:
    """An object that claims to be in CUDA memory; no implementation on the CPU reads it."""

    def __init__(self, **changes):
        facts = {"shape": (5, 4), "typestr": "<f4", "data": (4096, True), "strides": None, "version": 3, "stream": 1}
        self.__cuda_array_interface__ = {**facts, **changes}


@pytest.fixture(scope="module")
def aligner():
    return ndt.Aligner(ndt.read_cloud(CLOUDS / "map.pcd"), implementation="persistent_cpu")


@pytest.mark.parametrize(("changes", "error", "message"), [
    ({"shape": (5, 2)}, ValueError, "scan: the shape is (5, 2); give (N, 3) or (N, 4)"),
    ({"shape": (5,)}, ValueError, "scan: the shape is (5,); give (N, 3) or (N, 4)"),
    ({"typestr": "<f8"}, TypeError, "scan: give float32 on a device, not <f8"),
    ({"mask": Described()}, ValueError, "scan: it has a mask; give an array without"),
    ({}, ValueError, "align: this implementation reads points from the host's memory, and these are on a device"),
    ({"strides": (32, 4), "stream": None}, ValueError, "align: this implementation reads points from the host's memory"),
])
def test_what_cannot_be_used_is_refused_in_words(changes, error, message, aligner):
    with pytest.raises(error) as caught:
        aligner.align(Described(**changes), GUESS)
    assert str(caught.value).startswith(message)


def test_every_call_names_itself_where_there_is_no_gpu(aligner):
    scan, poses = Described(), GUESS[None]
    for name, call in {"set_map": lambda: aligner.set_map(scan), "submit": lambda: aligner.align_batch(scan, poses),
                       "score_batch": lambda: aligner.score(scan, poses), "evaluate": lambda: aligner.evaluate(scan, GUESS)}.items():
        with pytest.raises(ValueError, match=f"^{name}: .* on a device; copy them .* persistent_cuda"):
            call()


def test_calls_that_take_arrays_of_the_host_alone_say_so(aligner):
    with pytest.raises(TypeError, match="scan: it lies on a device; copy it to the host first"):
        ndt.Localizer(aligner).localize(0, Described())


class FakeTensor:
    """An array of numpy's whose DLPack says CUDA: what PyTorch and CuPy have."""

    def __init__(self, array):
        self.array, self.dtype, self.streams = array, array.dtype, []

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        return self.array.__dlpack__()


def test_dlpack_is_asked_for_the_order_of_the_legacy_default_stream(aligner):
    tensor = FakeTensor(np.zeros((5, 3), np.float32))
    with pytest.raises(ValueError, match="^align: this implementation reads points from the host's memory"):
        aligner.align(tensor, GUESS)
    assert tensor.streams == [1]
    with pytest.raises(TypeError, match="scan: give float32 on a device, not float64"):
        aligner.align(FakeTensor(np.zeros((5, 3))), GUESS)
    with pytest.raises(ValueError, match=r"scan: the shape is \(5, 2\)"):
        aligner.align(FakeTensor(np.zeros((5, 2), np.float32)), GUESS)


@pytest.mark.parametrize("name", ON_A_GPU or [pytest.param("", marks=pytest.mark.skip(reason="skipped for want of a GPU that this wheel runs on"))])
def test_a_scan_on_the_gpu_has_the_bits_of_the_host(name):
    torch = pytest.importorskip("torch", reason="skipped for want of PyTorch, which puts arrays on the GPU")
    cloud, scan = ndt.read_cloud(CLOUDS / "map.pcd"), ndt.read_cloud(CLOUDS / "scan.pcd")
    expected = ndt.Aligner(cloud, implementation=name).align(scan, GUESS)
    device = torch.device("cuda")
    aligner = ndt.Aligner(torch.from_numpy(cloud).to(device), implementation=name)
    wide = torch.zeros((len(scan), 4), device=device)
    wide[:, :3] = torch.from_numpy(scan).to(device)
    with torch.cuda.stream(torch.cuda.Stream()):
        late = wide.clone()
    for points in (wide, wide[:, :3], wide.t().contiguous().t(), late):
        assert aligner.align(points, GUESS).map_from_scan.tobytes() == expected.map_from_scan.tobytes()
