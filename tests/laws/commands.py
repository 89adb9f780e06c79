"""Random commands: mostly what a player could mean, some that nobody should send.

The writer reads the whole record, so that its commands are often legal; it is a driver of the core, not a player.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from medchain.core.words import EVERY, Field, Kind, OrderStatus, Phase, Ticket, Verdict
from tests.laws.chance import Chance

EXTREMES = {
    1: (-128, -1, 0, 1, 2, 3, 4, 127),
    2: (-32768, -2, -1, 0, 1, 3, 4, 10, 263, 264, 480, 32767),
    4: (-(2**31), -2, -1, 0, 1, 4, 5, 10, 240, 480, 10**6, 10**6 + 1, 2**31 - 1),
    8: (-(2**63), -(2**40), -2, -1, 0, 1, 10**6, 10**6 + 1, 2**31, 2**40, 2**63 - 1),
}
"""Values worth trying, by the bytes of a field."""

ODD_KINDS = (-32768, -1, 26, 127, 32767, *Kind)
LINES_PADDED = (0, 50, 95, 100, 104, 108, 112, 130, 180, 250)
"""Requests as percent of need."""


class Habits(NamedTuple):
    """What a driver tends to do, in percent of its commands."""

    hostile: int
    advance: int


class Writer:
    """Writes random commands for whoever is asked."""

    def __init__(self, params: Any, chance: Chance, habits: Habits) -> None:
        self.p, self.chance, self.habits = params[0], chance, habits
        self.wards, self.skus = self.p["demand"].shape
        self.demand = self.p["demand"].tolist()
        self.lines = [(w, k) for w in range(self.wards) for k in range(self.skus) if self.demand[w][k]]
        self.cost, self.price = self.p["unit_cost"].tolist(), self.p["price_percent"].tolist()
        self.calls = [self._plan] * 5 + [self._order] * 8 + [self._quote] * 3 + [self._ticket] * 6
        self.calls += [self._quarantine] * 2 + [self._ask] * 9 + [self._look] * 8
        self.calls += [chance.pick(self.calls)] * chance.pick((0, 150))  # some have a favourite, and use it up
        self.thrifty = chance.hits(50)

    def write(self, c: Any, s: Any) -> None:
        """Write the next command into `c`, a zeroed command record; `s` is the episode's record."""
        self._mean_well(c, s)
        if self.chance.hits(self.habits.hostile):
            self._spoil(c)

    def _spoil(self, c: Any) -> None:
        """Another kind, some fields out of range, or nothing but extremes."""
        style = self.chance.below(4)
        names = [name for name in c.dtype.names if name != "spare"]
        if style == 0:
            c["kind"] = self.chance.pick(ODD_KINDS)
        chosen = names if style == 1 else [self.chance.pick(names) for _ in range(1 + self.chance.below(3))]
        for name in chosen if style else []:
            field = c.dtype[name]
            value = self.chance.pick(EXTREMES[field.base.itemsize])
            if name == "kind":
                c[name] = self.chance.pick(ODD_KINDS)
            elif field.shape:
                cell = self.chance.below(self.wards), self.chance.below(self.skus)
                c[name][cell if self.chance.hits(50) else ...] = value
            else:
                c[name] = value

    def _mean_well(self, c: Any, s: Any) -> None:
        phase = int(s["phase"])
        if phase == Phase.REQUEST:
            self._request(c, s)
        elif phase == Phase.DISCLOSE:
            c["kind"], c["option"] = Kind.DISCLOSE, self.chance.pick(tuple(Field))
        elif phase == Phase.VERDICT:
            c["kind"] = Kind.RULE
            c["option"] = self.chance.pick((Verdict.APPROVE, Verdict.REDUCE, Verdict.DENY))
            c["quantity"] = self.chance.below(90) if self.chance.hits(40) else 0
        elif phase == Phase.REPLY:
            c["kind"] = Kind.REPLY
        else:
            self._call(c, s)

    def _request(self, c: Any, s: Any) -> None:
        c["kind"] = Kind.REQUEST
        w, r = int(s["asked_ward"]), int(s["round"]) - 1
        need = (s["need"][2 * r, w] + s["need"][2 * r + 1, w]).tolist()
        habit = self.chance.pick(LINES_PADDED)
        percent = [self.chance.pick((habit, self.chance.pick(LINES_PADDED))) for _ in need]
        c["quantities"][w] = [n * more // 100 for n, more in zip(need, percent, strict=True)]
        c["reasons"][w] = [self.chance.below(4) if d else 0 for d in self.demand[w]]

    def _call(self, c: Any, s: Any) -> None:
        """One of the 21 tools."""
        chance = self.chance
        c["ward"], c["sku"] = chance.pick(self.lines)
        c["supplier"], c["location"] = chance.below(len(self.price)), chance.below(self.wards + 1)
        c["lot"], c["option"] = EVERY, chance.below(2)
        if chance.hits(self.habits.advance):
            c["kind"] = Kind.ADVANCE_ROUND
            return
        chance.pick(self.calls)(c, s)

    def _plan(self, c: Any, s: Any) -> None:
        """A share of what is asked, often more than is allowed; rationales cite at random. Seldom twice a round."""
        if s["planned"][int(s["round"]) - 1] and self.chance.hits(90):
            self._ask(c, s)
            return
        c["kind"] = Kind.SUBMIT_ALLOCATION_PLAN
        asked = s["requested"][int(s["round"]) - 1]
        share = np.array([self.chance.pick((0, 30, 70, 100, 100, 130)) for _ in range(self.wards)])
        c["quantities"] = asked * share[:, None] // 100
        if self.chance.hits(30):
            c["quantities"][self.chance.pick(self.lines)] = 10**6
        c["cites"] = [[self.chance.below(2)] * self.skus for _ in range(self.wards)]

    def _order(self, c: Any, s: Any) -> None:
        """Some units, or just below, at or above the approval gate."""
        c["kind"] = Kind.SUBMIT_PO
        w, k = int(c["ward"]), int(c["sku"])
        c["location"] = self.chance.pick((0, w + 1))
        gate = int(self.p["gate_cents"]) * 100 // (self.cost[k] * self.price[int(c["supplier"])])
        usual = sum(row[k] for row in self.demand)
        c["quantity"] = self.chance.pick((1, usual, 2 * usual, 4 * usual, gate, gate + 1, gate // 2 + 1))
        if self.thrifty and self.chance.hits(80):
            c["quantity"] = 1
        c["option"] = self.chance.hits(30)

    def _quote(self, c: Any, s: Any) -> None:
        c["kind"] = self.chance.pick((Kind.SUPPLIER_PORTAL_REQUEST_QUOTE, Kind.SUPPLIER_PORTAL_GET_QUOTE))
        c["quantity"] = self.chance.pick((10, 100, 1000))
        c["quote"] = self.chance.below(int(s["quote_count"]) + 1)

    def _ticket(self, c: Any, s: Any) -> None:
        """File on an open ticket if there is one, for a reason that may be true."""
        if int(s["order_count"]) == 0:
            self._order(c, s)
            return
        waiting = np.flatnonzero(s["order_status"] == OrderStatus.WAITING).tolist()
        order = self.chance.pick(waiting) if waiting else self.chance.below(int(s["order_count"]) + 1)
        approval = int(s["order_approval"][order]) == Ticket.OPEN
        kinds = (Kind.FILE_JUSTIFICATION, Kind.FINANCE_SAP_REQUEST_APPROVAL)
        c["kind"] = kinds[approval] if self.chance.hits(80) else self.chance.pick(kinds)
        c["ticket"] = order
        sku, style = int(s["order_sku"][order]), self.chance.below(8)
        events, kinds_of = int(s["event_count"]), s["event_type"].tolist()
        if style == 0 and events:
            c["claimed_types"] = 1 << kinds_of[self.chance.below(events)]
        elif style == 1 and events:
            c["claimed_events"] = 1 << self.chance.below(events)
        elif style == 2:
            c["claimed_supplier"] = 1
        elif style == 3:
            c["claimed_types"], c["claimed_events"] = self.chance.below(16), self.chance.below(32)
            c["claimed_nonsense"], c["claimed_shortage"] = self.chance.below(2), 1
        elif style == 4:
            c["claimed_shortage"] = 1
        else:
            c["claimed_skus"] = 1 << sku

    def _quarantine(self, c: Any, s: Any) -> None:
        c["kind"] = Kind.QUARANTINE_LOT
        style, lot = self.chance.below(10), self.chance.below(int(s["lot_count"]))
        if style < 7:
            c["lot"], c["sku"] = lot, s["lot_sku"][lot]
        elif style == 7:
            c["lot"] = lot  # of whatever SKU

    def _ask(self, c: Any, s: Any) -> None:
        kinds = (Kind.REQUEST_EVIDENCE, Kind.MESSAGING_SEND_TO_WARD, Kind.ESCALATE_TO_CLINICAL_REVIEW)
        too_late = s["planned"][int(s["round"]) - 1] and self.chance.hits(90)
        c["kind"] = self.chance.pick(kinds[:2] if too_late else kinds)

    def _look(self, c: Any, s: Any) -> None:
        """A tool that only shows something."""
        c["kind"] = self.chance.pick(
            (
                Kind.GET_ROUND_BRIEFING,
                Kind.VIEW_REQUESTS,
                Kind.READ_INBOX,
                Kind.QUERY_WARD_HISTORY,
                Kind.QUERY_ERP,
                Kind.QUERY_SUPPLIER,
                Kind.ERP_ORACLE_GET_INVENTORY,
                Kind.ERP_ORACLE_GET_PIPELINE,
                Kind.WMS_SCAN_INVENTORY,
                Kind.FINANCE_SAP_GET_BUDGET,
            )
        )
        c["quantity"] = 10
        c["location"] = self.chance.pick((EVERY, int(c["location"])))
