"""Random play of an AEC environment, for the compliance tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def drawn(env: Any) -> Any:
    """A random action of the agent whose turn it is: legal on the structured surface, None for a dead agent."""
    agent = env.agent_selection
    if env.terminations[agent]:
        return None
    observation = env.observe(agent)
    return env.action_space(agent).sample(observation.get("action_mask"))


def seed_spaces(env: Any, seed: int) -> None:
    for i, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seed + i)


def turns(env: Any, seed: int, options: dict[str, Any] | None = None, most: int = 10**6) -> Iterator[Any]:
    """Play an episode; yields (agent, what last() gave, the action) before each step."""
    env.reset(seed=seed, options=options)
    seed_spaces(env, seed)
    for agent in env.agent_iter(most):
        seen, action = env.last(), drawn(env)
        yield agent, seen, action
        env.step(action)


def diary(env: Any, seed: int, options: dict[str, Any] | None = None) -> list[Any]:
    """What an episode looked like: digest, agent, reward, ends and info of every turn."""
    return [(env.unwrapped.digest(), agent, *seen[1:]) for agent, seen, _ in turns(env, seed, options)]
