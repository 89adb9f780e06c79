"""The order of things: how an episode starts, how a round opens and closes, and who is asked next."""

from __future__ import annotations

from typing import Any

from medchain.core.allocation import request_refusal, take_request
from medchain.core.audit import chart_estimate, disclose, granted
from medchain.core.demand import draw_need
from medchain.core.desk import call_tool
from medchain.core.events import deliver_mail
from medchain.core.finance import settle_receipt
from medchain.core.inventory import (
    add_lot,
    clear_shelves,
    consume,
    discard_issued_blood,
    expire,
    note_closing_stock,
    quarantine,
    snapshot,
)
from medchain.core.kernel import kernel
from medchain.core.lines import is_padded, legal_most, true_need
from medchain.core.outcome import refuse, tally
from medchain.core.tape import draw_budget, draw_events, opening_expiry, opening_units
from medchain.core.trust import decay_reputation, opening_trust, settle
from medchain.core.words import (
    CENTRAL,
    COORDINATOR,
    EVERY,
    NEVER,
    Event,
    Fact,
    Kind,
    OrderStatus,
    Origin,
    Phase,
    Reason,
    Refusal,
    Verdict,
)
from medchain.core.words import Field as Redaction


@kernel
def start_episode(s: Any, p: Any, seed: Any) -> None:
    """Draw the tape of `seed` into a zeroed record and open round 1."""
    s["seed"] = seed
    draw_events(s, p)
    draw_budget(s, p)
    draw_need(s, p)
    stock_shelves(s, p)
    opening_trust(s, p)
    s["round"] = 1
    s["day"] = 1
    snapshot(s)
    open_round(s, p)


@kernel
def stock_shelves(s: Any, p: Any) -> None:
    """Opening stock: per SKU one lot for the wards and one for central."""
    clear_shelves(s)
    for k in range(p["unit_cost"].shape[0]):
        cost = int(p["unit_cost"][k])
        in_wards = add_lot(s, k, opening_expiry(p, False, k), cost, Origin.OPENING)
        in_central = add_lot(s, k, opening_expiry(p, True, k), cost, Origin.OPENING)
        for location in range(s["on_hand"].shape[1]):
            lot = in_central if location == CENTRAL else in_wards
            units = opening_units(s, p, location, k)
            s["on_hand"][lot, location] = units
            s["opened"][k] += units
            s["opening_value"] += units * cost


@kernel
def open_round(s: Any, p: Any) -> None:
    """The morning of a round's first day."""
    receive(s, p)
    expire(s)
    strike_events(s, p)
    snapshot(s)
    decay_reputation(s, p)
    deliver_mail(s)
    s["calls"] = 0
    s["refusals_in_a_row"] = 0
    s["phase"] = Phase.REQUEST
    s["asked_ward"] = 0
    s["asked_sku"] = EVERY


@kernel
def close_round(s: Any, p: Any) -> None:
    """Two days of use, then the books: unused blood, trust; and the next round opens, or the episode ends."""
    consume(s, p)
    s["day"] += 1
    receive(s, p)
    expire(s)
    strike_events(s, p)
    consume(s, p)
    discard_issued_blood(s, p)
    note_closing_stock(s, p)
    settle(s, p)
    if int(s["round"]) == s["requested"].shape[0]:
        s["phase"] = Phase.ENDED
        s["asked_ward"] = EVERY
        s["asked_sku"] = EVERY
    else:
        s["day"] += 1
        s["round"] += 1
        open_round(s, p)


