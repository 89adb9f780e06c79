"""What every orderly coordinator does when a round opens: one briefing, a scan, recalled lots set aside, systems in use."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.outcome import blank
from medchain.core.words import Kind


@kernel
def open_round(v: Any, p: Any, queue: Any) -> int:
    """Brief, scan, quarantine; in the first round look into every other system too and talk to a ward."""
    n = blank(queue, 0, Kind.GET_ROUND_BRIEFING)
    n = blank(queue, n, Kind.WMS_SCAN_INVENTORY)
    n = quarantine_recalls(v, queue, n)
    if int(v["round"]) == 1:
        n = blank(queue, n, Kind.ERP_ORACLE_GET_PIPELINE)
        n = blank(queue, n, Kind.FINANCE_SAP_GET_BUDGET)
        n = blank(queue, n, Kind.MESSAGING_SEND_TO_WARD)
        queue[n - 1]["ward"] = p["demand"].shape[0] - 1
    return n


@kernel
def quarantine_recalls(v: Any, queue: Any, n: int) -> int:
    """Set aside every recalled lot wherever usable units of it are."""
    for lot in range(int(v["lot_count"])):
        if v["lot_recall"][lot] == 0:
            continue
        for x in range(v["scan"].shape[1]):
            if int(v["scan"][lot, x]) > 0:
                n = blank(queue, n, Kind.QUARANTINE_LOT)
                queue[n - 1]["location"] = x
                queue[n - 1]["sku"] = v["lot_sku"][lot]
                queue[n - 1]["lot"] = lot
    return n
