"""The records: one episode, one command, one result. Everything the game knows is in an episode's record.

Shapes use W wards, S SKUs, P suppliers, R rounds, T days, H history rounds, L lots, O orders, Q quotes, E events and
X = W + 1 locations (0 is central). Rounds and days are stored from 1; arrays over them start at index 0.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from medchain.core.kernel import kernel
from medchain.core.words import Fact
from medchain.scenario import Sizes

SYSTEMS = 5
ORDER_FIELDS: list[tuple[str, str]] = [
    ("order_sku", "i2"),
    ("order_supplier", "i2"),
    ("order_destination", "i2"),  # location
    ("order_quantity", "i4"),  # units
    ("order_expedited", "i1"),
    ("order_cost", "i8"),  # cents, all units
    ("order_placed_day", "i4"),
    ("order_lead_time", "i4"),  # days, as of placing; at release it is asked again unless a quote fixed it
    ("order_quoted", "i1"),
    ("order_due_day", "i4"),  # 0 while waiting
    ("order_status", "i1"),  # OrderStatus
    ("order_approval", "i1"),  # Ticket, APR-
    ("order_justification", "i1"),  # Ticket, JUS-
]
"""Per-order columns, [O]; an order's number is its index + 1 and names its tickets too."""

QUOTE_FIELDS: list[tuple[str, str]] = [
    ("quote_sku", "i2"),
    ("quote_supplier", "i2"),
    ("quote_quantity", "i4"),  # units
    ("quote_round", "i2"),  # asked in
    ("quote_lead_time", "i4"),  # days, of the day it was asked for
    ("quote_used", "i1"),
]
"""Per-quote columns, [Q]; a quote's number is its index + 1."""


def packed(fields: list[Any]) -> np.dtype[Any]:
    """A record of these fields without a byte of padding: widest first, the rest named.

    Padding is not copied with a record, so a digest over it would differ between a record and its copy.
    """
    widest_first = sorted(fields, key=lambda field: -np.dtype(field[1]).itemsize)
    spare = -np.dtype(widest_first).itemsize % 8
    dtype = np.dtype(widest_first + ([("spare", "i1", (spare,))] if spare else []), align=True)
    assert dtype.itemsize == sum(np.dtype((f[1], f[2] if len(f) > 2 else ())).itemsize for f in widest_first) + spare
    return dtype


def columns(fields: list[tuple[str, str]], rows: int) -> list[Any]:
    """Fields of a table stored column by column."""
    return [(name, kind, (rows,)) for name, kind in fields]


Tables = dict[str, tuple[str, ...]]
LOT_COLUMNS: tuple[str, ...] = ("lot_sku", "lot_expiry", "lot_cost", "lot_origin", "lot_next")
LOT_COLUMNS += ("on_hand", "quarantined", "erp_before", "erp_now")
TABLES: Tables = {
    "lot_count": LOT_COLUMNS,
    "order_count": tuple(name for name, _ in ORDER_FIELDS),
    "quote_count": tuple(name for name, _ in QUOTE_FIELDS),
}
"""The columns of each table, by what counts its rows in use; the rows after those hold zeros."""


