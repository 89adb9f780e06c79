"""Every scripted coordinator by name, and what it does.

zero              plans nothing
rubber_stamp      gives what is asked and orders nothing: views requests, plans, advances
discount_general  the same, but cuts the last ward's requests to a percentage
"""

from __future__ import annotations

from medchain.errors import UnknownNameError
from policies.scripted.decide import Coordinator


def coordinator_names() -> list[str]:
    """Names of all scripted coordinators, simplest first."""
    return [c.name.lower() for c in Coordinator]


def coordinator(name: str) -> Coordinator:
    """The coordinator called `name`.

    Raises:
        UnknownNameError: there is none; lists those there are.
    """
    if name not in coordinator_names():
        raise UnknownNameError("coordinator", name, coordinator_names())
    return Coordinator[name.upper()]


def describe_coordinators() -> dict[str, str]:
    """One line on each coordinator, from the table at the top of this file."""
    rows = (line.strip().partition("  ") for line in (__doc__ or "").splitlines())
    return {name: what.strip() for name, _, what in rows if name in coordinator_names()}
