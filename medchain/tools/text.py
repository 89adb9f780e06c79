"""Results as text, rendered from command, result and the caller's view. With its text_ siblings the only prose."""

from __future__ import annotations

from typing import Any, NamedTuple

from medchain.core.words import COORDINATOR, EVERY, Kind, Phase, Verdict
from medchain.tools.claims import claims_text
from medchain.tools.names import Names, an_id
from medchain.tools.registry import TABLES, tool_of
from medchain.tools.show import fitted, money, quoted
from medchain.tools.text_events import mail_lines
from medchain.tools.text_lines import disclosure, history_lines, line_name, request_lines
from medchain.tools.text_orders import (
    budget_lines,
    on_order,
    order_line,
    pipeline_lines,
    quote_line,
    quote_lines,
    supplier_line,
    ticket_lines,
)
from medchain.tools.text_refusals import Refused, refusal_error
from medchain.tools.text_round import briefing, last_round, section
from medchain.tools.text_stock import erp_age, lot_lines, stock_lines

LOOKS = frozenset(kind for kind in Kind if Kind.GET_ROUND_BRIEFING <= kind <= Kind.FINANCE_SAP_GET_BUDGET) - {
    Kind.SUBMIT_ALLOCATION_PLAN,
    Kind.ADVANCE_ROUND,
    Kind.SUPPLIER_PORTAL_REQUEST_QUOTE,
}
"""Calls that only show something: what they show, they show as of the moment of the call."""


class Told(NamedTuple):
    """What a result is told from: names, params (one record), the caller's view now, the command and its result.

    `answer` is the result of the ward's or arbiter's answer that the call waited for (None before), `words` what it said.
    """

    names: Names
    params: Any
    view: Any
    command: Any
    result: Any
    answer: Any = None
    words: str = ""


def refusal_text(told: Told) -> str:
    """A refusal: what was expected, what came, what would be right."""
    return f"REFUSED {refusal_error(Refused(told.names, told.view, told.command, told.result))}"


def result_text(told: Told) -> str:
    """What came of a coordinator's call."""
    tell = _TELLERS[Kind(int(told.command["kind"]))] if told.result["ok"] else refusal_text
    return tell(told) + closing_text(told)


def _is_closed(told: Told) -> bool:
    return bool(told.result["advanced"] or (told.answer is not None and told.answer["advanced"]))


def closing_text(told: Told) -> str:
    """That a turn was forfeited, or that the round closed because the calls are used up; empty where neither is so."""
    if told.result["forfeit"]:
        return " You were answered for."
    coordinator = int(told.result["agent"]) == COORDINATOR
    if coordinator and _is_closed(told) and int(told.command["kind"]) != Kind.ADVANCE_ROUND:
        return f"\nYour calls are used up: round {int(told.result['round'])} was closed."
    return ""


def _line(t: Told) -> str:
    return line_name(t.names, int(t.command["ward"]), int(t.command["sku"]))


def _briefing(t: Told) -> str:
    return briefing(t.names, t.view, int(t.result["a"]))


def _requests(t: Told) -> str:
    return fitted(["Requests, units for the two days:", *request_lines(t.names, t.view)])


def _inbox(t: Told) -> str:
    return fitted(mail_lines(t.names, t.view, int(t.result["a"])))


def _plan(t: Told) -> str:
    lines = [f"Plan committed: {int(t.result['a'])} units moved from central."]
    if t.result["advanced"]:
        return lines[0]
    less, cited = [], []
    for w in range(len(t.names.wards)):
        for k in t.names.lines(w):
            planned, got = int(t.command["quantities"][w, k]), int(t.view["allocated"][w, k])
            if got < planned:
                less.append(f"{line_name(t.names, w, k)} {got} of {planned}")
            if t.command["cites"][w, k]:
                cited.append(f"{an_id('EV', int(t.view['evidence'][w, k]))} ({line_name(t.names, w, k)})")
    if less:
        lines.append(f"Less than planned (request, verdict or central's stock): {', '.join(less)}.")
    if cited:
        lines.append(f"Cited: {', '.join(cited)}.")
    return "\n".join(lines)


def _advance(t: Told) -> str:
    lines = [f"Round {int(t.result['round'])} closed.", *last_round(t.names, t.view)]
    if int(t.view["phase"]) == Phase.ENDED:
        lines.append("The episode has ended.")
    return fitted(lines)


def _history(t: Told) -> str:
    c = t.command
    return fitted(history_lines(t.names, t.view, int(c["ward"]), int(c["sku"]), int(c["quantity"])))


def _erp(t: Told) -> str:
    table = TABLES[int(t.command["option"])]
    if table == "inventory":
        return _inventory(t)
    if table == "pipeline_orders":
        return _pipeline(t)
    lots = lot_lines(t.names, t.view, "erp", int(t.command["location"]), int(t.command["sku"]))
    return fitted([f"Lots by expiry, {erp_age(t.view)}:", *lots])


def _supplier(t: Told) -> str:
    return supplier_line(t.names, t.view, int(t.command["supplier"]))


def _inventory(t: Told) -> str:
    stock = stock_lines(t.names, t.view, "erp", int(t.command["location"]), int(t.command["sku"]))
    return fitted([f"ERP stock, exact, {erp_age(t.view)}:", *stock])


