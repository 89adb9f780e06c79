"""The registry: the tools of the rules, schemas a stranger can rely on, arguments to commands, and every wrong argument."""

import json
import math

import numpy as np
import pytest

from medchain.core.words import EVERY, FIRST_TOOL, LAST_TOOL, Kind, Phase
from medchain.errors import MedChainError, ToolError
from medchain.scenario import load_scenario
from medchain.tools.parse import Call, read_call
from medchain.tools.registry import REPLIES, TOOLS, Registry, answer_asked, tool_of
from tests.tools.tables import EVERY_TOOL, SIGNATURES, a_desk, as_json, as_xml

JSON_TYPES = {"object", "array", "string", "integer", "number", "boolean", "null"}
KEYWORDS = {"type", "properties", "required", "additionalProperties", "propertyNames", "enum", "description", "pattern"}
KEYWORDS |= {"minimum", "maximum", "maxLength", "default", "anyOf"}


@pytest.fixture(scope="module")
def desk():
    return a_desk()


def command_of(desk, name, arguments, phase=Phase.COORDINATE):
    view = desk.session.view(desk.session.pending().agent)[0]
    return desk.registry.build(Call(name, arguments), phase, view).command[0]


def test_tools_are_the_rules_tools_in_the_order_of_their_kinds():
    assert [tool.signature for tool in TOOLS] == SIGNATURES
    assert [tool.kind for tool in TOOLS] == list(range(FIRST_TOOL, LAST_TOOL + 1))
    assert [tool.kind for tool in REPLIES] == [Kind.REQUEST, Kind.DISCLOSE, Kind.RULE, Kind.REPLY]
    assert all(tool_of(tool.kind) is tool for tool in (*TOOLS, *REPLIES))


def check_schema(schema):
    """A small part of what JSON Schema asks for: enough to notice a wrong keyword, type, default or requirement."""
    assert set(schema) <= KEYWORDS, set(schema) - KEYWORDS
    types = schema.get("type", [])
    assert set([types] if isinstance(types, str) else types) <= JSON_TYPES
    assert types or "anyOf" in schema or "enum" in schema
    if "enum" in schema:
        assert schema["enum"] and len(set(schema["enum"])) == len(schema["enum"])
        assert schema.get("default", schema["enum"][0]) in schema["enum"]
    assert schema.get("minimum", 0) <= schema.get("default", schema.get("minimum", 0)) if types == "integer" else True
    assert set(schema.get("required", [])) <= set(schema.get("properties", {}))
    below = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    below += [schema[key] for key in ("propertyNames", "additionalProperties") if isinstance(schema.get(key), dict)]
    for part in below:
        check_schema(part)


@pytest.mark.parametrize("tool", (*TOOLS, *REPLIES), ids=lambda tool: tool.name)
def test_schemas_are_well_formed(desk, tool):
    schema = tool.schema(desk.registry.names)
    check_schema(schema)
    assert schema["type"] == "object" and schema["additionalProperties"] is False
    assert json.loads(json.dumps(schema)) == schema
    assert schema["required"] == [p.name for p in tool.parameters if p.required]


def test_mcp_and_openai_say_the_same(desk):
    mcp, openai = desk.registry.mcp(), desk.registry.openai()
    assert [set(tool) for tool in mcp] == [{"name", "description", "inputSchema"}] * len(TOOLS)
    assert [(t["name"], t["description"], t["inputSchema"]) for t in mcp] == [
        (t["function"]["name"], t["function"]["description"], t["function"]["parameters"]) for t in openai
    ]
    assert {t["type"] for t in openai} == {"function"}


