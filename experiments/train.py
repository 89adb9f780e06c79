"""`medchain train`: an experiment from its file to its run folder. Evaluation before, GRPO on RLlib, evaluation after."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from experiments.resume import check_same, forget_after
from experiments.run_folder import open_folder, write_json
from experiments.train_base import base_of
from experiments.train_config import TrainConfig, resolved
from medchain.errors import ConfigError

Tell = Callable[[str], None]
BEFORE, AFTER = "before", "after"


class Trainer:
    """One run. `out` holds everything that it leaves behind."""

    def __init__(self, config: TrainConfig, out: Path, resume: bool, tell: Tell) -> None:
        """Check what can be checked before Ray starts, and open the run folder.

        Raises:
            MedChainError: the model cannot be found or cannot do what is asked, or there is nothing to resume.
        """
        from experiments.memory_estimate import estimate_lines
        from policies.llm.adapters import check_targets
        from policies.llm.endpoint import Client
        from policies.llm.player import Player
        from policies.llm.quantise import check_quantisation
        from policies.llm.settings import endpoints_of, source_of, text_settings
        from policies.llm.where import locate

        self.config, self.out, self.tell = config, out, tell
        if resume:
            check_same(resolved(config), out)
        if not resume and (out / "checkpoints").is_dir():
            raise ConfigError(f"--out {out}: there is a run already; continue it with --resume or choose another folder")
        if config.model.name != "tiny":
            locate(config.model.name)
        check_quantisation(config.model.quantisation)
        for endpoint in endpoints_of(resolved(config)["agents"]).values():
            Client(endpoint).check()
        self._given()
        check_targets(source_of(resolved(config)["model"], config.model.name))
        open_folder(out, resolved(config))
        self.base = base_of(config, out, tell)
        self.text = text_settings(resolved(config), self.base)
        self.player = Player(self.text)
        self._check()
        for line in estimate_lines(config, self.base):
            tell(line)
        self.algorithm: Any = None
        self._kept: tuple[int, Any] = (0, None)  # iterations done, and the learners' state then

    def _check(self) -> None:
        """What would only fail once Ray runs."""
        from policies.llm.adapters import check_adapter

        room = self.config.text.turn_tokens
        if "coordinator" in self.text.seats:
            wards = list(self.player.scenarios[self.config.difficulties[0]].wards)
            need = len(self.player.chat.encode(shortest_plan(wards))) + 1
            if need > room:
                raise ConfigError(
                    f"text.turn_tokens = {room}: the shortest plan needs {need} tokens; give a turn at least as many"
                )
        for form, automaton in (self.player.automata or {}).items():
            if automaton.distance(0) + 1 > room:
                raise ConfigError(
                    f"text.turn_tokens = {room}: the shortest {form} needs {automaton.distance(0) + 1} tokens;"
                    " give a turn at least as many"
                )
        for agent, folder in self._given().items():
            check_adapter(folder, self.text.source_of(agent))

    def _given(self) -> dict[str, Path]:
        """Folder of the adapter that each agent begins with, or keeps, where the experiment names one."""
        from policies.llm.adapters import adapter_of

        agents = self.config.agents.items()
        named = {agent: part.checkpoint if part.role == "llm" else part.path for agent, part in agents}
        return {agent: adapter_of(Path(path), agent) for agent, path in named.items() if path}

    def run(self, iterations: int) -> dict[str, Any]:
        """Train up to `iterations` iterations in all and report; continues from the last checkpoint."""
        self.start()
        done = self._restore()
        if not (self.out / "evaluation_before.json").is_file():
            self._evaluate(BEFORE)
        try:
            while done < iterations:
                self._iterate(done)
                done += 1
                self._keep(done)
                if done % self.config.run.checkpoint_every == 0 or done == iterations:
                    self.save()
        except KeyboardInterrupt:
            self.tell(f"interrupted: go on after iteration {self._kept[0]} with --resume")
            self.save()
            raise
        self._evaluate(AFTER)
        return self.report()

    def start(self) -> None:
        """Start Ray, runners and learners."""
        import ray
        import torch

        from experiments.rllib.grpo import GRPOConfig, GRPOSettings

        scale, grpo = self.config.scale, self.config.grpo
        torch.set_num_threads(scale.threads)  # sums come out alike only on as many threads
        if not ray.is_initialized():
            start_ray(scale)
        settings = {k: v for k, v in grpo.model_dump().items() if k in GRPOSettings.__dataclass_fields__}
        built = (
            GRPOConfig()
            .play(self.text, GRPOSettings(**settings, seed=self.config.run.seed), self.config.train)
            .env_runners(
                num_env_runners=scale.num_env_runners,
                num_gpus_per_env_runner=scale.num_gpus_per_env_runner,
                sample_timeout_s=scale.sample_timeout_s,
            )
            .learners(num_learners=scale.num_learners, num_gpus_per_learner=scale.num_gpus_per_learner)
            .training(lr=grpo.learning_rate, grad_clip=grpo.grad_clip)
            .debugging(seed=self.config.run.seed, log_level="ERROR")
        )
        self.algorithm = built.build_algo()
        self._take_adapters()

    def _take_adapters(self) -> None:
        """Begin with the adapters that the experiment names."""
        from policies.llm.adapters import read_adapter

        states = {module: read_adapter(folder) for module, folder in self._given().items()}
        if not states:
            return

        def take(learner: Any) -> None:
            for module, state in states.items():
                inner = learner.module[module]
                (inner.unwrapped() if hasattr(inner, "unwrapped") else inner).set_state(state)

        self.algorithm.learner_group.foreach_learner(take)
        self.algorithm.send_adapters(frozen=True)

    def stop(self) -> None:
        """Stop runners and learners; those that have died are stopped already."""
        from ray.exceptions import RayError

        if self.algorithm is not None:
            with suppress(RayError):
                self.algorithm.stop()
            self.algorithm = None

    def _iterate(self, done: int) -> None:
        result = self.algorithm.train()
        learned = result.get("learners", {})
        facts = dict(self.algorithm.facts)
        for module in set(self.text.seats.values()):
            values = learned.get(module, {})
            facts |= {
                k: float(values[k])
                for k in ("total_loss", "ratio_off_most", "entropy", "clipped_share", "kl_old")
                if k in values
            }
        with (self.out / "metrics.jsonl").open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"iteration": done + 1, **facts}) + "\n")
        self._board(done + 1, facts)
        self.tell(
            f"iteration {done + 1}: score {facts['score_mean']:.3f}, spread {facts['group_spread']:.3f}, "
            f"constant groups {facts['groups_constant']:.0f}/{facts['groups']:.0f}, parse {facts['parse_rate']:.3f}, "
            f"entropy {facts.get('entropy', float('nan')):.3f}, {facts['sample_s']:.0f} s + {facts['learn_s']:.0f} s"
        )

    def _board(self, iteration: int, facts: dict[str, float]) -> None:
        """The same numbers for TensorBoard, in the run folder."""
        from tensorboardX import SummaryWriter

        with SummaryWriter(str(self.out / "tensorboard")) as writer:
            for name, value in facts.items():
                writer.add_scalar(f"grpo/{name}", value, iteration)

    def _keep(self, done: int) -> None:
        """Hold what a checkpoint needs: an interrupt may come when the next iteration is half done."""
        from experiments.rllib.lost import need_learners

        need_learners(self.algorithm.learner_group)
        self._kept = done, self.algorithm.learner_group.get_state()

    def save(self) -> Path | None:
        """Write a checkpoint of the last whole iteration, itself whole or not at all: PEFT adapters, learners' state."""
        from policies.llm.adapters import save_adapter

        done, state = self._kept
        if state is None:
            return None
        folder = self.out / "checkpoints" / f"{done:06d}"
        part = folder.with_name(folder.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        for module, tensors in state["learner"]["rl_module"].items():
            facts = {"base": self.base, "module": module, "iteration": done}
            save_adapter(part / module, tensors, self.text.source_of(module), facts)
        (part / "learner.pkl").write_bytes(pickle.dumps(state))
        shutil.rmtree(folder, ignore_errors=True)
        part.replace(folder)
        return folder

    def _restore(self) -> int:
        """Continue from the last checkpoint, if there is one; returns the iterations done."""
        self._kept, last = (0, None), last_checkpoint(self.out)
        forget_after(self.out / "metrics.jsonl", int(last.name) if last else 0)
        if last is None:
            return 0
        done, state = int(last.name), pickle.loads((last / "learner.pkl").read_bytes())
        self.algorithm.learner_group.set_state(state)
        self.algorithm.send_adapters(frozen=True)
        self.algorithm.continue_at(done)
        self._kept = done, state
        self.tell(f"continuing after iteration {done}")
        return done

    def _evaluate(self, when: str) -> None:
        """Held-out episodes with the adapters as they are."""
        from policies.llm.rollout import Key

        how = self.config.evaluation
        keys = [Key(seed, difficulty, 0) for difficulty in how.difficulties for seed in how.seeds]
        stream = (self.config.run.seed, 1 << 20)
        found = summary_of(self.algorithm.play(keys, stream, how.temperature))
        told = f"held out, {when}: score {found['score']:.3f}, turns that parse {found['parse_rate']:.3f}"
        if self.text.constrained:
            freely = summary_of(self.algorithm.play(keys[: how.unconstrained], stream, how.temperature, free=True))
            found |= {"unconstrained_score": freely["score"], "unconstrained_parse_rate": freely["parse_rate"]}
            told += f", of unconstrained ones {freely['parse_rate']:.3f}"
        write_json(self.out / f"evaluation_{when}.json", found)
        self.tell(told)
        if when == BEFORE and self.config.warm_start is not None:
            from collections import Counter

            from medchain.tools.registry import TOOLS
            from policies.llm.warmstart import fail_if_collapsed

            called = {tool.name: found["tools"].get(tool.name, 0) for tool in TOOLS}  # not what wards answer
            fail_if_collapsed(Counter(called))

    def report(self) -> dict[str, Any]:
        """Compare before, after and the scripted coordinators; write curves and report."""
        from experiments.train_report import write_report

        return write_report(self.out, self.config)


def shortest_plan(wards: Sequence[str]) -> str:
    """A plan in its shortest form, as a call."""
    shares = ", ".join(f'"{ward}": "70%"' for ward in wards)
    arguments = f'{{"plan_json": {{{shares}}}}}'
    return f'<tool_call>{{"name": "submit_allocation_plan", "arguments": {arguments}}}</tool_call>'


def summary_of(rollouts: Sequence[Any]) -> dict[str, Any]:
    """Scores by episode and what the models did, as plain data."""
    from experiments.speech import counts_of, speech

    scores = [rollout.score for rollout in rollouts]
    return {
        "episodes": [[r.key.difficulty, r.key.seed, r.score] for r in rollouts],
        "score": sum(scores) / max(1, len(scores)),
        "components": {
            name: _mean([r.breakdown[name] for r in rollouts]) for name in (rollouts[0].breakdown if rollouts else {})
        },
        **speech([counts_of(rollout) for rollout in rollouts]),
    }


def _mean(values: list[float | None]) -> float | None:
    present = [v for v in values if v is not None]
    return sum(present) / len(present) if present else None


def last_checkpoint(out: Path) -> Path | None:
    """The newest whole checkpoint of a run folder."""
    found = sorted(p for p in (out / "checkpoints").glob("[0-9]*") if p.is_dir() and p.name.isdigit())
    return found[-1] if found else None


def start_ray(scale: Any) -> None:
    """Start Ray on this machine, or join the one at `scale.ray_address`; its workers find this checkout."""
    import ray

    here = str(Path(__file__).resolve().parent.parent)
    paths = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
    env = {"env_vars": {"OMP_NUM_THREADS": str(scale.threads), "PYTHONPATH": paths, "TOKENIZERS_PARALLELISM": "false"}}
    common = {"runtime_env": env, "logging_level": "ERROR", "log_to_driver": False}
    if scale.ray_address:
        ray.init(address=scale.ray_address, **common)
    else:
        ray.init(
            address="local",  # not one that happens to run on this machine
            num_cpus=max(scale.ray_cpus, 1 + scale.num_env_runners + scale.num_learners),
            include_dashboard=False,
            object_store_memory=300_000_000,
            **common,
        )
