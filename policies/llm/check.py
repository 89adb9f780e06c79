"""The sanity list for a model, on CPU, before GPU time is spent. Every item says why it passes or fails."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from medchain.errors import ToolError
from medchain.scenario import load_scenario
from medchain.tools.parse import read_turn
from policies.llm.adapters import load_adapter, save_adapter
from policies.llm.chat import Chat, ModelError
from policies.llm.conversation import Stretch
from policies.llm.loading import Lora, Source, base_digest, is_lora, load_base, load_tokenizer, lora_tensors, with_lora
from policies.llm.logprobs import pad, token_logps
from policies.llm.sampling import Rows, Sampling, Writer, decoder_and_head, write_turns

JSON_CALL = '<tool_call>{"name": "view_requests", "arguments": {}}</tool_call>'
XML_CALL = "<tool_call><function=query_supplier><parameter=supplier_id>MEDLINE</parameter></function></tool_call>"
TURN_CAP = 900
"""Tokens a turn may have where nothing else is said."""


class Item(NamedTuple):
    """One line of the list."""

    name: str
    passed: bool
    reason: str


class Checks:
    """The list for one model."""

    def __init__(self, source: Source) -> None:
        """Load tokenizer and model.

        Raises:
            ModelError: there is no such model.
        """
        self.source = source
        self.tokenizer = load_tokenizer(source.name)
        self.chat: Chat | None = None
        self.model: Any = None

    def run(self) -> Iterator[Item]:
        """Every item in turn; those that need a chat template or the loaded model are left out where there is none."""
        yield self._item("chat template keeps its prefix", self._template)
        if self.chat is None:
            return
        for name, check in (
            ("pad token differs from the end of a turn", self._pad),
            ("both call formats round-trip", self._formats),
            ("<tool_call> survives decoding", self._tag),
            ("an empty think stub is no call and no error", self._think),
            ("a full plan fits the token cap", self._plan),
            ("LoRA covers every linear layer", self._coverage),
            ("gradients reach the adapter only", self._gradients),
            ("with cache as without", self._cache),
            ("ratio is 1 before the first step", self._ratio),
            ("saved and loaded, the same logits", self._save),
        ):
            yield self._item(name, check)
            if check == self._coverage and self.model is None:
                return

    def _item(self, name: str, check: Callable[[], str]) -> Item:
        try:
            return Item(name, True, check())
        except (AssertionError, ModelError, ToolError, ValueError, RuntimeError, KeyError) as error:
            return Item(name, False, str(error) or type(error).__name__)

    def _template(self) -> str:
        self.chat = Chat(self.tokenizer, "You run a pharmacy.")
        return f"tool results come as {self.chat.tool_role} messages"

    @property
    def _chat(self) -> Chat:
        assert self.chat is not None
        return self.chat

    def _pad(self) -> str:
        tokenizer = self.tokenizer
        assert tokenizer.pad_token_id != tokenizer.eos_token_id, f"both are {tokenizer.eos_token!r}"
        return f"{tokenizer.pad_token!r} and {tokenizer.eos_token!r}"

    def _formats(self) -> str:
        for text in (JSON_CALL, XML_CALL):
            ids = [*self._chat.encode(text), self._chat.end]
            assert read_turn(self._chat.decode(ids)) == read_turn(text), f"{text} came back as {self._chat.decode(ids)!r}"
        return "JSON and XML"

    def _tag(self) -> str:
        ids = self._chat.encode(JSON_CALL)
        assert "<tool_call>" in self._chat.decode(ids), f"decoded as {self._chat.decode(ids)!r}"
        count = len(self._chat.encode("<tool_call>"))
        return f"{count} token{'s' if count > 1 else ''}"

    def _think(self) -> str:
        calls = read_turn(f"<think>\n\n</think>\n\n{JSON_CALL}")
        assert len(calls) == 1 and not isinstance(calls[0], ToolError), f"read as {calls}"
        return "a call after <think></think> is read"

    def _plan(self) -> str:
        scenario = load_scenario("medium")
        wards = []
        for ward in scenario.wards:
            lines = ", ".join(f'"{sku}": 123' for sku, s in scenario.skus.items() if ward in s.demand_per_day)
            wards.append(f'"{ward}": {{{lines}}}')
        given = f'{{"plan_json": {{{", ".join(wards)}}}}}'
        plan = f'<tool_call>{{"name": "submit_allocation_plan", "arguments": {given}}}</tool_call>'
        count = len(self._chat.encode(plan))
        assert count <= TURN_CAP, f"a plan of all lines needs {count} tokens, the cap is {TURN_CAP}"
        return f"{count} of {TURN_CAP} tokens"

    def _coverage(self) -> str:
        base = load_base(self.source)
        self._digest = base_digest(base)
        linear = [
            n for n, m in base.named_modules() if "Linear" in type(m).__name__ and base.get_output_embeddings() is not m
        ]
        self.model = with_lora(base, self.source.lora)
        covered = {
            name.split(".lora_A")[0].removeprefix("base_model.model.")
            for name in lora_tensors(self.model)
            if ".lora_A" in name
        }
        bare = [name for name in linear if name not in covered]
        assert not bare, f"without an adapter: {', '.join(bare[:5])}"
        plain = "embeddings, norms and output layer" if self.source.quantisation != "none" else "everything"
        return f"{len(covered)} layers; unquantised: {plain}"

    def _sample(self) -> Stretch:
        self.model.eval()
        opening = self._chat.opening("round 1")
        longer = self._chat.opening("round 1 of 8, three wards ask for more than there is")
        how = Sampling(cap=12, end=self._chat.end)
        writers = [Writer(np.random.default_rng(i)) for i in range(2)]
        for writer, ids in zip(writers, (opening, longer), strict=True):
            writer.begin(ids, "turn", how)
        turns = write_turns(Rows(self.model, 2), writers, how)
        first = turns[0]
        return Stretch(0, 1, opening + first.ids, [(len(opening), len(first.ids), "turn", 12)], first.logps, first.choice)

    def _gradients(self) -> str:
        stretch = self._sample()
        self.model.train()
        logps, _ = token_logps(self.model, pad([stretch], self.tokenizer.pad_token_id, None))
        logps.sum().backward()
        with_grad = [name for name, p in self.model.named_parameters() if p.grad is not None]
        assert with_grad and all(map(is_lora, with_grad)), f"gradients at {[n for n in with_grad if not is_lora(n)][:3]}"
        self.model.zero_grad(set_to_none=True)
        return f"{len(with_grad)} tensors"

    def _cache(self) -> str:
        self.model.eval()
        ids = self._chat.opening("round 1 of 8")
        rows = Rows(self.model, 1)
        rows.feed([0], [ids[:-3]])
        with torch.no_grad():
            cached = rows.feed([0], [ids[-3:]])[0]
            decoder, head = decoder_and_head(self.model)
            whole = head(decoder(input_ids=torch.tensor([ids]), use_cache=False).last_hidden_state[0, -1]).float()
            plain = self.model(input_ids=torch.tensor([ids])).logits[0, -1].float()
        apart = float((cached - whole).abs().max())
        assert apart < 1e-2, f"logits differ by {apart:.2g}"
        assert float((plain - whole).abs().max()) < 1e-3, "the model does more to its logits than its output layer"
        return f"logits differ by at most {apart:.1g}"

    def _ratio(self) -> str:
        stretch = self._sample()
        self.model.train()
        with torch.no_grad():
            logps, _ = token_logps(self.model, pad([stretch], self.tokenizer.pad_token_id, None))
        off = float((torch.exp(logps - torch.tensor(stretch.logps)) - 1).abs().max())
        limit = 1e-4 if self.source.dtype == "float32" else 5e-2
        assert off < limit, f"|ratio - 1| is {off:.2g}, expected under {limit:g}"
        return f"|ratio - 1| = {off:.1g}"

    def _save(self) -> str:
        self.model.eval()
        with torch.no_grad():
            for tensor in lora_tensors(self.model).values():
                tensor.add_(0.01)
            ids = torch.tensor([self._chat.opening("round 1")])
            before = self.model(input_ids=ids).logits
            state = {name: p.detach().float().numpy().copy() for name, p in lora_tensors(self.model).items()}
            with tempfile.TemporaryDirectory() as folder:
                save_adapter(Path(folder), state, self.source, {})
                other = with_lora(load_base(self.source), self.source.lora)
                load_adapter(other, Path(folder))
            other.eval()
            apart = float((other(input_ids=ids).logits - before).abs().max())
        assert apart == 0.0, f"logits differ by {apart:.2g}"
        assert base_digest(self.model) == self._digest, "the base model's weights have changed"
        return "and the base model's weights are untouched"


def default_source(name: str) -> Source:
    """The model in plain form with a small adapter."""
    return Source(name, lora=Lora(rank=8, alpha=16))
