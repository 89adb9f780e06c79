"""A second hospital, written from the rules and not from the core: plain lists of lots, sorted every time.

It keeps the goods of one episode by itself. Decisions (what was allocated, quarantined or ordered) are told to it; what a
day does with them, it works out: receive, expire, strike, consume, discard.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from medchain.core.words import CENTRAL, NEVER, Criticality, Event, Origin

RECALL_UNITS = 30


@dataclass
class Lot:
    """One lot: `free` and `held` (quarantined) units by location."""

    number: int
    sku: int
    expiry: int
    cost: int
    ordered: bool = False
    event: int = -1
    free: dict[int, int] = field(default_factory=dict)
    held: dict[int, int] = field(default_factory=dict)


class Hospital:
    """The goods of an episode; days count from 1."""

    def __init__(self, s: Any, p: Any) -> None:
        """Begin with what a fresh record holds on its first morning, and with its tape."""
        self.p, self.day = p, 1
        self.wards, self.skus = p["demand"].shape
        self.need = s["need"].tolist()
        kinds, days = s["event_type"].tolist(), s["event_day"].tolist()
        self.events = list(zip(kinds, days, strict=True))[: int(s["event_count"])]
        self.lots = [
            Lot(i, int(s["lot_sku"][i]), int(s["lot_expiry"][i]), int(s["lot_cost"][i])) for i in range(int(s["lot_count"]))
        ]
        for lot in self.lots:
            lot.free = {x: int(units) for x, units in enumerate(s["on_hand"][lot.number]) if units}
        zeros = [0] * self.skus
        self.received, self.injected, self.used = zeros[:], zeros[:], zeros[:]
        self.expired, self.discarded = zeros[:], zeros[:]
        self.wasted_value = self.ordered_value_used = 0
        self.recalled_used = [0] * len(s["recalled_used"])
        self.consumed: dict[tuple[int, int, int], int] = {}
        self.closing: dict[tuple[int, int], int] = {}
        self.erp_now = self.erp_before = self.table()

    def table(self) -> dict[tuple[int, int], tuple[int, int]]:
        """(units, quarantined units) by (lot, location), where there are any."""
        places = [(lot, x) for lot in self.lots for x in range(self.wards + 1)]
        rows = {(lot.number, x): (lot.free.get(x, 0) + lot.held.get(x, 0), lot.held.get(x, 0)) for lot, x in places}
        return {place: units for place, units in rows.items() if units[0]}

    def first_out(self, sku: int) -> list[Lot]:
        """Lots of a SKU, earliest expiry first, ties by age."""
        return sorted((lot for lot in self.lots if lot.sku == sku), key=lambda lot: (lot.expiry, lot.number))

    def issue(self, w: int, k: int, units: int) -> None:
        """Central sends a ward what was allocated to it."""
        for lot in self.first_out(k):
            moved = min(units, lot.free.get(CENTRAL, 0))
            lot.free[CENTRAL] = lot.free.get(CENTRAL, 0) - moved
            lot.free[w + 1] = lot.free.get(w + 1, 0) + moved
            units -= moved
        assert units == 0, "central had less than it gave"

    def quarantine(self, sku: int, number: int, location: int) -> None:
        """Hold the units of a lot (any lot: number < 0) that stand at a location now."""
        for lot in self.lots:
            if lot.sku == sku and (number < 0 or number == lot.number):
                lot.held[location] = lot.held.get(location, 0) + lot.free.get(location, 0)
                lot.free[location] = 0

    def close_round(self, orders: list[dict[str, int]], last: bool) -> None:
        """Use what the first day needs, live the second day, discard issued blood; unless it was the last, open the next."""
        self.consume()
        self.morning(orders)
        self.consume()
        self.discard_blood()
        self.closing = {
            (w, k): sum(lot.free.get(w + 1, 0) for lot in self.lots if lot.sku == k)
            for w in range(self.wards)
            for k in range(self.skus)
        }
        if not last:
            self.morning(orders)
            self.erp_before, self.erp_now = self.erp_now, self.table()

    def morning(self, orders: list[dict[str, int]]) -> None:
        """A new day: receive, expire, strike."""
        self.day += 1
        for order in orders:
            if order["due"] == self.day:
                self.receive(order)
        self.expire()
        for e, (kind, day) in enumerate(self.events):
            if day == self.day:
                self.strike(e, kind)

    def receive(self, order: dict[str, int]) -> None:
        """A new lot that lives as long as its kind does."""
        sku, units = order["sku"], order["quantity"]
        life = int(self.p["shelf_life"][sku])
        expiry = NEVER if life == NEVER else self.day + life
        self.lots.append(Lot(len(self.lots), sku, expiry, order["cost"] // units, ordered=True))
        self.lots[-1].free = {order["destination"]: units}
        self.received[sku] += units

    def expire(self) -> None:
        """What is out of date is thrown away, quarantined or not."""
        for lot in self.lots:
            if lot.expiry <= self.day:
                self.throw(lot, list(range(self.wards + 1)), self.expired)

    def throw(self, lot: Lot, places: list[int], book: list[int]) -> None:
        """Throw away all units of a lot at some places."""
        for x in places:
            units = lot.free.pop(x, 0) + lot.held.pop(x, 0)
            book[lot.sku] += units
            self.wasted_value += units * lot.cost

    def strike(self, e: int, kind: int) -> None:
        """A recall puts bad units into every ward that stocks the SKU; a breach spoils the ICU's platelets."""
        if kind == Event.PRODUCT_RECALL:
            sku = int(self.p["recall_sku"])
            expiry = len(self.need) + 1
            good = [lot.expiry for lot in self.lots if lot.sku == sku and lot.event < 0]
            assert expiry < min(good), "dated so that FEFO uses them first"
            self.lots.append(Lot(len(self.lots), sku, expiry, int(self.p["unit_cost"][sku]), event=e))
            for w in range(self.wards):
                if self.p["demand"][w, sku]:
                    self.lots[-1].free[w + 1] = RECALL_UNITS
                    self.injected[sku] += RECALL_UNITS
        elif kind == Event.COLD_CHAIN_BREACH:
            self.quarantine(int(self.p["breach_sku"]), -1, int(self.p["breach_ward"]) + 1)

    def consume(self) -> None:
        """Every ward uses the day's need from its own usable stock; what is missing is lost."""
        for w in range(self.wards):
            for k in range(self.skus):
                missing = self.need[self.day - 1][w][k]
                for lot in self.first_out(k):
                    units = min(missing, lot.free.get(w + 1, 0))
                    lot.free[w + 1] = lot.free.get(w + 1, 0) - units
                    missing -= units
                    self.used[k] += units
                    self.ordered_value_used += units * int(self.p["unit_cost"][k]) * lot.ordered
                    if lot.event >= 0:
                        self.recalled_used[lot.event] += units
                self.consumed[self.day, w, k] = self.need[self.day - 1][w][k] - missing

    def discard_blood(self) -> None:
        """Issued blood does not keep."""
        for lot in self.lots:
            if self.p["criticality"][lot.sku] == Criticality.CRITICAL:
                self.throw(lot, list(range(1, self.wards + 1)), self.discarded)


def ordered_lots(s: Any) -> set[int]:
    """Numbers of the lots that a record says were ordered."""
    return {i for i in range(int(s["lot_count"])) if s["lot_origin"][i] == Origin.ORDER}
