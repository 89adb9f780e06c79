"""What each token of a turn is about, and that it is told what that earned and nothing else."""

import re

import numpy as np
import pytest

from experiments.rllib.groups import columns, grouped
from experiments.rllib.ledger_credit import LedgerCredit
from medchain.reward.ledgers import LEDGERS
from medchain.tools.registry import TOOLS
from policies.llm.concern import PURPOSE, Concerns
from policies.llm.conversation import Stretch
from policies.llm.rollout import Key, Rollout

SKUS = ["RED", "RED-2", "GLOVE"]
SEEN = Concerns(SKUS)
LEDGER = {name: 3 + i for i, name in enumerate(LEDGERS)}


def words(text: str) -> dict[str, tuple[int, ...]]:
    """The concern of each word of a turn whose tokens are single letters: that of its last letter."""
    about = SEEN.of(list(text))
    return {found[0]: about[found.end() - 1] for found in re.finditer(r"[\w%*-]+", text)}


def test_tools_of_purposes_are_tools():
    assert set(PURPOSE) <= {tool.name for tool in TOOLS}
    assert {ledger for found in PURPOSE.values() for ledger in found} <= set(LEDGERS)


@pytest.mark.parametrize(
    "call",
    [
        '<tool_call>{"name": "request_evidence", "arguments": {"ward_id": "ward_er", "sku": "RED-2"}}</tool_call>',
        "<tool_call><function=request_evidence><parameter=sku>RED-2</parameter></function></tool_call>",
        '<tool_call>{"name": "request_evidence", "arguments": {"sku": "RED-2',
    ],
)
def test_a_call_about_one_sku_is_about_it_and_its_tools_purpose(call):
    about = SEEN.of(["so ", *call, "\n", "end"])
    assert set(about[1 : 1 + len(call)]) == {(1, LEDGER["audit"])}
    whole = "</tool_call>" in call
    assert about[0] == SEEN.all and (not whole or about[-1] == SEEN.all)


def test_calls_about_nothing_in_particular():
    briefing = '<tool_call>{"name": "get_round_briefing", "arguments": {}}</tool_call>'
    assert set(SEEN.of(list(briefing))) == {(LEDGER["briefing"],)}
    closing = '<tool_call>{"name": "advance_round", "arguments": {}}</tool_call>'
    assert set(SEEN.of(list(closing))) == {SEEN.all}
    assert set(SEEN.of(list("no call at all"))) == {SEEN.all}


def test_a_plan_is_about_each_sku_where_it_is_named():
    found = words(
        '<tool_call>{"name": "submit_allocation_plan", "arguments": {"plan_json": {"ward_icu": {"RED": "90%", '
        '"RED-2": "15%", "*": "100%"}, "ward_er": "80%"}, "rationale_json": {"ward_icu": "EV-17"}}}</tool_call>'
    )
    audit = LEDGER["audit"]
    assert found["RED"] == found["90%"] == (0, audit)
    assert found["RED-2"] == found["15%"] == (1, audit)
    assert found["*"] == found["100%"] == found["80%"] == found["plan_json"] == (0, 1, 2, audit)
    assert found["rationale_json"] == found["EV-17"] == (audit,)
    assert SEEN.kind((1, audit)) == ("sku", "audit") == SEEN.kind((0, audit))
    assert SEEN.kind((0, 1, 2, audit)) == ("skus", "audit") and SEEN.kind(SEEN.all) == ("everything",)


class Words:
    """A tokenizer of three words."""

    said = (
        '<tool_call>{"name": "request_evidence", "arguments": {"sku": "RED"}}</tool_call>',
        '<tool_call>{"name": "request_evidence", "arguments": {"sku": "GLOVE"}}</tool_call>',
        "<end>",
    )

    def decode(self, ids):
        return "".join(self.said[i] for i in ids)


def rollout(member, ids, earned):
    """One round of one turn; `earned` by ledger."""
    stretch = Stretch(0, 1, [9, *ids], [(1, len(ids), "turn", 50)], [-1.0] * len(ids), [True] * len(ids))
    earned = np.array([*earned, *[0.0] * len(LEDGERS)])
    total = float(earned.sum())
    return Rollout(
        Key(0, "light", member), total, {}, {0: [stretch]}, {}, {0: total}, [0.0], {0: [0.0]}, [0.0 * earned, earned], ["a"]
    )


def test_a_token_hears_of_its_own_sku_only():
    """Red rose by 0.2 where glove fell by 0.4: who asked about red is praised, who asked about glove is blamed."""
    members = [rollout(0, [0, 1, 2], (0.2, 0.0, -0.4)), rollout(1, [0, 2], (0.0, 0.0, 0.0))]
    samples = grouped(members, 2, "ledger").samples[0]
    for sample in samples:
        assert sample.gains.sum() == pytest.approx(sample.advantage)
    assert sum(sample.gains for sample in samples) == pytest.approx(np.zeros(3 + len(LEDGERS)))
    LedgerCredit(SEEN, Words()).tell(samples)
    audits = np.sqrt((0.1**2 + 0.2**2 + 0.1**2) / 3)  # of the three tokens of this kind
    assert samples[0].advantage == pytest.approx([0.1 / audits, -0.2 / audits, -1.0])
    assert samples[1].advantage == pytest.approx([-0.1 / audits, 1.0])
    made = columns(samples, 0, ["turn"], 2)
    assert made["advantage"][0, 1:] == pytest.approx(samples[0].advantage)
    assert made["advantage"][0, 0] == made["advantage"][1, 3] == 0.0