@cache
def episode_dtype(z: Sizes) -> np.dtype[Any]:
    """The record of one episode."""
    W, S, R, T, H, L, E, X = z.wards, z.skus, z.rounds, z.days, z.history, z.lots, z.events, z.locations
    return packed(
        [
            # tape: drawn at reset, never changed
            ("seed", "u8"),
            ("event_count", "i4"),
            ("event_type", "i1", (E,)),  # Event, by trigger day; -1 where there is none
            ("event_day", "i4", (E,)),
            ("need", "i4", (T, W, S)),  # units
            ("past_requested", "i4", (H, W, S)),  # units, the oldest round first
            ("past_allocated", "i4", (H, W, S)),
            ("past_consumed", "i4", (H, W, S)),
            ("past_short", "i1", (H, W, S)),  # 1: stocked out
            ("opening_value", "i8"),  # cents
            # clock and turn
            ("day", "i4"),
            ("round", "i4"),
            ("phase", "i1"),  # Phase
            ("asked_ward", "i2"),  # ward whose turn it is, or whose line is under review
            ("asked_sku", "i2"),
            ("calls", "i4"),  # by the coordinator, this round
            ("calls_total", "i4"),  # by everyone, refused ones too
            ("refusals_in_a_row", "i4"),  # of the ward or arbiter now asked
            ("forfeits", "i4", (z.agents,)),  # turns that were answered for
            # lots, and the FEFO order of each SKU as a linked list
            ("lot_count", "i4"),
            ("lot_sku", "i2", (L,)),
            ("lot_expiry", "i4", (L,)),  # day from which it is unusable; NEVER: undated
            ("lot_cost", "i8", (L,)),  # cents per unit
            ("lot_origin", "i1", (L,)),  # Origin
            ("lot_next", "i2", (L,)),  # next lot in FEFO order, -1 at the end
            ("first_lot", "i2", (S,)),
            ("on_hand", "i4", (L, X)),  # units, quarantined ones included
            ("quarantined", "i4", (L, X)),  # units
            ("erp_before", "i4", (L, X)),  # on_hand at the opening of the previous round
            ("erp_now", "i4", (L, X)),  # on_hand at the opening of this round
            # where every unit went, per SKU
            ("opened", "i8", (S,)),
            ("received", "i8", (S,)),
            ("injected", "i8", (S,)),
            ("used", "i8", (S,)),
            ("expired", "i8", (S,)),
            ("discarded", "i8", (S,)),
            ("wasted_value", "i8"),  # cents
            ("ordered_value_used", "i8"),  # cents at list price, of ordered units that reached patients
            ("recalled_used", "i4", (E,)),  # units, by event
            ("recall_lot", "i2", (E,)),  # lot of a recall event, -1 otherwise
            # requests and allocation
            ("requested", "i4", (R, W, S)),
            ("reason", "i1", (R, W, S)),
            ("allocated", "i4", (R, W, S)),
            ("planned", "i1", (R,)),
            ("consumed", "i4", (T, W, S)),
            ("closing_stock", "i4", (R, W, S)),  # usable units in the ward at the round's close
            # audit
            ("evidence", "i2", (R, W, S)),  # disclosure number, 0 where none
            ("evidence_count", "i4"),
            ("redacted", "i1", (R, W, S)),  # Field
            ("cited", "i1", (R, W, S)),
            ("verdict", "i1", (R, W, S)),  # Verdict
            ("verdict_quantity", "i4", (R, W, S)),
            # trust, fixed point
            ("pressure", "i4", (W,)),
            ("reputation", "i4", (W,)),
            # money, cents
            ("limit", "i8"),
            ("committed", "i8"),
            ("spent_on_orders", "i8"),
            ("spent_on_audit", "i8"),
            ("unsound", "i4"),  # justifications found unsound
            ("approved_at_once", "i4"),  # finance tickets approved in the round they opened
            ("tickets", "i4"),  # finance tickets opened
            # orders and quotes
            ("order_count", "i4"),
            *columns(ORDER_FIELDS, z.orders),
            ("quote_count", "i4"),
            *columns(QUOTE_FIELDS, z.quotes),
            # desk
            ("mail", "i1", (E, 2)),  # Mail: the warning, the event itself
            ("system_used", "i1", (SYSTEMS,)),
            ("briefings", "i4", (R,)),
            ("tally", "i4", (R, len(Fact))),
        ]
    )


