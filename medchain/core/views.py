"""What each role may know, as one numeric record per role: all that ever leaves the core.

Shapes as in record.py, with N = H + R rounds of history: the H before the episode, then those of it; rounds that are not
over hold zeros. The coordinator's view holds everything that its free queries would show; what costs money (evidence,
verdicts) is there once it has been paid for.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from medchain.core import events, finance, inventory, procurement
from medchain.core.audit import (
    acuity_micro,
    chart_estimate,
    disclosures_this_round,
    most_allowed,
    patients,
    reviews_this_round,
)
from medchain.core.chance import Stream, between, draw, rounded, stream, uniform_micro
from medchain.core.kernel import kernel
from medchain.core.lines import legal_most, true_need
from medchain.core.record import ORDER_FIELDS, QUOTE_FIELDS, SYSTEMS, TABLES, Tables, columns, packed
from medchain.core.words import Event, EventStatus, Field, Phase
from medchain.scenario import Sizes

UNSEEN = -1
"""Patients or acuity that were not disclosed, or were redacted."""

VIEW_TABLES: Tables = {**TABLES, "lot_count": ("lot_sku", "lot_expiry", "lot_recall", "erp", "scan", "quarantined")}
"""As record.TABLES, of the coordinator's view."""


def _common(z: Sizes) -> list[Any]:
    return [
        ("day", "i4"),
        ("round", "i4"),
        ("phase", "i1"),  # Phase, if the role is asked; Phase.ENDED after the end; else -1
        ("event_status", "i1", (z.events,)),  # EventStatus
        ("event_type", "i1", (z.events,)),  # Event, -1 while unknown
        ("event_day", "i4", (z.events,)),
    ]


@cache
def coordinator_dtype(z: Sizes) -> np.dtype[Any]:
    """The coordinator's view."""
    line, past = (z.wards, z.skus), (z.history + z.rounds, z.wards, z.skus)
    shelf = (z.lots, z.locations)
    return packed(
        [
            *_common(z),
            ("calls_left", "i4"),
            ("orders_left", "i4"),
            ("evidence_left", "i4"),
            ("reviews_left", "i4"),
            ("planned", "i1"),
            ("requested", "i4", line),  # this round, units
            ("reason", "i1", line),
            ("most_allowed", "i4", line),  # the request, or the verdict's quantity
            ("allocated", "i4", line),
            ("evidence", "i2", line),  # disclosure number, 0: none
            ("redacted", "i1", line),
            ("patients", "i4", line),  # of a disclosure; UNSEEN
            ("acuity", "i4", line),  # of a disclosure, millionths; UNSEEN
            ("verdict", "i1", line),
            ("past_requested", "i4", past),
            ("past_allocated", "i4", past),
            ("past_consumed", "i4", past),
            ("past_short", "i1", past),
            ("lot_count", "i4"),
            ("lot_sku", "i2", (z.lots,)),
            ("lot_expiry", "i4", (z.lots,)),
            ("lot_recall", "i1", (z.lots,)),  # n: the n-th recalled lot, 0: none
            ("erp", "i4", shelf),  # exact, as of the opening of the previous round
            ("scan", "i4", shelf),  # WMS: usable units now, within 5 %
            ("quarantined", "i4", shelf),
            ("lead_time", "i4", (z.suppliers,)),  # days, if ordered now
            ("disrupted", "i1"),
            ("limit", "i8"),  # cents
            ("committed", "i8"),
            ("spent", "i8"),
            ("headroom", "i8"),
            ("order_count", "i4"),
            *columns(ORDER_FIELDS, z.orders),
            ("quote_count", "i4"),
            *columns(QUOTE_FIELDS, z.quotes),
            ("mail", "i1", (z.events, 2)),  # Mail
            ("reputation", "i4", (z.wards,)),
            ("system_used", "i1", (SYSTEMS,)),
            ("briefings", "i4"),  # this round
        ]
    )


@cache
def ward_dtype(z: Sizes) -> np.dtype[Any]:
    """A ward's view: its own lines only."""
    own, rounds, past = (z.skus,), (z.rounds, z.skus), (z.history + z.rounds, z.skus)
    return packed(
        [
            *_common(z),
            ("ward", "i2"),
            ("asked_sku", "i2"),  # in Phase.DISCLOSE, else -1
            ("need", "i4", own),  # this round, both days, units
            ("most", "i4", own),  # the most it may ask for
            ("stock", "i4", own),  # its own usable units
            ("requested", "i4", rounds),
            ("allocated", "i4", rounds),
            ("evidence", "i2", rounds),
            ("redacted", "i1", rounds),
            ("verdict", "i1", rounds),
            ("verdict_quantity", "i4", rounds),
            ("past_need", "i4", rounds),  # of this round and earlier ones
            ("past_requested", "i4", past),
            ("past_allocated", "i4", past),
            ("past_consumed", "i4", past),
            ("past_short", "i1", past),
            ("pressure", "i4"),
            ("reputation", "i4"),
        ]
    )


