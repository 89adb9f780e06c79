"""The least that a program with one compiled function does; what numba alone costs."""

import numba


@numba.njit(cache=True)
def add_one(x: int) -> int:
    """x + 1."""
    return x + 1
