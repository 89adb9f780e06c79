"""Language models in training: sampling against plain `generate`, what the learner computes, what a sync sends."""

from __future__ import annotations

import statistics
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from experiments.bench.row import Line, median_ratio, side_by_side

EPISODES, TOKENS = 16, 48
"""Episodes of a batch, and tokens of each turn: one a round."""

SHARE, PASSES, SYNC = 0.85, 1.3, 1.05


def measure(repeats: int) -> list[Line]:
    """Tokens per second of whole rollouts; tokens in forward passes per token of the samples; bytes of a sync."""
    if find_spec("ray") is None or find_spec("peft") is None:
        return [Line("not measured: needs medchain[train]", 0.0, "tokens/s")]
    import torch

    from experiments.hush import hush

    hush()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with TemporaryDirectory() as folder:
            bench = _Bench(Path(folder))
            return [bench.rollout(repeats), bench.learner(), bench.sync()]
    finally:
        torch.set_num_threads(threads)


class _Bench:
    """The embedded model, unconstrained, whose turns never end by themselves: both sides make the same number of tokens."""

    def __init__(self, folder: Path) -> None:
        from medchain.scenario import load_scenario
        from policies.llm.conversation import Manner
        from policies.llm.embedded import tiny_tokenizer
        from policies.llm.loading import Source
        from policies.llm.player import Player, TextSettings
        from policies.llm.shared import adapter_on
        from policies.llm.tiny import save_model, tiny_model

        tokenizer = tiny_tokenizer(load_scenario("medium"))
        save_model(tiny_model(tokenizer), tokenizer, folder)
        manner = Manner(turn_tokens=TOKENS, round_turns=1, context_tokens=4096)
        text = TextSettings(Source(str(folder)), difficulties=("medium",), manner=manner, constrained=False)
        self.player, self.adapter = Player(text), adapter_on(text.source)
        self.padding = int(tokenizer.pad_token_id)

    def play(self) -> list[Any]:
        """Whole episodes, game and all."""
        from policies.llm.rollout import Key, Voice, play

        voice = Voice(self.adapter, None, TOKENS, end=-1, most=EPISODES)
        keys = [Key(seed, "medium", 0) for seed in range(EPISODES)]
        return play(keys, self.player.table, {0: voice}, (0,), self.player.rollout)

    def rollout(self, repeats: int) -> Line:
        """Tokens per second of the player, against `generate` on the very prompts that it has met, in the same batches."""
        import torch

        stretches = [rollout.stretches[0] for rollout in self.play()]
        rounds = [[s[r].ids[: s[r].turns[0][0]] for s in stretches] for r in range(len(stretches[0]))]
        model = self.adapter.shared.model.eval()

        @torch.no_grad()
        def generate() -> None:
            for prompts in rounds:
                longest = max(map(len, prompts))
                ids = torch.tensor([[self.padding] * (longest - len(p)) + p for p in prompts])
                mask = torch.tensor([[0] * (longest - len(p)) + [1] * len(p) for p in prompts])
                model.generate(
                    input_ids=ids,
                    attention_mask=mask,
                    do_sample=True,
                    top_k=0,
                    max_new_tokens=TOKENS,
                    eos_token_id=None,
                    pad_token_id=self.padding,
                )

        ours, theirs = side_by_side(repeats, self.play, generate)
        tokens = EPISODES * TOKENS * len(rounds)
        share = median_ratio(theirs, ours)
        rates = [tokens / statistics.median(column) for column in (ours, theirs)]
        what = f"rollout, {EPISODES} episodes"
        reach = f">= {SHARE:.0%}"
        return Line(what, rates[0], "tokens/s", "model.generate, same prompts", rates[1], share, reach, share >= SHARE)

    def learner(self) -> Line:
        """Tokens that the learner's micro-batches pass through the model, padding included, against those of the samples."""
        import torch

        from experiments.rllib.groups import Sample, columns
        from experiments.rllib.grpo import GRPOSettings
        from experiments.rllib.grpo_learner import micro_batches, padded_rows

        stretches = [s for rollout in self._uneven() for s in rollout.stretches[0]]
        made = columns([Sample(s, 1.0) for s in stretches], self.padding, ["turn"], len(stretches))
        rows = {key: torch.from_numpy(array) for key, array in made.items()}
        cuts = micro_batches(rows, GRPOSettings().micro_batch)
        passed = sum(
            padded_rows({k: v[cut] for k, v in rows.items()}, ["turn"], None, TOKENS)[0].ids.numel() for cut in cuts
        )
        once = sum(len(s.ids) for s in stretches)
        ratio = passed / once
        what, yardstick = f"learner, {len(stretches)} rounds", "one pass per round"
        return Line(what, passed, "tokens passed", yardstick, once, ratio, f"<= {PASSES}", ratio <= PASSES)

    def _uneven(self) -> list[Any]:
        """Rounds of one to four turns that end by themselves, as they do in training."""
        from dataclasses import replace

        from policies.llm.player import Player
        from policies.llm.rollout import Key

        settings = self.player.settings
        manner = replace(settings.manner, round_turns=4)
        player = Player(replace(settings, manner=manner, constrained=True))
        keys = [Key(seed, "medium", 0) for seed in range(EPISODES)]
        return player.play(keys, {"coordinator": self.adapter}, (0,))

    def sync(self) -> Line:
        """Bytes of the message to a runner, as Ray packs it, against those of the adapter's tensors."""
        import ray

        tensors = {name: p.detach().numpy() for name, p in self.adapter.tensors().items()}
        sent = len(ray.cloudpickle.dumps({"rl_module": {"coordinator": tensors}}))
        held = sum(array.nbytes for array in tensors.values())
        ratio = sent / held
        what = "adapter sync, one runner"
        return Line(what, sent, "bytes", "LoRA tensors", held, ratio, f"<= {SYNC}", ratio <= SYNC)