@cache
def command_dtype(z: Sizes) -> np.dtype[Any]:
    """A command: `kind` and the arguments it uses; the others stay 0 (see `new_commands` for the wildcards)."""
    line = (z.wards, z.skus)
    return packed(
        [
            ("kind", "i2"),  # Kind
            ("ward", "i2"),
            ("sku", "i2"),
            ("supplier", "i2"),
            ("location", "i2"),
            ("lot", "i2"),  # index, EVERY: all
            ("ticket", "i4"),  # index of the order it belongs to
            ("quote", "i4"),  # index
            ("quantity", "i8"),  # units
            (
                "option",
                "i4",
            ),  # expedited (1), Field of a redaction, Verdict, inbox filter, ERP table, rounds of history
            ("claimed_types", "i8"),  # bit t: event type t is named
            ("claimed_events", "i8"),  # bit e: event e is named by its id
            ("claimed_nonsense", "i1"),  # an event id was named that does not exist
            ("claimed_skus", "i8"),  # bit s: a shortage of SKU s is named
            ("claimed_shortage", "i1"),  # a shortage is named without a SKU: the ordered one is meant
            ("claimed_supplier", "i1"),  # a supplier problem is named
            ("quantities", "i4", line),  # a request uses its ward's row, a plan all
            ("reasons", "i1", line),  # Reason
            ("cites", "i1", line),  # the rationale of the line's ward holds the line's evidence id
        ]
    )


@cache
def result_dtype(z: Sizes) -> np.dtype[Any]:
    """What came of a command. `a`, `b`, `c` are the numbers a sentence about it needs; see errors.py and tools/text.py."""
    return packed(
        [
            ("ok", "i1"),
            ("refusal", "i2"),  # Refusal
            ("agent", "i2"),
            ("kind", "i2"),
            ("round", "i2"),  # in which it was submitted
            ("day", "i4"),
            ("forfeit", "i1"),  # the agent's turn was answered for
            ("advanced", "i1"),  # rounds closed by it
            ("number", "i4"),  # order, quote or evidence number
            ("a", "i8"),
            ("b", "i8"),
            ("c", "i8"),
        ]
    )


def spans(dtype: np.dtype[Any], tables: Tables = TABLES) -> np.ndarray[Any, Any]:
    """The bytes of a record that `wipe` clears: int64 [span, 3] of first byte, bytes (of a row), table.

    Table 0 is no table: all of the span's bytes. Table t is the t-th of `tables`: the rows in use.
    """
    table = {name: i + 1 for i, names in enumerate(tables.values()) for name in names}
    found: list[list[int]] = []
    for name, (kind, first, *_) in (dtype.fields or {}).items():
        if name in table:
            found.append([first, kind.itemsize // kind.shape[0], table[name]])
        elif found and found[-1][2] == 0:
            found[-1][1] = first + kind.itemsize - found[-1][0]
        else:
            found.append([first, kind.itemsize, 0])
    return np.array(found, np.int64)


def as_bytes(records: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same memory as bytes: uint8 [record, byte]."""
    return records.view(np.uint8).reshape(len(records), records.itemsize)


@kernel
def wipe(raw: Any, spans: Any, lots: int, orders: int, quotes: int) -> None:
    """Zero a record, given as bytes, whose tables have so many rows in use; a fifth of the work of zeroing all of it."""
    for i in range(spans.shape[0]):
        first, size, table = spans[i, 0], spans[i, 1], spans[i, 2]
        if table > 0:
            size *= lots if table == 1 else orders if table == 2 else quotes
        raw[first : first + size] = 0


def new_episodes(z: Sizes, n: int = 1) -> np.ndarray[Any, Any]:
    """`n` zeroed episode records; reset them before use."""
    return np.zeros(n, episode_dtype(z))


def new_commands(z: Sizes, n: int = 1) -> np.ndarray[Any, Any]:
    """`n` empty commands."""
    return np.zeros(n, command_dtype(z))


def new_results(z: Sizes, n: int = 1) -> np.ndarray[Any, Any]:
    """`n` empty results."""
    return np.zeros(n, result_dtype(z))
