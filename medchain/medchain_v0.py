"""The versioned public name of the environment.

    env = medchain_v0.env()
    env.reset(seed=50)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        done = terminated or truncated
        env.step(None if done else env.action_space(agent).sample(observation["action_mask"]))

`env` is turn by turn, at the level of the 21 tools; `raw_env` is the same without PettingZoo's check of the order of calls;
`parallel_env` is phase by phase.

Version history:
    v0: first release.
"""

from medchain.env.aec import env, raw_env
from medchain.env.parallel import PhaseParallelEnv as parallel_env

__all__ = ["env", "parallel_env", "raw_env"]
