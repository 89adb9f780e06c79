"""Non-interference: change all that a role may not know, and its view's bytes stay the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from medchain.core.session import Session, fill_coordinator, fill_ward
from medchain.core.words import COORDINATOR, Kind, Phase
from tests.laws.chance import Chance
from tests.laws.commands import Writer
from tests.laws.hiding import for_arbiter, for_coordinator, for_ward, nonsense
from tests.laws.trace import Habits, Trace, drive, hospital

Hide = Callable[[Any, Any, np.random.Generator], Any]
WARDS = 3
HIDES: list[Hide] = [for_coordinator]
HIDES += [lambda s, p, rng, w=w: for_ward(s, p, w, rng) for w in range(WARDS)]  # type: ignore[misc]
HIDES += [for_arbiter]
MOMENTS = 12
"""Random moments of an episode at which every role looks."""

moments = given(name=st.sampled_from(("light", "medium", "heavy")), seed=st.integers(0, 2**63 - 1))


def looks(trace: Trace, rng: np.random.Generator) -> list[Any]:
    """Some records of an episode: of every phase that came up, and the end."""
    chosen = [int(rng.choice(np.flatnonzero(trace.states["phase"] == phase))) for phase in set(trace.states["phase"])]
    chosen += rng.integers(0, len(trace.states), MOMENTS).tolist()
    return [trace.states[i] for i in chosen]


def view_of(session: Session, record: Any, agent: int) -> Any:
    session.load(record.tobytes())
    return session.view(agent)


def differing(a: Any, b: Any) -> list[str]:
    """Names of the fields in which two views differ."""
    return [name for name in a.dtype.names if a[name].tobytes() != b[name].tobytes()]


@moments
def test_a_view_shows_nothing_that_its_role_may_not_know(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    trace = drive(name, seed, Chance(seed), Habits(hostile=3, advance=6), 250)
    session = Session(hospital(name))
    for s in looks(trace, rng):
        for agent, hide in enumerate(HIDES):
            seen, still = view_of(session, s, agent), view_of(session, hide(s, trace.p, rng), agent)
            assert differing(seen, still) == [], f"agent {agent}, day {s['day']}, phase {s['phase']}"
            assert seen.tobytes() == still.tobytes()


@moments
def test_a_result_tells_nothing_that_its_agent_may_not_know(name: str, seed: int) -> None:
    """Whoever is asked gets the same answer to its command, whatever it may not know."""
    rng, chance = np.random.default_rng(seed), Chance(seed)
    trace = drive(name, seed, chance, Habits(hostile=3, advance=6), 250)
    writer = Writer(trace.params, chance, Habits(hostile=5, advance=0))
    true, other = Session(hospital(name)), Session(hospital(name))
    for s in looks(trace, rng):
        true.load(s.tobytes())
        agent = true.pending().agent
        hidden = HIDES[agent](s, trace.p, rng)
        for count in ("refusals_in_a_row", "evidence_count"):  # its own refusals, and the number on its disclosure
            hidden[count] = s[count]
        other.load(hidden.tobytes())
        for _ in range(5):
            command = true.command()
            writer.write(command[0], true.record)
            if true.ended or int(true.record["calls"]) > 58 or command["kind"] == Kind.ADVANCE_ROUND:
                break  # what a day brings is not in the answer
            assert true.submit(command).tobytes() == other.submit(command).tobytes(), command
            if true.pending().agent != agent:
                break


@moments
def test_the_scan_is_all_that_shows_stock_to_the_coordinator(name: str, seed: int) -> None:
    """Counts are live in the WMS only, within its noise, and the noise is the only thing the seed does."""
    rng = np.random.default_rng(seed)
    trace = drive(name, seed, Chance(seed), Habits(hostile=3, advance=6), 250)
    session = Session(hospital(name))
    for s in looks(trace, rng):
        seen = view_of(session, s, COORDINATOR)
        free = s["on_hand"] - s["quarantined"]
        assert (abs(seen["scan"][0] - free) <= 0.05 * free + 0.5).all()
        other = np.array([s])
        other["seed"] += 1
        other["on_hand"] += rng.integers(0, 9, free.shape)
        for lot in s["recall_lot"][s["recall_lot"] >= 0]:
            other["on_hand"][0, lot] = s["on_hand"][lot]
        assert set(differing(seen, view_of(session, other, COORDINATOR))) <= {"scan", "patients", "acuity"}


def test_views_do_depend_on_what_their_role_knows() -> None:
    """The law above has teeth: with everything hidden, every role sees something else."""
    trace = drive("heavy", 1, Chance(1), Habits(hostile=0, advance=6), 250)
    session = Session(hospital("heavy"))
    review = next(s for s in trace.states if s["phase"] == Phase.VERDICT)
    blind = nonsense(review, np.random.default_rng(1))
    blind["event_count"] = blind["evidence"] = 0
    for agent in range(len(HIDES)):
        assert len(differing(view_of(session, review, agent), view_of(session, blind, agent))) > 3


@moments
def test_a_view_filled_up_through_an_episode_is_a_fresh_one(name: str, seed: int) -> None:
    """A view may be written over an earlier one of the same role; it shows what a fresh one would."""
    trace = drive(name, seed, Chance(seed), Habits(hostile=3, advance=6), 250)
    session = Session(hospital(name))
    kept = [session.view(agent) for agent in range(WARDS + 1)]
    for view in kept:
        view[:] = np.zeros((), view.dtype)
    rng = np.random.default_rng(seed)
    for i in sorted({0, len(trace.states) - 1, *rng.integers(0, len(trace.states), MOMENTS).tolist()}):
        fresh = [view_of(session, trace.states[i], agent) for agent in range(WARDS + 1)]
        fill_coordinator(session.episodes, 0, session.params, kept[COORDINATOR], 0)
        for w in range(WARDS):
            fill_ward(session.episodes, 0, session.params, kept[w + 1], 0, w)
        for agent, view in enumerate(fresh):
            assert differing(view, kept[agent]) == [], f"agent {agent}"
