"""A chat template as token pieces: what opens a context, and what stands between a sampled turn and the next.

Token in, token out: sampled ids are never turned into text and encoded again. Whatever is not sampled comes from here.
"""

from __future__ import annotations

from typing import Any

from medchain.errors import MedChainError


class ModelError(MedChainError):
    """A model, tokenizer or adapter cannot be used; says what was expected, what came and what would be right."""


class Chat:
    """The pieces of one tokenizer's chat template."""

    def __init__(self, tokenizer: Any, system: str, thinking: bool = False) -> None:
        """Read the template once.

        Raises:
            ModelError: there is no template, or a prefix of a conversation does not render to a prefix of its text.
        """
        self.tokenizer, self.system = tokenizer, system
        self.thinking = thinking
        if not getattr(tokenizer, "chat_template", None):
            raise ModelError("expected a tokenizer with a chat template, got one without; use an instruct or chat model")
        if tokenizer.eos_token_id is None or tokenizer.pad_token_id == tokenizer.eos_token_id:
            raise ModelError("expected a pad token that differs from the end of a turn; set tokenizer.pad_token")
        self.end = int(tokenizer.eos_token_id)
        self.end_text = tokenizer.convert_ids_to_tokens(self.end)
        self.tool_role = "tool"
        try:
            self._check("tool")
        except ModelError:
            self._check("user")  # a template that knows no tools is told of results by the user
            self.tool_role = "user"

    def _render(self, messages: list[dict[str, str]], prompt: bool) -> str:
        text: str = self.tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=prompt, enable_thinking=self.thinking
        )
        return text

    def _between(self, role: str, content: str) -> str:
        """Text from the end of a turn to where the next one is sampled."""
        said = "\u00a4turn\u00a4"
        opening = [{"role": "system", "content": self.system}, {"role": "user", "content": "go"}]
        spoken = [*opening, {"role": "assistant", "content": said}]
        full = self._render([*spoken, {"role": role, "content": content}], True)
        return full[full.rindex(said) + len(said) :] if said in full else ""

    def _check(self, role: str) -> None:
        said = "\u00a4turn\u00a4"
        opening = [{"role": "system", "content": self.system}, {"role": "user", "content": "go"}]
        spoken = [*opening, {"role": "assistant", "content": said}]
        before, after = self._render(spoken, False), self._render([*spoken, {"role": role, "content": "done"}], True)
        if not after.startswith(before):
            raise ModelError(
                f"the chat template does not keep its prefix when a {role} message follows: a turn would be rewritten"
            )
        between = self._between(role, "done")
        if not between.startswith(self.end_text):
            raise ModelError(f"expected the template to close a turn with {self.end_text!r}, got {between[:30]!r}")
        if "done" not in between:
            raise ModelError(f"the chat template drops {role} messages")

    def opening(self, brief: str) -> list[int]:
        """Ids of system prompt, brief and the start of the first turn."""
        messages = [{"role": "system", "content": self.system}, {"role": "user", "content": brief}]
        return self.encode(self._render(messages, True))

    def following(self, result: str) -> list[int]:
        """Ids between the end of a turn (its closing token was sampled or appended) and the start of the next."""
        return self.encode(self._between(self.tool_role, result)[len(self.end_text) :])

    def encode(self, text: str) -> list[int]:
        """Ids of a text, with nothing added around it."""
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False)
        return ids

    def words(self) -> list[str]:
        """Text of every token, special ones included."""
        return [self.tokenizer.decode([i], skip_special_tokens=False) for i in range(len(self.tokenizer))]

    def decode(self, ids: list[int]) -> str:
        """Text of sampled ids without the closing token; `<tool_call>` survives."""
        if ids and ids[-1] == self.end:
            ids = ids[:-1]
        text: str = self.tokenizer.decode(ids, skip_special_tokens=False)
        return text
