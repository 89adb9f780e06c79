"""Every scripted coordinator by name, and what it does.

zero              plans nothing
paperwork         allocates nothing; every process tool, evidence and citations, one-unit orders
rubber_stamp      gives what is asked and orders nothing: views requests, plans, advances
discount_general  the same, but cuts the last ward's requests to a percentage
random_legal      makes legal calls of every kind at random, from its own stream
restock           orders to par, gives what is asked, audits nobody
par_blind         orders to par, issues the usual demand by priority, reads no request
cap_blind         caps each request at what its size and the ward's record make likely; funds needs by value; no audit
auditor           the same with evidence where doubt costs most, reviews of proven padding, and citations
oracle            the same, told every need in advance: what knowing is worth; not a bound
"""

from __future__ import annotations

from enum import IntEnum

from medchain.errors import UnknownNameError
from policies.scripted.adversaries import STRIDE, Trick
from policies.scripted.decide import HABITS, Coordinator


def coordinator_names() -> list[str]:
    """Names of all scripted coordinators, simplest first."""
    return [c.name.lower() for c in Coordinator]


_BASES = {c.name: int(c) for c in Coordinator if c != Coordinator.ORACLE} | {"HABITS": HABITS}
_TRICKS = {trick.name: int(trick) for trick in Trick if trick != Trick.NONE}

UNLISTED: type[IntEnum] = IntEnum(
    "UNLISTED",
    {"HABITS": HABITS} | {f"{base}+{trick}": STRIDE * _TRICKS[trick] + _BASES[base] for base in _BASES for trick in _TRICKS},
)
"""Coordinators that can be named but are in no list: `habits`, and every `BASE+TRICK` of adversaries.py."""


def coordinator(name: str) -> IntEnum:
    """The coordinator called `name`, listed or not.

    Raises:
        UnknownNameError: there is none; lists those there are.
    """
    if name.upper() in UNLISTED.__members__ and name == name.lower():
        return UNLISTED[name.upper()]
    if name not in coordinator_names():
        raise UnknownNameError("coordinator", name, coordinator_names())
    return Coordinator[name.upper()]


def describe_coordinators() -> dict[str, str]:
    """One line on each coordinator, from the table at the top of this file."""
    rows = (line.strip().partition("  ") for line in (__doc__ or "").splitlines())
    return {name: what.strip() for name, _, what in rows if name in coordinator_names()}
