"""Phase-level decisions make the same episodes in vector.py and, call by call, through a Session."""

import hashlib

import numpy as np
import pytest

from medchain.core.session import Session
from medchain.env.phases import STEPS
from medchain.env.vector import VectorEnv
from medchain.scenario import load_scenario
from policies.drive import play_session
from policies.phase import Moment, phase_player
from policies.scripted.circle import circle
from policies.scripted.single import ScriptedArbiter, ScriptedWard
from policies.scripted.wards import Persona


class Chance:
    """Random legal choices by (seed, agent, round, step), often among the last of a head: many audits, large orders."""

    def __init__(self, heads: np.ndarray, agent: int) -> None:
        self.cuts, self.agent = np.cumsum(heads)[:-1], agent

    def __call__(self, moment: Moment) -> np.ndarray:
        options = [np.flatnonzero(part) for part in np.split(moment.mask, self.cuts)]
        chosen = []
        for seed, number in zip(moment.seeds.tolist(), moment.rounds.tolist(), strict=True):
            draws = np.random.default_rng((seed, self.agent, number, int(moment.step))).random(len(options))
            chosen.append([o[int(u ** (0.3 + seed % 3) * len(o))] for o, u in zip(options, draws, strict=True)])
        return np.array(chosen)


class Linear:
    """Choices that depend on every feature: the largest of fixed random projections of a line's row and the globals."""

    def __init__(self, heads: np.ndarray, agent: int) -> None:
        self.cuts, self.draws = np.cumsum(heads)[:-1], np.random.default_rng(agent)
        self.heads, self.weights = heads, {}

    def __call__(self, moment: Moment) -> np.ndarray:
        n, lines, width = moment.lines.shape
        if not self.weights:
            self.weights = {
                i: self.draws.normal(size=(size, width + moment.globals.shape[1])) for i, size in enumerate(self.heads)
            }
        legal = np.split(moment.mask, self.cuts)
        chosen = np.zeros((n, len(self.heads)), int)
        for i in range(len(self.heads)):
            seen = np.concatenate([moment.lines[:, i % lines], moment.globals], axis=1).astype(float)
            values = np.einsum("cf,nf->nc", self.weights[i], seen)
            chosen[:, i] = np.where(legal[i] > 0, values, -np.inf).argmax(1)
        return chosen


def in_batch(env: VectorEnv, deciders: dict, seeds: list[int]) -> list[list[str]]:
    """Digest of every record after every round."""
    env.reset(seeds)
    keys, found = np.array(seeds, np.uint64), []
    while not env.done:
        rounds = np.full(env.n, env.step // STEPS + 1)
        for agent in env.deciders():
            moment = Moment(env.phase, keys, rounds, *env.observe(agent), env.mask(agent))
            env.put(agent, deciders[agent](moment))
        env.advance()
        if env.step % STEPS == 0:
            found.append([hashlib.sha256(record.tobytes()).hexdigest() for record in env.episodes])
    return found


def through_session(policies: dict, scenario: object, seed: int) -> list[str]:
    session = Session(scenario, seed)
    found: list[str] = []

    def note(agent: int, commands: np.ndarray, result: object) -> None:
        assert result["ok"], (agent, [str(commands[n]) for n in ("kind", "ward", "sku", "ticket")], str(result))
        if result["advanced"]:
            found.append(session.digest())

    play_session(session, policies, note)
    return found


@pytest.mark.parametrize("decider", [Chance, Linear])
@pytest.mark.parametrize(("difficulty", "first"), [("light", 0), ("heavy", 1000)])
def test_all_roles_at_both_levels(decider: type, difficulty: str, first: int) -> None:
    """Chance and Linear agents in all five roles: 4 x 35 episodes, and no call is refused."""
    scenario, seeds = load_scenario(difficulty), list(range(first, first + 35))
    env = VectorEnv(scenario, len(seeds))
    deciders = {a: decider(env.heads(a), a) for a in range(scenario.sizes.agents)}
    together = in_batch(env, deciders, seeds)
    policies = {a: phase_player(scenario, a, decide) for a, decide in deciders.items()}
    for i, seed in enumerate(seeds):
        assert through_session(policies, scenario, seed) == [row[i] for row in together], seed


@pytest.mark.parametrize("learns", [[0], [1, 3]])
def test_beside_scripted_agents(learns: list[int]) -> None:
    """Some roles at phase level, the others scripted: 2 x 30 episodes."""
    scenario, seeds = load_scenario("medium"), list(range(50, 80))
    scripted = circle({a: (Persona.SCRIPTED, 1.0) for a in (1, 2, 3) if a not in learns}, 4)
    env = VectorEnv(scenario, len(seeds), scripted)
    deciders = {a: Linear(env.heads(a), a) for a in range(5) if a not in scripted}
    together = in_batch(env, deciders, seeds)
    wards = list(scenario.wards)
    policies = {a: phase_player(scenario, a, decide) for a, decide in deciders.items()}
    policies |= {a: ScriptedWard(scenario, wards[a - 1]) if a < 4 else ScriptedArbiter(scenario) for a in scripted}
    for i, seed in enumerate(seeds):
        assert through_session(policies, scenario, seed) == [row[i] for row in together], seed


def test_a_batch_of_views_equals_single_ones() -> None:
    """`act` on the views of many episodes, at different calls of different rounds, decides as on each alone."""
    scenario = load_scenario("medium")
    sessions = [Session(scenario, seed) for seed in range(6)]
    env = VectorEnv(scenario, 1)
    player = phase_player(scenario, 0, Chance(env.heads(0), 0))
    ward = phase_player(scenario, 1, Chance(env.heads(1), 1))
    alone = [player.initial_state(1, [seed]) for seed in range(6)]
    for i, session in enumerate(sessions):
        asked = {a: phase_player(scenario, a, ward.decide).initial_state(1, [i]) for a in (1, 2, 3)}
        for _ in range(3):
            agent = session.pending().agent
            who = phase_player(scenario, agent, ward.decide)
            session.submit(who.act(session.view(agent), asked[agent])[0])
    together = player.initial_state(6, range(6))
    for _ in range(12):
        views = np.concatenate([s.view(0) for s in sessions])
        commands = player.act(views, together)[0].copy()
        for i in range(6):
            one = player.act(views[i : i + 1], alone[i])[0]
            assert one[0].tobytes() == commands[i].tobytes()
        for i, session in enumerate(sessions):
            session.submit(commands, i)
            while session.pending().agent != 0:
                session.submit(session.command())
    assert {int(look) for look in together.looks} != {0}
