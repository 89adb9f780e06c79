"""An upper bound on the coordinator's score of one episode: a linear program that knows the tape.

No policy can beat it, whatever the wards ask and the arbiter rules: every episode that the rules allow is a feasible
point of the program, worth at least that episode's score. The program maximises the weighted sum of
network_service_level, critical_service_level, allocation_accuracy, event_response and waste_control. Units flow through
a network of places in time: opening stock and purchases enter, central is tapped at round openings, patients take at
most their need. What it keeps:

- the budget over the whole episode;
- for each morning, the cheapest price for which a delivery can arrive then: supplier, expediting, disruption, quotes;
- stock in central reaches a ward at a round's opening only; a delivery to a ward arrives on any morning;
- units are unusable from their expiry day on, by class of expiry day;
- CRITICAL units in a ward do not outlive the round, and those in the breached ward are lost on the morning of a breach;
- a recalled unit that a patient gets counts as harm;
- what expires or is discarded is waste, as a share of the opening stock and the whole budget.

What it relaxes, each in the coordinator's favour:

- units may be split, FEFO may be broken, and the cheapest units are the ones wasted;
- a line may get any quantity: requests, rulings and the shares of a short SKU are ignored;
- allocation above need costs no accuracy, so that component is linear: 1 - w + w·fill, never negative;
- every expedited or large order is released at once, every quote was asked for in time, an order always holds the
  discount from the second round on, and there are any number of orders;
- audits cost nothing; every recall can be quarantined before a unit is used;
- the other five process components are 1, their gate is open, nothing is penalised.

A component that is absent leaves the score's weighted mean. Only event_response is absent for certain (no event on the
tape); the weights are then rescaled here as in the score. Any other component that the play or the tape may make absent
is held at 1 instead: leaving out of a mean its largest possible term cannot raise it.

The number returned is not the solver's optimum but the weak-duality value of its multipliers: any multipliers bound the
program from above, so solver tolerances cannot make the bound too low. An empty or starved hospital may be bounded well
above what is possible, for the process components are given away.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

from medchain.core.procurement import expedite, lead_time, unit_price
from medchain.core.session import Session
from medchain.core.words import CENTRAL, FIXED, Criticality, Event, Origin
from medchain.scenario import Scenario, Sizes

SCALE = 10_000.0
"""The program's objective is in 1/SCALE of a score point, so that the solver's tolerances are small beside it."""


class Worth(NamedTuple):
    """The linear score: `constant`, plus what each unit earns, less what each wasted cent costs."""

    constant: float
    used: np.ndarray[Any, Any]  # [day, ward, sku] score per unit consumed
    recalled: np.ndarray[Any, Any]  # [event] score per recalled unit consumed, 0 or less
    wasted: float  # score lost per cent of stock expired or discarded


class Program:
    """A linear program of stock nodes and arcs: maximise gains, no node gives out more than it gets."""

    def __init__(self) -> None:
        self.limits: list[float] = []  # [row] units a node holds from the start, or the right-hand side of another row
        self.waste: list[float] = []  # [row] score that a unit costs if it never leaves this node
        self.most: list[float] = []  # [arc] largest flow, units
        self.gain: list[float] = []  # [arc] score per unit
        self.rows: list[int] = []  # of the coefficients below
        self.arcs: list[int] = []
        self.coefficients: list[float] = []

    def row(self, limit: float = 0.0, waste: float = 0.0) -> int:
        """A new node that holds `limit` units, or any other row: sum of coefficient × flow <= limit."""
        self.limits.append(limit)
        self.waste.append(waste)
        return len(self.limits) - 1

    def put(self, row: int, arc: int, coefficient: float) -> None:
        """Let `arc` take part in `row`."""
        self.rows.append(row)
        self.arcs.append(arc)
        self.coefficients.append(coefficient)

    def arc(self, out_of: int | None, into: int | None, most: float, gain: float = 0.0) -> int:
        """A new arc between two nodes; None is the world outside."""
        self.most.append(most)
        saved, staked = (0.0 if node is None else self.waste[node] for node in (out_of, into))
        self.gain.append(gain + saved - staked)
        arc = len(self.most) - 1
        if out_of is not None:
            self.put(out_of, arc, 1.0)
        if into is not None:
            self.put(into, arc, -1.0)
        return arc

    def best(self) -> float:
        """An upper bound on gains less waste, in score; the optimum itself up to the solver's tolerance."""
        gain, most = np.array(self.gain) * SCALE, np.array(self.most)
        limits, shape = np.array(self.limits), (len(self.limits), len(self.most))
        matrix: Any = csr_array((self.coefficients, (self.rows, self.arcs)), shape=shape)
        box: Any = np.column_stack([np.zeros_like(most), most])
        solved = linprog(-gain, matrix, limits, bounds=box, method="highs")
        prices = np.zeros(len(limits)) if solved.x is None else np.maximum(0.0, -solved.ineqlin.marginals)
        surplus = np.maximum(0.0, gain - matrix.T @ prices)
        return float(prices @ limits + surplus @ most) / SCALE - float(limits @ np.array(self.waste))


