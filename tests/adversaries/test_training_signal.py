"""The training signal is an advance on the score: an episode's return is the score, whatever loops it holds."""

import pytest

from medchain.core.params import new_params
from medchain.core.session import Session
from medchain.core.words import COORDINATOR, Kind, Phase, Refusal
from medchain.reward.formula import breakdown
from medchain.reward.shaping import advance
from medchain.scenario import load_scenario
from policies.drive import play_session
from policies.scripted.single import scripted_policies
from tests.adversaries.scores import score

LOOPS = ["looks", "scans", "ask_all", "review_all", "one_unit_orders", "tiny_gated", "name_all"]
MEDIUM = load_scenario("medium")


def shaped_rewards(name, seed):
    """The coordinator's rewards in shaped mode, one per call, and the score of the episode."""
    session, paid, rewards = Session(MEDIUM, seed), [0], []

    def pay(agent, command, result):
        now = advance(session.record, session.params[0])
        if agent == COORDINATOR:
            rewards.append(0.0)
        rewards[-1:] = [rewards[-1] + (now - paid[0]) / 1e6] if rewards else []
        paid[0] = now

    play_session(session, scripted_policies(MEDIUM, name), pay)
    final = breakdown(session.record, session.params[0])["score"]
    rewards[-1] += final - paid[0] / 1e6
    return rewards, final


@pytest.mark.parametrize("loop", LOOPS)
def test_the_return_of_a_loop_is_its_score(loop):
    rewards, final = shaped_rewards(f"auditor+{loop}", 50)
    assert any(reward > 0 for reward in rewards[:-1])
    assert sum(rewards) == pytest.approx(final, abs=1e-9)


@pytest.mark.parametrize("loop", LOOPS)
def test_the_honest_auditor_out_earns_every_loop(loop):
    """Returns are scores, so the comparison of scores is the comparison of returns. Scans change nothing at all."""
    assert score(f"restock+{loop}") < score("auditor") - 0.15
    assert score(f"auditor+{loop}") < score("auditor") - (0.0 if loop == "scans" else 0.001) + 1e-12


def test_repeating_looks_raises_no_advance_after_the_first_of_a_round():
    session = Session(MEDIUM, 50)
    policies = scripted_policies(MEDIUM, "zero")
    for agent in (1, 2, 3):
        session.submit(policies[agent].act(session.view(agent), policies[agent].initial_state(1, [50]))[0])
    command = session.command()
    paid = []
    for _ in range(4):
        for kind in (Kind.GET_ROUND_BRIEFING, Kind.VIEW_REQUESTS, Kind.READ_INBOX, Kind.WMS_SCAN_INVENTORY):
            command["kind"] = kind
            assert session.submit(command)["ok"] == 1
        paid.append(advance(session.record, session.params[0]))
    assert paid[0] > 0
    assert set(paid) == {paid[0]}


def test_calls_after_the_end_are_refused_and_change_nothing():
    session = Session(MEDIUM, 50)
    play_session(session, scripted_policies(MEDIUM, "auditor"))
    assert session.pending().phase == Phase.ENDED
    before, params = session.save(), new_params(MEDIUM)
    final = breakdown(session.record, params[0])
    for kind in Kind:
        command = session.command()
        command["kind"] = kind
        command["quantity"] = 1
        command["quantities"] = 1
        result = session.submit(command)
        assert result["ok"] == 0
        assert result["refusal"] == Refusal.EPISODE_ENDED
        assert session.save() == before
    assert breakdown(session.record, params[0]) == final
