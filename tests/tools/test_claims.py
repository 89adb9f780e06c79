"""What a justification claims and what a rationale cites."""

import numpy as np
import pytest

from medchain.core.record import new_commands
from medchain.core.words import Event, Phase
from medchain.errors import ToolError
from medchain.scenario import load_scenario
from medchain.tools.claims import claim_from_text
from medchain.tools.names import Names
from medchain.tools.parse import Call
from medchain.tools.registry import Registry
from tests.tools.tables import a_desk, say

SCENARIO = load_scenario("medium")
NAMES = Names(SCENARIO)
SKU = {name: 1 << k for k, name in enumerate(NAMES.skus)}
FIELDS = ("claimed_types", "claimed_events", "claimed_nonsense", "claimed_skus", "claimed_shortage", "claimed_supplier")


def claims(text):
    """Fields that a text sets, the others left out."""
    c = new_commands(SCENARIO.sizes)[0]
    claim_from_text(text, c, NAMES)
    return {field: int(c[field]) for field in FIELDS if c[field]}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("An MCI is coming", Event.MCI),
        ("mass casualty incident", Event.MCI),
        ("Mass-Casualty surge", Event.MCI),
        ("many casualties expected", Event.MCI),
        ("the supplier_disruption", Event.SUPPLIER_DISRUPTION),
        ("a supply disruption at MEDLINE", Event.SUPPLIER_DISRUPTION),
        ("product recall", Event.PRODUCT_RECALL),
        ("replace recalled units", Event.PRODUCT_RECALL),
        ("RECALL-LOT-IV-9821 must be replaced", Event.PRODUCT_RECALL),
        ("cold chain breach in the ICU", Event.COLD_CHAIN_BREACH),
        ("COLD_CHAIN_BREACH", Event.COLD_CHAIN_BREACH),
        ("refrigeration failed", Event.COLD_CHAIN_BREACH),
    ],
)
def test_an_event_is_named_by_type_words(text, kind):
    assert claims(text) == {"claimed_types": 1 << kind}


def test_an_event_is_named_by_its_id():
    assert claims("see EVT-1 and evt-3") == {"claimed_events": 0b101}


@pytest.mark.parametrize("text", ["EVT-0", "EVT-6", "EVT-999999999"])
def test_an_event_id_that_cannot_exist_is_nonsense(text):
    assert claims(text) == {"claimed_nonsense": 1}


@pytest.mark.parametrize(
    ("text", "skus"),
    [
        ("BLOOD-PLT", ["BLOOD-PLT"]),
        ("blood plt and iv_sal_500", ["BLOOD-PLT", "IV-SAL-500"]),
        ("platelets are short", ["BLOOD-PLT"]),
        ("a platelet shortage", ["BLOOD-PLT"]),
        ("packed red blood cells", ["BLOOD-RBC"]),
        ("plasma and saline", ["BLOOD-FFP", "IV-SAL-500"]),
        ("surgical masks", ["MASK-001"]),
        ("oxygen masks", ["OXY-MASK"]),
        ("surgical gloves", ["GLOVE-001"]),
    ],
)
def test_a_shortage_is_named_by_its_product(text, skus):
    assert claims(text) == {"claimed_skus": sum(SKU[sku] for sku in skus)}


@pytest.mark.parametrize(
    "text",
    [
        "shortage",
        "we are running low",
        "stockout ahead",
        "stock-outs",
        "insufficient inventory",
        "stock is low",
        "it runs short",
        "depleted",
        "below par",
        "must replenish",
    ],
)
def test_supply_words_without_a_product_mean_the_ordered_one(text):
    assert claims(text) == {"claimed_shortage": 1}


