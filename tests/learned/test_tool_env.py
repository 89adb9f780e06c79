"""The tool-level environment for RLlib: its own check, its books, the same game as the AEC shell, its place in a runner."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="RLlib needs medchain[train]")
pytest.importorskip("ray", reason="RLlib needs medchain[train]")

from ray.rllib.utils.pre_checks.env import check_multiagent_environments

from experiments.rllib.tool_env import ToolEnv, register
from medchain.env.aec import raw_env
from medchain.errors import MedChainError

MIXED = {"coordinator": "text", "arbiter": "text"}
ADVANCE = '{"name": "advance_round", "arguments": {}}'


def drawn(env, agent, observation, rng):
    """A legal structured action, or one of a few texts."""
    space = env.action_space(agent)
    space.seed(int(rng.integers(2**31)))
    return space.sample(observation["action_mask"]) if "action_mask" in observation else space.sample()


def played(env, seed, rng):
    """Whole episode: what each agent earned, its appearances, the actions, the last infos."""
    seen, infos = env.reset(seed=seed)
    total, count, actions = dict.fromkeys(env.possible_agents, 0.0), dict.fromkeys(env.possible_agents, 0), []
    assert set(infos) == set(seen) and all(info["key"] == seed for info in infos.values())
    over = False
    while not over:
        (agent,) = seen
        assert env.observation_spaces[agent].contains(seen[agent])
        count[agent] += 1
        actions.append((agent, drawn(env.env, agent, seen[agent], rng)))
        seen, rewards, ends, cuts, infos = env.step({agent: actions[-1][1]})
        over = ends["__all__"]
        assert set(rewards) == set(seen) == set(infos) and cuts == {"__all__": False} and len(ends) == 1
        for name, reward in rewards.items():
            total[name] += reward
    assert set(seen) == {agent for agent, n in count.items() if n}
    return total, count, actions, infos


@pytest.mark.parametrize("surface", ["structured", "text", MIXED], ids=["structured", "text", "mixed"])
def test_rllibs_own_check(surface):
    check_multiagent_environments(ToolEnv({"scenario": "light", "surface": surface}))


@pytest.mark.parametrize("reward", ["terminal", "shaped"])
def test_an_episode_is_the_aec_shells_and_its_returns_add_up(reward):
    env, twin = ToolEnv({"scenario": "light", "reward": reward}), raw_env("light", reward=reward)
    total, count, actions, infos = played(env, 7, np.random.default_rng(0))
    twin.reset(seed=7)
    returns = dict.fromkeys(twin.possible_agents, 0.0)
    for agent, action in actions:
        assert agent == twin.agent_selection
        twin.step(action)
        for name, value in twin.rewards.items():
            returns[name] += value
    assert env.env.digest() == twin.digest()
    assert infos["coordinator"]["score"] == twin.infos["coordinator"]["score"] == pytest.approx(total["coordinator"])
    assert total == pytest.approx({name: value if count[name] else 0.0 for name, value in returns.items()})


def test_scripted_agents_do_not_appear_and_surfaces_mix():
    scripted = {"ward_icu": "scripted", "ward_er": "honest", "arbiter": "scripted"}
    env = ToolEnv({"scenario": "light", "surface": {"coordinator": "text"}, "scripted": scripted})
    assert env.possible_agents == ["coordinator", "ward_general"]
    seen, infos = env.reset(seed=3)
    assert set(seen) == {"ward_general"}
    rounds = 0
    over = False
    while not over:
        (agent,) = seen
        action = ADVANCE if agent == "coordinator" else drawn(env.env, agent, seen[agent], np.random.default_rng(rounds))
        rounds += agent == "coordinator"
        seen, _, ends, _, infos = env.step({agent: action})
        over = ends["__all__"]
    assert rounds == 8 and "text" in seen["coordinator"] and 0 <= infos["ward_general"]["score"] <= 1
    _, fresh = env.reset()
    assert "instructions" not in fresh["ward_general"]


def test_a_refused_action_is_told_in_the_infos():
    wards = dict.fromkeys(("ward_icu", "ward_er", "ward_general"), "scripted")
    env = ToolEnv({"scenario": "light", "surface": "text", "scripted": wards})
    seen, infos = env.reset(seed=3)
    assert "instructions" in infos["coordinator"] and "text" in seen["coordinator"]
    _, _, _, _, infos = env.step({"coordinator": "what now?"})
    assert infos["coordinator"]["refusal"] == "no_call" and infos["coordinator"]["key"] == 3


def test_keys_are_explicit_and_wrong_settings_are_named():
    env = ToolEnv({"scenario": "light", "first_key": 77})
    assert [next(iter(env.reset()[1].values()))["key"] for _ in range(2)] == [77, 78]
    for wrong in ({"scripted": {"ward_xyz": "scripted"}}, {"scripted": {"ward_er": "grumpy"}}, {"surface": "smell"}):
        with pytest.raises(MedChainError):
            ToolEnv({"scenario": "light", **wrong})


def test_rllibs_runner_plays_it_and_keeps_the_score():
    """By its registered name, with random modules: whole episodes, and metrics that the callback keeps."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
    from ray.rllib.examples.rl_modules.classes.random_rlm import RandomRLModule

    from experiments.rllib.tool_env import ScoreCallback

    class Random(RandomRLModule):
        framework = "torch"

    scripted = dict.fromkeys(("ward_icu", "ward_er", "ward_general", "arbiter"), "scripted")
    config = (
        PPOConfig()
        .environment(register(), env_config={"scenario": "light", "scripted": scripted})
        .multi_agent(policies={"coordinator"}, policy_mapping_fn=lambda agent, *_, **__: agent)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"coordinator": RLModuleSpec(Random)}))
        .callbacks(ScoreCallback)
    )
    runner = MultiAgentEnvRunner(config=config)
    (episode,) = runner.sample(num_episodes=1, random_actions=True)
    assert episode.is_terminated and set(episode.agent_ids) == {"coordinator"}
    told = episode.agent_episodes["coordinator"].get_infos(-1)
    kept = runner.get_metrics()["medchain"]
    assert kept["score"].peek() == pytest.approx(told["score"])