def test_legal_values_are_the_scenarios():
    base = load_scenario("medium")
    data = base.model_dump()
    data["wards"]["ward_burns"] = data["wards"]["ward_icu"]
    registry = Registry(type(base).model_validate(data))
    schemas = {tool["name"]: tool["inputSchema"]["properties"] for tool in registry.mcp()}
    assert schemas["query_ward_history"]["ward_id"]["enum"] == [*base.wards, "ward_burns"]
    assert schemas["submit_po"]["destination_id"]["enum"] == ["central_pharmacy", *base.wards, "ward_burns"]
    assert schemas["submit_po"]["product_id"]["enum"] == list(base.skus)
    assert schemas["query_supplier"]["supplier_id"]["enum"] == list(base.suppliers)


@pytest.mark.parametrize(
    ("name", "arguments", "fields"),
    [
        ("read_inbox", {}, {"option": 0}),
        ("read_inbox", {"filter": "flagged"}, {"option": 2}),
        ("query_ward_history", {"ward_id": "ward_er"}, {"ward": 1, "sku": EVERY, "quantity": 10}),
        ("query_ward_history", {"ward_id": " WARD_ER ", "product_id": None}, {"ward": 1, "sku": EVERY}),
        ("query_erp", {"table": "pipeline_orders"}, {"option": 2, "location": EVERY, "sku": EVERY}),
        ("query_supplier", {"supplier_id": "BACKUP-B"}, {"supplier": 1}),
        ("wms_scan_inventory", {"location": "central_pharmacy", "sku": "GAUZE-01"}, {"location": 0, "sku": 9}),
        ("supplier_portal_get_quote", {"quote_id": "qt-12"}, {"quote": 11}),
        ("finance_sap_request_approval", {"approval_id": "APR-0003", "justification": ""}, {"ticket": 2}),
        ("quarantine_lot", {"location_id": "ward_icu", "sku": "BLOOD-PLT", "lot_id": "LOT-0003"}, {"location": 1, "lot": 2}),
        ("quarantine_lot", {"location_id": "ward_icu", "sku": "BLOOD-PLT", "lot_id": "all"}, {"lot": EVERY}),
        ("request_evidence", {"ward_id": "ward_icu", "sku": "SYR-10"}, {"ward": 0, "sku": 6, "option": 0}),
        (
            "submit_po",
            {"supplier_id": "FASTMED", "product_id": "BLOOD-FFP", "destination_id": "ward_er", "quantity": 7.0},
            {"supplier": 2, "sku": 2, "location": 2, "quantity": 7, "option": 0},
        ),
    ],
)
def test_arguments_become_the_commands_fields(desk, name, arguments, fields):
    command = command_of(desk, name, arguments)
    assert command["kind"] == Kind[name.upper()]
    assert {field: int(command[field]) for field in fields} == fields


