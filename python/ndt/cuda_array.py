"""The type of arrays in a GPU's memory, for type checkers."""

import typing


class CudaArray(typing.Protocol):
    """An array of PyTorch, CuPy, Numba and others, as they describe it to each other: float32 of shape (N, 3) or (N, 4)."""

    @property
    def __cuda_array_interface__(self) -> dict[str, typing.Any]:
        """https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html"""
