"""The coordinator's desk: what each of the 21 tools does. Tools that only show something are free of effect here."""

from __future__ import annotations

from typing import Any

import numpy as np

from medchain.core import events, finance, inventory, procurement
from medchain.core.allocation import share
from medchain.core.audit import disclosures_this_round, most_allowed, reviews_this_round
from medchain.core.kernel import kernel
from medchain.core.outcome import refuse, tally, use_system
from medchain.core.words import (
    CENTRAL,
    EVERY,
    Fact,
    Kind,
    OrderStatus,
    Phase,
    Refusal,
    System,
    Ticket,
    Verdict,
)


@kernel
def call_tool(s: Any, p: Any, c: Any, out: Any) -> bool:
    """Carry out one tool call; True if it closes the round."""
    kind = int(c["kind"])
    if kind == Kind.NOT_UNDERSTOOD:
        refuse(out, Refusal.NOT_UNDERSTOOD, 0, 0, 0)
    elif not Kind.GET_ROUND_BRIEFING <= kind <= Kind.QUARANTINE_LOT:
        refuse(out, Refusal.NOT_YOUR_TURN, Phase.COORDINATE, 0, 0)
    elif kind == Kind.ADVANCE_ROUND:
        return True
    elif kind <= Kind.READ_INBOX:
        _look(s, c, out)
    elif kind == Kind.SUBMIT_ALLOCATION_PLAN:
        _submit_plan(s, p, c, out)
    elif kind <= Kind.WMS_SCAN_INVENTORY:
        _query(s, p, c, out)
    elif kind <= Kind.SUPPLIER_PORTAL_GET_QUOTE:
        _supplier_portal(s, p, c, out)
    elif kind == Kind.FINANCE_SAP_GET_BUDGET:
        use_system(s, System.FINANCE_SAP)
    elif kind == Kind.FINANCE_SAP_REQUEST_APPROVAL or kind == Kind.FILE_JUSTIFICATION:
        _file(s, p, c, out)
    elif kind == Kind.MESSAGING_SEND_TO_WARD:
        _message(s, c, out)
    elif kind == Kind.REQUEST_EVIDENCE:
        _request_evidence(s, p, c, out)
    elif kind == Kind.ESCALATE_TO_CLINICAL_REVIEW:
        _escalate(s, p, c, out)
    elif kind == Kind.SUBMIT_PO:
        _submit_po(s, p, c, out)
    else:
        _quarantine(s, c, out)
    return False


@kernel
def _is_ward(s: Any, c: Any, out: Any) -> bool:
    if 0 <= int(c["ward"]) < s["pressure"].shape[0]:
        return True
    return refuse(out, Refusal.UNKNOWN_WARD, int(c["ward"]), 0, 0)


@kernel
def _is_sku(s: Any, c: Any, out: Any) -> bool:
    if 0 <= int(c["sku"]) < s["first_lot"].shape[0]:
        return True
    return refuse(out, Refusal.UNKNOWN_SKU, int(c["sku"]), 0, 0)


@kernel
def _is_location(s: Any, c: Any, out: Any) -> bool:
    if CENTRAL <= int(c["location"]) < s["on_hand"].shape[1]:
        return True
    return refuse(out, Refusal.UNKNOWN_LOCATION, int(c["location"]), 0, 0)


@kernel
def _is_line(s: Any, p: Any, c: Any, out: Any) -> bool:
    if not (_is_ward(s, c, out) and _is_sku(s, c, out)):
        return False
    if int(p["demand"][int(c["ward"]), int(c["sku"])]) > 0:
        return True
    return refuse(out, Refusal.NOT_A_LINE, int(c["ward"]), int(c["sku"]), 0)


@kernel
def _is_offer(s: Any, p: Any, c: Any, out: Any) -> bool:
    """A supplier, a SKU that it sells, and a quantity one can order."""
    if not 0 <= int(c["supplier"]) < p["lead_time"].shape[0]:
        return refuse(out, Refusal.UNKNOWN_SUPPLIER, int(c["supplier"]), 0, 0)
    if not _is_sku(s, c, out):
        return False
    if int(p["sells"][int(c["supplier"]), int(c["sku"])]) == 0:
        return refuse(out, Refusal.NOT_SOLD, int(c["supplier"]), int(c["sku"]), 0)
    if not 1 <= int(c["quantity"]) <= int(p["order_quantity"]):
        return refuse(out, Refusal.QUANTITY_OUT_OF_RANGE, int(c["quantity"]), 1, int(p["order_quantity"]))
    return True


