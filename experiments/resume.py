"""What must hold for a run to be continued: the same experiment, and no line of what is done again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from medchain.errors import ConfigError

MAY_CHANGE = ("scale", "run.iterations", "run.checkpoint_every", "run.restarts")
"""Keys in which a resumed run may differ from the one before: where it runs and for how long."""


def check_same(now: dict[str, Any], out: Path, may_change: tuple[str, ...] = MAY_CHANGE) -> None:
    """Check that a run in `out` is resumed with the experiment that it began with.

    Raises:
        ConfigError: there is no run, or a key has changed that decides what is learned.
    """
    if not (out / "config.json").is_file():
        raise ConfigError(f"--resume: no run in {out}; expected the folder of an earlier run (--out)")
    old, new = _flat(json.loads((out / "config.json").read_text(encoding="utf-8"))), _flat(now)
    for key in sorted(old.keys() | new.keys()):
        if old.get(key) != new.get(key) and not key.startswith(may_change):
            raise ConfigError(
                f"--resume: {key} = {new.get(key)!r}, but the run in {out} began with {old.get(key)!r};"
                f" only {', '.join(may_change)} may change"
            )


def _flat(data: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in data.items():
        found |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return found


def forget_after(metrics: Path, done: int) -> None:
    """Leave the lines of iterations after `done` out of a metrics file: they are done again."""
    if metrics.is_file():
        lines = metrics.read_text(encoding="utf-8").splitlines()
        kept = [line for line in lines if json.loads(line)["iteration"] <= done]
        metrics.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
