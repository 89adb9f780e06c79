"""What `medchain doctor` looks at. Nothing here fails: what cannot be found out is said to be so."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import NamedTuple

import medchain

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
GOOD, MISSING, NOTE = "ok", "missing", "-"
_SECONDS = 30
_EXTRAS = {"": "base packages", "train": "extra train", "serve": "extra serve", "dev": "extra dev"}


class Finding(NamedTuple):
    """One row: what was looked at, how it stands, what there is to say."""

    what: str
    state: str
    told: str


def findings() -> list[Finding]:
    """Everything, in the order in which it is shown."""
    found = [
        Finding("medchain", GOOD, f"{medchain.__version__} in {Path(medchain.__file__).parent}"),
        Finding(
            "python", GOOD, f"{platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
        ),
        *extras(),
        *caches(),
        gpu(),
    ]
    path = browser()
    found.append(Finding("browser for page tests", GOOD if path else NOTE, path or f"none of {', '.join(BROWSERS)}"))
    lines = importlib.util.find_spec("readline") is not None
    found.append(Finding("completion in play", GOOD if lines else NOTE, "readline" if lines else "no readline module"))
    return found


def extras() -> Iterator[Finding]:
    """The dependencies of each extra and which of them are installed."""
    try:
        wanted = requires("medchain") or []
    except PackageNotFoundError:
        yield Finding("extras", NOTE, "medchain is not installed as a package, so its extras are not known")
        return
    for extra, title in _EXTRAS.items():
        names = [name for name, of in map(_requirement, wanted) if of == extra]
        there = {name: installed(name) for name in names}
        lacking = [name for name, found in there.items() if found is None]
        shown = ", ".join(f"{name} {found}" for name, found in there.items() if found is not None)
        told = "; ".join(part for part in (shown, f"not installed: {', '.join(lacking)}" if lacking else "") if part)
        yield Finding(title, MISSING if lacking else GOOD, told)


def _requirement(text: str) -> tuple[str, str]:
    """Name and extra (empty: none) of a requirement as package metadata writes it."""
    name = re.match(r"[A-Za-z0-9._-]+", text)
    extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)", text)
    return (name[0] if name else text), (extra[1] if extra else "")


def installed(name: str) -> str | None:
    """The version of an installed package, None if it is not there."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def caches() -> Iterator[Finding]:
    """Where compiled kernels are kept, and whether the first episode finds its own there."""
    import numba

    from medchain.core.session import submit_command
    from policies.scripted.play import play_range

    if numba.config.DISABLE_JIT:
        yield Finding("kernels", NOTE, "not compiled: NUMBA_DISABLE_JIT is set")
        return
    for title, kernel in (("core kernels", submit_command), ("policy kernels", play_range)):
        folder: Path = Path(kernel.stats.cache_path)  # type: ignore[attr-defined]
        warm = any(folder.glob(f"*{kernel.__name__}-*.nbc"))
        told = "warm" if warm else "cold: the first episode compiles for about a minute"
        yield Finding(title, GOOD if warm else NOTE, f"{told}; {folder}")


def gpu() -> Finding:
    """The GPU as its driver and, where installed, torch see it."""
    told = []
    tool = shutil.which("nvidia-smi")
    if tool:
        told.append(_said([tool, "--query-gpu=name,memory.total", "--format=csv,noheader"]) or "nvidia-smi says nothing")
    if installed("torch"):
        # In a process of its own: importing torch takes seconds and hundreds of megabytes.
        code = "import torch; print('torch sees', torch.cuda.device_count(), 'GPU(s)')"
        told.append(_said([sys.executable, "-c", code]) or f"torch is there but gave no answer in {_SECONDS} s")
    return Finding("GPU", GOOD if tool else NOTE, "; ".join(told) or "no nvidia-smi, no torch: CPU only")


def _said(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ", ".join(done.stdout.split("\n")).strip(", ") if done.returncode == 0 else ""


def browser() -> str | None:
    """A Chromium on the path, None if there is none."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)
