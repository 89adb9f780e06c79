"""The laws of masks: nothing masked-in is refused, nothing masked-out is accepted, no legal command is masked out."""

from typing import Any

import numpy as np
import pytest

from medchain.core.params import new_params
from medchain.core.session import Session, submit_command
from medchain.core.words import COORDINATOR, Kind, Phase
from medchain.env.actions import USES
from medchain.env.aec import raw_env
from medchain.env.game import Game
from medchain.env.translate import action_of
from medchain.errors import MedChainError
from medchain.scenario import Scenario, load_scenario
from tests.laws.chance import Chance
from tests.laws.commands import Habits, Writer

DIFFICULTIES = ["light", "medium", "heavy"]


def tight_scenario() -> Scenario:
    """Little money, few lots of a quote, a supplier that sells little: what masks must get right is common here."""
    data = load_scenario("heavy").model_dump(mode="json")
    data["finance"] |= {"budget_cents": 1_500_000, "budget_per_event_cents": 100_000}
    data["suppliers"]["BACKUP-B"]["sells"] = ["BLOOD-RBC", "SYR-10"]
    data["events"]["disruption_days"] = 6
    return Scenario.model_validate(data)


SCENARIOS = {name: load_scenario(name) for name in DIFFICULTIES} | {"tight": tight_scenario()}


def outcome(game: Game, surface: Any, action: Any) -> tuple[bool, bytes]:
    """Whether an action would be accepted now, and the record that it would leave."""
    read = surface.read(game, -2, action, game.commands)
    assert read is None, read
    episodes, results = game.session.episodes.copy(), game.session.results.copy()
    submit_command(episodes, 0, game.session.params, game.commands, 0, results)
    return bool(results[0]["ok"]), episodes.tobytes()


def start(name: str, seed: int) -> tuple[raw_env, Game]:
    env = raw_env(scenario=SCENARIOS[name])
    env.reset(seed=seed)
    for agent in env.possible_agents:
        env.action_space(agent).seed(seed)
    return env, env.game


@pytest.mark.parametrize("name", SCENARIOS)
def test_nothing_masked_in_is_refused(name: str) -> None:
    """Whole episodes of random legal play, the coordinator not too eager to end a round."""
    env, _ = start(name, 11)
    for seed in range(4):
        env.reset(seed=seed)
        while env.agents and not env.terminations[env.agent_selection]:
            agent = env.agent_selection
            mask = env.observe(agent)["action_mask"]
            env.step(env.action_space(agent).sample(mask))
            assert "refusal" not in env.infos[agent], env.infos[agent]


@pytest.mark.parametrize("name", SCENARIOS)
def test_no_choice_is_masked_wrongly(name: str) -> None:
    """Along an episode every choice of every first head of every tool is tried: accepted if and only if masked-in."""
    env, game = start(name, 5)
    rng, surface = np.random.default_rng(5), env._surfaces["coordinator"]
    tried = 0
    while not env.terminations[env.agent_selection]:
        agent = env.agent_selection
        mask = env.observe(agent)["action_mask"]
        if agent == "coordinator" and rng.random() < 0.06:
            for kind in range(Kind.GET_ROUND_BRIEFING, Kind.QUARANTINE_LOT + 1):
                first = USES.get(kind, ("", ""))[0]
                for choice in range(len(mask[first])) if first else [0]:
                    action = env.action_space(agent).sample() | {"tool": kind - 1}
                    legal = mask["tool"][kind - 1] == 1
                    if first:
                        action[first] = choice
                        legal = legal and mask[first][choice] == 1
                    assert outcome(game, surface, action)[0] == legal, (kind, first, choice)
                    tried += 1
        env.step(env.action_space(agent).sample(mask))
    assert tried > 2000


@pytest.mark.parametrize("name", SCENARIOS)
def test_no_legal_command_is_masked_out(name: str) -> None:
    """Commands of a player that knows no masks: each legal one has a masked-in action with the same effect."""
    env, game = start(name, 0)
    session = game.session
    kinds: dict[int, int] = {}
    for seed in range(3):
        env.reset(seed=seed)
        writer = Writer(new_params(session.scenario), Chance(seed), Habits(hostile=0, advance=2))
        while not session.ended:
            command = session.command()
            writer.write(command[0], session.record)
            agent = env.agent_selection
            try:
                action = action_of(session, command)
            except MedChainError:
                action = None  # beyond the sixteen newest tickets or fifteen first lots, as documented
            else:
                check_action(env, agent, command, action)
                kinds[int(command["kind"][0])] = kinds.get(int(command["kind"][0]), 0) + (action is not None)
            env.step(action)
    assert all(kinds.get(kind, 0) > 0 for kind in range(Kind.GET_ROUND_BRIEFING, Kind.REPLY + 1)), kinds


def check_action(env: raw_env, agent: str, command: np.ndarray, action: dict[str, Any] | None) -> None:
    session: Session = env.session
    episodes, results = session.episodes.copy(), session.results.copy()
    submit_command(episodes, 0, session.params, command, 0, results)
    assert (results[0]["ok"] == 1) == (action is not None)
    if action is None:
        return
    masks = env.observe(agent)["action_mask"]
    for head, choice in action.items():
        if head in masks:
            assert masks[head][choice] == 1, (head, choice, command)
        assert head == "reason" or env.action_space(agent)[head].contains(choice), (head, choice)
    assert outcome(env.game, env._surfaces[agent], action) == (True, episodes.tobytes()), (action, command)


def test_nobody_else_has_a_choice() -> None:
    """Masks are all zero for agents that are not asked."""
    env, game = start("medium", 3)
    for _ in range(200):
        for agent in env.agents:
            masks = env.observe(agent)["action_mask"]
            free = any(mask.any() for mask in masks.values())
            assert free == (agent == env.agent_selection)
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(env.action_space(env.agent_selection).sample(mask))
    assert game.session.pending().phase != Phase.ENDED
    assert COORDINATOR == 0
