"""What a spectator sees: a page of text, or a dashboard. Spectators see everything, true need and pressure included."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from medchain.core.session import Session
from medchain.core.words import CENTRAL, Event, EventStatus, Field, OrderStatus, Phase, Verdict
from medchain.env.spaces import BANDS
from medchain.reward.formula import breakdown

Array = np.ndarray[Any, Any]


class Line(NamedTuple):
    """A line in the round that is shown; quantities in units, `usual` the usual need of a round."""

    ward: int
    sku: int
    usual: int
    need: int
    requested: int
    allocated: int
    stock: int
    marks: str


class Happening(NamedTuple):
    """An event: type, first day, days it lasts, EventStatus."""

    kind: int
    day: int
    days: int
    status: int


class Scene:
    """A session's state in the terms of a picture; nothing in it can change the session."""

    def __init__(self, session: Session) -> None:
        """Read `session`."""
        self.scenario = session.scenario
        s, self.params = session.record, session.params[0]
        self.record, self.z = s, session.scenario.sizes
        asked = session.pending()
        self.ended = session.ended
        self.round, self.day = int(s["round"]), int(s["day"])
        self.phase = Phase(int(s["phase"]))
        self.turn = session.scenario.agents[asked.agent]
        self.calls_left = session.scenario.limits.calls_per_round - int(s["calls"])
        self.wards, self.skus = list(session.scenario.wards), list(session.scenario.skus)
        self.demand = self.params["demand"]

    @property
    def lines(self) -> list[Line]:
        """All lines of the present round, ward by ward."""
        return [self._line(w, k) for w, k in np.argwhere(self.demand > 0)]

    def _line(self, w: int, k: int) -> Line:
        s, r = self.record, self.round - 1
        lots = s["lot_sku"][: s["lot_count"]] == k
        usable = (s["on_hand"] - s["quarantined"])[: s["lot_count"], w + 1]
        verdict, redacted = Verdict(int(s["verdict"][r, w, k])), Field(int(s["redacted"][r, w, k]))
        marks = "E" if s["evidence"][r, w, k] else ""
        marks += "*" if redacted != Field.NONE else ""
        marks += f" {verdict.name}" if verdict != Verdict.NONE else ""
        return Line(
            int(w),
            int(k),
            2 * int(self.demand[w, k]),
            int(s["need"][2 * r : 2 * r + 2, w, k].sum()),
            int(s["requested"][r, w, k]),
            int(s["allocated"][r, w, k]),
            int(usable[lots].sum()),
            marks.strip(),
        )

    def stock_by_band(self) -> Array:
        """Usable units of the network, [sku, band], bands as in spaces.BANDS; then quarantined; then on order."""
        s = self.record
        found = np.zeros((self.z.skus, len(BANDS) + 3))
        for lot in range(int(s["lot_count"])):
            k, left = int(s["lot_sku"][lot]), int(s["lot_expiry"][lot]) - self.day
            band = next((i for i, end in enumerate(BANDS) if left <= end), len(BANDS))
            found[k, band] += (s["on_hand"][lot] - s["quarantined"][lot]).sum()
            found[k, len(BANDS) + 1] += s["quarantined"][lot].sum()
        for o in range(int(s["order_count"])):
            if int(s["order_status"][o]) in (OrderStatus.WAITING, OrderStatus.IN_TRANSIT):
                found[int(s["order_sku"][o]), len(BANDS) + 2] += int(s["order_quantity"][o])
        return found

    def central(self) -> Array:
        """Usable units at the central pharmacy, [sku]."""
        s = self.record
        usable = (s["on_hand"] - s["quarantined"])[: s["lot_count"], CENTRAL]
        units = np.zeros(self.z.skus, int)
        np.add.at(units, s["lot_sku"][: s["lot_count"]], usable)
        return units

    def money(self) -> dict[str, int]:
        """Where the budget is, in cents: the parts add up to the limit."""
        s = self.record
        parts = {"orders": int(s["spent_on_orders"]), "audit": int(s["spent_on_audit"]), "committed": int(s["committed"])}
        return parts | {"headroom": int(s["limit"]) - sum(parts.values())}

    def fill(self) -> Array:
        """Fill rate of each ward in each closed round, [round, ward]: mean over its lines, 1 where nothing is needed."""
        s = self.record
        closed = self.round - (0 if self.ended else 1)
        need = s["need"].reshape(-1, 2, *self.demand.shape).sum(axis=1)[:closed]
        used = s["consumed"].reshape(-1, 2, *self.demand.shape).sum(axis=1)[:closed]
        rate = np.divide(used, need, out=np.ones(need.shape), where=need > 0)
        lines = self.demand > 0
        return np.array([[row[w][lines[w]].mean() if lines[w].any() else 1.0 for w in range(self.z.wards)] for row in rate])

    def events(self, statuses: Any) -> list[Happening]:
        """The schedule; `statuses` is what the coordinator may know of each event."""
        p, s = self.params, self.record
        days = {Event.MCI: p["mci_days"], Event.SUPPLIER_DISRUPTION: p["disruption_days"]}
        days |= {Event.COLD_CHAIN_BREACH: p["breach_days"], Event.PRODUCT_RECALL: 1}
        found = []
        for e in range(int(s["event_count"])):
            kind = int(s["event_type"][e])
            found.append(Happening(kind, int(s["event_day"][e]), int(days[Event(kind)]), int(statuses[e])))
        return found


def ansi(session: Session) -> str:
    """The state as a page of text."""
    scene = Scene(session)
    out = [f"MedChain: {title(scene)}", ""]
    head = f"{'ward':<14}{'product':<12}{'need':>7}{'asked':>7}{'given':>7}{'stock':>7}  audit"
    out += [head, "-" * len(head)]
    for line in scene.lines:
        name = f"{scene.wards[line.ward]:<14}{scene.skus[line.sku]:<12}"
        figures = (line.need, line.requested, line.allocated, line.stock)
        out.append((name + "".join(f"{n:>7}" for n in figures) + f"  {line.marks}").rstrip())
    out += ["", "central:      " + ", ".join(f"{k} {n}" for k, n in zip(scene.skus, scene.central(), strict=True))]
    out.append("budget:       " + ", ".join(f"{name} ${cents / 100:,.0f}" for name, cents in scene.money().items()))
    for w, ward in enumerate(scene.wards):
        s = scene.record
        trust = f"pressure {s['pressure'][w] / 10_000:.2f}, reputation {s['reputation'][w] / 10_000:.2f}"
        fills = " ".join(f"{rate:.2f}" for rate in scene.fill()[:, w]) if len(scene.fill()) else "-"
        out.append(f"{ward + ':':<14}{trust}, fill by round {fills}")
    for event in scene.events(session.view(0)[0]["event_status"]):
        status = EventStatus(event.status).name.lower().replace("unknown", "to come")
        out.append(f"event:        day {event.day} {Event(event.kind).name.lower()} ({status})")
    return "\n".join(out) + "\n"


def title(scene: Scene) -> str:
    """When it is, and whose turn."""
    when = f"round {scene.round} of {scene.z.rounds}, day {scene.day} of {scene.z.days}"
    if scene.ended:
        return f"{when}, the episode is over: score {breakdown(scene.record, scene.params)['score']:.3f}"
    return f"{when}, {scene.turn}'s turn ({scene.phase.name.lower()}), {scene.calls_left} calls left"
