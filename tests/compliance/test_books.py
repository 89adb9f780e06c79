"""What PettingZoo's tests miss of an AEC environment's books: rewards, the last step, dead steps, purity, seeds."""

import copy
import pickle
from collections import defaultdict

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

from medchain import medchain_v0
from medchain.errors import MedChainError, ReplayError, SeedError, UnknownNameError
from medchain.reward.formula import breakdown
from medchain.reward.roles import arbiter_close_reward, verdict_reward, ward_reward
from tests.compliance.players import diary, drawn, seed_spaces, turns

SURFACES = ["structured", "text"]
DIFFICULTIES = ["light", "medium", "heavy"]


def ended(surface: str = "structured", reward: str = "terminal", seed: int = 4):
    """An episode just ended, and what each agent earned, as its turns' rewards were seen."""
    env, earned = medchain_v0.env(surface=surface, reward=reward), defaultdict(float)
    for agent, seen, action in turns(env, seed):
        earned[agent] += seen[1]
        if action is None:
            break
    return env, earned


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
@pytest.mark.parametrize("surface", SURFACES)
def test_the_end_comes_to_all_at_once_with_observation_reward_and_score(surface: str, difficulty: str) -> None:
    env = medchain_v0.env(surface=surface, scenario=difficulty)
    dead = [(agent, seen) for agent, seen, action in turns(env, 7) if action is None]
    assert [agent for agent, _ in dead] == env.possible_agents
    assert not env.agents
    record = env.unwrapped.session.record
    parts = breakdown(record, env.unwrapped.session.params[0])
    for agent, (observation, reward, terminated, truncated, info) in dead:
        assert terminated and not truncated
        assert env.observation_space(agent).contains(observation)
        if agent == "coordinator":
            assert reward == info["score"] == parts["score"]
            assert info["breakdown"] == parts
            assert info["forfeits"] == dict(zip(env.possible_agents, record["forfeits"].tolist(), strict=True))


@pytest.mark.parametrize("reward", ["terminal", "shaped"])
def test_returns_are_the_score_and_the_sum_of_the_rounds(reward: str) -> None:
    """In both modes: no loop of calls can raise a coordinator's return, and a ward's is the sum over rounds."""
    env, earned = medchain_v0.env(reward=reward), defaultdict(float)
    steps = 0
    for agent, seen, _ in turns(env, 9):
        earned[agent] += seen[1]
        steps += agent == "coordinator" and seen[1] != 0
    session = env.unwrapped.session
    assert earned["coordinator"] == pytest.approx(breakdown(session.record, session.params[0])["score"], abs=1e-12)
    assert (steps > 20) == (reward == "shaped")
    for w, ward in enumerate(session.scenario.wards):
        rounds = [ward_reward(session.record, session.params[0], w, r) for r in range(8)]
        assert earned[ward] == pytest.approx(sum(rounds), abs=1e-12)


def test_arbiter_is_paid_for_its_verdicts() -> None:
    """Right or wrong at each verdict, and at each close for the need that it cut into."""
    env = medchain_v0.env()
    paid = [seen[1] for agent, seen, _ in turns(env, 2) if agent == "arbiter"]
    s, p = env.unwrapped.session.record, env.unwrapped.session.params[0]
    ruled = [verdict_reward(s, p, *line) for line in np.ndindex(*s["verdict"].shape)]
    assert len(paid) == sum(reward != 0 for reward in ruled) + 1 > 3
    assert sum(paid) == pytest.approx(sum(ruled) + sum(arbiter_close_reward(s, p, r) for r in range(8)))


def test_dead_agents_step_with_none_only() -> None:
    env, _ = ended()
    with pytest.raises(ValueError, match="None"):
        env.step(env.action_space("coordinator").sample())
    for left in range(4, -1, -1):
        env.step(None)
        assert len(env.agents) == left
    before = env.unwrapped.digest()
    env.step(None)  # nobody is left: PettingZoo's wrapper warns and nothing happens
    assert env.unwrapped.digest() == before


@pytest.mark.parametrize("surface", SURFACES)
def test_looking_changes_nothing_and_is_not_changed(surface: str) -> None:
    """`observe` and `state` are pure; an observation that was handed out is never written to again."""
    env = medchain_v0.env(surface=surface)
    kept = []
    for i, (agent, seen, _) in enumerate(turns(env, 3, most=300)):
        kept.append((seen[0], copy.deepcopy(seen[0])))
        if i % 10 == 0:
            before = env.unwrapped.digest()
            all_seen = [env.observe(a) for a in env.possible_agents]
            env.state()
            again = [env.observe(a) for a in env.possible_agents]
            assert data_equivalence(all_seen, again, exact=True)
            assert data_equivalence(env.last()[0], seen[0], exact=True), agent
            assert env.unwrapped.digest() == before
    assert all(data_equivalence(now, then, exact=True) for now, then in kept)


