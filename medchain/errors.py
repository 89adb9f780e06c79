"""Errors a user can meet, each with what was expected, what came, and what would be right."""

from __future__ import annotations

import operator


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
