"""The words of a scenario and the ids of a game, and the numbers that stand for them in a record."""

from __future__ import annotations

import difflib
import re
from typing import Any

from medchain.core.words import EVERY
from medchain.errors import ToolError
from medchain.scenario import Scenario
from medchain.tools.show import came, listed

FIRST_RECALL = 9821
"""Number in the id of the first recalled lot; the second has the next."""


def an_id(prefix: str, number: int) -> str:
    """Id of order PO, ticket APR or JUS, quote QT, disclosure EV or lot LOT number `number` (from 1)."""
    return f"{prefix}-{number:04d}"


def event_id(index: int) -> str:
    """Id of event index `index`."""
    return f"EVT-{index + 1}"


def id_number(prefix: str, text: str) -> int | None:
    """The number in an id, or None if it is no id with that prefix."""
    found = re.fullmatch(rf"{prefix}-(\d{{1,6}})", text.strip()[:40], re.IGNORECASE | re.ASCII)
    return int(found[1]) if found else None


class Names:
    """Names of wards, SKUs, suppliers and locations of one scenario, by number."""

    def __init__(self, scenario: Scenario) -> None:
        """Take them in the scenario's order."""
        self.scenario = scenario
        self.of: dict[str, list[str]] = {
            "ward": list(scenario.wards),
            "sku": list(scenario.skus),
            "supplier": list(scenario.suppliers),
            "location": scenario.locations,
        }
        self.wards, self.skus = self.of["ward"], self.of["sku"]
        self.suppliers, self.locations = self.of["supplier"], self.of["location"]
        self.agents = scenario.agents
        self.recall_prefix = f"RECALL-LOT-{scenario.events.recall_sku.split('-')[0]}-"
        self._number = {what: {name.casefold(): i for i, name in enumerate(known)} for what, known in self.of.items()}

    def number(self, what: str, value: object) -> int:
        """Number of the ward, sku, supplier or location called `value`.

        Raises:
            ToolError: there is none of that name.
        """
        known = self.of[what]
        key = value.strip()[:80].casefold() if isinstance(value, str) else ""
        found = self._number[what].get(key)
        if found is not None:
            return found
        close = difflib.get_close_matches(key, [name.casefold() for name in known], 1, 0.6)
        right = f"{known[self._number[what][close[0]]]} is close" if close else f"one of {listed(known)}"
        raise ToolError(f"unknown_{what}", f"a {what} ({listed(known)})", came(value), right)

    def name(self, what: str, number: int) -> str:
        """Name of ward, sku, supplier or location `number`; where there is none, words that name none."""
        known = self.of[what]
        return known[number] if 0 <= number < len(known) else f"{what} {number}"

    def lines(self, ward: int) -> list[int]:
        """SKU numbers that a ward stocks."""
        name = self.wards[ward]
        return [k for k, sku in enumerate(self.scenario.skus.values()) if name in sku.demand_per_day]

    def usual(self, ward: int, sku: int) -> int:
        """Usual need of a line in one round, units."""
        days: int = self.scenario.clock.days_per_round
        return days * self.scenario.skus[self.skus[sku]].demand_per_day.get(self.wards[ward], 0)

    def lot(self, view: Any, index: int) -> str:
        """Id of a lot."""
        if index == EVERY:
            return "all"
        recall = int(view["lot_recall"][index]) if 0 <= index < len(view["lot_recall"]) else 0
        return f"{self.recall_prefix}{FIRST_RECALL - 1 + recall}" if recall else an_id("LOT", index + 1)

    def lot_index(self, view: Any, text: str) -> int | None:
        """Index of the lot with an id, None if no lot of the view has it."""
        wanted = text.strip()[:80].upper()
        if wanted.startswith(self.recall_prefix.upper()):
            for index in range(int(view["lot_count"])):
                if view["lot_recall"][index] and self.lot(view, index).upper() == wanted:
                    return index
            return None
        number = id_number("LOT", wanted)
        if number is None or not 1 <= number <= int(view["lot_count"]) or view["lot_recall"][number - 1]:
            return None
        return number - 1
