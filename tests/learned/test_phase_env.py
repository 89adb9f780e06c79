"""The phase-level environment for RLlib, and the batched runner against what RLlib's own calls build."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="learned roles need medchain[train]")
pytest.importorskip("ray", reason="learned roles need medchain[train]")

from ray.rllib.env.multi_agent_episode import MultiAgentEpisode
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

from experiments.rllib.phase_env import PhaseEnv
from medchain.errors import ConfigError, SeedError
from medchain.scenario import load_scenario
from tests.learned.setups import LEARNERS, batched_runner, env_config


@pytest.mark.parametrize("learners", LEARNERS)
def test_rllibs_own_check(learners: tuple[str, ...]) -> None:
    check_multiagent_environments(PhaseEnv(env_config(learners)))


@pytest.mark.parametrize("learners", LEARNERS)
def test_only_agents_that_decide_appear_and_returns_add_up(learners: tuple[str, ...]) -> None:
    """Every reward has a key at the agent's next appearance; all of them together are its return."""
    env = PhaseEnv(env_config(learners))
    rng = np.random.default_rng(0)
    seen, infos = env.reset(seed=5)
    assert infos[next(iter(seen))]["key"] == 5
    total, appearances = (
        dict.fromkeys(env.possible_agents, 0.0),
        dict.fromkeys(env.possible_agents, 0) | dict.fromkeys(seen, 1),
    )
    over = False
    while not over:
        assert seen
        for name, row in seen.items():
            assert env.observation_spaces[name].contains(row)
            mask = row[-int(env.action_spaces[name].nvec.sum()) :]
            assert mask.sum() > len(env.action_spaces[name].nvec), f"{name} appears with nothing to decide"
        actions = {name: rng.integers(env.action_spaces[name].nvec) for name in seen}
        seen, rewards, ends, cuts, infos = env.step(actions)
        over = ends["__all__"]
        assert set(rewards) == set(seen)
        assert cuts == {"__all__": False}
        for name in seen:
            total[name] += rewards[name]
            appearances[name] += 1
    assert set(seen) == set(env.possible_agents)
    decisions = {name: 8 if name == "arbiter" else 16 for name in env.possible_agents}
    assert appearances == {name: count + 1 for name, count in decisions.items()}
    if "coordinator" in total:
        assert total["coordinator"] == pytest.approx(infos["coordinator"]["score"])


def test_keys_are_explicit_and_in_order() -> None:
    env, twin = PhaseEnv(env_config(("coordinator",), first_key=77)), PhaseEnv(env_config(("coordinator",)))
    assert [env.reset()[1]["coordinator"]["key"] for _ in range(3)] == [77, 78, 79]
    np.testing.assert_array_equal(env.reset(seed=50)[0]["coordinator"], twin.reset(seed=50)[0]["coordinator"])
    with pytest.raises(SeedError):
        env.reset(seed=-1)


def test_masked_out_choices_count_as_zero() -> None:
    env, idle = PhaseEnv(env_config(("coordinator",))), PhaseEnv(env_config(("coordinator",)))
    nvec = env.action_spaces["coordinator"].nvec
    zeros = np.zeros(len(nvec), int)
    wild = zeros.copy()
    wild[30:] = nvec[30:] - 1  # AUDIT: only the first 30 heads are in use
    env.reset(seed=3)
    idle.reset(seed=3)
    env.step({"coordinator": wild})
    idle.step({"coordinator": zeros})
    assert env.batch.env.episodes.tobytes() == idle.batch.env.episodes.tobytes()


@pytest.mark.parametrize("learners", LEARNERS)
def test_episodes_out_of_arrays_are_what_rllib_builds_step_by_step(learners: tuple[str, ...]) -> None:
    """The batched runner's episodes equal those of add_env_reset and add_env_step on the environment."""
    runner = batched_runner(learners, batch=3)
    episodes = runner.sample(keys=[11, 12, 13], explore=False)
    assert [e.id_ for e in episodes] == ["11", "12", "13"]
    env = PhaseEnv(env_config(learners))
    for episode in episodes:
        built = MultiAgentEpisode(
            id_=episode.id_,
            observation_space=env.observation_spaces,
            action_space=env.action_spaces,
            agent_module_ids={name: episode.module_for(name) for name in env.possible_agents},
        )
        taken = {name: iter(episode.agent_episodes[name].actions.data) for name in env.possible_agents}
        seen, infos = env.reset(seed=int(episode.id_))
        built.add_env_reset(observations=seen, infos=infos)
        while not built.is_done:
            actions = {name: next(taken[name]) for name in seen}
            seen, rewards, ends, cuts, infos = env.step(actions)
            built.add_env_step(
                observations=seen, actions=actions, rewards=rewards, infos=infos, terminateds=ends, truncateds=cuts
            )
        built.to_numpy()
        episode.validate()
        assert len(episode) == len(built)
        assert episode.get_return() == pytest.approx(built.get_return())
        assert episode.agent_ids == built.agent_ids
        for name in env.possible_agents:
            ours, theirs = episode.agent_episodes[name], built.agent_episodes[name]
            assert episode.env_t_to_agent_t[name].data == built.env_t_to_agent_t[name].data
            np.testing.assert_array_equal(ours.get_observations(), theirs.get_observations())
            np.testing.assert_array_equal(ours.get_actions(), theirs.get_actions())
            np.testing.assert_allclose(ours.get_rewards(), theirs.get_rewards(), atol=1e-6)
            assert ours.infos.data[-1]["score"] == pytest.approx(theirs.infos.data[-1]["score"])
            if name == "coordinator":
                assert ours.get_return() == pytest.approx(ours.infos.data[-1]["score"])
            assert (ours.is_terminated, ours.is_truncated, len(ours)) == (True, False, len(theirs))