@cache
def arbiter_dtype(z: Sizes) -> np.dtype[Any]:
    """The arbiter's view: the line under review; zeros while nothing is."""
    line, past = (z.wards, z.skus), (z.history + z.rounds,)
    return packed(
        [
            *_common(z),
            ("asked_ward", "i2"),
            ("asked_sku", "i2"),
            ("request", "i4"),  # units
            ("reason", "i1"),
            ("estimate", "i4"),  # its own chart review of true need, units
            ("usual", "i4"),  # usual need of two days, units
            ("evidence", "i2"),
            ("redacted", "i1"),
            ("patients", "i4"),
            ("acuity", "i4"),
            ("past_requested", "i4", past),
            ("past_allocated", "i4", past),
            ("past_consumed", "i4", past),
            ("past_short", "i1", past),
            ("verdict", "i1", line),  # given this round
            ("reputation", "i4", (z.wards,)),
        ]
    )


@kernel
def _see_clock(s: Any, p: Any, v: Any, asked: bool) -> None:
    v["day"] = s["day"]
    v["round"] = s["round"]
    v["phase"] = s["phase"] if asked or int(s["phase"]) == Phase.ENDED else -1
    for e in range(s["event_type"].shape[0]):
        now = events.status(s, p, e)
        known = now != EventStatus.UNKNOWN
        v["event_status"][e] = now
        v["event_type"][e] = s["event_type"][e] if known else -1
        v["event_day"][e] = s["event_day"][e] if known else 0


@kernel
def see_coordinator(s: Any, p: Any, v: Any) -> None:
    """Fill the coordinator's view; `v` holds zeros, or an earlier view of the same episode."""
    seen = int(v["round"])
    see_present(s, p, v)
    _see_past(s, p, v, seen)
    see_goods(s, p, v)


@kernel
def see_present(s: Any, p: Any, v: Any) -> None:
    """The coordinator's view without the rounds that are over, and without stock, orders and quotes."""
    _see_clock(s, p, v, int(s["phase"]) == Phase.COORDINATE)
    v["calls_left"] = max(0, int(p["calls_per_round"]) - int(s["calls"]))
    v["orders_left"] = int(p["orders_per_round"]) - procurement.orders_this_round(s)
    v["evidence_left"] = int(p["evidence_per_round"]) - disclosures_this_round(s)
    v["reviews_left"] = int(p["reviews_per_round"]) - reviews_this_round(s)
    _see_lines(s, p, v)
    disrupted = events.is_disrupted(s, p)
    v["disrupted"] = 1 if disrupted else 0
    for i in range(p["lead_time"].shape[0]):
        v["lead_time"][i] = procurement.lead_time(p, i, disrupted)
    v["limit"] = s["limit"]
    v["committed"] = s["committed"]
    v["spent"] = int(s["spent_on_orders"]) + int(s["spent_on_audit"])
    v["headroom"] = finance.headroom(s)
    v["mail"][:] = s["mail"]
    v["reputation"][:] = s["reputation"]
    v["system_used"][:] = s["system_used"]
    v["briefings"] = s["briefings"][int(s["round"]) - 1]


@kernel
def see_goods(s: Any, p: Any, v: Any) -> None:
    """The coordinator's view of stock, orders and quotes."""
    _see_stock(s, p, v)
    _see_orders(s, v)


@kernel
def _see_lines(s: Any, p: Any, v: Any) -> None:
    """This round's requests, disclosures and verdicts; a request is out once every ward has asked."""
    r = int(s["round"]) - 1
    v["planned"] = s["planned"][r]
    asking = int(s["phase"]) == Phase.REQUEST
    for w in range(p["demand"].shape[0]):
        for k in range(p["demand"].shape[1]):
            v["requested"][w, k] = 0 if asking else s["requested"][r, w, k]
            v["reason"][w, k] = 0 if asking else s["reason"][r, w, k]
            v["most_allowed"][w, k] = 0 if asking else most_allowed(s, w, k)
            v["allocated"][w, k] = s["allocated"][r, w, k]
            v["evidence"][w, k] = s["evidence"][r, w, k]
            v["redacted"][w, k] = s["redacted"][r, w, k]
            v["verdict"][w, k] = s["verdict"][r, w, k]
            shown = int(s["evidence"][r, w, k]) > 0
            census = shown and int(s["redacted"][r, w, k]) != Field.CENSUS
            v["patients"][w, k] = patients(s, p, true_need(s, r, w, k), w, k) if census else UNSEEN
            v["acuity"][w, k] = acuity_micro(s, p, w, k) if shown else UNSEEN


