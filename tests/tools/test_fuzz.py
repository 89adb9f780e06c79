"""Whatever comes, parser and desk answer with a result or a refusal, and a refusal changes nothing but the call counts."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from medchain.core.words import EVERY, Phase
from medchain.errors import ToolError
from medchain.tools.parse import Call, read_answer, read_turn
from medchain.tools.registry import REPLIES, TOOLS
from medchain.tools.show import MOST_CHARACTERS
from tests.tools.tables import EVERY_TOOL, a_desk, as_json, as_xml

PIECES = [
    "<tool_call>",
    "</tool_call>",
    "<function=",
    "<parameter=",
    "</parameter>",
    "</function>",
    "<think>",
    "</think>",
    ">",
]
PIECES += [
    "{",
    "}",
    "[",
    "]",
    '"',
    ":",
    ",",
    '"name"',
    '"arguments"',
    "view_requests",
    "NaN",
    "1e999",
    "-",
    "\\",
    "\\u0000",
    "```",
]
PIECES += [as_json("submit_po", EVERY_TOOL["submit_po"]), as_xml("submit_po", EVERY_TOOL["submit_po"])]
TEXTS = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=30).map("".join))

NUMBERS = st.one_of(
    st.integers(), st.floats(), st.sampled_from([0, -1, 2**31, 2**63, 10**30, 1e308, math.inf, math.nan, 0.5])
)
PLAIN = st.one_of(
    st.none(), st.booleans(), NUMBERS, TEXTS, st.sampled_from(["all", "70%", "requested", "ward_er", "BLOOD-RBC"])
)
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["ward_icu", "ward_er", "BLOOD-RBC", "SYR-10", "*", "event", "shortage"]), inner, max_size=3
        ),
        st.dictionaries(st.text(max_size=5), inner, max_size=2),
    ),
    max_leaves=6,
)
NAMES = [tool.name for tool in (*TOOLS, *REPLIES)]
PARAMETERS = sorted({p.name for tool in (*TOOLS, *REPLIES) for p in tool.parameters})
COUNTS = {"calls", "calls_total", "refusals_in_a_row", "forfeits"}


@st.composite
def calls(draw):
    """A call of a real tool: some legal arguments, some wrong ones, sometimes an unknown one."""
    name = draw(st.sampled_from(NAMES))
    arguments = dict(EVERY_TOOL.get(name, {}))
    for key in draw(st.lists(st.sampled_from(PARAMETERS), max_size=3)):
        arguments[key] = draw(VALUES)
    return {"name": name, "arguments": arguments}


@given(TEXTS)
def test_the_parser_answers_every_text_with_calls_or_one_error(text):
    found = read_turn(text)
    assert found
    assert all(isinstance(call, Call) for call in found[:-1])
    assert isinstance(found[-1], Call | ToolError)


@given(st.one_of(TEXTS, VALUES))
def test_answers_are_read_or_refused(given_):
    try:
        assert isinstance(read_answer(given_, "disclose"), Call)
    except ToolError as error:
        assert str(error).isascii() and len(str(error)) < 2_000


DESKS = {}


def desk_in(phase):
    """The same desk at the same moment, each time anew: at the coordinator's turn, or at that of an agent that answers."""
    if phase not in DESKS:
        desk = a_desk()
        line = {"ward_id": "ward_er", "sku": "BLOOD-RBC"}
        if phase == Phase.REQUEST:
            desk.call({"name": "advance_round"})
        elif phase != Phase.COORDINATE:
            name, more = {
                Phase.DISCLOSE: ("request_evidence", {}),
                Phase.VERDICT: ("escalate_to_clinical_review", {"concern": "high"}),
                Phase.REPLY: ("messaging_send_to_ward", {"body": "why?"}),
            }[phase]
            line.pop("sku") if phase == Phase.REPLY else None
            desk.call({"name": name, "arguments": line | more})
        assert desk.session.pending().phase == phase
        DESKS[phase] = desk, desk.session.save(), desk.dump()
    desk, record, said = DESKS[phase]
    desk.session.load(record)
    desk.load(said)
    return desk


@given(
    st.sampled_from([Phase.COORDINATE, Phase.COORDINATE, Phase.REQUEST, Phase.DISCLOSE, Phase.VERDICT, Phase.REPLY]),
    st.one_of(calls(), VALUES, TEXTS),
)
def test_the_desk_takes_anything(phase, given_):
    desk = desk_in(phase)
    before = desk.session.record.copy()
    outcome = desk.call(given_)
    assert outcome.text.isascii() and len(outcome.text) <= MOST_CHARACTERS
    record = desk.session.record
    changed = {f for f in before.dtype.names if not np.array_equal(before[f], record[f])}
    assert record["calls_total"] == before["calls_total"] + 1
    if not outcome.result["ok"]:
        assert outcome.text.startswith("REFUSED ")
        assert changed <= COUNTS
    if outcome.error is not None:
        assert outcome.result["refusal"] == 1
    for agent in range(5):
        assert desk.prompt(agent).isascii()


@given(calls())
def test_a_built_command_stays_within_its_record(call):
    desk = desk_in(Phase.COORDINATE)
    try:
        command, said = desk.build(call)
    except ToolError:
        return
    c, sizes = command[0], desk.session.scenario.sizes
    assert EVERY <= c["ward"] < sizes.wards and EVERY <= c["sku"] < sizes.skus
    assert EVERY <= c["location"] < sizes.locations and 0 <= c["supplier"] < sizes.suppliers
    assert EVERY <= c["lot"] < sizes.lots
    assert 0 <= c["quantity"] <= desk.session.scenario.limits.order_quantity
    assert (c["quantities"] >= 0).all()
    assert all(isinstance(words, str) and words.isascii() for words in said.values())
