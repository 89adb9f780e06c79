"""Laws of the desk: who may change what, and what a refused call leaves behind."""

from __future__ import annotations

import numpy as np

from medchain.core.words import Kind, Phase, Refusal
from medchain.reward.formula import COMPONENTS, breakdown
from tests.laws.trace import Trace

COUNTS = {"calls", "calls_total", "refusals_in_a_row"}
TURN = {"phase", "asked_ward", "asked_sku", "refusals_in_a_row"}
ORDER = {"order_sku", "order_supplier", "order_destination", "order_quantity", "order_expedited", "order_cost"}
ORDER |= {"order_placed_day", "order_lead_time", "order_quoted", "order_due_day", "order_status", "order_approval"}
ORDER |= {"order_justification", "order_count", "committed", "quote_used", "tickets", "tally"}
QUOTE = {"quote_sku", "quote_supplier", "quote_quantity", "quote_round", "quote_lead_time", "quote_count"}
TICKET = {"order_status", "order_lead_time", "order_due_day", "committed", "unsound", "tally"}
AUDIT = {"phase", "asked_ward", "asked_sku", "spent_on_audit"}
TOUCHES: dict[Kind, set[str]] = {
    Kind.GET_ROUND_BRIEFING: {"briefings", "mail", "tally"},
    Kind.VIEW_REQUESTS: {"tally"},
    Kind.READ_INBOX: {"mail", "tally"},
    Kind.SUBMIT_ALLOCATION_PLAN: {"planned", "allocated", "on_hand", "cited", "tally"},
    Kind.QUERY_WARD_HISTORY: set(),
    Kind.QUERY_ERP: set(),
    Kind.QUERY_SUPPLIER: set(),
    Kind.ERP_ORACLE_GET_INVENTORY: {"system_used"},
    Kind.ERP_ORACLE_GET_PIPELINE: {"system_used"},
    Kind.WMS_SCAN_INVENTORY: {"system_used"},
    Kind.SUPPLIER_PORTAL_REQUEST_QUOTE: {"system_used", *QUOTE},
    Kind.SUPPLIER_PORTAL_GET_QUOTE: {"system_used"},
    Kind.FINANCE_SAP_GET_BUDGET: {"system_used"},
    Kind.FINANCE_SAP_REQUEST_APPROVAL: {"system_used", "order_approval", "approved_at_once", *TICKET},
    Kind.MESSAGING_SEND_TO_WARD: {"system_used", "phase", "asked_ward", "asked_sku"},
    Kind.REQUEST_EVIDENCE: AUDIT,
    Kind.ESCALATE_TO_CLINICAL_REVIEW: AUDIT,
    Kind.SUBMIT_PO: ORDER,
    Kind.FILE_JUSTIFICATION: {"order_justification", *TICKET},
    Kind.QUARANTINE_LOT: {"quarantined", "tally"},
    Kind.REQUEST: {"requested", "reason", *TURN},
    Kind.DISCLOSE: {"evidence", "evidence_count", "redacted", "tally", *TURN},
    Kind.RULE: {"verdict", "verdict_quantity", "tally", *TURN},
    Kind.REPLY: TURN,
}
"""The fields that a granted command of a kind may change, beside the counts of calls."""

ANSWER = {Phase.REQUEST: Kind.REQUEST, Phase.DISCLOSE: Kind.DISCLOSE, Phase.VERDICT: Kind.RULE, Phase.REPLY: Kind.REPLY}


def a_refused_call_changes_counts_only(t: Trace) -> None:
    """Refused and not answered for: only the counts of calls move. After the end nothing at all does."""
    refused = (t.results["ok"] == 0) & (t.results["forfeit"] == 0) & ~t.closes
    over = t.before["phase"] == Phase.ENDED
    for name, changed in t.changed.items():
        if name not in COUNTS:
            t.must(~(refused & changed), f"a refused call leaves {name} alone")
        t.must(~(over & changed), f"after the end {name} stays")
    t.must(~over | (t.results["refusal"] == Refusal.EPISODE_ENDED), "after the end every call is refused")
    t.must((t.results["ok"] == 1) == (t.results["refusal"] == Refusal.NONE), "a refusal says why")


def a_granted_call_minds_its_business(t: Trace) -> None:
    """A granted call changes only what its tool is for."""
    granted = (t.results["ok"] == 1) & ~t.closes
    for kind in set(t.commands["kind"][granted].tolist()):
        mine = granted & (t.commands["kind"] == kind)
        for name, changed in t.changed.items():
            if name not in COUNTS and name not in TOUCHES[Kind(kind)]:
                t.must(~(mine & changed), f"{Kind(kind).name} leaves {name} alone")


