"""Features from views, compiled: one kernel per role fills the record of `spaces.features_dtype`, which arrives zeroed."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.procurement import matching_quote
from medchain.core.words import CENTRAL, FIXED, MICRO, EventStatus, Field, Mail, OrderStatus, Phase
from medchain.env.masks import filable
from medchain.env.spaces import BANDS, HIGH, LOW, TICKETS


@kernel
def clip(x: float) -> float:
    """Into LOW .. HIGH."""
    return min(HIGH, max(LOW, x))


@kernel
def share(a: int, b: int) -> float:
    """a/b, clipped; 0 if b is 0."""
    return clip(a / b) if b != 0 else 0.0


@kernel
def usual(p: Any, location: int, k: int) -> int:
    """Usual need of a round of SKU `k`: a ward's, or at the central pharmacy that of all wards; units."""
    if location != CENTRAL:
        return 2 * int(p["demand"][location - 1, k])
    units = 0
    for w in range(p["demand"].shape[0]):
        units += 2 * int(p["demand"][w, k])
    return units


@kernel
def write_clock(v: Any, p: Any, f: Any) -> None:
    """Round and events, for every role."""
    f["round"] = share(int(v["round"]), int(p["rounds"]))
    for e in range(v["event_type"].shape[0]):
        kind, status = int(v["event_type"][e]), int(v["event_status"][e])
        if status == EventStatus.UNKNOWN:
            continue
        age = int(v["day"]) - int(v["event_day"][e]) + 1
        f["event_age"][kind] = share(age, int(p["days"]))
        if status == EventStatus.WARNED:
            f["event_warned"][kind] += 1.0
        elif status == EventStatus.ACTIVE:
            f["event_active"][kind] += 1.0
        else:
            f["event_over"][kind] += 1.0


@kernel
def rounds_known(v: Any, p: Any) -> int:
    """Rounds of history that a view holds: those before the episode and those of it that are over."""
    before: int = v["past_short"].shape[0] - int(p["rounds"])
    return before + int(v["round"]) - (0 if int(v["phase"]) == Phase.ENDED else 1)


@kernel
def write_history(requested: Any, allocated: Any, consumed: Any, short: Any, known: int, base: int, out: Any) -> None:
    """Summary of a line's first `known` rounds into out[HISTORY]; quantities over `base`."""
    asked = got = used = lacked = 0
    for t in range(known):
        asked += int(requested[t])
        got += int(allocated[t])
        used += int(consumed[t])
        lacked += int(short[t])
    out[0] = share(asked, known * base)
    out[1] = share(got, known * base)
    out[2] = share(used, known * base)
    out[3] = share(lacked, known)
    if known > 0:
        out[4] = share(int(requested[known - 1]), base)
        out[5] = share(int(allocated[known - 1]), base)
        out[6] = share(int(consumed[known - 1]), base)
        out[7] = float(short[known - 1])


@kernel
def write_coordinator(v: Any, p: Any, f: Any) -> None:
    """Features of the coordinator."""
    write_clock(v, p, f)
    f["asked"] = 1.0 if int(v["phase"]) == Phase.COORDINATE else 0.0
    f["calls_left"] = share(int(v["calls_left"]), int(p["calls_per_round"]))
    f["orders_left"] = share(int(v["orders_left"]), int(p["orders_per_round"]))
    f["evidence_left"] = share(int(v["evidence_left"]), int(p["evidence_per_round"]))
    f["reviews_left"] = share(int(v["reviews_left"]), int(p["reviews_per_round"]))
    f["planned"] = float(v["planned"])
    f["briefings"] = clip(float(v["briefings"]))
    for e in range(v["mail"].shape[0]):
        for part in range(2):
            f["mail_unread"] += 1.0 if int(v["mail"][e, part]) == Mail.UNREAD else 0.0
    for i in range(v["system_used"].shape[0]):
        f["system_used"][i] = float(v["system_used"][i])
    limit = int(v["limit"])
    f["money"][0] = share(int(v["committed"]), limit)
    f["money"][1] = share(int(v["spent"]), limit)
    f["money"][2] = share(int(v["headroom"]), limit)
    f["limit"] = share(limit, int(p["budget_cents"]))
    f["disrupted"] = float(v["disrupted"])
    for i in range(v["lead_time"].shape[0]):
        f["lead_time"][i] = share(int(v["lead_time"][i]), 10)
    for w in range(p["demand"].shape[0]):
        f["reputation"][w] = int(v["reputation"][w]) / FIXED
        for k in range(p["demand"].shape[1]):
            if int(p["demand"][w, k]) > 0:
                _write_line(v, p, f, w, k, 2 * int(p["demand"][w, k]))
    _write_stock(v, p, f)
    _write_orders(v, p, f)
    _write_quotes(v, p, f)


