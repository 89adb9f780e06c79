"""Memory that is used again: a wiped record is a blank one, and a view that is filled up equals a fresh one."""

from typing import Any

import numpy as np
import pytest

from medchain.core.params import new_params
from medchain.core.record import TABLES, as_bytes, episode_dtype, new_episodes, spans, wipe
from medchain.core.session import Session, fill_arbiter, fill_coordinator, fill_ward
from medchain.core.views import VIEW_TABLES, arbiter_dtype, coordinator_dtype, ward_dtype
from medchain.core.words import Kind, Phase
from medchain.scenario import load_scenario
from policies.drive import play_session
from policies.knobs import load_knobs
from policies.roster import coordinator, coordinator_names
from policies.scripted.batch import parse_personas, play
from policies.scripted.play import Desk, play_range
from policies.scripted.single import scripted_policies

MEDIUM = load_scenario("medium")
Z = MEDIUM.sizes


def wipe_first(records: Any, tables: dict[str, tuple[str, ...]]) -> Any:
    """The bytes of records[0] after wiping it."""
    rows = [int(records[0][counter]) for counter in tables]
    wipe(as_bytes(records)[0], spans(records.dtype, tables), *rows)
    return as_bytes(records)[0]


@pytest.mark.parametrize(("dtype", "tables"), [(episode_dtype(Z), TABLES), (coordinator_dtype(Z), VIEW_TABLES)])
@pytest.mark.parametrize("rows", [(0, 0, 0), (3, 1, 2), (Z.lots, Z.orders, Z.quotes)])
def test_wiping_clears_whatever_the_rows_in_use_and_the_other_fields_hold(dtype, tables, rows) -> None:
    records = np.zeros(1, dtype)
    as_bytes(records)[:] = 255
    for (counter, names), used in zip(tables.items(), rows, strict=True):
        records[counter] = used
        for name in names:
            records[name][0, used:] = 0
    assert not wipe_first(records, tables).any()


def test_wiping_leaves_the_rows_that_are_said_to_be_unused_alone() -> None:
    records = new_episodes(Z)
    records["lot_cost"][0, 5] = 7
    wipe_first(records, TABLES)
    assert records["lot_cost"][0, 5] == 7


@pytest.mark.parametrize("name", coordinator_names())
def test_a_wiped_episode_is_a_blank_one(name: str) -> None:
    for record in play(MEDIUM, name, range(3)):
        assert not wipe_first(np.array([record]), TABLES).any()


def test_orders_quotes_and_deliveries_are_wiped_too() -> None:
    session = Session(MEDIUM, 1)
    while not session.ended:
        command = session.command()
        if session.pending().phase == Phase.COORDINATE:
            kinds = (Kind.SUPPLIER_PORTAL_REQUEST_QUOTE, Kind.SUBMIT_PO, Kind.ADVANCE_ROUND)
            command["kind"], command["quantity"] = kinds[int(session.record["calls"]) % 3], 50
        else:
            command["kind"] = Kind.REQUEST
        session.submit(command)
    assert session.record["order_count"] > 5 and session.record["quote_count"] > 5
    assert not wipe_first(session.episodes, TABLES).any()


@pytest.mark.parametrize("name", coordinator_names())
def test_a_view_that_is_filled_up_through_an_episode_equals_a_fresh_one(name: str) -> None:
    session = Session(MEDIUM, 4)
    kept = [np.zeros(1, d) for d in (coordinator_dtype(Z), *[ward_dtype(Z)] * Z.wards, arbiter_dtype(Z))]

    def compare(agent: int, command: Any, result: Any) -> None:
        fill_coordinator(session.episodes, 0, session.params, kept[0], 0)
        for ward in range(Z.wards):
            fill_ward(session.episodes, 0, session.params, kept[ward + 1], 0, ward)
        for seen in range(Z.agents - 1):
            assert kept[seen].tobytes() == session.view(seen).tobytes()

    play_session(session, scripted_policies(MEDIUM, name), compare)
    fill_arbiter(session.episodes, 0, session.params, kept[-1], 0)
    assert kept[-1].tobytes() == session.view(Z.agents - 1).tobytes()


def test_a_desk_and_an_array_that_were_used_play_as_new_ones() -> None:
    names, desk, episodes = coordinator_names(), Desk(Z), new_episodes(Z, 2)
    params, (who, factors) = new_params(MEDIUM), parse_personas(MEDIUM, None)
    for seeds in ([8, 9], [3, 4]):
        for name in names:
            keys = np.array(seeds, np.uint64)
            which, knobs = int(coordinator(name)), load_knobs(name)
            play_range(episodes, as_bytes(episodes), keys, 0, 2, params, which, knobs, who, factors, desk.all())
            assert episodes.tobytes() == play(MEDIUM, name, seeds).tobytes()
