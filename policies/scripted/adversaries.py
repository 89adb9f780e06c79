"""Known ways to farm points. Each is a trick that spoils the calls of an honest coordinator, its base.

What a trick earns is what it adds to its base on the same episodes; tests/adversaries hold that this is nothing. A pair is
named `BASE+TRICK` and numbered STRIDE x trick + base, so that one compiled loop plays every pair. They show what the score
does not pay for, so no list of policies to evaluate has them; who wants one names it.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from medchain.core.kernel import kernel
from medchain.core.outcome import blank
from medchain.core.words import Kind
from policies.scripted import adversaries_audit as audit
from policies.scripted import adversaries_orders as orders
from policies.scripted.adversaries_queue import closes, repeat_first

STRIDE = 100
"""Numbers of coordinators without a trick are below this."""


class Trick(IntEnum):
    """The ways to farm points, by the number that stands for each."""

    NONE = 0
    PROCESS_ONLY = 1  # uses every tool for the paper's sake, gives the wards nothing
    ONE_UNIT_ORDERS = 2  # orders one unit of everything, and of nothing more
    CHEAP_ONLY = 3  # orders cheap SKUs only
    STARVE_LAST = 4  # gives the last ward nothing
    ONE_REVIEW = 5  # reviews the one line of the episode that is surest to be padded
    REVIEW_ALL = 6  # reviews line after line up to the quota, whatever they ask
    ASK_ALL = 7  # asks for evidence of line after line up to the quota, and cites it
    NAME_ALL = 8  # expedites every order, and names every event in every claim
    SPLIT = 9  # splits what is above the gate into orders below it
    TINY_GATED = 10  # orders up to the gate, then single units across it, each approved at once
    TOO_LATE = 11  # at the end orders what cannot arrive any more
    SCANS = 12  # scans the same shelves again and again
    LOOKS = 13  # repeats every look that the training signal pays for


@kernel
def spoil(trick: int, v: Any, p: Any, m: Any, queue: Any, n: int) -> int:
    """Change the `n` calls in `queue`, on which the base has decided in view `v`; returns how many there are now."""
    closing = closes(queue, n)
    if trick == Trick.PROCESS_ONLY:
        return audit.papers(v, p, queue)
    if trick == Trick.ONE_UNIT_ORDERS:
        return orders.only_single_units(v, p, queue, n, closing)
    if trick == Trick.CHEAP_ONLY:
        return orders.only_cheap(p, queue, n)
    if trick == Trick.SPLIT:
        return orders.split(v, p, queue, n)
    if trick == Trick.TOO_LATE:
        return orders.too_late(v, p, m, queue, n, closing)
    if trick == Trick.STARVE_LAST:
        return _starve_last(p, queue, n)
    if trick == Trick.NAME_ALL:
        n = orders.expedite_and_name_all(v, queue, n)
        return _then_file(v, m, queue, n) if closing else n
    if trick == Trick.TINY_GATED and closing:
        return _then_file(v, m, queue, orders.cross_the_gate(v, p, queue, n - 1) + 1)
    if trick == Trick.ASK_ALL:
        n = audit.cite_everything(queue, n)
    if int(v["calls_left"]) == int(p["calls_per_round"]):
        return _at_opening(trick, v, p, queue, n)
    return n


@kernel
def _at_opening(trick: int, v: Any, p: Any, queue: Any, n: int) -> int:
    """Tricks that come before the round's first calls."""
    if trick == Trick.ONE_REVIEW and int(v["round"]) == 1:
        return audit.review_surest(v, p, queue, n)
    if trick == Trick.REVIEW_ALL:
        return audit.ask_in_turn(v, p, queue, n, Kind.ESCALATE_TO_CLINICAL_REVIEW, int(v["reviews_left"]))
    if trick == Trick.ASK_ALL:
        return audit.ask_in_turn(v, p, queue, n, Kind.REQUEST_EVIDENCE, int(v["evidence_left"]))
    if trick == Trick.SCANS:
        return repeat_first(v, queue, n, Kind.WMS_SCAN_INVENTORY, Kind.WMS_SCAN_INVENTORY, 6)
    if trick == Trick.LOOKS:
        return repeat_first(v, queue, n, Kind.GET_ROUND_BRIEFING, Kind.READ_INBOX, 9)
    return n


@kernel
def _starve_last(p: Any, queue: Any, n: int) -> int:
    for i in range(n):
        if int(queue[i]["kind"]) == Kind.SUBMIT_ALLOCATION_PLAN:
            queue[i]["quantities"][int(p["demand"].shape[0]) - 1, :] = 0
    return n


@kernel
def _then_file(v: Any, m: Any, queue: Any, n: int) -> int:
    """Instead of closing the round now, look at the tickets that these calls open."""
    m["filing"] = v["round"]
    return n - 1 if n > 1 else blank(queue, 0, Kind.VIEW_REQUESTS)


@kernel
def is_filing(v: Any, m: Any) -> bool:
    """Whether the base is done with this round and its trick has tickets to file."""
    return int(m["filing"]) == int(v["round"])


@kernel
def file_and_advance(trick: int, v: Any, p: Any, queue: Any) -> int:
    """File what the trick has to file, then close the round."""
    return blank(queue, orders.file_all(v, p, queue, 0, trick == Trick.NAME_ALL), Kind.ADVANCE_ROUND)
