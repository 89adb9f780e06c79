"""Stock as text: totals by place, lots by expiry."""

from __future__ import annotations

from typing import Any

from medchain.core.words import EVERY, NEVER
from medchain.tools.names import Names


def erp_age(view: Any) -> str:
    """What moment the ERP shows."""
    return f"as of the opening of round {max(1, int(view['round']) - 1)}"


def totals(names: Names, view: Any, shelf: str) -> list[list[int]]:
    """Units [sku][location] of the view's field `shelf`: erp, scan or quarantined."""
    count = int(view["lot_count"])
    found = [[0] * len(names.locations) for _ in names.skus]
    for sku, row in zip(view["lot_sku"][:count].tolist(), view[shelf][:count].tolist(), strict=True):
        for x, units in enumerate(row):
            found[sku][x] += units
    return found


def _places(names: Names, sku: int, place: int) -> list[int]:
    stocked = [x for x in range(len(names.locations)) if x == 0 or sku in names.lines(x - 1)]
    return stocked if place == EVERY else [place]


def stock_lines(names: Names, view: Any, shelf: str, place: int = EVERY, sku: int = EVERY) -> list[str]:
    """One line per SKU: units at each place that stocks it."""
    found = totals(names, view, shelf)
    lines = []
    for k in range(len(names.skus)) if sku == EVERY else [sku]:
        shown = ", ".join(f"{names.locations[x]} {found[k][x]}" for x in _places(names, k, place))
        lines.append(f"{names.skus[k]}: {shown}")
    return lines


def lot_lines(names: Names, view: Any, shelf: str, place: int = EVERY, sku: int = EVERY) -> list[str]:
    """One line per lot that stands anywhere asked about, by SKU, earliest expiry first; quarantined units apart."""
    count = int(view["lot_count"])
    units, held = view[shelf][:count].tolist(), view["quarantined"][:count].tolist()
    expiry, kinds = view["lot_expiry"][:count].tolist(), view["lot_sku"][:count].tolist()
    lines = []
    for lot in sorted(range(count), key=lambda i: (kinds[i], expiry[i], i)):
        if sku != EVERY and kinds[lot] != sku:
            continue
        shown = []
        for x in range(len(names.locations)) if place == EVERY else [place]:
            aside = held[lot][x] if shelf == "scan" else 0
            if units[lot][x] or aside:
                shown.append(f"{names.locations[x]} {units[lot][x]}" + (f" (+{aside} quarantined)" if aside else ""))
        if shown:
            until = "undated" if expiry[lot] >= NEVER else f"expires day {expiry[lot]}"
            lines.append(f"{names.skus[kinds[lot]]} {names.lot(view, lot)} {until}: {', '.join(shown)}")
    return lines or ["no such stock"]