def bound(record: Any, params: Any, sizes: Sizes) -> float:
    """Upper bound in [0, 1] on the coordinator's score of the episode whose tape and opening stock `record` holds.

    Args:
        record: an episode record just after reset (day 1, nothing decided yet).
        params: the scenario's Params record, or the array of one that `new_params` returns.
        sizes: the scenario's sizes.

    Raises:
        ValueError: the record is past its first day; stock that was spent cannot be told from stock that never was.
    """
    params = params[0] if params.shape == (1,) else params
    record = record[0] if record.shape == (1,) else record
    if int(record["day"]) > 1:
        raise ValueError(f"a bound needs a record just after reset; this one is on day {int(record['day'])}")
    worth = linear_score(record, params, sizes)
    program = Program()
    budget = program.row(int(record["limit"]) / 100)  # dollars
    prices = cheapest_prices(record, params, sizes)
    for sku in range(sizes.skus):
        _add_sku(program, record, params, sizes, worth, sku, budget, prices[sku])
    return min(1.0, max(0.0, worth.constant + program.best()))


def event_days(record: Any, event: int, days: int, sizes: Sizes) -> slice:
    """Day indices, within the episode, of the `days` days from the trigger day of an event on."""
    first = int(record["event_day"][event]) - 1
    return slice(first, min(first + days, sizes.days))


