"""What the phase-level roles observe: features per line and per hospital, by name, as float32.

Every role sees its lines through one fixed list of features per line (so that weights can be shared over lines and other
hospitals fit the same module) and one list of global ones. Units are compared with usual need: 1.0 is the usual need of a
round. All features come from the role's view.
"""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.words import CENTRAL, Criticality, Event, EventStatus
from medchain.env.phases import lot_in_sight, network_demand, on_order

LAST_ROUNDS = 3
"""Rounds of a line's history that are shown one by one."""

COORDINATOR_LINE = [
    "exists",
    "priority",
    "is_high",
    "is_critical",
    "unit_cost_dollars_per_100",
    "usual_per_day_per_100",
    "requested",
    "most_allowed",
    "has_evidence",
    "redacted_census",
    "redacted_actuals",
    "patients",
    "approved",
    "reduced",
    "denied",
    "ward_stock",
    "central_stock_network",
    "in_sight_network",
    "requested_network",
    "past_requested_mean",
    "past_short_share",
    *[f"{name}_{ago}_ago" for ago in range(1, LAST_ROUNDS + 1) for name in ("requested", "allocated", "consumed", "short")],
    "ward_reputation",
    "ward_requested_mean",
    "is_recall_sku",
    "is_breach_line",
    "past_padded_share",
    "ward_past_padded_share",
    "expires_before_next_round_network",
]
PADDED = COORDINATOR_LINE.index("past_padded_share")
WARD_LINE = [
    "exists",
    "is_high",
    "is_critical",
    "usual_per_day_per_100",
    "need",
    "stock",
    "requested",
    "inflation",
    *[f"{name}_{ago}_ago" for ago in range(1, LAST_ROUNDS + 1) for name in ("requested", "allocated", "consumed", "short")],
    "reviewed_last_round",
    "caught_last_round",
]
ARBITER_LINE = [
    "exists",
    "priority",
    "is_critical",
    "may_be_reviewed",
    "requested",
    "estimate",
    "request_over_estimate",
    "has_evidence",
    "redacted_census",
    "patients",
    "past_requested_mean",
    "past_short_share",
    "ward_reputation",
]
GLOBALS = [
    "phase_request",
    "phase_audit",
    "phase_respond",
    "phase_review",
    "phase_plan",
    "round",
    "last_round",
    "mci_warned",
    "mci_active",
    "disruption_active",
    "recall_active",
    "breach_active",
    "mci_days_this_round",
    "mci_days_next_round",
]
COORDINATOR_GLOBALS = [*GLOBALS, "headroom", "committed", "evidence_left", "reviews_left", "disrupted"]
WARD_GLOBALS = [*GLOBALS, "pressure", "reputation", "priority", "is_acute"]
ARBITER_GLOBALS = GLOBALS


@kernel
def write_globals(v: Any, p: Any, step: int, out: Any) -> int:
    """The features all roles share, from index 0; returns how many."""
    for i in range(5):
        out[i] = 1.0 if i == step else 0.0
    out[5] = int(v["round"]) / int(p["rounds"])
    out[6] = 1.0 if int(v["round"]) == int(p["rounds"]) else 0.0
    for i in range(7, 12):
        out[i] = 0.0
    for e in range(v["event_type"].shape[0]):
        kind, status = int(v["event_type"][e]), int(v["event_status"][e])
        if status == EventStatus.WARNED:
            out[7] = 1.0
        elif status == EventStatus.ACTIVE:
            out[8 + kind] = 1.0
    for i in range(2):
        out[12 + i] = 0.5 * _mci_days(v, p, int(v["round"]) + i)
    return 14


@kernel
def _mci_days(v: Any, p: Any, r: int) -> int:
    """Days of round `r` (from 1) on which a mass-casualty incident that the role knows of is on."""
    days = 0
    for day in range(2 * r - 1, 2 * r + 1):
        on = 0
        for e in range(v["event_type"].shape[0]):
            first = int(v["event_day"][e])
            if int(v["event_type"][e]) == Event.MCI and first <= day < first + int(p["mci_days"]):
                on = 1
        days += on
    return days


@kernel
def _write_past(v: Any, p: Any, w: int, k: int, usual: float, out: Any, at: int) -> int:
    """The last rounds of a line, latest first; `v` holds [N, W, S] history."""
    now = v["past_requested"].shape[0] - int(p["rounds"]) + int(v["round"]) - 1
    for ago in range(1, 4):
        h = now - ago
        seen = h >= 0
        out[at] = int(v["past_requested"][h, w, k]) / usual if seen else 0.0
        out[at + 1] = int(v["past_allocated"][h, w, k]) / usual if seen else 0.0
        out[at + 2] = int(v["past_consumed"][h, w, k]) / usual if seen else 0.0
        out[at + 3] = float(v["past_short"][h, w, k]) if seen else 0.0
        at += 4
    return at