def test_same_keys_same_episodes_whoever_plays_them() -> None:
    """Exploring draws depend on the block's keys: two runners agree, and a block alone equals it among others."""
    one, other = batched_runner(("coordinator",), batch=4), batched_runner(("coordinator",), batch=4)
    first = one.sample(keys=range(20, 28))
    again = other.sample(keys=range(24, 28))
    for a, b in zip(first[4:], again, strict=True):
        own, theirs = a.agent_episodes["coordinator"], b.agent_episodes["coordinator"]
        np.testing.assert_array_equal(own.get_actions(), theirs.get_actions())
        np.testing.assert_array_equal(own.get_observations(), theirs.get_observations())
    assert len({e.get_return() for e in first}) > 1


def test_rllibs_own_runner_plays_the_most_probable_choices() -> None:
    """Without exploration too it asks for the log-probability of what it chose; the batched runner plays the same."""
    from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner

    batched = batched_runner(("coordinator",), batch=1)
    own = MultiAgentEnvRunner(batched.config)
    own.set_state({"rl_module": batched.get_state()["rl_module"], "weights_seq_no": 1})
    (theirs,) = own.sample(num_episodes=1, explore=False)
    key = theirs.agent_episodes["coordinator"].infos.data[-1]["key"]
    (ours,) = batched.sample(keys=[key], explore=False)
    for name in ("get_actions", "get_observations"):
        played = [getattr(e.agent_episodes["coordinator"], name)() for e in (theirs, ours)]
        np.testing.assert_array_equal(*played)


def test_whole_episodes_for_any_request() -> None:
    runner = batched_runner(("coordinator",), batch=4)
    assert len(runner.sample(num_episodes=6)) == 6
    assert sum(len(e) for e in runner.sample(num_timesteps=100)) >= 100
    assert all(e.is_terminated for e in runner.sample())
    metrics = runner.get_metrics()
    assert metrics["num_env_steps_sampled"].peek() == 16 * (6 + 8 + 4)


def test_other_environments_get_rllibs_own_runner() -> None:
    from tests.learned.setups import stock_runner

    runner = stock_runner()
    assert not runner.phase_level
    assert sum(len(e) for e in runner.sample(num_timesteps=20)) >= 20


def test_roles_that_cannot_be() -> None:
    from experiments.rllib.phase_roles import RolePart, assemble, check_roles

    scenario = load_scenario()

    def parts(**changed: dict) -> dict:
        given = {name: {"role": "scripted"} for name in scenario.agents} | changed
        return {name: RolePart.model_validate(part) for name, part in given.items()}

    check_roles(scenario, parts(), "x.yaml")
    with pytest.raises(ConfigError, match=r"agents\.nurse: no such agent"):
        check_roles(scenario, parts(nurse={"role": "learned"}), "x.yaml")
    with pytest.raises(ConfigError, match=r"x\.yaml: agents\.ward_er: persona .* `pads` takes a factor"):
        check_roles(scenario, parts(ward_er={"role": "scripted", "persona": ["pads", -1]}), "x.yaml")
    with pytest.raises(ConfigError, match="a scripted role takes persona, policy"):
        check_roles(scenario, parts(arbiter={"role": "scripted", "module": "a"}), "x.yaml")
    with pytest.raises(ConfigError, match="already plays a coordinator"):
        shared = {"role": "learned", "module": "same"}
        check_roles(scenario, parts(coordinator=shared, ward_icu=shared), "x.yaml")
    with pytest.raises(ConfigError, match="path: missing"):
        check_roles(scenario, parts(arbiter={"role": "checkpoint"}), "x.yaml")
    with pytest.raises(ConfigError, match="there is none"):
        assemble(scenario, parts(arbiter={"role": "checkpoint", "path": "nowhere.pt"}))
