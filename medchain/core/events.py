"""The four events: when they are known, when they are on, what they strike, which SKUs they bear on."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.words import Criticality, Event, EventStatus, Mail


@kernel
def status(s: Any, p: Any, e: int) -> int:
    """EventStatus of event `e` this morning: hidden until its day, an MCI warned of the day before."""
    if e >= int(s["event_count"]):
        return EventStatus.UNKNOWN
    kind, first, day = int(s["event_type"][e]), int(s["event_day"][e]), int(s["day"])
    if day < first:
        return EventStatus.WARNED if kind == Event.MCI and day == first - 1 else EventStatus.UNKNOWN
    if kind == Event.PRODUCT_RECALL:
        return EventStatus.ACTIVE if _recalled_units(s, int(s["recall_lot"][e])) > 0 else EventStatus.OVER
    days = int(p["mci_days"])
    if kind == Event.SUPPLIER_DISRUPTION:
        days = int(p["disruption_days"])
    elif kind == Event.COLD_CHAIN_BREACH:
        days = int(p["breach_days"])
    return EventStatus.ACTIVE if day < first + days else EventStatus.OVER


@kernel
def _recalled_units(s: Any, lot: int) -> int:
    units = 0
    for location in range(s["on_hand"].shape[1]):
        units += int(s["on_hand"][lot, location]) - int(s["quarantined"][lot, location])
    return units


@kernel
def is_on(s: Any, p: Any, e: int) -> bool:
    """Whether event `e` is active or warned of, so that a claim may name it."""
    now = status(s, p, e)
    return now == EventStatus.ACTIVE or now == EventStatus.WARNED


@kernel
def is_disrupted(s: Any, p: Any) -> bool:
    """Whether a supplier disruption is on."""
    for e in range(int(s["event_count"])):
        if int(s["event_type"][e]) == Event.SUPPLIER_DISRUPTION and status(s, p, e) == EventStatus.ACTIVE:
            return True
    return False


@kernel
def bears_on(p: Any, kind: int, sku: int) -> bool:
    """Whether an event of this type is a reason to buy `sku`."""
    if kind == Event.MCI:
        return int(p["criticality"][sku]) >= Criticality.HIGH
    if kind == Event.SUPPLIER_DISRUPTION:
        return int(p["sells"][int(p["disrupted_supplier"]), sku]) == 1
    if kind == Event.PRODUCT_RECALL:
        return sku == int(p["recall_sku"])
    return sku == int(p["breach_sku"])


@kernel
def deliver_mail(s: Any) -> None:
    """Put this morning's messages, and last evening's, into the coordinator's inbox."""
    for e in range(int(s["event_count"])):
        days_ahead = int(s["event_day"][e]) - int(s["day"])
        if int(s["event_type"][e]) == Event.MCI and days_ahead <= 1 and int(s["mail"][e, 0]) == Mail.ABSENT:
            s["mail"][e, 0] = Mail.UNREAD
        if days_ahead <= 0 and int(s["mail"][e, 1]) == Mail.ABSENT:
            s["mail"][e, 1] = Mail.UNREAD


@kernel
def mail_shown(s: Any, shown: int) -> int:
    """Messages that a filter shows (0 unread, 1 all, 2 flagged: urgent ones), as bits 2e and 2e + 1; marks them read."""
    bits = 0
    for e in range(int(s["event_count"])):
        for part in range(2):
            mail = int(s["mail"][e, part])
            urgent = int(s["event_type"][e]) != Event.SUPPLIER_DISRUPTION
            if mail != Mail.ABSENT and (shown == 1 or (shown == 0 and mail == Mail.UNREAD) or (shown == 2 and urgent)):
                bits |= 1 << (2 * e + part)
                s["mail"][e, part] = Mail.READ
    return bits