@kernel
def _past_mean(v: Any, p: Any, w: int, k: int, usual: float) -> tuple[float, float]:
    """Mean request in units of usual need and share of rounds short, over the last eight rounds."""
    now = v["past_requested"].shape[0] - int(p["rounds"]) + int(v["round"]) - 1
    asked, short, count = 0.0, 0.0, 0
    for h in range(max(0, now - 8), now):
        asked += int(v["past_requested"][h, w, k])
        short += float(v["past_short"][h, w, k])
        count += 1
    if count == 0:
        return 1.0, 0.0
    return asked / (count * usual), short / count


@kernel
def coordinator_features(v: Any, p: Any, step: int, lines: Any, out: Any) -> None:
    """Fill lines[W * S, F] and out[G] for the coordinator."""
    g = write_globals(v, p, step, out)
    limit = max(1, int(v["limit"]))
    out[g] = int(v["headroom"]) / limit
    out[g + 1] = int(v["committed"]) / limit
    out[g + 2] = int(v["evidence_left"]) / max(1, int(p["evidence_per_round"]))
    out[g + 3] = int(v["reviews_left"]) / max(1, int(p["reviews_per_round"]))
    out[g + 4] = float(v["disrupted"])
    wards, skus = p["demand"].shape
    for w in range(wards):
        asked, count = 0.0, 0
        for k in range(skus):
            if int(p["demand"][w, k]) > 0:
                asked += int(v["requested"][w, k]) / (2.0 * int(p["demand"][w, k]))
                count += 1
        for k in range(skus):
            row = lines[w * skus + k]
            row[:] = 0.0
            if int(p["demand"][w, k]) > 0:
                at = _coordinator_line(v, p, w, k, row)
                row[at] = int(v["reputation"][w]) / 10000.0
                row[at + 1] = asked / max(1, count)
                row[at + 2] = 1.0 if k == int(p["recall_sku"]) else 0.0
                row[at + 3] = 1.0 if k == int(p["breach_sku"]) and w == int(p["breach_ward"]) else 0.0
                row[at + 4] = _past_padded(v, p, w, k)
        _ward_padded(p, w, skus, lines)
    _stock_columns(v, p, lines)


@kernel
def _past_padded(v: Any, p: Any, w: int, k: int) -> float:
    """Share of the last eight rounds in which the line asked for over 1.1 x what it used, though it did not run short."""
    now = v["past_requested"].shape[0] - int(p["rounds"]) + int(v["round"]) - 1
    padded, count = 0.0, 0
    for h in range(max(0, now - 8), now):
        over = 10 * int(v["past_requested"][h, w, k]) > 11 * int(v["past_consumed"][h, w, k])
        padded += 1.0 if over and int(v["past_short"][h, w, k]) == 0 else 0.0
        count += 1
    return padded / max(1, count)


@kernel
def _ward_padded(p: Any, w: int, skus: int, lines: Any) -> None:
    """The mean of a ward's padded shares, beside each line's own, in the column after it."""
    total, at = 0.0, PADDED
    for k in range(skus):
        total += lines[w * skus + k, at]
    for k in range(skus):
        if int(p["demand"][w, k]) > 0:
            lines[w * skus + k, at + 1] = total / max(1, int(p["lines"][w]))


@kernel
def _coordinator_line(v: Any, p: Any, w: int, k: int, row: Any) -> int:
    usual = 2.0 * int(p["demand"][w, k])
    redacted, verdict = int(v["redacted"][w, k]), int(v["verdict"][w, k])
    row[0] = 1.0
    row[1] = int(p["ward_priority"][w]) / 10000.0
    row[2] = 1.0 if int(p["criticality"][k]) == Criticality.HIGH else 0.0
    row[3] = 1.0 if int(p["criticality"][k]) == Criticality.CRITICAL else 0.0
    row[4] = int(p["unit_cost"][k]) / 10000.0
    row[5] = int(p["demand"][w, k]) / 100.0
    row[6] = int(v["requested"][w, k]) / usual
    row[7] = int(v["most_allowed"][w, k]) / usual
    row[8] = 1.0 if int(v["evidence"][w, k]) > 0 else 0.0
    row[9] = 1.0 if redacted == 1 else 0.0
    row[10] = 1.0 if redacted == 2 else 0.0
    row[11] = max(0, int(v["patients"][w, k])) / float(p["ward_census"][w])
    for i in range(3):
        row[12 + i] = 1.0 if verdict == i + 1 else 0.0
    mean, short = _past_mean(v, p, w, k, usual)
    row[19] = mean
    row[20] = short
    return _write_past(v, p, w, k, usual, row, 21)


