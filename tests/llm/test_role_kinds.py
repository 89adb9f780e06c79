"""Every kind of role beside every other: each pair of kinds of two agents in some cast, and every cast plays."""

from itertools import combinations, product

import numpy as np
import pytest

from experiments.rllib.phase_batch import PhaseBatch
from experiments.rllib.phase_roles import RolePart, check_roles
from medchain.core.words import Phase
from medchain.scenario import load_scenario
from policies.learned.checkpoint import save_net
from policies.learned.layout import layout, role_of
from policies.learned.nets import new_net

KINDS = {
    "coordinator": ("scripted", "learned", "checkpoint", "llm"),
    **dict.fromkeys(("ward_icu", "ward_er", "ward_general", "arbiter"), ("scripted", "learned", "checkpoint")),
}


def pairs(cast):
    """The pairs of (agent, kind) in a cast."""
    return set(combinations(sorted(cast.items()), 2))


def casts():
    """Casts that hold every pair of kinds: greedily, the one next that adds most."""
    every = [dict(zip(KINDS, kinds, strict=True)) for kinds in product(*KINDS.values())]
    left, found = set().union(*map(pairs, every)), []
    while left:
        best = max(every, key=lambda cast: len(pairs(cast) & left))
        found.append(best)
        left -= pairs(best)
    return found


CASTS = casts()


def test_every_pair_is_in_some_cast():
    held = set().union(*map(pairs, CASTS))
    for (one, kinds), (other, others) in combinations(sorted(KINDS.items()), 2):
        for pair in product(kinds, others):
            assert ((one, pair[0]), (other, pair[1])) in held
    assert len(CASTS) < 20


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A network's file for each role."""
    folder, sizes = tmp_path_factory.mktemp("nets"), load_scenario("light").sizes
    for role in ("coordinator", "ward", "arbiter"):
        kind = "alone" if role == "arbiter" else "lines"
        save_net(folder / f"{role}.pt", new_net(layout(role, sizes), kind, 8), kind, 8)
    return folder


def part(agent, kind, files, mini_run):
    """The role of an agent number."""
    role = role_of(agent, load_scenario("light").sizes)
    return {
        "scripted": RolePart(role="scripted"),
        "learned": RolePart(role="learned", module=role),
        "checkpoint": RolePart(role="checkpoint", path=str(files / f"{role}.pt")),
        "llm": RolePart(role="llm", model=str(mini_run)),
    }[kind]


@pytest.mark.parametrize("cast", CASTS, ids=lambda cast: "-".join(kind[:2] for kind in cast.values()))
def test_a_cast_plays(cast, files, mini_run):
    """To the end, asking each learned agent, and nobody else, as often as its role decides."""
    scenario = load_scenario("light")
    parts = {name: part(a, cast[name], files, mini_run) for a, name in enumerate(scenario.agents)}
    check_roles(scenario, parts, "a cast")
    batch, asked = PhaseBatch(scenario, 2, parts, "terminal"), []
    batch.reset([50, 51])
    while now := batch.turn():
        asked += now
        batch.act({agent: np.zeros((2, len(batch.env.heads(agent))), np.int64) for agent in now})
    assert (batch.env.episodes["phase"] == Phase.ENDED).all()
    for agent, name in enumerate(scenario.agents):
        decisions = 0 if cast[name] != "learned" else 8 if name == "arbiter" else 16
        assert asked.count(agent) == decisions, name
