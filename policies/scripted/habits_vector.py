"""The vector of macro-habits, and what their kernels share."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel

HABITS = {
    "par_critical": "CRITICAL SKUs are ordered up to 10 x days of use",
    "par_high": "the same for HIGH ones",
    "par_normal": "the same for NORMAL ones",
    "baseline": "a day of use is (0.5 + 1.5 x) x usual demand ...",
    "follow": "... or, with this weight, what this round seems to need",
    "pace": "money for a round's orders: (0.5 + 3 x) x headroom / rounds left",
    "order_size": "this share of each wanted order is ordered; near 0 it is one unit",
    "direct": "share of an order that goes straight to the wards, past plans and requests",
    "cheap_first": "first in the queue for money: below 1/3 the dear SKUs, above 2/3 the cheap ones, else the scarce ones",
    "dearest": "SKUs above this price are never ordered: from $2 at 0 to $450 at 1, geometric",
    "backup": "above 1/2: BACKUP-B sells while the first supplier is disrupted",
    "quotes": "above 1/2: a quote of every SKU is asked for, every round",
    "rescue_blood": "share of this round's CRITICAL shortage of acute wards that is bought for the second day",
    "rescue_goods": "the same for all other lines",
    "share_icu": "a line is granted 1.5 x of its estimate",
    "share_er": "the same for ER",
    "share_general": "the same for General",
    "cap_icu": "a line without evidence or verdict is taken to need at most (0.5 + 2.5 x) x usual",
    "cap_er": "the same for ER",
    "cap_general": "the same for General",
    "others_blood": "multiplies the share of wards that are not acute in CRITICAL SKUs",
    "hold_back": "share of central's CRITICAL stock that is kept for later rounds",
    "priority": "who is cut when a SKU is short: at 0 all alike, at 1 by the fourth power of priority",
    "evidence": "lines asked about in a round: 8 x",
    "where": "evidence and reviews go by doubtful units: at 0 as a share of usual, at 1 as money",
    "doubt": "doubtful is what a request has above 2 x of usual",
    "reviews": "reviews in a round: 3 x",
    "review_from": "only lines that ask for at least (1 + 1.5 x) x their estimate are reviewed",
    "cites": "above 1/2: the rationale cites the evidence",
    "briefings": "0, 1 or 2 in a round",
    "systems": "enterprise systems touched in the first round, 0 to 5",
    "quarantine": "above 1/2: recalled lots are quarantined",
    "approvals": "below 1/4 orders stay under the gate, below 1/2 they cross it and wait, else they are filed at once; "
    "above 3/4 one unit more is ordered where that crosses it",
    "claims": "above 1/2: every filing names every event",
}
"""The knobs of `habits`, each a number x in [0, 1], and what it does."""


@kernel
def of_ward(first: float, second: float, other: float, w: int) -> float:
    """The first ward's value, the second's, or that of all others."""
    return first if w == 0 else (second if w == 1 else other)


@kernel
def usual(p: Any, w: int, k: int) -> int:
    """Usual units of a line in a round."""
    return 2 * int(p["demand"][w, k])


@kernel
def on_shelf(v: Any, k: int, location: int) -> int:
    """Usable units of a SKU at a location, as scanned."""
    units = 0
    for lot in range(int(v["lot_count"])):
        if int(v["lot_sku"][lot]) == k:
            units += int(v["scan"][lot, location])
    return units


@kernel
def days_left(m: Any, day: int) -> int:
    """Days of the episode from `day` on."""
    return int(m["told"].shape[0]) - day + 1
