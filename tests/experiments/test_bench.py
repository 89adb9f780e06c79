"""The bench measures what it says: no figure is asserted, only that yardsticks do the work they stand for."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.bench.__main__ import ROWS, figure
from experiments.bench.batch import Batch
from experiments.bench.row import cpu_seconds, median_ratio, side_by_side
from medchain.core.words import Event

BENCH = [sys.executable, "-m", "experiments.bench"]


@pytest.mark.parametrize("name", ["zero", "rubber_stamp", "restock", "auditor"])
def test_the_yardstick_moves_the_same_goods(name: str) -> None:
    """Every stock, use, loss and delivery ends as it was played; a recall that was quarantined by a call is not redone."""
    batch = Batch(name, 60)
    batch.play()
    before = batch.episodes.copy()
    batch.move_goods()
    redone = np.ones(batch.n, bool) if name in ("zero", "rubber_stamp") else ~recalled(before)
    assert redone.sum() > 10
    for field in batch.episodes.dtype.names or ():
        assert (batch.episodes[field][redone] == before[field][redone]).all(), field


def recalled(episodes: Any) -> Any:
    """Which episodes have a recall."""
    return (episodes["event_type"] == Event.PRODUCT_RECALL).any(axis=1)


def test_functions_are_timed_in_turn_after_one_call_each() -> None:
    calls: list[str] = []
    timed = side_by_side(3, lambda: calls.append("a"), lambda: calls.append("b"))
    assert calls == ["a", "b"] * 4
    assert [len(seconds) for seconds in timed] == [3, 3] and min(map(min, timed)) >= 0


def test_only_the_work_of_this_process_is_counted() -> None:
    assert cpu_seconds(lambda: subprocess.run([sys.executable, "-c", "sum(range(3_000_000))"], check=True)) < 0.05


def test_ratios_are_of_neighbours() -> None:
    assert median_ratio([2.0, 20.0, 3.0], [1.0, 10.0, 1.0]) == 2.0


def test_figures_are_short() -> None:
    assert [figure(x) for x in (32123.4, 999.4, 0.12345)] == ["32,123", "999", "0.123"]


@pytest.mark.parametrize("row", ROWS)
def test_every_row_can_be_measured(row: str) -> None:
    assert callable(import_module(f"experiments.bench.{row}").measure)


def test_it_prints_a_table_and_writes_json(tmp_path: Path) -> None:
    file = tmp_path / "new" / "bench.json"
    done = subprocess.run([*BENCH, "--only", "session", "--json", str(file)], capture_output=True, text=True, check=True)
    assert "from Python" in " ".join(done.stdout.split()) and str(file) in done.stdout
    data = json.loads(file.read_text())
    assert list(data) == ["machine", "repeats", "rows"] and data["repeats"] == 5
    (line,) = data["rows"]["session"]
    assert line["unit"] == "episodes/s" and line["value"] > 0 and line["ratio"] == line["value"] / line["yardstick_value"]


def test_an_unknown_row_is_refused() -> None:
    done = subprocess.run([*BENCH, "--only", "speed"], capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr == f"bench: unknown row 'speed'; known: {', '.join(ROWS)}\n"