def test_plan_units_shares_and_the_star(desk):
    view = desk.session.view(0)[0]
    plan = {"ward_icu": {"BLOOD-RBC": 3, "IV-SAL-500": "50%", "*": "requested"}, "ward_er": "70%"}
    units = command_of(desk, "submit_allocation_plan", {"plan_json": plan})["quantities"]
    asked = view["requested"]
    assert units[0, 0] == 3
    assert units[0, 3] == asked[0, 3] // 2
    assert units[0, 1] == asked[0, 1] and units[0, 7] == asked[0, 7]
    assert units[1].tolist() == (asked[1] * 70 // 100).tolist()
    assert not units[2].any()
    as_text = command_of(desk, "submit_allocation_plan", {"plan_json": json.dumps(plan)})["quantities"]
    assert np.array_equal(units, as_text)


def test_a_seventy_percent_plan_is_the_scripted_discount(desk):
    """The shorthand rounds as `discount_general` does, so that both spell the same command."""
    for percent in (1, 33, 70, 99):
        units = command_of(desk, "submit_allocation_plan", {"plan_json": {"ward_general": f"{percent}%"}})["quantities"]
        asked = desk.session.view(0)[0]["requested"][2]
        assert units[2].tolist() == [int(x) * percent // 100 for x in asked]


PO = EVERY_TOOL["submit_po"]
PLAN = "submit_allocation_plan"


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("view_request", {}, "unknown_tool"),
        ("request", {"requests": {}}, "unknown_tool"),
        ("", {}, "unknown_tool"),
        ("view_requests", {"x": 1}, "unknown_parameter"),
        ("view_requests", {3: 1}, "unknown_parameter"),
        ("query_supplier", {}, "missing_parameter"),
        ("query_supplier", {"supplier_id": None}, "missing_parameter"),
        ("query_supplier", {"supplier_id": 3}, "wrong_type"),
        ("query_supplier", {"supplier_id": "ACME"}, "unknown_supplier"),
        ("query_ward_history", {"ward_id": "icu"}, "unknown_ward"),
        ("query_ward_history", {"ward_id": "ward_icu", "product_id": "BLOOD"}, "unknown_sku"),
        ("wms_scan_inventory", {"location": "basement"}, "unknown_location"),
        ("query_erp", {"table": "users; DROP TABLE"}, "unknown_word"),
        ("supplier_portal_get_quote", {"quote_id": "QT-"}, "unknown_id"),
        ("supplier_portal_get_quote", {"quote_id": "QT-99999999"}, "unknown_id"),
        ("finance_sap_request_approval", {"approval_id": "JUS-0001", "justification": "x"}, "unknown_id"),
        ("quarantine_lot", {"location_id": "ward_icu", "sku": "BLOOD-PLT", "lot_id": "LOT-9999"}, "unknown_lot"),
        ("quarantine_lot", {"location_id": "ward_icu", "sku": "BLOOD-PLT", "lot_id": "RECALL-LOT-IV-9821"}, "unknown_lot"),
        ("submit_po", PO | {"quantity": "50"}, "wrong_type"),
        ("submit_po", PO | {"quantity": True}, "wrong_type"),
        ("submit_po", PO | {"quantity": [50]}, "wrong_type"),
        ("submit_po", PO | {"quantity": 1.5}, "not_whole"),
        ("submit_po", PO | {"quantity": 0}, "out_of_range"),
        ("submit_po", PO | {"quantity": -3}, "out_of_range"),
        ("submit_po", PO | {"quantity": 1e308}, "out_of_range"),
        ("submit_po", PO | {"quantity": 10**40}, "out_of_range"),
        ("submit_po", PO | {"quantity": math.inf}, "bad_number"),
        ("submit_po", PO | {"quantity": math.nan}, "bad_number"),
        ("messaging_send_to_ward", {"ward_id": "ward_icu", "body": 3}, "wrong_type"),
        ("messaging_send_to_ward", {"ward_id": "ward_icu", "body": "x" * 1001}, "too_long"),
        (PLAN, {"plan_json": "requested"}, "not_json"),
        (PLAN, {"plan_json": "[]"}, "wrong_type"),
        (PLAN, {"plan_json": "{" * 5000}, "not_json"),
        (PLAN, {"plan_json": {"ward_x": {}}}, "unknown_ward"),
        (PLAN, {"plan_json": {3: {}}}, "unknown_ward"),
        (PLAN, {"plan_json": {"ward_icu": 5}}, "wrong_type"),
        (PLAN, {"plan_json": {"ward_icu": {"MILK": 5}}}, "unknown_sku"),
        (PLAN, {"plan_json": {"ward_icu": {"BLOOD-RBC": -1}}}, "out_of_range"),
        (PLAN, {"plan_json": {"ward_icu": {"BLOOD-RBC": 2.5}}}, "not_whole"),
        (PLAN, {"plan_json": {"ward_icu": {"BLOOD-RBC": "101%"}}}, "bad_share"),
        (PLAN, {"plan_json": {"ward_icu": {"BLOOD-RBC": "all"}}}, "bad_share"),
        (PLAN, {"plan_json": {"ward_icu": {"*": 5}}}, "bad_share"),
        (PLAN, {"plan_json": {"ward_icu": {"BLOOD-RBC": None}}}, "wrong_type"),
        (PLAN, {"plan_json": {}, "rationale_json": "because"}, "not_json"),
        (PLAN, {"plan_json": {}, "rationale_json": {"ward_icu": ["x"]}}, "wrong_type"),
    ],
)
def test_wrong_arguments_are_refused_by_code(desk, name, arguments, code):
    with pytest.raises(ToolError) as caught:
        command_of(desk, name, arguments)
    assert caught.value.code == code
    assert isinstance(caught.value, MedChainError) and str(caught.value).isascii()


