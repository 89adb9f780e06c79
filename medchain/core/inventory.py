"""Lots and where their units are: FEFO, expiry, quarantine, consumption. Every unit that leaves is accounted for."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.words import CENTRAL, Criticality, Origin


@kernel
def clear_shelves(s: Any) -> None:
    """No lots at all."""
    for k in range(s["first_lot"].shape[0]):
        s["first_lot"][k] = -1


@kernel
def add_lot(s: Any, sku: int, expiry: int, unit_cost: int, origin: int) -> int:
    """Enter an empty lot into its SKU's FEFO order: earliest expiry first, undated last, ties by age; its index."""
    lot = int(s["lot_count"])
    s["lot_count"] = lot + 1
    s["lot_sku"][lot] = sku
    s["lot_expiry"][lot] = expiry
    s["lot_cost"][lot] = unit_cost
    s["lot_origin"][lot] = origin
    before, after = -1, int(s["first_lot"][sku])
    while after >= 0 and int(s["lot_expiry"][after]) <= expiry:
        before, after = after, int(s["lot_next"][after])
    s["lot_next"][lot] = after
    if before < 0:
        s["first_lot"][sku] = lot
    else:
        s["lot_next"][before] = lot
    return lot


@kernel
def available(s: Any, lot: int, location: int) -> int:
    """Usable units of a lot at a location: on hand minus quarantined."""
    return int(s["on_hand"][lot, location]) - int(s["quarantined"][lot, location])


@kernel
def usable(s: Any, sku: int, location: int) -> int:
    """Usable units of a SKU at a location."""
    units, lot = 0, int(s["first_lot"][sku])
    while lot >= 0:
        units += available(s, lot, location)
        lot = int(s["lot_next"][lot])
    return units


@kernel
def network_usable(s: Any, sku: int) -> int:
    """Usable units of a SKU at all locations."""
    units = 0
    for location in range(s["on_hand"].shape[1]):
        units += usable(s, sku, location)
    return units


@kernel
def expire(s: Any) -> None:
    """Throw away what is expired by today, quarantined or not; forget lots that are gone everywhere."""
    day = int(s["day"])
    for k in range(s["first_lot"].shape[0]):
        before, lot = -1, int(s["first_lot"][k])
        while lot >= 0:
            if int(s["lot_expiry"][lot]) <= day:
                _throw_away(s, k, lot)
            left = 0
            for location in range(s["on_hand"].shape[1]):
                left += int(s["on_hand"][lot, location])
            after = int(s["lot_next"][lot])
            if left > 0:
                before = lot
            elif before < 0:
                s["first_lot"][k] = after
            else:
                s["lot_next"][before] = after
            lot = after


@kernel
def _throw_away(s: Any, sku: int, lot: int) -> None:
    for location in range(s["on_hand"].shape[1]):
        units = int(s["on_hand"][lot, location])
        s["expired"][sku] += units
        s["wasted_value"] += units * int(s["lot_cost"][lot])
        s["on_hand"][lot, location] = 0
        s["quarantined"][lot, location] = 0


@kernel
def consume(s: Any, p: Any) -> None:
    """Each ward uses the day's need, FEFO, from its own usable stock; what is missing is lost."""
    t = int(s["day"]) - 1
    for w in range(p["demand"].shape[0]):
        for k in range(p["demand"].shape[1]):
            need = int(s["need"][t, w, k])
            if need > 0:
                s["consumed"][t, w, k] = _use(s, p, k, w + 1, need)


@kernel
def _use(s: Any, p: Any, sku: int, location: int, need: int) -> int:
    missing, lot = need, int(s["first_lot"][sku])
    while lot >= 0 and missing > 0:
        units = min(missing, available(s, lot, location))
        if units > 0:
            s["on_hand"][lot, location] -= units
            missing -= units
            if int(s["lot_origin"][lot]) == Origin.ORDER:
                s["ordered_value_used"] += units * int(p["unit_cost"][sku])
            elif int(s["lot_origin"][lot]) == Origin.RECALL:
                _harm(s, lot, units)
        lot = int(s["lot_next"][lot])
    s["used"][sku] += need - missing
    return need - missing


@kernel
def _harm(s: Any, lot: int, units: int) -> None:
    for e in range(s["recall_lot"].shape[0]):
        if int(s["recall_lot"][e]) == lot:
            s["recalled_used"][e] += units


@kernel
def issue(s: Any, sku: int, ward: int, units: int) -> None:
    """Move usable units from central to a ward, FEFO; `units` are there."""
    left, lot = units, int(s["first_lot"][sku])
    while lot >= 0 and left > 0:
        moved = min(left, available(s, lot, CENTRAL))
        s["on_hand"][lot, CENTRAL] -= moved
        s["on_hand"][lot, ward + 1] += moved
        left -= moved
        lot = int(s["lot_next"][lot])


@kernel
def discard_issued_blood(s: Any, p: Any) -> None:
    """Issued blood does not keep: what is CRITICAL and left in a ward at the round's close is waste."""
    for k in range(p["demand"].shape[1]):
        if int(p["criticality"][k]) != Criticality.CRITICAL:
            continue
        lot = int(s["first_lot"][k])
        while lot >= 0:
            for location in range(1, s["on_hand"].shape[1]):
                units = int(s["on_hand"][lot, location])
                s["discarded"][k] += units
                s["wasted_value"] += units * int(s["lot_cost"][lot])
                s["on_hand"][lot, location] = 0
                s["quarantined"][lot, location] = 0
            lot = int(s["lot_next"][lot])


@kernel
def note_closing_stock(s: Any, p: Any) -> None:
    """Record each line's usable stock at the round's close."""
    r = int(s["round"]) - 1
    for w in range(p["demand"].shape[0]):
        for k in range(p["demand"].shape[1]):
            if p["demand"][w, k] > 0:
                s["closing_stock"][r, w, k] = usable(s, k, w + 1)


@kernel
def quarantine(s: Any, sku: int, lot: int, location: int) -> int:
    """Quarantine the usable units of a lot (EVERY: of all lots of the SKU) at a location; the units."""
    units, at = 0, int(s["first_lot"][sku])
    while at >= 0:
        if lot < 0 or lot == at:
            units += available(s, at, location)
            s["quarantined"][at, location] = s["on_hand"][at, location]
        at = int(s["lot_next"][at])
    return units


@kernel
def snapshot(s: Any) -> None:
    """ERP's nightly copy: it shows stock as of the opening of the previous round."""
    for lot in range(int(s["lot_count"])):
        for location in range(s["on_hand"].shape[1]):
            s["erp_before"][lot, location] = s["erp_now"][lot, location]
            s["erp_now"][lot, location] = s["on_hand"][lot, location]