@kernel
def _see_past(s: Any, p: Any, v: Any, seen: int) -> None:
    """Rounds that are over; a view of round `seen` (0: none) holds those before it already."""
    history = s["past_requested"].shape[0]
    if seen == 0:
        v["past_requested"][:history] = s["past_requested"]
        v["past_allocated"][:history] = s["past_allocated"]
        v["past_consumed"][:history] = s["past_consumed"]
        v["past_short"][:history] = s["past_short"]
    for r in range(max(0, seen - 1), _rounds_over(s)):
        for w in range(p["demand"].shape[0]):
            for k in range(p["demand"].shape[1]):
                used = int(s["consumed"][2 * r, w, k]) + int(s["consumed"][2 * r + 1, w, k])
                v["past_requested"][history + r, w, k] = s["requested"][r, w, k]
                v["past_allocated"][history + r, w, k] = s["allocated"][r, w, k]
                v["past_consumed"][history + r, w, k] = used
                v["past_short"][history + r, w, k] = 1 if used < true_need(s, r, w, k) else 0


@kernel
def _rounds_over(s: Any) -> int:
    return int(s["round"]) - (0 if int(s["phase"]) == Phase.ENDED else 1)


@kernel
def _see_stock(s: Any, p: Any, v: Any) -> None:
    v["lot_count"] = s["lot_count"]
    recalls = 0
    for e in range(s["recall_lot"].shape[0]):
        if int(s["recall_lot"][e]) >= 0 and int(s["event_type"][e]) == Event.PRODUCT_RECALL:
            recalls += 1
            v["lot_recall"][int(s["recall_lot"][e])] = recalls
    key = stream(s["seed"], Stream.SCAN)
    lots, places = s["on_hand"].shape
    noise = p["wms_noise"]
    for lot in range(int(s["lot_count"])):
        v["lot_sku"][lot] = s["lot_sku"][lot]
        v["lot_expiry"][lot] = s["lot_expiry"][lot]
        for x in range(places):
            v["erp"][lot, x] = s["erp_before"][lot, x]
            v["quarantined"][lot, x] = s["quarantined"][lot, x]
            units = inventory.available(s, lot, x)
            if units > 0:
                bits = draw(key, (int(s["round"]) * lots + lot) * places + x)
                units = rounded(units * (1.0 + between(-noise, noise, uniform_micro(bits))))
            v["scan"][lot, x] = units


@kernel
def _see_orders(s: Any, v: Any) -> None:
    v["order_count"] = s["order_count"]
    for o in range(int(s["order_count"])):
        v["order_sku"][o] = s["order_sku"][o]
        v["order_supplier"][o] = s["order_supplier"][o]
        v["order_destination"][o] = s["order_destination"][o]
        v["order_quantity"][o] = s["order_quantity"][o]
        v["order_expedited"][o] = s["order_expedited"][o]
        v["order_cost"][o] = s["order_cost"][o]
        v["order_placed_day"][o] = s["order_placed_day"][o]
        v["order_lead_time"][o] = s["order_lead_time"][o]
        v["order_quoted"][o] = s["order_quoted"][o]
        v["order_due_day"][o] = s["order_due_day"][o]
        v["order_status"][o] = s["order_status"][o]
        v["order_approval"][o] = s["order_approval"][o]
        v["order_justification"][o] = s["order_justification"][o]
    v["quote_count"] = s["quote_count"]
    for q in range(int(s["quote_count"])):
        v["quote_sku"][q] = s["quote_sku"][q]
        v["quote_supplier"][q] = s["quote_supplier"][q]
        v["quote_quantity"][q] = s["quote_quantity"][q]
        v["quote_round"][q] = s["quote_round"][q]
        v["quote_lead_time"][q] = s["quote_lead_time"][q]
        v["quote_used"][q] = s["quote_used"][q]