@pytest.mark.parametrize(
    "text",
    ["the supplier is late", "supplier delays", "delay at the vendor", "longer lead times", "it is backordered"],
)
def test_a_supplier_problem(text):
    assert claims(text) == {"claimed_supplier": 1}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "urgent!",
        "please approve",
        "as I recall we agreed",
        "masks",
        "shortly",
        "critical for patients",
        "PLT",
        "xBLOOD-PLTx",
    ],
)
def test_words_that_claim_nothing(text):
    assert claims(text) == {}


def test_several_claims_add_up():
    text = "MCI (EVT-2): BLOOD-RBC and gloves run low and the supplier is delayed"
    assert claims(text) == {
        "claimed_types": 1 << Event.MCI,
        "claimed_events": 0b10,
        "claimed_skus": SKU["BLOOD-RBC"] | SKU["GLOVE-001"],
        "claimed_supplier": 1,
    }


def test_two_products_that_share_a_last_word_are_not_named_by_it():
    assert claims("masks") == {}
    assert claims("surgical masks and oxygen masks") == {"claimed_skus": SKU["MASK-001"] | SKU["OXY-MASK"]}


def filing(justification):
    view = np.zeros(1, [("evidence", "i2", (3, 10))])[0]
    call = Call("finance_sap_request_approval", {"approval_id": "APR-0001", "justification": justification})
    return Registry(SCENARIO).build(call, Phase.COORDINATE, view)


@pytest.mark.parametrize(
    ("given", "fields", "words"),
    [
        ({"event": "mci"}, {"claimed_types": 1}, "mci"),
        ({"event": "EVT-2"}, {"claimed_events": 2}, "evt-2"),
        ({"event": "EVT-77"}, {"claimed_nonsense": 1}, "evt-77"),
        ({"shortage": "BLOOD-PLT"}, {"claimed_skus": 2}, "shortage of BLOOD-PLT"),
        ({"supplier_problem": True}, {"claimed_supplier": 1}, "supplier problem"),
        ({"supplier_problem": False}, {}, ""),
        ('{"event": "mci", "shortage": "BLOOD-RBC"}', {"claimed_types": 1, "claimed_skus": 1}, "mci; shortage of BLOOD-RBC"),
    ],
)
def test_structured_claims_pass_too(given, fields, words):
    command, said = filing(given)
    assert {field: int(command[0][field]) for field in FIELDS if command[0][field]} == fields
    assert said == {"justification": words}


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"event": "party"}, "unknown_event"),
        ({"event": 3}, "unknown_event"),
        ({"shortage": "MILK"}, "unknown_sku"),
        ({"supplier_problem": "yes"}, "wrong_type"),
        ({"why": "x"}, "unknown_key"),
        ("{broken", "not_json"),
        (["mci"], "wrong_type"),
    ],
)
def test_wrong_structured_claims_are_refused(given, code):
    with pytest.raises(ToolError) as caught:
        filing(given)
    assert caught.value.code == code


def test_a_rationale_cites_the_disclosures_of_its_own_ward_and_round():
    desk = a_desk()
    for ward, sku in (("ward_er", "BLOOD-RBC"), ("ward_icu", "SYR-10"), ("ward_er", "GAUZE-01")):
        say(desk, "request_evidence", ward_id=ward, sku=sku)
    rationale = {"ward_er": "EV-0001 and ev-0002 and EV-0009", "ward_icu": "EV-0001", "ward_general": "none"}
    text = say(desk, "submit_allocation_plan", plan_json={}, rationale_json=rationale)
    assert desk.session.record["cited"][0].sum() == 1
    assert desk.session.record["cited"][0, 1, 0] == 1
    assert "Cited: EV-0001 (ward_er BLOOD-RBC)." in text


def test_last_rounds_evidence_cannot_be_cited():
    desk = a_desk()
    say(desk, "request_evidence", ward_id="ward_er", sku="BLOOD-RBC")
    say(desk, "advance_round")
    text = say(desk, "submit_allocation_plan", plan_json={}, rationale_json={"ward_er": "EV-0001"})
    assert not desk.session.record["cited"].any()
    assert "Cited" not in text