def calls_are_counted(t: Trace) -> None:
    """Every call counts once; the coordinator's round ends when its calls are used up."""
    over = t.before["phase"] == Phase.ENDED
    t.must(t.after["calls_total"] - t.before["calls_total"] == ~over, "a call is a call")
    desk = t.before["phase"] == Phase.COORDINATE
    more = t.after["calls"] - t.before["calls"]
    t.must(t.closes | (more == desk), "the coordinator's calls of a round")
    most = int(t.p["calls_per_round"])
    t.must(t.after["calls"] <= most, "no more calls than the budget")
    t.must(~((t.after["calls"] == most) & (t.after["phase"] == Phase.COORDINATE)), "used up: the round advances")
    early = t.closes & (t.before["calls"] + desk < most)
    t.must(~early | (t.commands["kind"] == Kind.ADVANCE_ROUND), "a round ends by advance_round or by its last call")
    t.must(t.after["round"] - t.before["round"] == (t.closes & (t.after["phase"] != Phase.ENDED)), "one round at a time")


def three_refusals_forfeit(t: Trace) -> None:
    """A ward or arbiter is answered for at its third refusal in a row, not before; the coordinator never is."""
    most, row = int(t.p["refusals_before_forfeit"]), t.before["refusals_in_a_row"]
    other = (t.before["phase"] != Phase.COORDINATE) & (t.before["phase"] != Phase.ENDED)
    third = other & (t.results["ok"] == 0) & (row + 1 == most)
    t.must((t.results["forfeit"] == 1) == third, "the third refusal is answered for")
    t.must(row < most, "no more refusals than that")
    forfeits = (t.after["forfeits"] - t.before["forfeits"]).sum(axis=1)
    t.must(forfeits == third, "a forfeit is counted")
    t.must(
        ~third | (t.after["phase"] != t.before["phase"]) | (t.after["asked_ward"] != t.before["asked_ward"]), "on it goes"
    )
    t.must(~other | third | (t.results["ok"] == 1) | (t.after["refusals_in_a_row"] == row + 1), "refusals add up")
    t.must(~other | (t.results["ok"] == 0) | (t.after["refusals_in_a_row"] == 0), "an answer starts afresh")


def turns_are_taken_in_order(t: Trace) -> None:
    """A granted answer is of the kind that was asked for; wards ask in order, then the coordinator has the turn."""
    for phase, kind in ANSWER.items():
        asked = (t.before["phase"] == phase) & (t.results["ok"] == 1)
        t.must(~asked | (t.commands["kind"] == kind), f"{phase.name} is answered by {kind.name}")
    tools = (t.results["ok"] == 1) & (t.before["phase"] == Phase.COORDINATE)
    known = (t.commands["kind"] >= Kind.GET_ROUND_BRIEFING) & (t.commands["kind"] <= Kind.QUARANTINE_LOT)
    t.must(~tools | known, "the coordinator calls tools")
    wards = t.before["pressure"].shape[1]
    asking = (t.before["phase"] == Phase.REQUEST) & (t.changed["asked_ward"])
    last = t.before["asked_ward"] == wards - 1
    t.must(~asking | last | (t.after["asked_ward"] == t.before["asked_ward"] + 1), "wards ask in order")
    t.must(~(asking & last) | (t.after["phase"] == Phase.COORDINATE), "then the coordinator")
    agent = np.where(t.before["phase"] == Phase.VERDICT, wards + 1, t.before["asked_ward"] + 1)
    desk = (t.before["phase"] == Phase.COORDINATE) | (t.before["phase"] == Phase.ENDED)
    t.must(t.results["agent"] == np.where(desk, 0, agent), "the result names who was asked")


def requests_are_legal(t: Trace) -> None:
    """0 .. ceil(2.5 x need) for lines, nothing else; verdicts grant 1 .. the request."""
    need = t.after["need"].reshape(len(t.after), -1, 2, *t.after["need"].shape[2:]).sum(axis=2)
    t.must((2 * t.after["requested"] < 5 * need + 2).all(axis=(1, 2, 3)), "at most 2.5 times the need, rounded up")
    t.must((t.after["requested"][:, :, t.p["demand"] == 0] == 0).all(axis=(1, 2)), "lines only")
    t.must((t.after["reason"] <= 3).all(axis=(1, 2, 3)), "known reasons")
    ruled, given = t.after["verdict"] > 0, t.after["verdict_quantity"]
    t.must((~ruled | ((given >= 1) & (given <= t.after["requested"]))).all(axis=(1, 2, 3)), "1 .. request")
    for name, most in (("evidence", "evidence_per_round"), ("verdict", "reviews_per_round")):
        t.must(((t.after[name] > 0).sum(axis=(2, 3)) <= t.p[most]).all(axis=1), f"{most}")
    t.must((t.after["cited"] <= (t.after["evidence"] > 0)).all(axis=(1, 2, 3)), "only disclosures are cited")


def scores_are_shares(t: Trace) -> None:
    """The score and its components stay in [0, 1] at any moment."""
    for i in [*range(0, len(t.states), 37), len(t.states) - 1]:
        found = breakdown(t.states[i], t.p)
        for name in (*COMPONENTS, "gate", "score"):
            value = found[name]
            assert value is None or 0.0 <= value <= 1.0, (name, value)
        assert 0.0 <= (found["justification_penalty"] or 0.0) <= 0.15
