"""Pages in headless Chromium: a screenshot, and what the console said."""

from __future__ import annotations

import re
import subprocess
from html import escape
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
    done = _run(page, folder, f"--window-size={width},{height}", f"--screenshot={picture}")
    return plt.imread(picture)[..., :3], [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def needed_width(page: Path, width: int, folder: Path) -> int:
    """The width, in pixels, that the page takes in a window of `width`: more where something hangs over the edge."""
    measured = folder / f"{page.stem}-measured.html"
    # In a frame, for a window of its own is never narrower than 500 pixels.
    script = "document.title = 'takes ' + this.contentDocument.documentElement.scrollWidth"
    held = escape(page.read_text(encoding="utf-8"))
    frame = f'<iframe style="width:{width}px;height:900px;border:0" onload="{script}" srcdoc="{held}"></iframe>'
    measured.write_text(f"<!doctype html><title></title>{frame}", encoding="utf-8")
    dom = _run(measured, folder, "--dump-dom").stdout
    return int(re.search(r"<title>takes (\d+)</title>", dom)[1])


def _run(page: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [browser(), *FLAGS, f"--user-data-dir={folder / 'profile'}", *options, page.absolute().as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
