"""A hospital without chance, small enough to work out by hand, and short names to play it.

It has the shipped sizes, so nothing is compiled for it. Every line needs its usual demand each day; opening stock lasts
five days: each line holds the need of one round in its ward, central 13 days of the network's demand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from medchain.core.params import new_params
from medchain.core.session import Session
from medchain.core.words import CENTRAL, Event, Kind, Phase, Verdict
from medchain.scenario import Scenario, load_scenario

ICU, ER, GENERAL = range(3)
RBC, PLT, FFP, SALINE, ANTIBIO, OXY, SYRINGE, GLOVE, MASK, GAUZE = range(10)
MEDLINE, BACKUP, FASTMED = range(3)
TRUE_CLAIM = {"claimed_shortage": 1}


def quiet(**changes: Mapping[str, Any]) -> Scenario:
    """The shipped scenario with all chance off; `changes` replace single keys of its sections."""
    data = load_scenario("medium").model_dump()
    data["need"] |= {"daily_sigma": 0.0, "census_sigma": 0.0, "mix_sigma": 0.0, "line_surge_probability": 0.0}
    for ward in data["wards"].values():
        ward["surge_probability"] = 0.0
    data["opening"] |= {"days_low": 5.0, "days_high": 5.0}
    data["events"]["count"] = (0, 0)
    data["evidence"]["census_sigma"] = 0.0
    for section, keys in changes.items():
        data[section] = data[section] | dict(keys) if isinstance(data[section], dict) else keys
    return Scenario.model_validate(data)


class Game:
    """A session with one-line moves; each returns a copy of its result."""

    def __init__(self, scenario: Scenario | None = None, seed: int = 0) -> None:
        self.session = Session(scenario or quiet(), seed)
        self.p = new_params(self.session.scenario)[0]

    @property
    def s(self) -> Any:
        """The record."""
        return self.session.record

    @property
    def r(self) -> int:
        """Index of this round."""
        return int(self.s["round"]) - 1

    def do(self, kind: Kind, **fields: Any) -> Any:
        """Submit one command."""
        c = self.session.command()
        c["kind"] = kind
        for name, value in fields.items():
            c[0][name] = value
        return self.session.submit(c).copy()

    def schedule(self, *events: tuple[Event, int]) -> None:
        """Write a schedule of events, by day, into a fresh record."""
        self.s["event_count"] = len(events)
        for e, (kind, day) in enumerate(events):
            self.s["event_type"][e], self.s["event_day"][e] = kind, day

    def ask(self, lines: Mapping[tuple[int, int], int] | None = None) -> None:
        """Let every ward ask: its usual need of two days, or what `lines` says."""
        while self.s["phase"] == Phase.REQUEST:
            quantities = 2 * self.p["demand"]
            for line, units in (lines or {}).items():
                quantities[line] = units
            assert self.do(Kind.REQUEST, quantities=quantities)["ok"]

    def plan(self, lines: Mapping[tuple[int, int], int], cites: Any = 0) -> Any:
        """Submit an allocation plan."""
        quantities = np.zeros_like(self.p["demand"])
        for line, units in lines.items():
            quantities[line] = units
        return self.do(Kind.SUBMIT_ALLOCATION_PLAN, quantities=quantities, cites=cites)

    def order(self, supplier: int, sku: int, quantity: int, to: int = CENTRAL, expedited: bool = False) -> Any:
        """Place an order; `a` of the result is its cost, `b` its due day, `number` its number."""
        line = {"supplier": supplier, "sku": sku, "location": to}
        return self.do(Kind.SUBMIT_PO, **line, quantity=quantity, option=expedited)

    def approve(self, number: int, **claims: int) -> Any:
        """File for the approval ticket of an order."""
        return self.do(Kind.FINANCE_SAP_REQUEST_APPROVAL, ticket=number - 1, **claims)

    def justify(self, number: int, **claims: int) -> Any:
        """File for the justification ticket of an order."""
        return self.do(Kind.FILE_JUSTIFICATION, ticket=number - 1, **claims)

    def evidence(self, w: int, k: int, redacted: int = 0) -> Any:
        """Ask for evidence and let the ward disclose; the result of the disclosure."""
        asked = self.do(Kind.REQUEST_EVIDENCE, ward=w, sku=k)
        return self.do(Kind.DISCLOSE, option=redacted) if self.s["phase"] == Phase.DISCLOSE else asked

    def review(self, w: int, k: int, verdict: Verdict, quantity: int = 0) -> int:
        """Escalate a line and let the arbiter rule; the units granted."""
        assert self.do(Kind.ESCALATE_TO_CLINICAL_REVIEW, ward=w, sku=k)["ok"]
        return int(self.do(Kind.RULE, option=verdict, quantity=quantity)["a"])

    def advance(self, rounds: int = 1) -> None:
        """Close rounds; in those that open on the way wards ask for the usual."""
        for _ in range(rounds):
            self.ask()
            assert self.do(Kind.ADVANCE_ROUND)["advanced"]

    def to_day(self, day: int) -> None:
        """Go on until the coordinator has the turn on the morning of `day`, an odd one."""
        while int(self.s["day"]) < day:
            self.advance()
        assert int(self.s["day"]) == day
        self.ask()

    def free(self, k: int, location: int) -> int:
        """Usable units of a SKU at a location."""
        mine = self.s["lot_sku"] == k
        return int((self.s["on_hand"] - self.s["quarantined"])[mine, location].sum())

    def status(self, order: int) -> int:
        """OrderStatus of an order by number."""
        return int(self.s["order_status"][order - 1])
