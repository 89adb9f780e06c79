"""Training of roles that learn at phase level: from an experiment's file to its run folder.

A run's folder holds config.json, versions.json, metrics.jsonl, curves.png, results.json, TensorBoard's events, checkpoints
and policies/MODULE.ROLE.pt, which `medchain eval --policy learned:FOLDER` plays. Ctrl-C ends a run after the iteration that
is on, with a checkpoint; `--resume` goes on from there to the same metrics.
"""

from __future__ import annotations

import json
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from experiments.resume import check_same
from experiments.rllib.phase_config import PhaseConfig, resolved
from experiments.rllib.phase_report import held_out, write_report
from experiments.run_folder import open_folder, write_json
from experiments.train import last_checkpoint
from medchain.errors import ConfigError

Tell = Callable[[str], None]
KEPT = 2
"""Checkpoints that are kept: the last ones."""

MAY_CHANGE = ("scale.",)
"""Keys in which a resumed run may differ: rates follow a line over run.iterations, so that decides what is learned."""

TOLD_EVERY_S = 10.0
LEARNER_FACTS = (
    "policy_loss",
    "vf_loss",
    "vf_explained_var",
    "entropy",
    "mean_kl_loss",
    "curr_entropy_coeff",
    "default_optimizer_learning_rate",
    "gradients_default_optimizer_global_norm",
)
"""What a Learner tells of a module that is kept; the rest counts steps or times."""


