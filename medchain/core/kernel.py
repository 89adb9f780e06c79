"""The one decorator that compiles.

A kernel is a plain Python function on structured records; Numba compiles it on first use and keeps the machine code on
disk. Numba's own cache does not notice an edited callee in another file, so the cache folder is named by a hash of every
source that a kernel may call into.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).resolve().parent.parent

if numba.config.DISABLE_JIT:
    np.seterr(over="ignore")  # the generator's 64-bit products wrap, as they do when compiled


@cache
def _sources_digest(folder: Path) -> str:
    """SHA-256 over the sources of core, reward and `folder`: all that a kernel defined in `folder` may call."""
    sha = hashlib.sha256(f"{numba.__version__} bounds {numba.config.BOUNDSCHECK}".encode())
    for root in sorted({PACKAGE / "core", PACKAGE / "reward", folder}):
        for path in sorted(root.rglob("*.py")):
            sha.update(path.relative_to(root).as_posix().encode())
            sha.update(path.read_bytes())
    return sha.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@cache
def cache_dir(folder: Path = PACKAGE / "core") -> Path:
    """Folder of the compiled kernels defined in `folder`; a temporary one where nothing else is writable."""
    digest = _sources_digest(folder)
    home = os.environ.get("MEDCHAIN_CACHE_DIR") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "medchain"
    )
    chosen = Path(home) / "kernels" / digest
    return chosen if _writable(chosen) else Path(tempfile.gettempdir()) / "medchain-kernels" / digest


def kernel(function: F) -> F:
    """Compile `function` (nogil, cached on disk); under NUMBA_DISABLE_JIT=1 it stays plain Python."""
    if numba.config.DISABLE_JIT:
        return function
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_dir(Path(inspect.getfile(function)).resolve().parent))
    try:
        compiled: F = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = before
    return compiled
