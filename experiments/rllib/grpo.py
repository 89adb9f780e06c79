"""GRPO as an RLlib Algorithm: groups of episodes in one world, advantages on the driver, only adapters travel."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import ray
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.algorithm_config import AlgorithmConfig
from ray.rllib.core import COMPONENT_LEARNER, COMPONENT_RL_MODULE
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.policy.sample_batch import MultiAgentBatch, SampleBatch
from ray.rllib.utils.annotations import override

from experiments.rllib.groups import Grouped, columns, group_keys, grouped, iteration_seeds
from experiments.rllib.grpo_learner import GRPOLearner
from experiments.rllib.lost import LostError, need_learners
from experiments.rllib.text_runner import SPACE, TextEnvRunner
from medchain.scenario import load_scenario
from policies.llm.loading import load_tokenizer
from policies.llm.module import LoRALanguageModule
from policies.llm.player import TextSettings
from policies.llm.rollout import Key, Rollout

PATIENCE = 6
"""Rounds of asking in which no runner answers before a run gives up."""


@dataclass(frozen=True)
class GRPOSettings:
    """Options of the algorithm.

    `group_size` episodes for each of `seeds_per_iteration` training seeds; `loss` grpo or reinforce; `credit`: CREDITS;
    `kl` against the model without adapter; ratios are clipped to [1 - clip_low, 1 + clip_high].
    """

    group_size: int = 8
    seeds_per_iteration: int = 8
    first_seed: int = 0
    last_seed: int = 49
    loss: str = "grpo"
    credit: str = "episode"
    anchor_weight: float = 1.0
    clip_low: float = 0.2
    clip_high: float = 0.28
    kl: float = 0.0
    truncate: float = 2.0
    micro_batch: int = 16
    epochs: int = 1
    seed: int = 0


class GRPOConfig(AlgorithmConfig):
    """Config of GRPO. `text` says how models are seated and spoken to, `grpo` how they learn."""

    def __init__(self, algo_class: Any = None) -> None:
        """Defaults: one coordinator, no remote actors."""
        super().__init__(algo_class=algo_class or GRPO)
        self.text = TextSettings(source=None)  # type: ignore[arg-type]
        self.grpo = GRPOSettings()
        self.learned: tuple[str, ...] = ()
        self.env_runner_cls = TextEnvRunner
        self.num_env_runners = 0
        self.create_local_env_runner = False
        self.validate_env_runners_after_construction = False
        self.lr = 1e-4
        self.grad_clip = 1.0
        self.grad_clip_by = "global_norm"
        self.add_default_connectors_to_env_to_module_pipeline = False
        self.add_default_connectors_to_module_to_env_pipeline = False
        self.add_default_connectors_to_learner_pipeline = False

    def play(self, text: TextSettings, grpo: GRPOSettings, train: Sequence[str] | None = None) -> GRPOConfig:
        """Set what is played and how it is learned; of the modules only those in `train` learn (None: all)."""
        self.text, self.grpo = text, grpo
        modules = sorted(set(text.seats.values()))
        self.learned = tuple(modules if train is None else train)
        self.multi_agent(
            policies=set(modules), policy_mapping_fn=lambda agent, *_, **__: str(agent), policies_to_train=list(self.learned)
        )
        self.rl_module(
            rl_module_spec=MultiRLModuleSpec(
                rl_module_specs={
                    module: RLModuleSpec(
                        module_class=LoRALanguageModule,
                        observation_space=SPACE,
                        action_space=SPACE,
                        model_config={"source": text.source_of(module), "temperature": text.temperature},
                    )
                    for module in modules
                }
            )
        )
        return self

    @override(AlgorithmConfig)
    def get_default_learner_class(self) -> Any:
        """The GRPO learner."""
        return GRPOLearner

    @override(AlgorithmConfig)
    def get_default_rl_module_spec(self) -> RLModuleSpec:
        """A language model with an adapter."""
        return RLModuleSpec(module_class=LoRALanguageModule)


class GRPO(Algorithm):
    """Group-relative policy optimisation of language models in a multi-agent world."""

    @override(Algorithm)
    def setup(self, config: Any) -> None:
        """Start runners and learners."""
        self._at = 0
        self._padding = int(load_tokenizer(config.text.source.name).pad_token_id)
        self._scenario = load_scenario(config.text.difficulties[0])
        self._forms = config.text.forms(self._scenario)
        self.rollouts: list[Rollout] = []  # of the last iteration, for whoever reports
        super().setup(config)

    @classmethod
    @override(Algorithm)
    def get_default_config(cls) -> GRPOConfig:
        """GRPOConfig."""
        return GRPOConfig()

    @override(Algorithm)
    def training_step(self) -> None:
        """Play groups, compare their members, take a step, send the adapters."""
        how: GRPOSettings = self.config.grpo
        keys = group_keys(self.training_seeds(self._at), self.config.text.difficulties, how.group_size)
        started = time.perf_counter()
        self.rollouts = self.play(keys, (how.seed, self._at))
        sampled = time.perf_counter()
        found = grouped(self.rollouts, how.group_size, how.credit, how.anchor_weight, self._learners())
        trained = self._learn(found)
        learned = time.perf_counter()
        sent = self.send_adapters()
        self._at += 1
        self._report(
            found, trained, {"sample_s": sampled - started, "learn_s": learned - sampled, "sync_bytes": float(sent)}
        )

    def continue_at(self, iteration: int) -> None:
        """Go on as if `iteration` iterations had been done: seeds and draws follow from the count."""
        self._at = iteration

    def training_seeds(self, iteration: int) -> list[int]:
        """Seeds of an iteration."""
        how: GRPOSettings = self.config.grpo
        return iteration_seeds(how.first_seed, how.last_seed, how.seeds_per_iteration, how.seed, iteration)

    def play(
        self, keys: Sequence[Key], stream: tuple[int, ...], temperature: float | None = None, free: bool = False
    ) -> list[Rollout]:
        """Play the episodes of `keys` on all healthy runners; keys lost with a runner are issued again.

        Raises:
            LostError: no runner plays anything any more.
        """
        group = self.env_runner_group
        options = {"stream": stream, "temperature": temperature, "free": free}
        if group.local_env_runner is not None and not group.num_healthy_remote_env_runners():
            found: list[Rollout] = group.local_env_runner.sample(keys=keys, **options)
            return found
        left, done, idle = list(keys), {}, 0
        while left and idle < PATIENCE:
            self._welcome(group.probe_unhealthy_env_runners())
            runners = [i for i in group.healthy_env_runner_ids() if i > 0]
            found = self._ask({runner: left[i :: len(runners)] for i, runner in enumerate(runners)}, options)
            done |= {rollout.key: rollout for rollout in found}
            left = [key for key in left if key not in done]
            self._reissued += len(left)
            idle = 0 if found else idle + 1
            if left and not found:
                time.sleep(min(30.0, 2.0**idle))  # a runner that died takes a while to come back
        if not done:
            raise LostError(f"no runner played any of {len(keys)} episodes in {PATIENCE} tries; see Ray's logs for why")
        return [done[key] for key in keys if key in done]

    _reissued = 0
    _adapters: dict[str, Any] | None = None

    def _welcome(self, returned: Sequence[int] | None) -> None:
        """Send the adapters to runners that have come back: they start with fresh ones."""
        if returned and self._adapters is not None:
            group = self.env_runner_group
            group._worker_manager.foreach_actor(
                "set_state", kwargs={"state": self._adapters}, remote_actor_ids=list(returned), timeout_seconds=600.0
            )

    def _ask(self, shares: dict[int, list[Key]], options: dict[str, Any]) -> list[Rollout]:
        """Each runner's episodes; those of a runner that dies or is too slow are missing."""
        manager = self.env_runner_group._worker_manager
        busy = {runner: keys for runner, keys in shares.items() if keys}
        if not busy:
            return []
        results = manager.foreach_actor(
            ["sample"] * len(busy),
            kwargs=[{"keys": keys, **options} for keys in busy.values()],
            remote_actor_ids=list(busy),
            timeout_seconds=self.config.sample_timeout_s,
            mark_healthy=True,
        )
        return [rollout for result in results.ignore_errors() for rollout in result.get()]

    def _learn(self, found: Grouped) -> list[dict[str, Any]]:
        """One update of the learners on the samples, if there are any."""
        learners = max(1, self.config.num_learners)
        by_module: dict[str, list[Any]] = {}
        for agent, samples in found.samples.items():
            by_module.setdefault(self._learners()[agent], []).extend(samples)
        batches = {}
        for module, samples in by_module.items():
            order = sorted(range(len(samples)), key=lambda i: (i % learners, i))  # every learner gets a like share
            rows = -(-len(samples) // learners) * learners
            batches[module] = SampleBatch(columns([samples[i] for i in order], self._padding, self._forms, rows))
        if not batches:
            return []
        steps = sum(len(b) for b in batches.values())
        epochs = self.config.grpo.epochs
        return self.learner_group.update(
            batch=MultiAgentBatch(batches, steps), **({"num_epochs": epochs} if epochs > 1 else {})
        )

    def _learners(self) -> dict[int, str]:
        """Module of each agent number that learns."""
        seats = self.config.text.seats
        found = {number: seats[name] for number, name in enumerate(self._scenario.agents) if name in seats}
        return {number: module for number, module in found.items() if module in self.config.learned}

    def send_adapters(self, frozen: bool = False) -> int:
        """Send the learners' adapters to all runners and wait until they have them; returns the bytes of one copy.

        `frozen`: those too that do not learn; runners need them once.
        """
        need_learners(self.learner_group)
        part = COMPONENT_LEARNER + "/" + COMPONENT_RL_MODULE
        state = self.learner_group.get_state(components=part, inference_only=True)[COMPONENT_LEARNER]
        whole = state[COMPONENT_RL_MODULE]
        self._adapters = {COMPONENT_RL_MODULE: whole}  # for runners that come back
        adapters = {module: a for module, a in whole.items() if frozen or module in self.config.learned}
        message = {COMPONENT_RL_MODULE: adapters}
        group = self.env_runner_group
        if group.local_env_runner is not None:
            group.local_env_runner.set_state(message)
        if group.num_healthy_remote_env_runners():
            reference = ray.put(message)
            group._worker_manager.foreach_actor("set_state", kwargs={"state": reference}, timeout_seconds=600.0)
        return sum(array.nbytes for module in adapters.values() for array in module.values())

    def _report(self, found: Grouped, trained: list[dict[str, Any]], facts: dict[str, float]) -> None:
        scores = [r.score for r in self.rollouts]
        tallies = [t for r in self.rollouts for t in r.tallies.values()]
        turns = max(1, sum(t.turns for t in tallies))
        tools: Counter[str] = sum((t.tools for t in tallies), Counter())
        facts |= {
            "episodes": len(scores),
            "score_mean": float(np.mean(scores)) if scores else 0.0,
            "group_spread": found.spread,
            "groups": found.groups,
            "groups_constant": found.constant,
            "groups_incomplete": found.incomplete,
            "keys_reissued": self._reissued,
            "parse_rate": 1.0 - sum(t.unparsed for t in tallies) / turns,
            "refused_share": sum(t.refused for t in tallies) / max(1, sum(t.calls for t in tallies)),
            "calls_per_round": sum(t.calls for t in tallies) / max(1, len(scores) * 8),
            "tokens_per_episode": sum(t.tokens for t in tallies) / max(1, len(scores)),
            "sampled_tokens_per_s": sum(t.tokens for t in tallies) / max(1e-9, facts["sample_s"]),
            "most_used_tool_share": tools.most_common(1)[0][1] / max(1, sum(tools.values())) if tools else 0.0,
        }
        names = self._scenario.agents
        for agent in self._learners():
            facts[f"return_{names[agent]}"] = float(np.mean([r.returns[agent] for r in self.rollouts] or [0.0]))
        for key, value in facts.items():
            self.metrics.log_value(("grpo", key), float(value), window=1)
        if trained:
            self.metrics.aggregate(trained, key="learners")
        self.facts = facts
