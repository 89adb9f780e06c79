"""A desk to sit at, honest wards to answer, and one legal call of every tool."""

import json

from medchain.core.session import Session
from medchain.core.words import Phase
from medchain.scenario import load_scenario
from medchain.tools.desk import Desk

SIGNATURES = """\
get_round_briefing()
view_requests()
read_inbox([filter])
submit_allocation_plan(plan_json, [rationale_json])
advance_round()
query_ward_history(ward_id, [product_id], [n_rounds])
query_erp(table, [location], [sku])
query_supplier(supplier_id)
erp_oracle_get_inventory([location], [sku])
erp_oracle_get_pipeline()
wms_scan_inventory([location], [sku])
supplier_portal_request_quote(supplier_id, product_id, quantity)
supplier_portal_get_quote(quote_id)
finance_sap_get_budget()
finance_sap_request_approval(approval_id, justification)
messaging_send_to_ward(ward_id, body)
request_evidence(ward_id, sku, [evidence_type])
escalate_to_clinical_review(ward_id, sku, concern)
submit_po(supplier_id, product_id, destination_id, quantity, [priority])
file_justification(ticket_id, reason)
quarantine_lot(location_id, sku, lot_id)
""".splitlines()
"""The tools as the rules list them."""

EVERY_TOOL = {
    "get_round_briefing": {},
    "view_requests": {},
    "read_inbox": {"filter": "all"},
    "query_ward_history": {"ward_id": "ward_er", "product_id": "BLOOD-RBC", "n_rounds": 3},
    "query_erp": {"table": "expiry", "location": "ward_icu", "sku": "BLOOD-PLT"},
    "query_supplier": {"supplier_id": "FASTMED"},
    "erp_oracle_get_inventory": {"location": "central_pharmacy", "sku": "OXY-MASK"},
    "erp_oracle_get_pipeline": {},
    "wms_scan_inventory": {"location": "ward_general"},
    "supplier_portal_request_quote": {"supplier_id": "MEDLINE", "product_id": "IV-SAL-500", "quantity": 300},
    "supplier_portal_get_quote": {"quote_id": "QT-0001"},
    "finance_sap_get_budget": {},
    "messaging_send_to_ward": {"ward_id": "ward_general", "body": "Why so many syringes?"},
    "request_evidence": {"ward_id": "ward_er", "sku": "BLOOD-RBC", "evidence_type": "all"},
    "escalate_to_clinical_review": {"ward_id": "ward_er", "sku": "BLOOD-RBC", "concern": "twice the usual"},
    "submit_po": {
        "supplier_id": "MEDLINE",
        "product_id": "BLOOD-RBC",
        "destination_id": "central_pharmacy",
        "quantity": 50,
        "priority": "expedited",
    },
    "finance_sap_request_approval": {"approval_id": "APR-0001", "justification": "BLOOD-RBC runs short"},
    "file_justification": {"ticket_id": "JUS-0001", "reason": {"shortage": "BLOOD-RBC"}},
    "quarantine_lot": {"location_id": "ward_icu", "sku": "OXY-MASK", "lot_id": "all"},
    "submit_allocation_plan": {
        "plan_json": {"ward_icu": {"BLOOD-RBC": 4, "*": "requested"}, "ward_er": "70%"},
        "rationale_json": {"ward_er": "EV-0001 shows fewer patients"},
    },
    "advance_round": {},
}
"""One legal call of every tool, in an order in which all but the filings succeed in a first round."""


def a_desk(seed=51, difficulty="heavy"):
    """A desk at the coordinator's first turn: the wards have asked honestly."""
    desk = Desk(Session(load_scenario(difficulty), seed))
    settle(desk)
    return desk


def honest(desk):
    """What an honest ward or arbiter answers to what it is asked."""
    pending = desk.session.pending()
    if pending.phase == Phase.REQUEST:
        need = desk.session.view(pending.agent)[0]["need"].tolist()
        return {"requests": dict(zip(desk.registry.names.skus, need, strict=True))}
    return {
        Phase.DISCLOSE: {"redact": "none"},
        Phase.VERDICT: {"verdict": "APPROVE"},
        Phase.REPLY: {"body": "We ask for what we need."},
    }[pending.phase]


def settle(desk):
    """Let wards and arbiter answer until the coordinator is asked."""
    while not desk.session.ended and desk.session.pending().agent != 0:
        assert desk.call(honest(desk)).result["ok"]


def say(desk, name, **arguments):
    """Call a tool, let the others answer, and return what the coordinator reads."""
    desk.call({"name": name, "arguments": arguments})
    settle(desk)
    return desk.heard(0)


def as_json(name, arguments):
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


def as_xml(name, arguments):
    shown = {k: v if isinstance(v, str) else json.dumps(v) for k, v in arguments.items()}
    lines = [f"<parameter={k}>\n{v}\n</parameter>" for k, v in shown.items()]
    return "<tool_call>\n" + "\n".join([f"<function={name}>", *lines, "</function>"]) + "\n</tool_call>"