@kernel
def _look(s: Any, c: Any, out: Any) -> None:
    """Briefing, requests, inbox; `a` holds the messages shown."""
    kind = int(c["kind"])
    if kind == Kind.VIEW_REQUESTS:
        tally(s, Fact.REQUESTS_VIEWED)
        return
    if kind == Kind.READ_INBOX and not 0 <= int(c["option"]) <= 2:
        refuse(out, Refusal.ILLEGAL_OPTION, int(c["option"]), 0, 0)
        return
    out["a"] = events.mail_shown(s, int(c["option"]) if kind == Kind.READ_INBOX else 0)
    if kind == Kind.GET_ROUND_BRIEFING:
        s["briefings"][int(s["round"]) - 1] += 1
        tally(s, Fact.BRIEFING)
    elif out["a"] != 0:
        tally(s, Fact.MAIL_READ)


@kernel
def _submit_plan(s: Any, p: Any, c: Any, out: Any) -> None:
    """Move stock from central to the wards, each line up to its request or verdict; `a` is the units moved."""
    r = int(s["round"]) - 1
    wards, skus = p["demand"].shape
    if s["planned"][r] == 1:
        refuse(out, Refusal.PLAN_ALREADY_COMMITTED, 0, 0, 0)
        return
    for w in range(wards):
        for k in range(skus):
            units = int(c["quantities"][w, k])
            if units < 0:
                refuse(out, Refusal.QUANTITY_OUT_OF_RANGE, units, 0, most_allowed(s, w, k))
                return
            if units > 0 and int(p["demand"][w, k]) == 0:
                refuse(out, Refusal.NOT_A_LINE, w, k, 0)
                return
    row, spare = np.zeros(wards, np.int64), np.zeros(wards, np.int64)
    for k in range(skus):
        for w in range(wards):
            row[w] = min(int(c["quantities"][w, k]), most_allowed(s, w, k))
        share(p, k, inventory.usable(s, k, CENTRAL), row, spare)
        for w in range(wards):
            inventory.issue(s, k, w, int(row[w]))
            s["allocated"][r, w, k] = row[w]
            out["a"] += int(row[w])
            if c["cites"][w, k] == 1 and int(s["evidence"][r, w, k]) > 0:
                s["cited"][r, w, k] = 1
    s["planned"][r] = 1
    tally(s, Fact.PLAN_COMMITTED)


@kernel
def _query(s: Any, p: Any, c: Any, out: Any) -> None:
    """Histories, suppliers, ERP and WMS: the text shows them; here only the arguments are checked."""
    kind = int(c["kind"])
    if kind == Kind.QUERY_SUPPLIER:
        if not 0 <= int(c["supplier"]) < p["lead_time"].shape[0]:
            refuse(out, Refusal.UNKNOWN_SUPPLIER, int(c["supplier"]), 0, 0)
        return
    if int(c["sku"]) != EVERY and not _is_sku(s, c, out):
        return
    if kind == Kind.QUERY_WARD_HISTORY:
        if _is_ward(s, c, out) and not 1 <= int(c["quantity"]) <= 1_000_000:
            refuse(out, Refusal.QUANTITY_OUT_OF_RANGE, int(c["quantity"]), 1, 1_000_000)
        return
    if int(c["location"]) != EVERY and not _is_location(s, c, out):
        return
    if kind == Kind.QUERY_ERP and not 0 <= int(c["option"]) <= 2:
        refuse(out, Refusal.ILLEGAL_OPTION, int(c["option"]), 0, 0)
    elif kind == Kind.WMS_SCAN_INVENTORY:
        use_system(s, System.WMS)
    elif kind != Kind.QUERY_ERP:
        use_system(s, System.ERP_ORACLE)


@kernel
def _supplier_portal(s: Any, p: Any, c: Any, out: Any) -> None:
    if int(c["kind"]) == Kind.SUPPLIER_PORTAL_GET_QUOTE:
        if not 0 <= int(c["quote"]) < int(s["quote_count"]):
            refuse(out, Refusal.UNKNOWN_QUOTE, int(c["quote"]) + 1, 0, 0)
            return
        out["number"] = int(c["quote"]) + 1
    else:
        if not _is_offer(s, p, c, out):
            return
        days = procurement.lead_time(p, int(c["supplier"]), events.is_disrupted(s, p))
        out["number"] = procurement.ask_quote(s, int(c["supplier"]), int(c["sku"]), int(c["quantity"]), days)
    use_system(s, System.SUPPLIER_PORTAL)


@kernel
def _message(s: Any, c: Any, out: Any) -> None:
    if _is_ward(s, c, out):
        use_system(s, System.MESSAGING)
        _hand_over(s, Phase.REPLY, int(c["ward"]), EVERY)


