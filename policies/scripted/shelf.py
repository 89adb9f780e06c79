"""What is where, in units; recalled lots count for nothing.

The wards' shelves are known by the WMS scan, within its noise. Central's stock is known exactly: ERP's lagged count, less
what was issued since, plus what was received since.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from medchain.core.kernel import kernel
from medchain.core.words import CENTRAL, OrderStatus
from policies.scripted.need import rounds


@kernel
def count_stock(v: Any, p: Any, m: Any) -> None:
    """Note usable stock at central and in the wards, and what comes to central by the next opening; before the plan."""
    today, wards = int(v["day"]), p["demand"].shape[0]
    m["keeps"][:] = 0.0
    m["shelf"][:] = 0.0
    issued = _issued_last_round(v, p, m)
    m["central"][:] = 0.0
    for lot in range(int(v["lot_count"])):
        k, counted = int(v["lot_sku"][lot]), float(int(v["erp"][lot, CENTRAL]) - int(v["quarantined"][lot, CENTRAL]))
        if int(v["lot_expiry"][lot]) <= today:
            issued[k] -= min(issued[k], counted)  # what has expired since had been issued before the rest
            continue
        if v["lot_recall"][lot] > 0:
            continue
        m["central"][k] += counted
        if int(v["lot_expiry"][lot]) > today + 2:
            m["keeps"][k] += int(v["scan"][lot, CENTRAL])
        for w in range(wards):
            m["shelf"][w, k] += int(v["scan"][lot, w + 1])
    _count_orders(v, m)
    for k in range(issued.shape[0]):
        m["central"][k] = max(0.0, m["central"][k] - issued[k])
        m["keeps"][k] = min(m["keeps"][k], m["central"][k])


@kernel
def _issued_last_round(v: Any, p: Any, m: Any) -> Any:
    issued = np.zeros(p["unit_cost"].shape[0])
    if int(v["round"]) > 1:
        last = v["past_allocated"].shape[0] - rounds(m) + int(v["round"]) - 2
        for k in range(issued.shape[0]):
            for w in range(p["demand"].shape[0]):
                issued[k] += int(v["past_allocated"][last, w, k])
    return issued


@kernel
def _count_orders(v: Any, m: Any) -> None:
    """Add what central has received since ERP's count, and note what it will receive by the next opening."""
    m["coming"][:] = 0.0
    for o in range(int(v["order_count"])):
        if int(v["order_destination"][o]) != CENTRAL:
            continue
        k, due = int(v["order_sku"][o]), int(v["order_due_day"][o])
        if int(v["order_status"][o]) == OrderStatus.IN_TRANSIT and due <= int(v["day"]) + 2:
            m["coming"][k] += int(v["order_quantity"][o])
        elif int(v["order_status"][o]) == OrderStatus.RECEIVED and due >= int(v["day"]) - 1:
            m["central"][k] += int(v["order_quantity"][o])


@kernel
def usable(p: Any, m: Any, sku: int) -> float:
    """Usable units of a SKU everywhere."""
    units = float(m["central"][sku])
    for w in range(p["demand"].shape[0]):
        units += m["shelf"][w, sku]
    return units