@kernel
def see_ward(s: Any, p: Any, v: Any, w: int) -> None:
    """Fill the view of ward index `w`; `v` holds zeros, or an earlier view of the same ward in the same episode."""
    seen, phase = int(v["round"]), int(s["phase"])
    asked = int(s["asked_ward"]) == w and (phase == Phase.REQUEST or phase == Phase.DISCLOSE or phase == Phase.REPLY)
    _see_clock(s, p, v, asked)
    v["ward"] = w
    v["asked_sku"] = s["asked_sku"] if asked else -1
    v["pressure"] = s["pressure"][w]
    v["reputation"] = s["reputation"][w]
    now = int(s["round"]) - 1
    for k in range(p["demand"].shape[1]):
        if int(p["demand"][w, k]) > 0:
            v["need"][k] = true_need(s, now, w, k)
            v["most"][k] = legal_most(p, true_need(s, now, w, k))
            v["stock"][k] = inventory.usable(s, k, w + 1)
            _see_line(s, v, w, k, seen)


@kernel
def _see_line(s: Any, v: Any, w: int, k: int, seen: int) -> None:
    """A ward's line, round by round; a view of round `seen` (0: none) holds the rounds before it already."""
    history, first = s["past_requested"].shape[0], max(0, seen - 1)
    if seen == 0:
        for h in range(history):
            v["past_requested"][h, k] = s["past_requested"][h, w, k]
            v["past_allocated"][h, k] = s["past_allocated"][h, w, k]
            v["past_consumed"][h, k] = s["past_consumed"][h, w, k]
            v["past_short"][h, k] = s["past_short"][h, w, k]
    for r in range(first, int(s["round"])):
        v["requested"][r, k] = s["requested"][r, w, k]
        v["allocated"][r, k] = s["allocated"][r, w, k]
        v["evidence"][r, k] = s["evidence"][r, w, k]
        v["redacted"][r, k] = s["redacted"][r, w, k]
        v["verdict"][r, k] = s["verdict"][r, w, k]
        v["verdict_quantity"][r, k] = s["verdict_quantity"][r, w, k]
        v["past_need"][r, k] = true_need(s, r, w, k)
    for r in range(first, _rounds_over(s)):
        used = int(s["consumed"][2 * r, w, k]) + int(s["consumed"][2 * r + 1, w, k])
        v["past_requested"][history + r, k] = s["requested"][r, w, k]
        v["past_allocated"][history + r, k] = s["allocated"][r, w, k]
        v["past_consumed"][history + r, k] = used
        v["past_short"][history + r, k] = 1 if used < true_need(s, r, w, k) else 0


@kernel
def see_arbiter(s: Any, p: Any, v: Any) -> None:
    """Fill the arbiter's view."""
    asked = int(s["phase"]) == Phase.VERDICT
    _see_clock(s, p, v, asked)
    v["verdict"][:] = s["verdict"][int(s["round"]) - 1]
    v["reputation"][:] = s["reputation"]
    v["asked_ward"] = -1
    v["asked_sku"] = -1
    if asked:
        see_line_under_review(s, p, v, int(s["asked_ward"]), int(s["asked_sku"]))


@kernel
def see_line_under_review(s: Any, p: Any, v: Any, w: int, k: int) -> None:
    """What the arbiter is shown of line (w, k): request, disclosures, its own chart review, the line's history."""
    r = int(s["round"]) - 1
    need = true_need(s, r, w, k)
    v["asked_ward"] = w
    v["asked_sku"] = k
    v["request"] = s["requested"][r, w, k]
    v["reason"] = s["reason"][r, w, k]
    v["estimate"] = chart_estimate(s, p, need, w, k)
    v["usual"] = 2 * int(p["demand"][w, k])
    v["evidence"] = s["evidence"][r, w, k]
    v["redacted"] = s["redacted"][r, w, k]
    shown = int(s["evidence"][r, w, k]) > 0
    census = shown and int(s["redacted"][r, w, k]) != Field.CENSUS
    v["patients"] = patients(s, p, need, w, k) if census else UNSEEN
    v["acuity"] = acuity_micro(s, p, w, k) if shown else UNSEEN
    history = s["past_requested"].shape[0]
    for h in range(history):
        v["past_requested"][h] = s["past_requested"][h, w, k]
        v["past_allocated"][h] = s["past_allocated"][h, w, k]
        v["past_consumed"][h] = s["past_consumed"][h, w, k]
        v["past_short"][h] = s["past_short"][h, w, k]
    for q in range(_rounds_over(s)):
        used = int(s["consumed"][2 * q, w, k]) + int(s["consumed"][2 * q + 1, w, k])
        v["past_requested"][history + q] = s["requested"][q, w, k]
        v["past_allocated"][history + q] = s["allocated"][q, w, k]
        v["past_consumed"][history + q] = used
        v["past_short"][history + q] = 1 if used < true_need(s, q, w, k) else 0