def linear_score(record: Any, params: Any, sizes: Sizes) -> Worth:
    """The score as a linear function of units consumed: a majorant of the score of every play."""
    service, critical, accuracy, response = (float(w) for w in params["weights"][:4])
    need = record["need"].astype(float)
    lines = params["demand"] > 0
    priority = params["ward_priority"] / FIXED
    ranked = lines * priority[:, None]
    earned = service / max(ranked.sum(), 1 / FIXED) + accuracy / lines.sum()
    weight = ranked * (earned / sizes.rounds)  # [ward, sku] score per fill of a round
    by_round = need.reshape(sizes.rounds, -1, sizes.wards, sizes.skus).sum(axis=1)
    per_unit = np.divide(weight, by_round, out=np.zeros_like(by_round), where=by_round > 0)
    used = np.repeat(per_unit, sizes.days // sizes.rounds, axis=0)
    constant = accuracy + service - float(weight.sum()) * sizes.rounds
    constant += float((weight * (by_round == 0)).sum()) + float(params["weights"][4:].sum())

    def add_fill(share: float, days: slice, mask: np.ndarray[Any, Any]) -> float:
        """Let `share` of the score be the fill of the lines in `mask` over `days`; what is earned without a unit."""
        total = (need[days] * mask).sum()
        if total == 0:
            return share
        used[days] += share / total * mask
        return 0.0

    acute = params["ward_acute"][:, None] > 0
    blood = lines & acute & (params["criticality"] == Criticality.CRITICAL)
    vital = lines & acute & (params["criticality"] >= Criticality.HIGH)
    constant += add_fill(critical, slice(None), blood)
    recalled = np.zeros(sizes.events)
    events = int(record["event_count"])
    for event in range(events):
        share, kind = response / events, int(record["event_type"][event])
        if kind == Event.MCI:
            constant += add_fill(share, event_days(record, event, int(params["mci_days"]), sizes), blood)
        elif kind == Event.SUPPLIER_DISRUPTION:
            days = event_days(record, event, int(params["disruption_days"]) + 1, sizes)
            constant += add_fill(share, days, vital)
        elif kind == Event.COLD_CHAIN_BREACH:
            breached = np.zeros_like(lines)
            breached[params["breach_ward"], params["breach_sku"]] = True
            constant += add_fill(share, event_days(record, event, int(params["breach_days"]), sizes), breached)
        elif kind == Event.PRODUCT_RECALL:
            units = int(params["recall_units"]) * int(lines[:, params["recall_sku"]].sum())
            constant += share
            recalled[event] = -share / max(units, 1)
    present = float(params["weights"].sum()) - (0.0 if events else response)
    handled = max(int(record["opening_value"]) + int(record["limit"]), 1)
    wasted = float(params["weights"][5]) / handled
    return Worth(constant / present, used / present, recalled / present, wasted / present)


def cheapest_prices(record: Any, params: Any, sizes: Sizes) -> np.ndarray[Any, Any]:
    """Least cents per unit for which a SKU can arrive on the morning of a day: [sku, day], infinite if it cannot."""
    step = sizes.days // sizes.rounds
    disrupted = np.zeros(sizes.days, bool)
    for event in range(int(record["event_count"])):
        if int(record["event_type"][event]) == Event.SUPPLIER_DISRUPTION:
            disrupted[event_days(record, event, int(params["disruption_days"]), sizes)] = True
    prices = np.full((sizes.skus, sizes.days), np.inf)
    for supplier, expedited, quoted in product(range(sizes.suppliers), (False, True), (False, True)):
        sold = [k for k in range(sizes.skus) if params["sells"][supplier, k]]
        offered = np.array([unit_price(params, supplier, k, expedited, quoted) for k in sold])
        asked: set[int] = set()  # lead times that a quote of an earlier round may hold, days
        for opening in range(0, sizes.days, step):
            now = int(lead_time(params, supplier, bool(disrupted[opening])))
            for lead in asked if quoted else {now}:
                day = opening + int(expedite(lead, expedited))
                if day < sizes.days:
                    prices[sold, day] = np.minimum(prices[sold, day], offered)
            asked.add(now)
    return prices


def _add_sku(
    program: Program, record: Any, params: Any, sizes: Sizes, worth: Worth, sku: int, budget: int, price: Any
) -> None:
    """Add the stock nodes and flows of one SKU; `price` is in cents by morning of arrival.

    Units with the same expiry day form a class; the last class outlives the episode. Left out, being no better than
    what is there: deliveries to a ward at an opening (central gets them too, and may issue them at once) and deliveries
    to central between openings, unless the next opening's are dearer.
    """
    step, shelf = sizes.days // sizes.rounds, int(params["shelf_life"][sku])
    need = record["need"][:, :, sku]
    spoils = int(params["criticality"][sku]) == Criticality.CRITICAL
    breaches = _struck(record, Event.COLD_CHAIN_BREACH) if sku == int(params["breach_sku"]) else {}
    breached = {(int(params["breach_ward"]), day) for day in breaches.values()}
    recalls = _struck(record, Event.PRODUCT_RECALL) if sku == int(params["recall_sku"]) else {}
    opening = _opening_stock(record, sizes, sku)
    arrivals = [day for day in range(1, sizes.days) if np.isfinite(price[day])]
    classes = sorted({*opening, *(min(day + shelf, sizes.days) for day in arrivals), sizes.days})
    shared = [[program.row(float(units)) for units in need[:, w]] for w in range(sizes.wards)]

    for expiry in classes:  # day index from which the class is unusable
        lasts = expiry == sizes.days
        held = opening.get(expiry, np.zeros(sizes.locations))
        bought = [day for day in arrivals if min(day + shelf, sizes.days) == expiry]
        first = 0 if held.any() or lasts else min(bought)
        cost = min([int(params["unit_cost"][sku]), *price[bought]]) * worth.wasted
        in_central, in_ward = 0.0 if lasts else cost, cost if spoils or not lasts else 0.0
        central: dict[int, int] = {}
        for day in range(-(-first // step) * step, expiry, step):
            central[day] = program.row(held[CENTRAL] if day == 0 else 0.0, in_central)
            if day - step in central:
                program.arc(central[day - step], central[day], need.sum())
        for day in bought:
            opens = -(-day // step) * step
            if opens in central and (opens == day or price[day] < price[opens]):
                program.put(budget, program.arc(None, central[opens], need.sum()), price[day] / 100)
        for w in range(sizes.wards):
            mine = need[:, w].sum()
            ward: dict[int, int] = {}
            for day in range(first, expiry):
                ward[day] = program.row(held[w + 1] if day == 0 else 0.0, in_ward)
                used = program.arc(ward[day], None, need[day, w], worth.used[day, w, sku])
                program.put(shared[w][day], used, 1.0)
                if day in central:
                    program.arc(central[day], ward[day], mine)
                if day - 1 in ward and not (spoils and day % step == 0) and (w, day) not in breached:
                    program.arc(ward[day - 1], ward[day], mine)
                if day in bought and day % step and (w, day) not in breached:
                    program.put(budget, program.arc(None, ward[day], mine), price[day] / 100)
            for event, day in recalls.items():
                if lasts and params["demand"][w, sku]:
                    program.arc(None, ward[day], float(params["recall_units"]), worth.recalled[event])


def _opening_stock(record: Any, sizes: Sizes, sku: int) -> dict[int, np.ndarray[Any, Any]]:
    """Usable opening units by class: {day index from which they are unusable: units [location]}."""
    found: dict[int, np.ndarray[Any, Any]] = {}
    for lot in range(int(record["lot_count"])):
        if int(record["lot_sku"][lot]) == sku and int(record["lot_origin"][lot]) == Origin.OPENING:
            expiry = min(int(record["lot_expiry"][lot]) - 1, sizes.days)
            usable = record["on_hand"][lot] - record["quarantined"][lot]
            found[expiry] = found.get(expiry, np.zeros(sizes.locations)) + usable
    return {expiry: units for expiry, units in found.items() if expiry > 0 and units.any()}


def _struck(record: Any, kind: Event) -> dict[int, int]:
    """Events of one type: {event: day index of its trigger}."""
    events = [e for e in range(int(record["event_count"])) if int(record["event_type"][e]) == kind]
    return {e: int(record["event_day"][e]) - 1 for e in events}


def bound_for(scenario: Scenario, seed: int) -> float:
    """`bound` of one seed of a scenario; computed once a process (the cache holds 4,096)."""
    return _cached(scenario.model_dump_json(), seed)


@lru_cache(maxsize=4096)
def _cached(scenario_json: str, seed: int) -> float:
    scenario = Scenario.model_validate_json(scenario_json)
    session = Session(scenario, seed)
    return bound(session.record, session.params, scenario.sizes)
