"""Events as text: their facts, and the messages that announce them."""

from __future__ import annotations

from typing import Any

from medchain.core.words import Criticality, Event, EventStatus, Mail
from medchain.tools.names import FIRST_RECALL, Names, event_id

SENDERS = {
    Event.MCI: "emergency.operations",
    Event.SUPPLIER_DISRUPTION: "supplier.relations",
    Event.PRODUCT_RECALL: "product.safety",
    Event.COLD_CHAIN_BREACH: "facilities.monitoring",
}
SUBJECTS = {
    Event.MCI: "Mass casualty incident",
    Event.SUPPLIER_DISRUPTION: "Supplier disruption",
    Event.PRODUCT_RECALL: "Product recall",
    Event.COLD_CHAIN_BREACH: "Cold chain breach",
}


def known_events(view: Any) -> list[int]:
    """Indices of the events that the view knows of."""
    return [e for e, now in enumerate(view["event_status"].tolist()) if now != EventStatus.UNKNOWN]


def event_line(view: Any, e: int) -> str:
    """One event: id, type, state, day."""
    status, kind = EventStatus(int(view["event_status"][e])), Event(int(view["event_type"][e]))
    return f"{event_id(e)} {kind.name.lower()}: {status.name.lower()}, day {int(view['event_day'][e])}"


def current_events(view: Any) -> list[int]:
    """Indices of the events that are warned of or active."""
    return [e for e in known_events(view) if int(view["event_status"][e]) != EventStatus.OVER]


def event_lines(view: Any) -> list[str]:
    """Events that are warned of or active."""
    return [event_line(view, e) for e in current_events(view)] or ["no event is active or warned of"]


def recall_number(view: Any, e: int) -> int:
    """Number in the id of the lot that recall event `e` is about."""
    earlier = sum(1 for i in range(e) if int(view["event_type"][i]) == Event.PRODUCT_RECALL)
    return FIRST_RECALL + earlier


def facts(names: Names, view: Any, e: int) -> str:
    """What an event does, in a sentence."""
    s, kind, day = names.scenario, int(view["event_type"][e]), int(view["event_day"][e])
    events = s.events
    if kind == Event.MCI:
        acute = [name for name, ward in s.wards.items() if ward.acute]
        until = day + events.mci_days - 1
        return (
            f"Days {day} to {until}: {' and '.join(acute)} need about {s.need.mci_factor:g} times the usual of every "
            f"{Criticality.CRITICAL.name} and {Criticality.HIGH.name} product."
        )
    if kind == Event.SUPPLIER_DISRUPTION:
        until = day + events.disruption_days - 1
        return (
            f"Days {day} to {until}: {events.disrupted_supplier} delivers in {events.disrupted_lead_time_days} days "
            "what is ordered now. Other suppliers are not affected."
        )
    if kind == Event.PRODUCT_RECALL:
        lot = f"{names.recall_prefix}{recall_number(view, e)}"
        stocked = [names.wards[w] for w in range(len(names.wards)) if names.skus.index(events.recall_sku) in names.lines(w)]
        return (
            f"{events.recall_units} units of lot {lot} of {events.recall_sku} were found at each of {', '.join(stocked)}; "
            "they would be used first, and every unit used harms a patient. Quarantine the lot at every place."
        )
    return (
        f"The refrigeration of {events.breach_ward} failed: all {events.breach_sku} there is quarantined and lost. "
        f"Days {day} to {day + events.breach_days - 1} it must be served anew."
    )


def mail_line(names: Names, view: Any, e: int, part: int) -> str:
    """One message: day, priority, sender, subject, body with the facts and the event's id. Part 0 is a warning."""
    kind = Event(int(view["event_type"][e]))
    day = int(view["event_day"][e]) - (1 if part == 0 else 0)
    priority = "normal" if kind == Event.SUPPLIER_DISRUPTION else "URGENT"
    what = f"{SUBJECTS[kind]} {'expected tomorrow' if part == 0 else 'today'}"
    return f"[{priority}] day {day} 06:00, from {SENDERS[kind]}: {what} ({event_id(e)}). {facts(names, view, e)}"


def mail_lines(names: Names, view: Any, bits: int) -> list[str]:
    """The messages of a bit set (2e: warning, 2e + 1: event), newest first."""
    found = [(e, part) for e in known_events(view) for part in range(2) if bits >> (2 * e + part) & 1]
    found.sort(key=lambda m: (int(view["event_day"][m[0]]) - (m[1] == 0), m), reverse=True)
    return [mail_line(names, view, e, part) for e, part in found] or ["no messages"]


def unread(view: Any) -> int:
    """Messages not read yet."""
    return sum(row.count(int(Mail.UNREAD)) for row in view["mail"].tolist())
