"""Stock by shelf life and orders over the days."""

from __future__ import annotations

from html import escape
from itertools import pairwise
from typing import Any

import numpy as np

from experiments.page import table_html
from experiments.story.data import Story
from experiments.story.facts import Facts, dollars, title_of
from experiments.svg import colour, dot, group, legend, line, rect, svg, text
from medchain.core.words import CENTRAL, OrderStatus, Ticket
from medchain.tools.names import an_id

WIDTH, HEIGHT, TOP, FLOOR = 240.0, 96.0, 6.0, 66.0
NEARLY = 3
"""Rounds of shelf life below which stock is marked as short of it."""

NOTE = (
    "Usable stock as each round opened: in the wards, and in the central pharmacy by the shelf life it has left. What hangs "
    "below the line was wasted in that round: expired, or blood that was issued and not used. The last bar is the end."
)


def shelf(record: Any, sku: int, days_per_round: int) -> tuple[int, int, int, int]:
    """Usable units of a SKU: in wards; at central good for this round only, for less than NEARLY rounds, for longer."""
    lots = np.arange(int(record["lot_count"]))
    mine = lots[record["lot_sku"][lots] == sku]
    usable = record["on_hand"][mine] - record["quarantined"][mine]
    left = record["lot_expiry"][mine] - int(record["day"])
    central = usable[:, CENTRAL] * (left > 0)
    last, soon = left <= days_per_round, left <= NEARLY * days_per_round
    wards = int((usable[:, CENTRAL + 1 :].sum(axis=1) * (left > 0)).sum())
    return wards, int(central[last].sum()), int(central[soon & ~last].sum()), int(central[~soon].sum())


HUES = ("c5", "bad", "warn", "c0")
WORDS = ("in wards", "central, this round only", "central, under three rounds", "central, longer")


def stock_drawing(story: Story, f: Facts, k: int) -> str:
    """Stock of a SKU by round, with what was wasted."""
    records = [chapter.opening for chapter in story.chapters] + [story.chapters[-1].closing]
    held = [shelf(record, k, f.days_per_round) for record in records]
    gone = [int(record["expired"][k] + record["discarded"][k]) for record in records]
    wasted = [after - before for before, after in pairwise(gone)]
    most = max(1, *map(sum, held))
    deep = max(1, *wasted, most / 3)
    step, parts = WIDTH / len(records), [line(0, FLOOR, WIDTH, FLOOR, "axis")]
    for i, units in enumerate(held):
        name = f"round {i + 1}" if i < len(story.chapters) else "end"
        bars, y = [], FLOOR
        for amount, hue in zip(units, HUES, strict=True):
            tall = (FLOOR - TOP) * amount / most
            y -= tall
            bars.append(rect(step * (i + 0.18), y, step * 0.64, tall, f"f-{hue}"))
        told = ", ".join(f"{words} {n}" for words, n in zip(WORDS, units, strict=True))
        if i < len(wasted) and wasted[i]:
            bars.append(rect(step * (i + 0.18), FLOOR + 1, step * 0.64, 16 * wasted[i] / deep, "f-bad"))
            told += f"; wasted {wasted[i]}"
        parts.append(group([rect(step * i, 0, step, FLOOR + 17, "hollow"), *bars], f"{name}: {told}"))
        parts.append(text(step * (i + 0.5), HEIGHT - 2, name.removeprefix("round "), "small", "middle"))
    return svg(WIDTH, HEIGHT, parts, f"{f.names.skus[k]}: usable stock by round, at most {most} units")


def stock_section(story: Story, f: Facts) -> tuple[str, ...]:
    """Parts of the section on stock and expiry."""
    drawn = []
    for k, sku in enumerate(f.names.skus):
        wasted = int(f.record["expired"][k] + f.record["discarded"][k])
        shown = f" · wasted {wasted:,}" if wasted else ""
        title = f"<h4>{escape(sku)} <small>used {int(f.record['used'][k]):,}{shown}</small></h4>"
        drawn.append(f"<div>{title}{stock_drawing(story, f, k)}</div>")
    swatches = legend(list(zip(HUES, WORDS, strict=True)))
    return f'<p class="note">{NOTE}</p>', swatches, f'<div class="minis">{"".join(drawn)}</div>'


