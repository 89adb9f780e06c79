"""Pages in headless Chromium: a screenshot, and what the console said."""

from __future__ import annotations

import subprocess
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

from experiments.health import browser

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--enable-logging=stderr",
    "--v=0",
)

needs_browser = pytest.mark.skipif(browser() is None, reason="no Chromium on this machine to render pages in")


def shot(page: Path, width: int, folder: Path, height: int = 1400) -> tuple[np.ndarray, list[str]]:
    """The page as pixels, float [height, width, 3] in [0, 1], and the lines of its console."""
    picture = folder / f"{page.stem}-{width}.png"
    command = [
        browser(),
        *FLAGS,
        f"--user-data-dir={folder / 'profile'}",
        f"--window-size={width},{height}",
        f"--screenshot={picture}",
        page.absolute().as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return plt.imread(picture)[..., :3], [line for line in done.stderr.splitlines() if "CONSOLE" in line]