@kernel
def _write_line(v: Any, p: Any, f: Any, w: int, k: int, base: int) -> None:
    f["requested"][w, k] = share(int(v["requested"][w, k]), base)
    if int(v["requested"][w, k]) > 0:
        f["reason"][w, k, int(v["reason"][w, k])] = 1.0
    f["allowed"][w, k] = share(int(v["most_allowed"][w, k]), base)
    f["allocated"][w, k] = share(int(v["allocated"][w, k]), base)
    f["disclosed"][w, k] = 1.0 if int(v["evidence"][w, k]) > 0 else 0.0
    if int(v["redacted"][w, k]) != Field.NONE:
        f["redacted"][w, k, int(v["redacted"][w, k]) - 1] = 1.0
    patients, acuity = int(v["patients"][w, k]), int(v["acuity"][w, k])
    f["patients"][w, k] = share(patients, int(p["ward_census"][w])) if patients >= 0 else -1.0
    f["acuity"][w, k] = share(acuity, MICRO) if acuity >= 0 else -1.0
    if int(v["verdict"][w, k]) > 0:
        f["verdict"][w, k, int(v["verdict"][w, k]) - 1] = 1.0
    write_history(
        v["past_requested"][:, w, k],
        v["past_allocated"][:, w, k],
        v["past_consumed"][:, w, k],
        v["past_short"][:, w, k],
        rounds_known(v, p),
        base,
        f["history"][w, k],
    )


@kernel
def band(days_left: int) -> int:
    """Expiry band of a lot with so many days left."""
    for i in range(len(BANDS)):
        if days_left <= BANDS[i]:
            return i
    return len(BANDS)


@kernel
def _write_stock(v: Any, p: Any, f: Any) -> None:
    for lot in range(int(v["lot_count"])):
        k = int(v["lot_sku"][lot])
        at = band(int(v["lot_expiry"][lot]) - int(v["day"]))
        for x in range(v["scan"].shape[1]):
            base = usual(p, x, k)
            units = share(int(v["scan"][lot, x]), base)
            f["stock"][x, k, at] = clip(f["stock"][x, k, at] + units)
            if int(v["lot_recall"][lot]) > 0:
                f["recalled"][x, k] = clip(f["recalled"][x, k] + units)
            f["quarantined"][x, k] = clip(f["quarantined"][x, k] + share(int(v["quarantined"][lot, x]), base))
            f["erp"][x, k] = clip(f["erp"][x, k] + share(int(v["erp"][lot, x]), base))


@kernel
def _write_orders(v: Any, p: Any, f: Any) -> None:
    approvals = justifications = 0
    for o in range(int(v["order_count"]) - 1, -1, -1):
        k, x, status = int(v["order_sku"][o]), int(v["order_destination"][o]), int(v["order_status"][o])
        units = share(int(v["order_quantity"][o]), usual(p, x, k))
        if status == OrderStatus.IN_TRANSIT:
            due = 0 if int(v["order_due_day"][o]) <= int(v["day"]) + 2 else 1
            f["on_order"][due, x, k] = clip(f["on_order"][due, x, k] + units)
        if status != OrderStatus.WAITING:
            continue
        f["on_order"][2, x, k] = clip(f["on_order"][2, x, k] + units)
        cost = share(int(v["order_cost"][o]), int(v["limit"]))
        if filable(v, p, o, True) and approvals < TICKETS:
            f["approval_sku"][approvals, k] = 1.0
            f["approval_units"][approvals] = units
            f["approval_cost"][approvals] = cost
            approvals += 1
        if filable(v, p, o, False) and justifications < TICKETS:
            f["justification_sku"][justifications, k] = 1.0
            f["justification_units"][justifications] = units
            f["justification_cost"][justifications] = cost
            justifications += 1