class PhaseTrainer:
    """One run. `out` holds everything that it leaves behind."""

    def __init__(self, config: PhaseConfig, out: Path, resume: bool, tell: Tell) -> None:
        """Open the run folder.

        Raises:
            ConfigError: there is nothing to resume, or something in the way.
        """
        self.config, self.out, self.tell = config, out, tell
        if resume and last_checkpoint(out) is None:
            raise ConfigError(f"--resume: no checkpoint in {out}; expected the folder of an earlier run (--out)")
        if resume:
            check_same(resolved(config), out, MAY_CHANGE)
        elif (out / "checkpoints").is_dir():
            raise ConfigError(f"--out {out}: there is a run already; continue it with --resume or choose another folder")
        open_folder(out, resolved(config))
        self.algorithm: Any = None
        self._board: Any = None

    def run(self, iterations: int) -> dict[str, Any]:
        """Train up to `iterations` iterations in all and report.

        Raises:
            KeyboardInterrupt: after Ctrl-C, once the iteration is done and saved.
        """
        import torch
        from tensorboardX import SummaryWriter

        from experiments.rllib.phase_build import algorithm_config

        torch.set_num_threads(self.config.scale.threads)
        self.algorithm = algorithm_config(self.config).build_algo()
        self._board = SummaryWriter(str(self.out / "tensorboard"))
        done = self._restore()
        if not (self.out / "before.json").is_file():
            self._evaluate("before")
        told = 0.0
        with _stop_when_asked() as asked:
            while done < iterations:
                facts = self._iterate(done)
                done += 1
                if done % self.config.run.checkpoint_every == 0 or done == iterations or asked():
                    self.save(done)
                if time.monotonic() - told > TOLD_EVERY_S or done == iterations:
                    told = time.monotonic()
                    self.tell(_sentence(facts, iterations))
                if asked():
                    self.tell(f"interrupted: iteration {done} is saved; go on with --resume")
                    raise KeyboardInterrupt
        self._evaluate("after")
        return write_report(self.out, self.config)

    def stop(self) -> None:
        """Stop runners and learners."""
        if self.algorithm is not None:
            self.algorithm.stop()
        if self._board is not None:
            self._board.close()

    def _iterate(self, done: int) -> dict[str, Any]:
        start = time.perf_counter()
        result = self.algorithm.train()
        facts = {"iteration": done + 1, "score_mean": float(result["score_mean"]), "seconds": time.perf_counter() - start}
        facts |= {key: result["timers"][key] for key in ("env_runner_sampling_timer", "learner_update_timer")}
        facts["keys_dealt_again"] = int(result.get("keys_dealt_again", 0))
        for module in self.config.modules:
            told = result["learners"][module]
            facts |= {f"{module}/{key}": float(told[key]) for key in LEARNER_FACTS if key in told}
        with (self.out / "metrics.jsonl").open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(facts) + "\n")
        for key, value in facts.items():
            self._board.add_scalar(key, value, done + 1)
        return facts

    def save(self, done: int) -> None:
        """Write a checkpoint, whole or not at all, and the roles' files."""
        folder = self.out / "checkpoints" / f"{done:06d}"
        part = folder.with_name(folder.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        part.parent.mkdir(exist_ok=True)
        self.algorithm.save_to_path(part.absolute())
        shutil.rmtree(folder, ignore_errors=True)
        part.replace(folder)
        for old in sorted(folder.parent.glob("[0-9]" * 6))[:-KEPT]:
            shutil.rmtree(old)
        self._save_policies()

    def _save_policies(self) -> None:
        from policies.learned.checkpoint import save_net

        (self.out / "policies").mkdir(exist_ok=True)
        for name, net in self.nets().items():
            part = self.config.modules[name]
            save_net(self.out / "policies" / f"{name}.{net.layout.role}.pt", net, part.net, part.hidden)

    def nets(self) -> dict[str, Any]:
        """The networks as they are now, by module."""
        import torch

        from experiments.rllib.phase_build import module_specs

        states = self.algorithm.learner_group.get_state()["learner"]["rl_module"]
        found = {}
        for name, spec in module_specs(self.config).items():
            from policies.learned.nets import new_net

            given = spec.model_config
            net = new_net(given["layout"], given["net"], given["hidden"])
            net.load_state_dict({k.removeprefix("net."): torch.from_numpy(v.copy()) for k, v in states[name].items()})
            found[name] = net.eval()
        return found

    def _restore(self) -> int:
        """Continue from the last checkpoint, if there is one; returns the iterations done."""
        last = last_checkpoint(self.out)
        if last is None:
            return 0
        self.algorithm.restore_from_path(last.absolute())
        done = int(last.name)
        path = self.out / "metrics.jsonl"
        lines = [line for line in path.read_text("utf-8").splitlines() if json.loads(line)["iteration"] <= done]
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        self.tell(f"continuing after iteration {done}")
        return done

    def _evaluate(self, when: str) -> None:
        outcome = held_out(self.config, self.nets())
        write_json(self.out / f"{when}.json", outcome)
        self.tell(f"held out, {when}: score {outcome['score']:.3f}")


def _sentence(facts: dict[str, Any], iterations: int) -> str:
    modules = sorted({key.split("/")[0] for key in facts if "/" in key})
    entropies = ", ".join(f"{facts[f'{m}/entropy']:.1f}" for m in modules)
    return (
        f"iteration {facts['iteration']}/{iterations}: score {facts['score_mean']:.3f}, entropy {entropies} nats, "
        f"{facts['seconds']:.1f} s"
    )


@contextmanager
def _stop_when_asked() -> Iterator[Callable[[], bool]]:
    """The first Ctrl-C is noted, to be acted on when it suits; the second one is a KeyboardInterrupt at once."""
    asked = []

    def note(*_: Any) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(True)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(asked)
    finally:
        signal.signal(signal.SIGINT, before)


def train(config: PhaseConfig, out: Path, iterations: int, resume: bool, tell: Tell) -> dict[str, Any]:
    """Run an experiment to its end; its results, as in results.json."""
    import ray

    from experiments.train import start_ray

    trainer = PhaseTrainer(config, out, resume, tell)
    if not ray.is_initialized():
        start_ray(config.scale)
    try:
        return trainer.run(iterations)
    finally:
        trainer.stop()
        ray.shutdown()
