"""Which edges of the core's control flow runs have taken, where the core was built to tell."""

from __future__ import annotations

import ctypes

import numpy as np

from sing import _core

# How often an edge was taken matters only roughly: 1, 2, 3, up to 7, 15, 31, 127, more.
_BITS = np.zeros(256, dtype=np.uint8)
for _position, _least in enumerate((1, 2, 3, 4, 8, 16, 32, 128)):
    _BITS[_least:] = 1 << _position


class Coverage:
    """Tells which runs came through places, or so often through them, as no run before."""

    def __init__(self) -> None:
        library = ctypes.CDLL(_core.__file__)
        self._map = np.zeros(1, dtype=np.uint8)
        if hasattr(library, "sing_coverage_map"):
            library.sing_coverage_map.restype = ctypes.POINTER(ctypes.c_uint8)
            library.sing_coverage_size.restype = ctypes.c_size_t
            self._map = np.ctypeslib.as_array(library.sing_coverage_map(), (library.sing_coverage_size(),))
        self._seen = np.zeros_like(self._map)

    def reset(self) -> None:
        self._map[:] = 0

    def is_new(self) -> bool:
        """Whether the run since the last reset() was new in this sense; it is not from now on."""
        bits = _BITS[self._map]
        is_new = bool(np.any(bits & ~self._seen))
        self._seen |= bits
        return is_new

    @property
    def num_edges(self) -> int:
        return int(np.count_nonzero(self._seen))
