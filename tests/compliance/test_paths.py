"""Every path to the core agrees: Session, AEC structured, AEC text and Gymnasium leave one record at every step."""

import gymnasium
import pytest

from medchain import medchain_v0
from medchain.core.session import Session
from medchain.env.translate import action_of
from medchain.scenario import load_scenario
from medchain.tools.parse import written
from policies.drive import play_session
from policies.roster import coordinator_names
from policies.scripted.single import scripted_policies

NAMES = [name for name in coordinator_names() if name != "oracle"]


class Structured:
    """Follows a session's commands through the structured surface."""

    def __init__(self, scenario: str, seed: int) -> None:
        self.env = medchain_v0.env(scenario=scenario)
        self.env.reset(seed=seed)

    def follow(self, agent: int, commands) -> str:
        raw = self.env.unwrapped
        assert self.env.agent_selection == raw.possible_agents[agent]
        self.env.step(action_of(raw.session, commands))
        return raw.digest()


class Text(Structured):
    """Follows them through the text surface."""

    def __init__(self, scenario: str, seed: int) -> None:
        self.env = medchain_v0.env(scenario=scenario, surface="text")
        self.env.reset(seed=seed)

    def follow(self, agent: int, commands) -> str:
        raw = self.env.unwrapped
        view, name = raw.session.view(agent)[0], raw.possible_agents[agent]
        assert self.env.observation_space(name).contains(self.env.observe(name))
        self.env.step(written(raw.game.desk.registry.call_of(commands[0], view)))
        return raw.digest()


class Alone:
    """Follows the coordinator's commands through Gymnasium; the others decide for themselves there too."""

    def __init__(self, scenario: str, seed: int, surface: str) -> None:
        env = gymnasium.make("policies.gym_view:MedChain-v0", surface=surface, difficulty=scenario)
        env.reset(seed=seed)
        self.env, self.surface = env, surface

    def follow(self, agent: int, commands) -> str:
        raw = self.env.unwrapped
        if agent == 0:
            session = raw.aec.session
            call = raw.aec.game.desk.registry.call_of(commands[0], session.view(0)[0])
            self.env.step(written(call) if self.surface == "text" else action_of(session, commands))
        return raw.digest()


@pytest.mark.parametrize("scenario", ["light", "medium", "heavy"])
@pytest.mark.parametrize("name", NAMES)
def test_every_path_gives_the_same_record_at_every_step(name: str, scenario: str) -> None:
    loaded = load_scenario(scenario)
    session = Session(loaded, 52)
    shells = [Structured(scenario, 52), Text(scenario, 52)]
    alone = [Alone(scenario, 52, "structured"), Alone(scenario, 52, "text")]
    steps = 0

    def on_step(agent, commands, result) -> None:
        nonlocal steps
        steps += 1
        expected = session.digest()
        for shell in shells:
            assert shell.follow(agent, commands) == expected, (type(shell), agent, commands)
        for shell in alone:
            digest = shell.follow(agent, commands)
            if session.ended or session.pending().agent == 0:
                assert digest == expected, (shell.surface, commands)

    play_session(session, scripted_policies(loaded, name), on_step)
    assert session.ended and steps > 24