@kernel
def _write_quotes(v: Any, p: Any, f: Any) -> None:
    for q in range(int(v["quote_count"]) - 1, -1, -1):
        age = int(v["round"]) - int(v["quote_round"][q])
        if age > int(p["quote_good_rounds"]):
            break
        i, k = int(v["quote_supplier"][q]), int(v["quote_sku"][q])
        units = share(int(v["quote_quantity"][q]), usual(p, CENTRAL, k))
        if age == 0:
            f["quote_pending"][i, k] = max(f["quote_pending"][i, k], units)
        elif int(v["quote_used"][q]) == 0 and units > f["quote_ready"][i, k]:
            f["quote_ready"][i, k] = units
            best = matching_quote(v, p, i, k, int(v["quote_quantity"][q]))
            f["quote_days"][i, k] = share(int(v["quote_lead_time"][best]), 10)


@kernel
def write_ward(v: Any, p: Any, f: Any) -> None:
    """Features of a ward."""
    write_clock(v, p, f)
    w, now, phase = int(v["ward"]), int(v["round"]) - 1, int(v["phase"])
    f["asked"][0] = 1.0 if phase == Phase.REQUEST else 0.0
    f["asked"][1] = 1.0 if phase == Phase.DISCLOSE else 0.0
    f["asked"][2] = 1.0 if phase == Phase.REPLY else 0.0
    if int(v["asked_sku"]) >= 0:
        f["asked_sku"][int(v["asked_sku"])] = 1.0
    f["pressure"] = int(v["pressure"]) / FIXED
    f["reputation"] = int(v["reputation"]) / FIXED
    for k in range(p["demand"].shape[1]):
        base = 2 * int(p["demand"][w, k])
        if base > 0:
            _write_own_line(v, p, f, k, now, base)
    rounds_of_lines = max(1, now) * int(p["lines"][w])
    for r in range(now):
        for k in range(p["demand"].shape[1]):
            if int(v["verdict"][r, k]) > 0:
                f["verdicts_past"][int(v["verdict"][r, k]) - 1] += 1.0 / rounds_of_lines


@kernel
def _write_own_line(v: Any, p: Any, f: Any, k: int, now: int, base: int) -> None:
    f["need"][k] = share(int(v["need"][k]), base)
    f["stock"][k] = share(int(v["stock"][k]), base)
    f["requested"][k] = share(int(v["requested"][now, k]), base)
    f["inflation"][k] = share(int(v["requested"][now, k]), int(v["need"][k]))
    f["allocated"][k] = share(int(v["allocated"][now, k]), base)
    f["disclosed"][k] = 1.0 if int(v["evidence"][now, k]) > 0 else 0.0
    if int(v["redacted"][now, k]) != Field.NONE:
        f["redacted"][k, int(v["redacted"][now, k]) - 1] = 1.0
    if int(v["verdict"][now, k]) > 0:
        f["verdict"][k, int(v["verdict"][now, k]) - 1] = 1.0
    write_history(
        v["past_requested"][:, k],
        v["past_allocated"][:, k],
        v["past_consumed"][:, k],
        v["past_short"][:, k],
        rounds_known(v, p),
        base,
        f["history"][k],
    )


@kernel
def write_arbiter(v: Any, p: Any, f: Any) -> None:
    """Features of the arbiter."""
    write_clock(v, p, f)
    for w in range(p["demand"].shape[0]):
        f["reputation"][w] = int(v["reputation"][w]) / FIXED
        for k in range(p["demand"].shape[1]):
            if int(v["verdict"][w, k]) > 0:
                f["verdicts"][int(v["verdict"][w, k]) - 1] += 1.0 / 3.0
    for i in range(f["verdicts"].shape[0]):
        f["verdicts"][i] = clip(f["verdicts"][i])
    if int(v["asked_ward"]) < 0:
        return
    base, w = int(v["usual"]), int(v["asked_ward"])
    f["asked"] = 1.0
    f["ward"][w] = 1.0
    f["sku"][int(v["asked_sku"])] = 1.0
    f["request"] = share(int(v["request"]), base)
    f["estimate"] = share(int(v["estimate"]), base)
    f["inflation"] = share(int(v["request"]), int(v["estimate"]))
    f["reason"][int(v["reason"])] = 1.0
    f["disclosed"] = 1.0 if int(v["evidence"]) > 0 else 0.0
    if int(v["redacted"]) != Field.NONE:
        f["redacted"][int(v["redacted"]) - 1] = 1.0
    patients, acuity = int(v["patients"]), int(v["acuity"])
    f["patients"] = share(patients, int(p["ward_census"][w])) if patients >= 0 else -1.0
    f["acuity"] = share(acuity, MICRO) if acuity >= 0 else -1.0
    write_history(
        v["past_requested"],
        v["past_allocated"],
        v["past_consumed"],
        v["past_short"],
        rounds_known(v, p),
        base,
        f["history"],
    )
