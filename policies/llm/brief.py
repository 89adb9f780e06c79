"""The short form that a tiny model reads: numbers as shares of what is usual, a line per product, a word per result."""

from __future__ import annotations

from typing import Any

from medchain.core.views import UNSEEN
from medchain.core.words import Event, EventStatus, Kind, Ticket, Verdict
from medchain.tools.names import Names
from medchain.tools.text_orders import on_order
from medchain.tools.text_refusals import Refused, refusal_error
from medchain.tools.text_stock import totals

STEP, MOST = 5, 400
TINY_SYSTEM = "Run the pharmacy."


def share(units: float, usual: float) -> int:
    """`units` in percent of `usual`, in steps of five, at most 400."""
    return int(min(MOST, STEP * round(100.0 * units / max(usual, 1.0) / STEP)))


def tiny_brief(names: Names, view: Any, note: str = "") -> str:
    """Round, money left, reputations and events; then per product: what each ward asks and holds, central's stock, on order.

    Requests and ward stock are in percent of the line's usual need of a round, central's and orders of the network's.
    """
    wards, rounds = range(len(names.wards)), names.scenario.clock.rounds
    head = [f"round {int(view['round'])}", f"left {rounds - int(view['round'])}"]
    head += [f"money {share(int(view['headroom']), int(view['limit']))}", f"mail {int((view['mail'] == 1).any())}"]
    lines = [" ".join(head), "trust " + " ".join(str(share(int(view["reputation"][w]), 10_000)) for w in wards)]
    for e in range(len(view["event_status"])):
        status = EventStatus(int(view["event_status"][e]))
        if status in (EventStatus.WARNED, EventStatus.ACTIVE):
            lines.append(f"{Event(int(view['event_type'][e])).name.lower()} {status.name.lower()}")
    stock, coming = totals(names, view, "scan"), on_order(names, view)
    for k, sku in enumerate(names.skus):
        network = sum(names.usual(w, k) for w in wards)
        lined = [w for w in wards if names.usual(w, k)]
        asked = [share(int(view["requested"][w, k]), names.usual(w, k)) for w in lined]
        shelf = [share(stock[k][w + 1], names.usual(w, k)) for w in lined]
        numbers = [*asked, *shelf, share(stock[k][0], network), share(coming[k], network)]
        lines.append(f"{sku} {' '.join(map(str, numbers))}")
    lines += tiny_tickets(view)
    if note:
        lines.append(f"note {note}")
    return "\n".join(lines)


def tiny_tickets(view: Any) -> list[str]:
    """Open tickets, and the latest quotes that are ready."""
    lines = []
    for o in range(int(view["order_count"])):
        if view["order_approval"][o] == Ticket.OPEN:
            lines.append(f"APR-{o + 1}")
        if view["order_justification"][o] == Ticket.OPEN:
            lines.append(f"JUS-{o + 1}")
    quotes = [q for q in range(int(view["quote_count"])) if not view["quote_used"][q]]
    ready = [q for q in quotes if 0 < int(view["round"]) - int(view["quote_round"][q]) <= 2]
    return lines + [f"QT-{q + 1}" for q in ready[-4:]]


def tiny_result(names: Names, view: Any, command: Any, result: Any) -> str:
    """What came of one call in a few tokens, nothing where it simply worked; `view` is the coordinator's after it."""
    if not result["ok"]:
        return f"no {refusal_error(Refused(names, view, command, result)).code}"
    kind, w, k = Kind(int(command["kind"])), int(command["ward"]), int(command["sku"])
    if kind == Kind.REQUEST_EVIDENCE and view["evidence"][w, k]:
        seen = int(view["patients"][w, k])
        census = share(seen, names.scenario.wards[names.wards[w]].census) if seen != UNSEEN else "-"
        return f"EV-{int(view['evidence'][w, k])} {names.wards[w]} {names.skus[k]} {census}"
    if kind == Kind.ESCALATE_TO_CLINICAL_REVIEW and view["verdict"][w, k]:
        verdict = Verdict(int(view["verdict"][w, k])).name
        granted = share(int(view["most_allowed"][w, k]), int(view["requested"][w, k]))
        return f"{verdict} {names.wards[w]} {names.skus[k]} {granted}"
    if kind == Kind.SUBMIT_PO:
        order = int(result["number"])
        at = order - 1
        if 0 <= at < int(view["order_count"]):
            if view["order_approval"][at] == Ticket.OPEN:
                return f"APR-{order}"
            if view["order_justification"][at] == Ticket.OPEN:
                return f"JUS-{order}"
    return ""
