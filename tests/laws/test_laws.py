"""The laws of the hospital, after every one of many random commands: 10,000 in a CI run, more on demand.

Run the long version with MEDCHAIN_LONG=1.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from medchain.core.words import Kind, Refusal
from tests.laws import check_desk, check_money, check_stock, check_trust
from tests.laws.trace import HOSPITALS, Habits, Trace, drive_many

COMMANDS = 400
"""Commands of an example: 25 examples make 10,000, the 1,000 of a long run 400,000."""

LAWS = (
    check_stock.the_tape_never_changes,
    check_stock.units_are_conserved,
    check_stock.nothing_is_negative,
    check_stock.goods_move_only_when_they_may,
    check_stock.quarantined_units_stay,
    check_stock.nothing_expired_is_kept,
    check_stock.lots_stand_in_fefo_order,
    check_stock.allocations_are_covered,
    check_stock.unused_rows_hold_nothing,
    check_stock.orders_arrive_on_their_day,
    check_money.the_limit_holds,
    check_money.the_books_agree_with_the_orders,
    check_money.money_moves_for_a_reason,
    check_money.orders_stay_within_their_rules,
    check_money.quotes_are_used_once,
    check_desk.a_refused_call_changes_counts_only,
    check_desk.a_granted_call_minds_its_business,
    check_desk.calls_are_counted,
    check_desk.three_refusals_forfeit,
    check_desk.turns_are_taken_in_order,
    check_desk.requests_are_legal,
    check_desk.scores_are_shares,
    check_trust.trust_moves_as_the_table_says,
)

drives = given(
    name=st.sampled_from(HOSPITALS),
    seed=st.integers(0, 2**63 - 1 - COMMANDS),
    hostile=st.sampled_from((0, 5, 30, 85)),
    advance=st.sampled_from((1, 4, 15)),
)


def hold(trace: Trace) -> None:
    """Fail unless every law holds all along an episode."""
    for law in LAWS:
        law(trace)


@drives
def test_every_law_holds_after_every_command(name: str, seed: int, hostile: int, advance: int) -> None:
    for trace in drive_many(name, seed, Habits(hostile, advance), COMMANDS):
        hold(trace)


def test_random_commands_reach_every_tool_and_every_refusal() -> None:
    """The laws would hold of a driver that never gets anywhere."""
    granted, refused = set(), set()
    for seed in range(80):
        habits = Habits(hostile=(0, 5, 85)[seed % 3], advance=(1, 15)[seed % 2])
        for trace in drive_many(HOSPITALS[seed % len(HOSPITALS)], seed, habits, COMMANDS // 4):
            granted |= set(trace.commands["kind"][trace.results["ok"] == 1].tolist())
            refused |= set(trace.results["refusal"].tolist())
    assert granted == set(Kind) - {Kind.NOT_UNDERSTOOD}
    assert refused == set(Refusal)
