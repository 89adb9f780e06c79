"""The GRPO learner: LoRA parameters only, micro-batches, clip-higher, optional KL against the base model."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import torch
from ray.rllib.core.learner.learner import Learner
from ray.rllib.core.learner.torch.torch_learner import TorchLearner
from ray.rllib.core.rl_module.torch.torch_rl_module import TorchDDPRLModule
from ray.rllib.utils.annotations import override

from medchain.scenario import load_scenario
from policies.llm.automaton import Automaton
from policies.llm.embedded import turn_automata
from policies.llm.loading import load_tokenizer
from policies.llm.logprobs import Padded
from policies.llm.player import TextSettings

Rows = dict[str, torch.Tensor]


def padded_rows(rows: Rows, forms: list[str], automata: dict[str, Automaton] | None, cap: int) -> tuple[Padded, Rows]:
    """A micro-batch as Padded, and per choice its old log-probability, advantage and scale, each [M].

    The automata walk the sampled ids again: the mask is the sampler's.
    """
    ids, spoken = rows["ids"].cpu().numpy(), rows["spoken"].cpu().numpy()
    choice, longest = rows["choice"].cpu().numpy() > 0, int(rows["length"].max())
    ids, spoken, choice = ids[:, :longest], spoken[:, :longest], choice[:, :longest]
    allowed: list[Any] = []
    if automata is not None:
        for n in range(len(ids)):
            for start, stop in _turns(spoken[n]):
                walk = automata[forms[spoken[n, start] - 1]].walk(ids[n, start:stop].tolist(), cap)
                allowed += [tokens for i, tokens in enumerate(walk) if choice[n, start + i]]
    row, column = np.nonzero(choice)
    device = rows["ids"].device
    table = None
    if automata is not None:
        table = np.full((len(allowed), max(map(len, allowed), default=1)), -1, np.int64)
        for m, tokens in enumerate(allowed):
            table[m, : len(tokens)] = tokens
    at = torch.from_numpy(row).to(device)
    padded = Padded(
        torch.from_numpy(ids.astype(np.int64)).to(device),
        rows["length"].long(),
        torch.from_numpy(row * longest + column).to(device),
        None if table is None else torch.from_numpy(table).to(device),
    )
    old = rows["logps"][:, :longest][at, torch.from_numpy(column).to(device)]
    return padded, {"old": old, "advantage": rows["advantage"][at], "scale": rows["scale"][at]}


def _turns(spoken: Any) -> list[tuple[int, int]]:
    """(start, stop) of each run of sampled tokens."""
    edge = np.flatnonzero(np.diff(np.concatenate([[0], spoken > 0, [0]]).astype(int)))
    return list(zip(edge[::2].tolist(), edge[1::2].tolist(), strict=True))


def micro_batches(rows: Rows, size: int) -> list[torch.Tensor]:
    """Row numbers of each micro-batch: rows of about one length together, so that little is padded."""
    order = torch.argsort(rows["length"])
    return [order[i : i + size] for i in range(0, len(order), size)]


class GRPOLearner(TorchLearner):
    """Learner of LoRA adapters on rounds of sampled turns.

    `config.grpo` (GRPOSettings) holds the loss's options, `config.text` (TextSettings) how turns were sampled.
    """

    @override(TorchLearner)
    def build(self) -> None:
        """Build modules and optimizers, and the automata that sampling used."""
        self._text: TextSettings = self.config.text
        self._tokenizer = load_tokenizer(self._text.source.name)
        scenario = load_scenario(self._text.difficulties[0])
        self._forms = self._text.forms(scenario)
        self._automata: dict[str, Automaton] | None = None
        if self._text.constrained:
            self._automata = turn_automata(scenario, self._tokenizer, self._forms)
        super().build()

    @override(Learner)
    def get_parameters(self, module: Any) -> list[Any]:
        """The adapter only."""
        inner = module.unwrapped() if isinstance(module, TorchDDPRLModule) else module
        found: list[Any] = inner.trainable()
        return found

    @override(TorchLearner)
    def configure_optimizers_for_module(self, module_id: str, config: Any = None) -> None:
        """AdamW without decay on the adapter."""
        parameters = self.get_parameters(self._module[module_id])
        optimizer = torch.optim.AdamW(parameters, weight_decay=0.0, betas=(0.9, 0.99))
        self.register_optimizer(module_id=module_id, optimizer=optimizer, params=parameters, lr_or_lr_schedule=config.lr)

    @override(TorchLearner)
    def _uncompiled_update(self, batch: dict[str, Rows], **kwargs: Any) -> tuple[Any, Any, Any]:
        """One optimizer step, its gradients gathered over micro-batches; learners exchange them once."""
        for optimizer in self._optimizer_parameters:
            optimizer.zero_grad(set_to_none=True)
        losses = {module_id: self._backward(module_id, rows) for module_id, rows in batch.items()}
        gradients = {key: p.grad for key, p in self._params.items() if p.grad is not None}
        self.apply_gradients(self.postprocess_gradients(gradients))
        return {}, losses, {}

    def _backward(self, module_id: str, rows: Rows) -> torch.Tensor:
        how, module = self.config.grpo, self._module[module_id]
        cuts = micro_batches(rows, how.micro_batch)
        total = torch.zeros((), device=self._device)
        told: dict[str, list[float]] = {}
        for i, cut in enumerate(cuts):
            alone = isinstance(module, TorchDDPRLModule) and i < len(cuts) - 1
            with module.no_sync() if alone else contextlib.nullcontext():
                padded, facts = padded_rows({k: v[cut] for k, v in rows.items()}, self._forms, self._automata, self._cap)
                out = module.forward_train(padded._asdict())
                loss = self.compute_loss_for_module(
                    module_id=module_id, config=self.config, batch={"padded": padded, **facts}, fwd_out=out
                )
                loss.backward()
            total += loss.detach()
            for key, value in self._facts(out, facts).items():
                told.setdefault(key, []).append(value)
        self._tell(module_id, told)
        return total

    @property
    def _cap(self) -> int:
        return self._text.manner.turn_tokens

    @override(Learner)
    def compute_loss_for_module(self, *, module_id: str, config: Any, batch: Any, fwd_out: Any) -> torch.Tensor:
        """Clipped surrogate (or REINFORCE) summed over this micro-batch's choices and scaled to the whole batch's mean."""
        how, logps = config.grpo, fwd_out["logps"]
        learners = max(1, config.num_learners)  # gradients are averaged over learners: the mean is of the whole batch
        weight = batch["scale"] * learners
        ratio = torch.exp(logps - batch["old"])
        if how.loss == "reinforce":
            gain = ratio.detach().clamp(max=how.truncate) * logps * batch["advantage"]
        else:
            clipped = ratio.clamp(1.0 - how.clip_low, 1.0 + how.clip_high)
            gain = torch.minimum(ratio * batch["advantage"], clipped * batch["advantage"])
        loss = -(gain * weight).sum()
        if how.kl > 0.0:
            inner = self._module[module_id]
            inner = inner.unwrapped() if isinstance(inner, TorchDDPRLModule) else inner
            apart = inner.reference(batch["padded"]) - logps
            loss = loss + how.kl * ((torch.exp(apart) - apart - 1.0) * weight).sum()
        if not logps.requires_grad or not len(logps):
            loss = loss + 0.0 * sum(p.sum() for p in self.get_parameters(self._module[module_id]))
        return loss

    def _facts(self, out: Any, facts: Rows) -> dict[str, float]:
        if not len(facts["old"]):
            return {}
        with torch.no_grad():
            ratio = torch.exp(out["logps"] - facts["old"])
            how = self.config.grpo
            clipped = (ratio < 1.0 - how.clip_low) | (ratio > 1.0 + how.clip_high)
            return {
                "ratio_off_most": float((ratio - 1.0).abs().max()),
                "clipped_share": float(clipped.float().mean()),
                "truncated_weight": float(ratio.clamp(max=how.truncate).mean()),
                "entropy": float(out["entropy"].mean()),
                "kl_old": float((facts["old"] - out["logps"]).mean()),
            }

    def _tell(self, module_id: str, told: dict[str, list[float]]) -> None:
        for key, values in told.items():
            most = key.endswith("_most")
            self.metrics.log_value((module_id, key), max(values) if most else float(np.mean(values)), window=1)