def test_state_is_what_everybody_sees() -> None:
    env = medchain_v0.env()
    for _ in turns(env, 5, most=100):
        state = env.state()
        assert env.unwrapped.state_space.contains(state)
        assert np.array_equal(state, np.concatenate([env.observe(a)["observation"] for a in env.possible_agents]))


@pytest.mark.parametrize("surface", SURFACES)
def test_one_seed_one_episode_whatever_was_played_before(surface: str) -> None:
    used = medchain_v0.env(surface=surface)
    diary(used, 1, {"difficulty": "heavy"})
    assert diary(used, 50) == diary(medchain_v0.env(surface=surface), 50)


def test_difficulty_option_is_for_one_episode() -> None:
    env = medchain_v0.env(scenario="light")
    assert diary(env, 6, {"difficulty": "heavy", "unheard of": 1}) == diary(medchain_v0.env(scenario="heavy"), 6)
    assert diary(env, 6) == diary(medchain_v0.env(scenario="light"), 6)


def test_a_fresh_seed_is_told_and_plays_the_same_again() -> None:
    env, other = medchain_v0.env(), medchain_v0.env()
    env.reset()
    other.reset(seed=env.infos["arbiter"]["seed"])
    assert env.unwrapped.digest() == other.unwrapped.digest()
    first = env.infos["arbiter"]["seed"]
    env.reset()
    assert env.infos["arbiter"]["seed"] != first
    env.reset(seed=5)
    other.reset(seed=5)
    env.reset()
    other.reset()
    assert env.unwrapped.digest() == other.unwrapped.digest()


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "7", True])
def test_other_seeds_are_refused_by_name(seed) -> None:
    env = medchain_v0.env()
    env.reset(seed=3)
    before = env.unwrapped.digest()
    with pytest.raises(SeedError, match="seed must be an integer in 0"):
        env.reset(seed=seed)
    assert env.unwrapped.digest() == before


@pytest.mark.parametrize("seed", [0, 2**63 - 1, np.int64(9)])
def test_every_seed_in_range_is_legal(seed) -> None:
    env = medchain_v0.env()
    env.reset(seed=seed)
    assert env.infos["coordinator"]["seed"] == seed


@pytest.mark.parametrize(
    "wrong",
    [{"scenario": "hard"}, {"surface": "speech"}, {"surface": {"boss": "text"}}, {"reward": "nice"}, {"render_mode": "3d"}],
    ids=str,
)
def test_wrong_names_are_refused_with_the_right_ones(wrong) -> None:
    with pytest.raises(UnknownNameError, match="known: "):
        medchain_v0.env(**wrong)


def test_wrong_difficulty_leaves_the_episode_alone() -> None:
    env = medchain_v0.env()
    env.reset(seed=3)
    before = env.unwrapped.digest()
    with pytest.raises(MedChainError, match="difficulty"):
        env.reset(seed=4, options={"difficulty": "impossible"})
    assert env.unwrapped.digest() == before


def rest(env) -> list:
    """How an episode goes on from where it stands."""
    seed_spaces(env, 77)
    found = []
    for agent in env.agent_iter():
        found.append((agent, env.unwrapped.digest(), *env.last()))
        env.step(drawn(env))
    return found


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("moment", [0, 2, 61, 300, -3])
def test_copies_and_saves_go_on_identically(surface: str, moment: int) -> None:
    """At any moment, in the middle of a hand-over and among the dead steps too; `moment` from the end if negative."""
    env = medchain_v0.env(surface=surface)
    length = sum(1 for _ in turns(env, 8)) if moment < 0 else 0
    for _ in turns(env, 8, most=length + moment if moment < 0 else moment):
        pass
    loaded = medchain_v0.env(surface=surface)
    loaded.reset(seed=1)
    saved = env.save()
    loaded.load(saved)
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), loaded]
    expected = rest(env)
    for other in copies:
        assert data_equivalence(rest(other), expected, exact=True)


@pytest.mark.parametrize("damage", [b"", b"{}\n", b"\xff" * 100, b"not ours", b"medchain"])
def test_strange_bytes_are_not_loaded(damage: bytes) -> None:
    env = medchain_v0.env()
    env.reset(seed=3)
    before = env.save()
    with pytest.raises(ReplayError):
        env.load(damage)
    for other in (before[:-1], before[:-9] + b"?" + before[-8:], before.replace(b"arbiter", b"arbiser", 1)):
        with pytest.raises(ReplayError, match="damaged"):
            env.load(other)
    with pytest.raises(ReplayError, match="version"):
        env.load(before.replace(b"medchain ", b"medchain 9.", 1))
    heavy = medchain_v0.env(scenario="heavy")
    heavy.reset(seed=3)
    with pytest.raises(ReplayError, match="scenario"):
        heavy.load(before)
    assert env.save() == before


@pytest.mark.parametrize("call", ["last", "step", "state", "render", "agents"])
def test_calls_before_reset_are_errors(call: str) -> None:
    env = medchain_v0.env()
    assert str(env) == "medchain_v0"
    with pytest.raises((AssertionError, AttributeError), match="reset"):
        value = getattr(env, call)
        value(None) if call == "step" else value()