def _pipeline(t: Told) -> str:
    place = int(t.command["location"]) if int(t.command["kind"]) == Kind.QUERY_ERP else EVERY
    sku = int(t.command["sku"]) if int(t.command["kind"]) == Kind.QUERY_ERP else EVERY
    units = on_order(t.names, t.view)
    total = ", ".join(f"{t.names.skus[k]} {n}" for k, n in enumerate(units) if n)
    lines = [f"On order: {total or 'nothing'}", *pipeline_lines(t.names, t.view, place, sku)]
    return fitted(lines, how="query_erp with location or sku shows fewer")


def _scan(t: Told) -> str:
    lots = lot_lines(t.names, t.view, "scan", int(t.command["location"]), int(t.command["sku"]))
    noise = f"{100 * t.names.scenario.wms_noise:g}"
    return fitted([f"WMS scan of usable units, day {int(t.view['day'])}, each count within {noise} %:", *lots])


def _quote(t: Told) -> str:
    return quote_line(t.names, t.view, t.params, int(t.result["number"]) - 1)


def _budget(t: Told) -> str:
    quotes = quote_lines(t.names, t.view, t.params)
    lines = [*budget_lines(t.names, t.view), *section("Open tickets", ticket_lines(t.names, t.view))]
    return fitted(lines + (section("Quotes", quotes) if quotes else []))


def _filed(t: Told) -> str:
    order = int(t.result["number"]) - 1
    prefix = "APR" if int(t.command["kind"]) == Kind.FINANCE_SAP_REQUEST_APPROVAL else "JUS"
    verdict = "sound" if t.result["a"] else "unsound"
    claims, state = claims_text(t.names, t.command) or "no claim", order_line(t.names, t.view, order)
    text = f"{an_id(prefix, order + 1)} {verdict}. Understood: {claims}. {state}."
    if t.result["a"]:
        return text
    cost = t.names.scenario.score.unsound_penalty
    sku = t.names.skus[int(t.view["order_sku"][order])]
    why = f"a claim must be true now and bear on {sku}, and no named event may be false"
    return f"{text} Unsound filings cost {cost:g} of the score: {why}."


def _message(t: Told) -> str:
    ward = t.names.wards[int(t.command["ward"])]
    if t.answer is None:
        return f"Sent to {ward}; it is answering."
    if t.answer["forfeit"] or not t.words:
        return f"{ward} gave no reply."
    return f"{ward} replies: {quoted(t.words)}"


def _evidence(t: Told) -> str:
    if t.answer is None and not t.result["number"]:
        return f"{_line(t)}: evidence asked for; the ward is answering."
    w, k = int(t.command["ward"]), int(t.command["sku"])
    if _is_closed(t) or not t.view["evidence"][w, k]:
        return f"{_line(t)}: disclosed as {an_id('EV', int((t.result if t.answer is None else t.answer)['number']))}."
    return disclosure(t.names, t.view, w, k, int(t.command["option"]))


def _review(t: Told) -> str:
    if t.answer is None:
        return f"{_line(t)}: before the clinical review board."
    w, k = int(t.command["ward"]), int(t.command["sku"])
    if t.answer["advanced"]:
        return f"{_line(t)}: ruled."
    verdict = Verdict(int(t.view["verdict"][w, k]))
    asked, most = int(t.view["requested"][w, k]), int(t.view["most_allowed"][w, k])
    return f"{_line(t)}: {verdict.name}, at most {most} of {asked} requested. It binds this round's plan."


def _ordered(t: Told) -> str:
    return f"{order_line(t.names, t.view, int(t.result['number']) - 1)}. Headroom left {money(int(t.view['headroom']))}."


def _quarantined(t: Told) -> str:
    c = t.command
    lot, sku = t.names.lot(t.view, int(c["lot"])), t.names.skus[int(c["sku"])]
    return f"Quarantined at {t.names.locations[int(c['location'])]}: {int(t.result['a'])} units of {sku}, lot {lot}."


_TELLERS = {
    Kind.GET_ROUND_BRIEFING: _briefing,
    Kind.VIEW_REQUESTS: _requests,
    Kind.READ_INBOX: _inbox,
    Kind.SUBMIT_ALLOCATION_PLAN: _plan,
    Kind.ADVANCE_ROUND: _advance,
    Kind.QUERY_WARD_HISTORY: _history,
    Kind.QUERY_ERP: _erp,
    Kind.QUERY_SUPPLIER: _supplier,
    Kind.ERP_ORACLE_GET_INVENTORY: _inventory,
    Kind.ERP_ORACLE_GET_PIPELINE: _pipeline,
    Kind.WMS_SCAN_INVENTORY: _scan,
    Kind.SUPPLIER_PORTAL_REQUEST_QUOTE: _quote,
    Kind.SUPPLIER_PORTAL_GET_QUOTE: _quote,
    Kind.FINANCE_SAP_GET_BUDGET: _budget,
    Kind.FINANCE_SAP_REQUEST_APPROVAL: _filed,
    Kind.MESSAGING_SEND_TO_WARD: _message,
    Kind.REQUEST_EVIDENCE: _evidence,
    Kind.ESCALATE_TO_CLINICAL_REVIEW: _review,
    Kind.SUBMIT_PO: _ordered,
    Kind.FILE_JUSTIFICATION: _filed,
    Kind.QUARANTINE_LOT: _quarantined,
}


def answer_text(told: Told) -> str:
    """What came of a ward's or the arbiter's answer, told to itself."""
    if told.result["ok"]:
        return f"Taken: {tool_of(int(told.command['kind'])).name}."
    return refusal_text(told) + closing_text(told)