@kernel
def receive(s: Any, p: Any) -> None:
    """Take in the orders due today; a received lot expires on its receipt day + shelf life."""
    for o in range(int(s["order_count"])):
        if int(s["order_status"][o]) != OrderStatus.IN_TRANSIT or int(s["order_due_day"][o]) != int(s["day"]):
            continue
        sku, units = int(s["order_sku"][o]), int(s["order_quantity"][o])
        shelf = int(p["shelf_life"][sku])
        expiry = NEVER if shelf == NEVER else int(s["day"]) + shelf
        lot = add_lot(s, sku, expiry, int(s["order_cost"][o]) // units, Origin.ORDER)
        s["on_hand"][lot, int(s["order_destination"][o])] = units
        s["received"][sku] += units
        s["order_status"][o] = OrderStatus.RECEIVED
        settle_receipt(s, o)


@kernel
def strike_events(s: Any, p: Any) -> None:
    """What today's events do to stock; an MCI and a disruption act through need and lead times."""
    for e in range(int(s["event_count"])):
        if int(s["event_day"][e]) != int(s["day"]):
            continue
        if int(s["event_type"][e]) == Event.PRODUCT_RECALL:
            _find_recalled_lot(s, p, e)
        elif int(s["event_type"][e]) == Event.COLD_CHAIN_BREACH:
            quarantine(s, int(p["breach_sku"]), EVERY, int(p["breach_ward"]) + 1)


@kernel
def _find_recalled_lot(s: Any, p: Any, e: int) -> None:
    """A bad lot turns up in every ward that stocks the SKU, dated so that FEFO uses it first."""
    sku = int(p["recall_sku"])
    last_day = s["need"].shape[0]
    lot = add_lot(s, sku, last_day + 1, int(p["unit_cost"][sku]), Origin.RECALL)
    s["recall_lot"][e] = lot
    for w in range(p["demand"].shape[0]):
        if p["demand"][w, sku] > 0:
            s["on_hand"][lot, w + 1] = p["recall_units"]
            s["injected"][sku] += int(p["recall_units"])


@kernel
def submit(s: Any, p: Any, c: Any, out: Any) -> None:
    """Take one command of the agent whose turn it is; a refused one changes nothing but the call counts."""
    phase = int(s["phase"])
    out["ok"] = 1
    out["refusal"] = Refusal.NONE
    out["kind"] = c["kind"]
    out["round"] = s["round"]
    out["day"] = s["day"]
    out["agent"] = whose_turn(s)
    out["forfeit"] = 0
    out["advanced"] = 0
    out["number"] = 0
    out["a"] = 0
    out["b"] = 0
    out["c"] = 0
    if phase == Phase.ENDED:
        refuse(out, Refusal.EPISODE_ENDED, 0, 0, 0)
        return
    s["calls_total"] += 1
    if phase == Phase.COORDINATE:
        s["calls"] += 1
        if call_tool(s, p, c, out):
            out["advanced"] = 1
            close_round(s, p)
    else:
        answer(s, p, c, out)
        if out["ok"] == 0:
            s["refusals_in_a_row"] += 1
            if int(s["refusals_in_a_row"]) >= int(p["refusals_before_forfeit"]):
                out["forfeit"] = 1
                s["forfeits"][int(out["agent"])] += 1
                answer_for(s, p)
    if int(s["phase"]) == Phase.COORDINATE and int(s["calls"]) >= int(p["calls_per_round"]):
        out["advanced"] = 1
        close_round(s, p)


@kernel
def whose_turn(s: Any) -> int:
    """Number of the agent that is asked now."""
    phase = int(s["phase"])
    if phase == Phase.REQUEST or phase == Phase.DISCLOSE or phase == Phase.REPLY:
        return int(s["asked_ward"]) + 1
    if phase == Phase.VERDICT:
        return int(s["pressure"].shape[0]) + 1
    return COORDINATOR


@kernel
def answer(s: Any, p: Any, c: Any, out: Any) -> None:
    """A ward's or the arbiter's answer to what it was asked."""
    phase, kind = int(s["phase"]), int(c["kind"])
    if kind == Kind.NOT_UNDERSTOOD:
        refuse(out, Refusal.NOT_UNDERSTOOD, 0, 0, 0)
    elif kind != Kind.REQUEST + phase - (1 if phase > Phase.COORDINATE else 0):
        refuse(out, Refusal.NOT_YOUR_TURN, phase, 0, 0)
    elif phase == Phase.REQUEST:
        if request_refusal(s, p, c, out):
            take_request(s, p, c)
            _next_request(s)
    elif phase == Phase.DISCLOSE:
        if not Redaction.NONE <= int(c["option"]) <= Redaction.RECENT_ACTUALS:
            refuse(out, Refusal.ILLEGAL_OPTION, int(c["option"]), 0, 0)
        else:
            out["number"] = _take_disclosure(s, int(c["option"]))
    elif phase == Phase.VERDICT:
        if not Verdict.APPROVE <= int(c["option"]) <= Verdict.DENY:
            refuse(out, Refusal.ILLEGAL_OPTION, int(c["option"]), 0, 0)
        elif not 0 <= int(c["quantity"]) <= int(p["order_quantity"]):
            refuse(out, Refusal.QUANTITY_OUT_OF_RANGE, int(c["quantity"]), 0, int(p["order_quantity"]))
        else:
            out["a"] = _take_verdict(s, p, int(c["option"]), int(c["quantity"]))
    else:
        _back_to_coordinator(s)


@kernel
def answer_for(s: Any, p: Any) -> None:
    """Three refusals in a row: the usual demand, full disclosure, APPROVE, or an empty reply stands for the agent."""
    phase = int(s["phase"])
    if phase == Phase.REQUEST:
        r, w = int(s["round"]) - 1, int(s["asked_ward"])
        for k in range(p["demand"].shape[1]):
            usual = 2 * int(p["demand"][w, k])
            s["requested"][r, w, k] = min(usual, legal_most(p, true_need(s, r, w, k)))
            s["reason"][r, w, k] = Reason.CENSUS
        _next_request(s)
    elif phase == Phase.DISCLOSE:
        _take_disclosure(s, Redaction.NONE)
    elif phase == Phase.VERDICT:
        _take_verdict(s, p, Verdict.APPROVE, 0)
    else:
        _back_to_coordinator(s)


@kernel
def _next_request(s: Any) -> None:
    s["refusals_in_a_row"] = 0
    s["asked_ward"] += 1
    if int(s["asked_ward"]) == s["pressure"].shape[0]:
        _back_to_coordinator(s)


@kernel
def _back_to_coordinator(s: Any) -> None:
    s["refusals_in_a_row"] = 0
    s["phase"] = Phase.COORDINATE
    s["asked_ward"] = EVERY
    s["asked_sku"] = EVERY


@kernel
def _take_disclosure(s: Any, redacted: int) -> int:
    number = disclose(s, int(s["asked_ward"]), int(s["asked_sku"]), redacted)
    tally(s, Fact.EVIDENCE)
    _back_to_coordinator(s)
    return number


@kernel
def _take_verdict(s: Any, p: Any, verdict: int, named: int) -> int:
    """Enter a verdict and return the units it grants."""
    r, w, k = int(s["round"]) - 1, int(s["asked_ward"]), int(s["asked_sku"])
    request, need = int(s["requested"][r, w, k]), true_need(s, r, w, k)
    units = granted(verdict, named, request, chart_estimate(s, p, need, w, k))
    s["verdict"][r, w, k] = verdict
    s["verdict_quantity"][r, w, k] = units
    tally(s, Fact.REVIEW_OF_PADDED if is_padded(request, need) else Fact.REVIEW_OF_HONEST)
    _back_to_coordinator(s)
    return units
