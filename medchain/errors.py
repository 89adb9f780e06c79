"""Errors a user can meet, each with what was expected, what came, and what would be right."""

from __future__ import annotations

import operator
from typing import Any


class MedChainError(ValueError):
    """Base of every error that a user's input can cause; the CLI prints it and exits with code 2."""


class ScenarioError(MedChainError):
    """A scenario file is wrong; names the file, the key, the value and what is legal."""


class ConfigError(MedChainError):
    """A configuration other than a scenario is wrong; names the file, the key, the value and what is legal."""


class SeedError(MedChainError):
    """A seed is not an integer in 0 .. 2^63 - 1."""


class ReplayError(MedChainError):
    """A replay file or a saved state cannot be read, or does not verify."""


class UnknownNameError(MedChainError):
    """A name (policy, agent, role, difficulty ...) is not one of the known ones."""

    def __init__(self, what: str, name: object, known: list[str]) -> None:
        """Say that `what` called `name` does not exist, and list the `known` ones."""
        super().__init__(f"unknown {what} {name!r}; known: {', '.join(known)}")
        self._said = (what, name, known)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it was made from, so that it comes back whole from another process."""
        return type(self), self._said


class ToolError(MedChainError):
    """A tool call or an answer is not one of the legal ones; nothing of it was carried out.

    `code` is a stable word for the kind of mistake, `expected`, `came` and `right` are halves of sentences.
    """

    def __init__(self, code: str, expected: str, came: str, right: str = "") -> None:
        """Say what was expected, what came, and what would be right."""
        self.code, self.expected, self.came, self.right = code, expected, came, right
        super().__init__(f"{code}: expected {expected}; got {came}." + (f" Right: {right}" if right else ""))

    def __reduce__(self) -> tuple[type[ToolError], tuple[str, str, str, str]]:
        return ToolError, (self.code, self.expected, self.came, self.right)


def check_seed(seed: object) -> int:
    """Return `seed` as int; raise SeedError unless it is an integer in 0 .. 2^63 - 1."""
    try:
        if isinstance(seed, bool):
            raise TypeError
        value = operator.index(seed)  # type: ignore[arg-type]
    except TypeError:
        raise SeedError(f"seed must be an integer in 0 .. 2^63 - 1, got {seed!r} ({type(seed).__name__})") from None
    if not 0 <= value < 2**63:
        raise SeedError(f"seed must be an integer in 0 .. 2^63 - 1, got {value}")
    return value