@kernel
def _hand_over(s: Any, phase: int, ward: int, sku: int) -> None:
    """The turn goes to a ward or the arbiter, which answers before the coordinator goes on."""
    s["phase"] = phase
    s["asked_ward"] = ward
    s["asked_sku"] = sku
    s["refusals_in_a_row"] = 0


@kernel
def _request_evidence(s: Any, p: Any, c: Any, out: Any) -> None:
    """Pay staff to ask a ward about a line; asking again shows the same disclosure, free."""
    if not _is_line(s, p, c, out):
        return
    r, w, k = int(s["round"]) - 1, int(c["ward"]), int(c["sku"])
    cost = int(p["evidence_cost_cents"])
    if int(s["evidence"][r, w, k]) > 0:
        out["number"] = s["evidence"][r, w, k]
    elif disclosures_this_round(s) >= int(p["evidence_per_round"]):
        refuse(out, Refusal.EVIDENCE_USED_UP, int(p["evidence_per_round"]), 0, 0)
    elif cost > finance.headroom(s):
        refuse(out, Refusal.BUDGET_EXCEEDED, cost, finance.headroom(s), 0)
    else:
        finance.pay_for_audit(s, cost)
        _hand_over(s, Phase.DISCLOSE, w, k)


@kernel
def _escalate(s: Any, p: Any, c: Any, out: Any) -> None:
    """Put a line before the arbiter: before the plan, once a line, within the round's quota."""
    if not _is_line(s, p, c, out):
        return
    r, w, k = int(s["round"]) - 1, int(c["ward"]), int(c["sku"])
    cost = int(p["review_cost_cents"])
    if s["planned"][r] == 1:
        refuse(out, Refusal.PLAN_ALREADY_COMMITTED, 0, 0, 0)
    elif int(s["verdict"][r, w, k]) != Verdict.NONE:
        refuse(out, Refusal.ALREADY_REVIEWED, w, k, 0)
    elif int(s["requested"][r, w, k]) == 0:
        refuse(out, Refusal.NOT_REQUESTED, w, k, 0)
    elif reviews_this_round(s) >= int(p["reviews_per_round"]):
        refuse(out, Refusal.REVIEWS_USED_UP, int(p["reviews_per_round"]), 0, 0)
    elif cost > finance.headroom(s):
        refuse(out, Refusal.BUDGET_EXCEEDED, cost, finance.headroom(s), 0)
    else:
        finance.pay_for_audit(s, cost)
        _hand_over(s, Phase.VERDICT, w, k)


@kernel
def _submit_po(s: Any, p: Any, c: Any, out: Any) -> None:
    """Place an order; `a` is its cost in cents, `b` its due day (0: it waits for a ticket)."""
    if not (_is_offer(s, p, c, out) and _is_location(s, c, out)):
        return
    supplier, sku, to = int(c["supplier"]), int(c["sku"]), int(c["location"])
    if to != CENTRAL and int(p["demand"][to - 1, sku]) == 0:
        refuse(out, Refusal.NOT_A_LINE, to - 1, sku, 0)
        return
    if not 0 <= int(c["option"]) <= 1:
        refuse(out, Refusal.ILLEGAL_OPTION, int(c["option"]), 0, 0)
        return
    if procurement.orders_this_round(s) >= int(p["orders_per_round"]):
        refuse(out, Refusal.ORDERS_USED_UP, int(p["orders_per_round"]), 0, 0)
        return
    expedited = int(c["option"]) == 1
    quote = procurement.matching_quote(s, p, supplier, sku, int(c["quantity"]))
    days = procurement.lead_time(p, supplier, events.is_disrupted(s, p))
    if quote >= 0:
        days = int(s["quote_lead_time"][quote])
    days = procurement.expedite(days, expedited)
    cost = procurement.unit_price(p, supplier, sku, expedited, quote >= 0) * int(c["quantity"])
    if int(s["day"]) + days > s["need"].shape[0]:
        refuse(out, Refusal.ARRIVES_TOO_LATE, int(s["day"]) + days, s["need"].shape[0], 0)
    elif cost > finance.headroom(s):
        refuse(out, Refusal.BUDGET_EXCEEDED, cost, finance.headroom(s), 0)
    else:
        _place(s, p, c, out, cost, days, quote)


@kernel
def _place(s: Any, p: Any, c: Any, out: Any, cost: int, days: int, quote: int) -> None:
    over_gate = finance.running_total(s, int(c["supplier"]), int(c["sku"])) + cost > int(p["gate_cents"])
    order = procurement.place(s, c, cost, days, quote >= 0)
    if quote >= 0:
        s["quote_used"][quote] = 1
    finance.open_tickets(s, order, over_gate, int(c["option"]) == 1)
    _release_if_clear(s, order, days)
    out["number"] = order + 1
    out["a"] = cost
    out["b"] = s["order_due_day"][order]