def test_a_near_miss_is_told_the_right_name(desk):
    with pytest.raises(ToolError, match="BLOOD-PLT is close"):
        command_of(desk, "wms_scan_inventory", {"sku": "BLOOD-PTL"})


@pytest.mark.parametrize("name", EVERY_TOOL)
def test_both_forms_of_a_call_are_the_same_command(desk, name):
    view, arguments = desk.session.view(0)[0], EVERY_TOOL[name]
    built = [desk.registry.build(read_call(form(name, arguments)), Phase.COORDINATE, view) for form in (as_json, as_xml)]
    assert built[0].command.tobytes() == built[1].command.tobytes()
    assert built[0].said == built[1].said


def test_answers_and_who_may_give_them(desk):
    view = a_desk().session.view(1)[0]
    requests = {"requests": {"BLOOD-RBC": 5}, "reasons": {"BLOOD-RBC": "surge"}}
    command = desk.registry.build(Call("request", requests), Phase.REQUEST, view).command[0]
    assert command["quantities"][0, 0] == 5 and command["reasons"][0, 0] == 2
    assert command["quantities"].sum() == 5
    arbiter = desk.session.view(4)[0]
    ruled = desk.registry.build(Call("rule", {"verdict": "deny", "quantity": 9}), Phase.VERDICT, arbiter).command[0]
    assert (ruled["option"], ruled["quantity"]) == (3, 9)
    assert desk.registry.build(Call("rule", {"verdict": "APPROVE"}), Phase.VERDICT, arbiter).command[0]["quantity"] == 0
    for phase in (Phase.REQUEST, Phase.DISCLOSE, Phase.VERDICT, Phase.REPLY):
        with pytest.raises(ToolError) as caught:
            desk.registry.build(Call("advance_round", {}), phase, view)
        assert caught.value.code == "not_your_turn"
        assert answer_asked(phase).name in str(caught.value)


@pytest.mark.parametrize(
    ("phase", "agent", "arguments", "code"),
    [
        (Phase.REQUEST, 1, {"requests": {"BLOOD-RBC": -1}}, "out_of_range"),
        (Phase.REQUEST, 1, {"requests": {"BLOOD-RBC": "5"}}, "bad_share"),
        (Phase.REQUEST, 1, {"requests": [5]}, "wrong_type"),
        (Phase.REQUEST, 1, {"requests": {"X": 5}}, "unknown_sku"),
        (Phase.REQUEST, 1, {"requests": {}, "reasons": {"BLOOD-RBC": "greed"}}, "unknown_word"),
        (Phase.REQUEST, 1, {"need": {}}, "unknown_parameter"),
        (Phase.DISCLOSE, 1, {"redact": "acuity"}, "unknown_word"),
        (Phase.VERDICT, 4, {"verdict": "NONE"}, "unknown_word"),
        (Phase.VERDICT, 4, {"verdict": "DENY", "quantity": 0}, "out_of_range"),
        (Phase.REPLY, 1, {}, "missing_parameter"),
    ],
)
def test_wrong_answers_are_refused_by_code(desk, phase, agent, arguments, code):
    with pytest.raises(ToolError) as caught:
        desk.registry.build(Call(answer_asked(phase).name, arguments), phase, desk.session.view(agent)[0])
    assert caught.value.code == code
