"""One base model in memory for all who speak with it in a process, each through an adapter of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from weakref import WeakValueDictionary

import torch

from policies.llm.loading import Lora, Source, load_base, lora_config, lora_tensors, with_lora

SEED = 20_000
"""Adapters start from the same draw on every learner and runner."""


class SharedModel:
    """A frozen base model with any number of adapters, of which one is active at a time."""

    def __init__(self, source: Source) -> None:
        """Load the base model of `source`.

        Raises:
            ModelError: it cannot be loaded.
        """
        self.source = source
        self.base = load_base(source)
        self.model: Any = None  # the base with its adapters, once it has one
        self._layers: list[Any] = []
        self._active: str | None = None

    def add(self, lora: Lora) -> Adapter:
        """A fresh adapter."""
        key = f"adapter{len(self.model.peft_config) if self.model is not None else 0}"
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(SEED)
            if self.model is None:
                self.model = with_lora(self.base, lora, key, checkpointing=self.source.checkpointing)
            else:
                self.model.add_adapter(key, lora_config(lora))
        self._layers, self._active = [m for m in self.model.modules() if hasattr(m, "lora_A")], None
        self._open()
        return Adapter(self, key)

    def use(self, key: str) -> None:
        """Make an adapter the active one, in training where gradients are taken and in evaluation elsewhere."""
        if self.model.training != torch.is_grad_enabled():
            self.model.train(torch.is_grad_enabled())
        if self._active != key:
            for layer in self._layers:
                layer.set_adapter(key)
            self._active = key
            self._open()

    def _open(self) -> None:
        """Let every adapter take gradients: PEFT closes those that are not active, and learners hold on to all of them."""
        for name, tensor in self.model.named_parameters():
            if "lora_" in name:
                tensor.requires_grad_(True)

    @contextmanager
    def without(self) -> Iterator[None]:
        """The base model alone."""
        with self.model.disable_adapter():
            yield
        self._open()


class Adapter:
    """A base model as one of its adapters makes it. Stands for a model wherever one is spoken with or trained."""

    def __init__(self, shared: SharedModel, key: str) -> None:
        """The adapter of that name in PEFT's model."""
        self.shared, self.key = shared, key

    def tensors(self) -> dict[str, Any]:
        """Its parameters by name, called as if it were the only adapter (`default`)."""
        found = lora_tensors(self.shared.model, self.key)
        return {name.replace(f".{self.key}.", ".default."): tensor for name, tensor in found.items()}

    def parameters(self) -> Iterator[torch.Tensor]:
        """Its parameters."""
        yield from self.tensors().values()

    def state_dict(self) -> dict[str, Any]:
        """Everything in the model, other adapters included."""
        found: dict[str, Any] = self.shared.model.state_dict()
        return found

    def get_base_model(self) -> Adapter:
        """Itself: it has what is asked of a base model."""
        return self

    def get_decoder(self) -> Any:
        """The transformer with this adapter."""
        return _Decoder(self)

    def get_output_embeddings(self) -> Any:
        """The output layer."""
        return self.shared.model.get_base_model().get_output_embeddings()

    def disable_adapter(self) -> Any:
        """A context in which the base model speaks alone."""
        return self.shared.without()


class _Decoder:
    """A transformer that puts its adapter on before it is called; all else is the transformer's own."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter, self._decoder = adapter, adapter.shared.model.get_base_model().get_decoder()

    def __call__(self, **inputs: Any) -> Any:
        self._adapter.shared.use(self._adapter.key)
        return self._decoder(**inputs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._decoder, name)


_SHARED: WeakValueDictionary[Source, SharedModel] = WeakValueDictionary()
_ANY = Lora()


def adapter_on(source: Source) -> Adapter:
    """A fresh adapter (source.lora) on the base model of `source`, which is loaded if this process does not have it yet.

    Raises:
        ModelError: it cannot be loaded.
    """
    key = replace(source, lora=_ANY)
    shared = _SHARED.get(key)
    if shared is None:
        shared = _SHARED[key] = SharedModel(source)
    return shared.add(source.lora)