@kernel
def _release_if_clear(s: Any, order: int, days: int) -> None:
    if not finance.is_waiting(s, order):
        procurement.release(s, order, days)
        tally(s, Fact.ORDER_RELEASED)


@kernel
def is_sound(s: Any, p: Any, c: Any, order: int) -> bool:
    """Whether a filing is sound: one claim that is true now and bears on the ordered SKU, and nothing false named."""
    sku = int(s["order_sku"][order])
    types_on, events_on, reason = 0, 0, False
    for e in range(int(s["event_count"])):
        if events.is_on(s, p, e):
            kind = int(s["event_type"][e])
            types_on |= 1 << kind
            events_on |= 1 << e
            named = (int(c["claimed_types"]) >> kind) & 1 == 1 or (int(c["claimed_events"]) >> e) & 1 == 1
            reason = reason or (named and events.bears_on(p, kind, sku))
    if finance.names_something_false(c, types_on, events_on):
        return False
    if c["claimed_supplier"] == 1 and events.is_disrupted(s, p):
        reason = reason or p["sells"][int(p["disrupted_supplier"]), sku] == 1
    if finance.claims_shortage_of(c, sku):
        in_sight = inventory.network_usable(s, sku) + procurement.pipeline(s, sku, order)
        asked = 0
        for w in range(p["demand"].shape[0]):
            asked += int(s["requested"][int(s["round"]) - 1, w, sku])
        reason = reason or finance.is_short(p, sku, in_sight, asked, int(s["order_lead_time"][order]))
    return reason


@kernel
def _file(s: Any, p: Any, c: Any, out: Any) -> None:
    """File an approval (APR) or a justification (JUS): a sound one releases the order, an unsound one cancels it.

    `a` is 1 if sound, `b` the due day (0: it still waits for its other ticket).
    """
    order = int(c["ticket"])
    approval = int(c["kind"]) == Kind.FINANCE_SAP_REQUEST_APPROVAL
    tickets = s["order_approval"] if approval else s["order_justification"]
    if not 0 <= order < int(s["order_count"]) or int(tickets[order]) == Ticket.NONE:
        refuse(out, Refusal.UNKNOWN_TICKET, order + 1, 0, 0)
        return
    if int(tickets[order]) != Ticket.OPEN or int(s["order_status"][order]) != OrderStatus.WAITING:
        refuse(out, Refusal.TICKET_CLOSED, order + 1, 0, 0)
        return
    days = procurement.lead_time_of(s, p, order, events.is_disrupted(s, p))
    if int(s["day"]) + days > s["need"].shape[0]:
        refuse(out, Refusal.ARRIVES_TOO_LATE, int(s["day"]) + days, s["need"].shape[0], 0)
        return
    sound = is_sound(s, p, c, order)
    out["number"] = order + 1
    out["a"] = 1 if sound else 0
    tickets[order] = Ticket.SOUND if sound else Ticket.UNSOUND
    if not sound:
        s["unsound"] += 1
        procurement.cancel(s, order)
    else:
        if approval and procurement.placed_this_round(s, order):
            s["approved_at_once"] += 1
        _release_if_clear(s, order, days)
        out["b"] = s["order_due_day"][order]
    if approval:
        use_system(s, System.FINANCE_SAP)
        tally(s, Fact.APPROVAL_SOUND if sound else Fact.APPROVAL_UNSOUND)


@kernel
def _quarantine(s: Any, c: Any, out: Any) -> None:
    """Set aside a lot (or all lots of a SKU) at one location; `a` is the units."""
    if not (_is_sku(s, c, out) and _is_location(s, c, out)):
        return
    sku, to, lot = int(c["sku"]), int(c["location"]), int(c["lot"])
    if lot != EVERY and not (0 <= lot < int(s["lot_count"]) and int(s["lot_sku"][lot]) == sku):
        refuse(out, Refusal.UNKNOWN_LOT, lot, sku, to)
        return
    stops_recall = False
    for e in range(s["recall_lot"].shape[0]):
        bad = int(s["recall_lot"][e])
        if bad >= 0 and (lot == EVERY or lot == bad) and int(s["lot_sku"][bad]) == sku:
            stops_recall = stops_recall or inventory.available(s, bad, to) > 0
    units = inventory.quarantine(s, sku, lot, to)
    if units == 0:
        refuse(out, Refusal.NOTHING_TO_QUARANTINE, lot, sku, to)
        return
    out["a"] = units
    if stops_recall:
        tally(s, Fact.RECALL_STOPPED)
