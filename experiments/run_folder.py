"""The folder a long command leaves behind: resolved config, package versions, results, pictures, a report."""

from __future__ import annotations

import json
import math
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from medchain.errors import ConfigError

PACKAGES = ("medchain", "numpy", "numba", "scipy", "pettingzoo", "gymnasium", "torch", "ray", "transformers", "peft")


def versions() -> dict[str, str]:
    """Python and every package that is installed of those whose version can change a result."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def open_folder(path: Path, config: dict[str, Any]) -> Path:
    """Make a run folder and note what it is run with.

    Raises:
        ConfigError: the path is a file, or cannot be made, or holds a config.json that is no run's.
    """
    if (path / "config.json").is_file() and not (path / "versions.json").is_file():
        raise ConfigError(f"--out {path}: expected a new folder or a run's, got one with a config.json that no run has left")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"--out {path}: expected a folder that can be made, got: {error.strerror or error}") from None
    write_json(path / "config.json", config)
    write_json(path / "versions.json", versions())
    return path


def plain(data: Any) -> Any:
    """The data with None for NaN and the infinities, which JSON does not have."""
    if isinstance(data, dict):
        return {key: plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [plain(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def write_json(path: Path, data: Any) -> None:
    """Write readable JSON, whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    part.replace(path)