def order_drawing(f: Facts) -> str:
    """Every order from the day it was placed to the day it arrived, a row of lanes per SKU."""
    s, days = f.record, f.record["need"].shape[0]
    left, lane = 84.0, 9.0
    step = (440.0 - left - 8) / days
    parts, y = [], 16.0
    for k, sku in enumerate(f.names.skus):
        lanes: list[float] = []
        drawn = []
        for o in (o for o in range(int(s["order_count"])) if int(s["order_sku"][o]) == k):
            first, last = int(s["order_placed_day"][o]), int(s["order_due_day"][o]) or int(s["order_placed_day"][o]) + 1
            at = next((i for i, free in enumerate(lanes) if free <= first), len(lanes))
            lanes[at : at + 1] = [last + 0.4]
            drawn.append(_order_mark(f, o, left + step * (first - 1), left + step * (last - 1), y + lane * (at + 0.5)))
        tall = max(2.0, lane * len(lanes) / 9) * 9 if lanes else 12.0
        parts += [text(0, y + 9, sku, "ink small"), *drawn]
        y += tall + 4
        parts.append(line(0, y - 2, 440, y - 2, "axis"))
    head = []
    for d in range(days):
        head.append(text(left + step * d, 9, str(d + 1), "small", "middle"))
        if d % f.days_per_round == 0:
            head.append(line(left + step * d, 13, left + step * d, y - 2, "axis"))
    return svg(440, y, [*head, *parts], "orders by SKU: from the day each was placed to the day it arrived")


def _order_mark(f: Facts, o: int, x1: float, x2: float, y: float) -> str:
    s = f.record
    hue, status = colour(int(s["order_supplier"][o])), OrderStatus(int(s["order_status"][o]))
    title = " · ".join(str(cell) for cell in order_row(f, o) if cell != "-")
    if status == OrderStatus.CANCELLED:
        return group([line(x1, y, x1 + 6, y, "s-bad", 2), text(x1 + 7, y + 3, "x", "f-bad small")], title)
    end = f"f-{hue}" if status == OrderStatus.RECEIVED else f"hollow s-{hue}"
    thick = 3.0 if s["order_expedited"][o] else 1.6
    return group([line(x1, y, x2, y, f"s-{hue}", thick), dot(x2, y, 3, end)], title)


ORDER_HEADER = ("order", "SKU", "units", "supplier", "to", "cost", "placed", "due", "status", "quote", "ticket")


def order_row(f: Facts, o: int) -> list[str]:
    """One order as cells of ORDER_HEADER."""
    s, n = f.record, f.names
    tickets = [
        f"{an_id(prefix, o + 1)} {title_of(Ticket(int(s[column][o])).name)}"
        for prefix, column in (("APR", "order_approval"), ("JUS", "order_justification"))
        if s[column][o]
    ]
    due = int(s["order_due_day"][o])
    return [
        an_id("PO", o + 1),
        n.skus[int(s["order_sku"][o])],
        f"{int(s['order_quantity'][o]):,}",
        n.suppliers[int(s["order_supplier"][o])] + (" (expedited)" if s["order_expedited"][o] else ""),
        n.locations[int(s["order_destination"][o])],
        dollars(int(s["order_cost"][o])),
        f"day {int(s['order_placed_day'][o])}",
        f"day {due}" if due else "-",
        title_of(OrderStatus(int(s["order_status"][o])).name),
        "used" if s["order_quoted"][o] else "-",
        ", ".join(tickets) or "-",
    ]


def orders_section(f: Facts) -> tuple[str, ...]:
    """Parts of the section on orders."""
    count = int(f.record["order_count"])
    if count == 0:
        return ('<p class="note">Nothing was ordered.</p>',)
    swatches = legend([(colour(i), supplier) for i, supplier in enumerate(f.names.suppliers)])
    note = "A line runs from the day an order was placed to the day it arrived; hollow: still on its way; thick: expedited."
    table = table_html(ORDER_HEADER, [order_row(f, o) for o in range(count)])
    table = table.replace('class="scroll"', 'class="scroll tall"')
    folded = f"<details><summary>All {count} orders</summary>{table}</details>"
    drawn = f'<div class="pair"><div>{swatches}{order_drawing(f)}</div><div>{_by_supplier(f, count)}</div></div>'
    return f'<p class="note">{note}</p>', drawn, folded


def _by_supplier(f: Facts, count: int) -> str:
    """How the orders went, supplier by supplier."""
    s, orders, rows = f.record, np.arange(count), []
    status, supplier = s["order_status"][orders], s["order_supplier"][orders]
    for i, name in enumerate(f.names.suppliers):
        mine = supplier == i
        counts = [mine, mine & (s["order_quoted"][orders] > 0), mine & (s["order_expedited"][orders] > 0)]
        counts.append(mine & (status == OrderStatus.CANCELLED))
        cost = int(s["order_cost"][orders][mine & (status != OrderStatus.CANCELLED)].sum())
        rows.append([name, *[int(n.sum()) for n in counts], dollars(cost)])
    return table_html(("supplier", "orders", "by quote", "expedited", "cancelled", "cost"), rows)