@kernel
def _stock_columns(v: Any, p: Any, lines: Any) -> None:
    """Stock on a ward's shelf (column 15), and of a SKU on all its lines: central, in sight, requested, and early to go.

    One pass over the lots: network columns hold units until the end.
    """
    wards, skus = p["demand"].shape
    for lot in range(int(v["lot_count"])):
        k, central = int(v["lot_sku"][lot]), int(v["scan"][lot, CENTRAL])
        early = central if int(v["lot_expiry"][lot]) <= int(v["day"]) + 2 else 0
        sight = lot_in_sight(v, lot)
        for w in range(wards):
            if int(p["demand"][w, k]) > 0:
                row = lines[w * skus + k]
                row[15] += int(v["scan"][lot, w + 1]) / (2.0 * int(p["demand"][w, k]))
                row[16] += central
                row[17] += sight
                row[PADDED + 2] += early
    for k in range(skus):
        usual, asked, due = 2.0 * network_demand(p, k), 0, on_order(v, k)
        for w in range(wards):
            asked += int(v["requested"][w, k])
        for w in range(wards):
            if int(p["demand"][w, k]) > 0:
                row = lines[w * skus + k]
                row[16] /= usual
                row[17] = (row[17] + due) / usual
                row[18] = asked / usual
                row[PADDED + 2] /= usual


@kernel
def ward_features(v: Any, p: Any, step: int, lines: Any, out: Any) -> None:
    """Fill lines[S, F] and out[G] for a ward."""
    g = write_globals(v, p, step, out)
    w, r = int(v["ward"]), int(v["round"]) - 1
    out[g] = int(v["pressure"]) / 10000.0
    out[g + 1] = int(v["reputation"]) / 10000.0
    out[g + 2] = int(p["ward_priority"][w]) / 10000.0
    out[g + 3] = float(p["ward_acute"][w])
    now = v["past_requested"].shape[0] - int(p["rounds"]) + r
    for k in range(p["demand"].shape[1]):
        row = lines[k]
        row[:] = 0.0
        if int(p["demand"][w, k]) == 0:
            continue
        usual = 2.0 * int(p["demand"][w, k])
        row[0] = 1.0
        row[1] = 1.0 if int(p["criticality"][k]) == Criticality.HIGH else 0.0
        row[2] = 1.0 if int(p["criticality"][k]) == Criticality.CRITICAL else 0.0
        row[3] = int(p["demand"][w, k]) / 100.0
        row[4] = int(v["need"][k]) / usual
        row[5] = int(v["stock"][k]) / usual
        row[6] = int(v["requested"][r, k]) / usual
        row[7] = int(v["requested"][r, k]) / max(1, int(v["need"][k]))
        at = 8
        for ago in range(1, 4):
            h = now - ago
            if h >= 0:
                row[at] = int(v["past_requested"][h, k]) / usual
                row[at + 1] = int(v["past_allocated"][h, k]) / usual
                row[at + 2] = int(v["past_consumed"][h, k]) / usual
                row[at + 3] = float(v["past_short"][h, k])
            at += 4
        if r > 0:
            row[at] = 1.0 if int(v["verdict"][r - 1, k]) > 0 else 0.0
            row[at + 1] = 1.0 if int(v["verdict"][r - 1, k]) > 1 else 0.0


@kernel
def arbiter_features(v: Any, p: Any, step: int, lines: Any, out: Any) -> None:
    """Fill out[G] for the arbiter; its lines follow one by one (arbiter_line)."""
    write_globals(v, p, step, out)
    lines[:] = 0.0


@kernel
def arbiter_line(v: Any, p: Any, may: bool, row: Any) -> None:
    """Fill row[F] for the line under review in `v`."""
    w, k = int(v["asked_ward"]), int(v["asked_sku"])
    usual = 2.0 * int(p["demand"][w, k])
    row[0] = 1.0
    row[1] = int(p["ward_priority"][w]) / 10000.0
    row[2] = 1.0 if int(p["criticality"][k]) == Criticality.CRITICAL else 0.0
    row[3] = 1.0 if may else 0.0
    row[4] = int(v["request"]) / usual
    row[5] = int(v["estimate"]) / usual
    row[6] = int(v["request"]) / max(1, int(v["estimate"]))
    row[7] = 1.0 if int(v["evidence"]) > 0 else 0.0
    row[8] = 1.0 if int(v["redacted"]) == 1 else 0.0
    row[9] = max(0, int(v["patients"])) / float(p["ward_census"][w])
    now = v["past_requested"].shape[0] - int(p["rounds"]) + int(v["round"]) - 1
    asked, short, count = 0.0, 0.0, 0
    for h in range(max(0, now - 8), now):
        asked += int(v["past_requested"][h])
        short += float(v["past_short"][h])
        count += 1
    row[10] = asked / (count * usual) if count > 0 else 1.0
    row[11] = short / count if count > 0 else 0.0
    row[12] = int(v["reputation"][w]) / 10000.0
