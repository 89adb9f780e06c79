"""Scripted coordinators know the rules: nothing they do is refused, and what they count and claim is right."""

from collections import Counter

import numpy as np
import pytest

from medchain.core.inventory import usable
from medchain.core.kernel import kernel
from medchain.core.session import Session
from medchain.core.words import CENTRAL, Kind, OrderStatus, Phase
from medchain.reward.formula import breakdown
from medchain.scenario import load_scenario
from policies.drive import play_session
from policies.roster import coordinator_names
from policies.scripted.batch import play
from policies.scripted.memory import new_memories
from policies.scripted.shelf import count_stock
from policies.scripted.single import scripted_policies

HEAVY = load_scenario("heavy")
SEEDS = range(50, 56)
CAREFUL = ("cap_blind", "auditor", "oracle")


@pytest.mark.parametrize("name", coordinator_names())
def test_no_call_of_a_scripted_coordinator_is_refused(name):
    session, policies, refused, kinds = Session(HEAVY), scripted_policies(HEAVY, name), [], Counter()

    def note(agent, command, result):
        kinds[Kind(int(command["kind"][0]))] += 1
        if result["ok"] == 0:
            refused.append((agent, Kind(int(command["kind"][0])).name, int(result["refusal"])))

    for seed in SEEDS:
        session.reset(seed)
        play_session(session, policies, note)
    assert refused == []
    if name == "random_legal":
        assert all(kinds[kind] > 0 for kind in Kind if Kind.NOT_UNDERSTOOD < kind <= Kind.QUARANTINE_LOT)


def test_random_legal_repeats_itself_on_a_seed_and_not_on_another():
    first, again = play(HEAVY, "random_legal", [3, 4]), play(HEAVY, "random_legal", [3, 4])
    assert first.tobytes() == again.tobytes()
    assert first[0]["calls_total"] != first[1]["calls_total"]


@pytest.mark.parametrize("name", ["restock", "par_blind", *CAREFUL])
def test_claims_are_sound_and_no_order_is_left_waiting(name):
    records = play(HEAVY, name, range(100, 130))
    assert records["unsound"].max() == 0
    assert records["tickets"].sum() > 0
    assert records["tickets"].sum() == records["approved_at_once"].sum()
    assert not (records["order_status"] == OrderStatus.WAITING).any()
    if name in CAREFUL:
        assert records["order_expedited"].any()


@pytest.mark.parametrize("name", ["restock", "par_blind", *CAREFUL])
def test_recalled_lots_are_set_aside_before_they_harm(name):
    records = play(HEAVY, name, range(100, 130))
    assert (records["recall_lot"] >= 0).any()
    on_odd_days = records["event_day"][records["recall_lot"] >= 0] % 2 == 1
    assert on_odd_days.all()
    assert records["recalled_used"].sum() == 0


@pytest.mark.parametrize("name", CAREFUL)
def test_one_briefing_a_round_and_every_system_used(name):
    records = play(HEAVY, name, SEEDS)
    assert (records["briefings"] == 1).all()
    assert (records["system_used"] == 1).all()


def test_disclosures_are_cited_and_audits_stay_within_their_quotas():
    records = play(HEAVY, "auditor", SEEDS)
    assert (records["cited"] == (records["evidence"] > 0)).all()
    assert (records["evidence"] > 0).sum(axis=(2, 3)).max() <= HEAVY.limits.evidence_per_round
    assert (records["verdict"] > 0).sum(axis=(2, 3)).max() <= HEAVY.limits.reviews_per_round


@pytest.mark.parametrize("name", ["cap_blind", "par_blind", "restock"])
def test_blind_coordinators_audit_nothing(name):
    records = play(HEAVY, name, SEEDS)
    assert not records["evidence"].any() and not records["verdict"].any() and not records["spent_on_audit"].any()


def test_only_the_oracle_knows_more_than_its_view_shows():
    """Change the need of the last round on the tape: until that round opens, no one but the oracle acts differently."""
    for name in ("auditor", "oracle"):
        digests = []
        for factor in (1, 3):
            session, policies = Session(HEAVY, 100), scripted_policies(HEAVY, name)
            session.record["need"][-2:] *= factor
            states = {agent: policy.initial_state(1, [100]) for agent, policy in policies.items()}
            if name == "oracle":
                states[0].memories["told"][0] = session.record["need"]
            while int(session.record["round"]) < HEAVY.clock.rounds:
                agent = session.pending().agent
                commands, states[agent] = policies[agent].act(session.view(agent), states[agent])
                session.submit(commands)
            digests.append(session.record["allocated"].tobytes() + session.record["order_quantity"].tobytes())
        assert (digests[0] == digests[1]) == (name == "auditor")


@kernel
def _counts(views, episodes, params, memories, truth):
    count_stock(views[0], params[0], memories[0])
    for k in range(truth.shape[0]):
        truth[k] = usable(episodes[0], k, CENTRAL)


@pytest.mark.parametrize("name", ["restock", "auditor", "random_legal"])
def test_central_stock_is_known_exactly_at_every_opening(name):
    session, truth = Session(HEAVY), np.zeros(len(HEAVY.skus))
    for seed in SEEDS:
        session.reset(seed)
        policies = scripted_policies(HEAVY, name)
        states = {agent: policy.initial_state(1, [seed]) for agent, policy in policies.items()}
        while not session.ended:
            agent = session.pending().agent
            if session.pending().phase == Phase.COORDINATE and int(session.record["calls"]) == 0:
                memories = new_memories(HEAVY.sizes)
                _counts(session.view(0), session.episodes, session.params, memories, truth)
                assert memories[0]["central"].tolist() == truth.tolist()
            commands, states[agent] = policies[agent].act(session.view(agent), states[agent])
            session.submit(commands)


@pytest.mark.parametrize("name", ["cap_blind", "auditor"])
def test_no_ward_is_starved(name):
    """The gate of the process components stays open, or nearly so."""
    gates = [breakdown(record, Session(HEAVY).params[0])["gate"] for record in play(HEAVY, name, range(50, 60))]
    assert np.mean(gates) > 0.95
