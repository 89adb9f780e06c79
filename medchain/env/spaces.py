"""What each role observes, by name: the one list from which shapes, spaces, kernels and the documented table derive.

A feature is a float32 block of the observation, computed from the role's view (core/views.py). Quantities are compared
with usual need, so that scenarios of other sizes look alike: 1.0 is what a line (for the central pharmacy: all lines of
the SKU together) usually needs in a round. Every value is clipped to LOW .. HIGH.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from medchain.core.record import SYSTEMS
from medchain.core.words import LAST_TOOL, Event, Field, Reason, Verdict
from medchain.scenario import Scenario, Sizes

SCHEMA = 1
"""Version of the features and of the actions; it grows with every change of either, and checkpoints carry it."""

LOW, HIGH = -1.0, 10.0
"""Bounds of every feature; -1 stands for what was not disclosed."""

BANDS = (2, 6, 14)
"""Upper ends, in days left, of all expiry bands but the last, which is open: a round, three rounds, the episode."""

TICKETS = 16
"""Open tickets of each kind that a coordinator sees and can file on, the newest first."""

LEVELS = (1, 2, 3, 4, 6, 8, 10, 14)
"""Days of usual demand that the choices of head `quantity` from 1 on mean; choice 0 takes the units from head `units`."""

LOTS = 15
"""Lots of a shelf that head `lot` can name, the first to expire first."""

CLAIMS = (*(event.name.lower() for event in Event), "shortage", "supplier")
"""Claims of a filing, from choice 1 on: an event of a type, a shortage of the ordered SKU, a supplier problem."""

ROLES = ("coordinator", "ward", "arbiter")


class Feature(NamedTuple):
    """A named block of an observation: its shape, what 1.0 means, and what it says."""

    name: str
    shape: tuple[int, ...]
    scale: str
    meaning: str

    @property
    def size(self) -> int:
        """Numbers in the block."""
        return int(np.prod(self.shape, dtype=int))


USUAL = "usual need of a round"


def _common(z: Sizes) -> list[Feature]:
    events = (len(Event),)
    return [
        Feature("round", (), "rounds of the episode", "round, from 1"),
        Feature("event_warned", events, "events", "announced for tomorrow, by type"),
        Feature("event_active", events, "events", "going on, by type"),
        Feature("event_over", events, "events", "past, by type"),
        Feature("event_age", events, "days of the episode", "days since the latest known one of the type began, plus 1"),
    ]


HISTORY = 8
"""Numbers in a `history`: means over all rounds known (of request, allocation, use, and of being short), then the last's."""


def _history(shape: tuple[int, ...]) -> Feature:
    meaning = "request, allocation, use, whether short: mean over all rounds known, then of the last one"
    return Feature("history", (*shape, HISTORY), USUAL, meaning)


def _evidence(shape: tuple[int, ...]) -> list[Feature]:
    return [
        Feature("disclosed", shape, "1", "whether evidence was disclosed this round"),
        Feature("redacted", (*shape, 2), "1", "whether its census, or its recent actuals, were redacted"),
    ]


def _seen(shape: tuple[int, ...]) -> list[Feature]:
    return [
        Feature("patients", shape, "the ward's baseline census", "patients who will use the SKU; -1 unless disclosed"),
        Feature("acuity", shape, "1", "their acuity; -1 unless disclosed"),
    ]


def _coordinator(z: Sizes) -> list[Feature]:
    line, shelf, offer = (z.wards, z.skus), (z.locations, z.skus), (z.suppliers, z.skus)
    return [
        *_common(z),
        Feature("asked", (), "1", "whether it is the coordinator's turn"),
        Feature("calls_left", (), "calls of a round", "calls left this round"),
        Feature("orders_left", (), "orders of a round", "orders left this round"),
        Feature("evidence_left", (), "disclosures of a round", "disclosures left this round"),
        Feature("reviews_left", (), "reviews of a round", "reviews left this round"),
        Feature("planned", (), "1", "whether this round's plan was submitted"),
        Feature("briefings", (), "1", "briefings read this round"),
        Feature("mail_unread", (), "1", "unread messages"),
        Feature("system_used", (SYSTEMS,), "1", "enterprise systems used so far"),
        Feature("money", (3,), "the budget's limit", "committed, spent, headroom"),
        Feature("limit", (), "the budget without events", "the budget's limit"),
        Feature("reputation", (z.wards,), "1", "reputation of each ward"),
        Feature("requested", line, USUAL, "requests of this round"),
        Feature("reason", (*line, len(Reason)), "1", "their stated reasons: census, restock, surge, buffer"),
        Feature("allowed", line, USUAL, "what a line may get: its request, or the verdict's quantity"),
        Feature("allocated", line, USUAL, "what it got this round"),
        *_evidence(line),
        *_seen(line),
        Feature("verdict", (*line, 3), "1", "this round's verdicts: APPROVE, REDUCE, DENY"),
        _history(line),
        Feature("stock", (*shelf, len(BANDS) + 1), USUAL, f"usable units by WMS, expiring within {BANDS} days or later"),
        Feature("recalled", shelf, USUAL, "usable units of recalled lots, by WMS"),
        Feature("quarantined", shelf, USUAL, "units in quarantine"),
        Feature("erp", shelf, USUAL, "units by ERP, as of the opening of the previous round"),
        Feature("on_order", (3, *shelf), USUAL, "units due within two days, due later, and waiting on a ticket"),
        Feature("lead_time", (z.suppliers,), "10 days", "lead time if ordered now"),
        Feature("disrupted", (), "1", "whether a supplier disruption is on"),
        Feature("quote_ready", offer, USUAL, "largest quote that an order could use now"),
        Feature("quote_days", offer, "10 days", "lead time of that quote"),
        Feature("quote_pending", offer, USUAL, "largest quote that is ready next round"),
        *_tickets("approval", z),
        *_tickets("justification", z),
    ]


def _tickets(kind: str, z: Sizes) -> list[Feature]:
    return [
        Feature(f"{kind}_sku", (TICKETS, z.skus), "1", f"SKU of each open {kind} ticket that can still be filed on"),
        Feature(f"{kind}_units", (TICKETS,), USUAL, "units of its order"),
        Feature(f"{kind}_cost", (TICKETS,), "the budget's limit", "cost of its order"),
    ]


def _ward(z: Sizes) -> list[Feature]:
    own = (z.skus,)
    return [
        *_common(z),
        Feature("asked", (3,), "1", "whether it is asked for its requests, for a disclosure, for a reply"),
        Feature("asked_sku", own, "1", "the line whose disclosure is asked for"),
        Feature("pressure", (), "1", "its own hoarding pressure"),
        Feature("reputation", (), "1", "its reputation"),
        Feature("need", own, USUAL, "true need of this round"),
        Feature("stock", own, USUAL, "its own usable stock"),
        Feature("requested", own, USUAL, "what it asked for this round"),
        Feature("inflation", own, "true need", "the same, compared with its true need"),
        Feature("allocated", own, USUAL, "what it got this round"),
        *_evidence(own),
        Feature("verdict", (*own, 3), "1", "this round's verdicts on its lines: APPROVE, REDUCE, DENY"),
        Feature("verdicts_past", (3,), "lines of the ward", "verdicts of earlier rounds per round: APPROVE, REDUCE, DENY"),
        _history(own),
    ]


def _arbiter(z: Sizes) -> list[Feature]:
    return [
        *_common(z),
        Feature("asked", (), "1", "whether a line is under review; if not, the rest of the line's features are 0"),
        Feature("ward", (z.wards,), "1", "its ward"),
        Feature("sku", (z.skus,), "1", "its SKU"),
        Feature("request", (), USUAL, "what the ward asked for"),
        Feature("estimate", (), USUAL, "true need by the arbiter's own chart review"),
        Feature("inflation", (), "the estimate", "the request, compared with the estimate"),
        Feature("reason", (len(Reason),), "1", "the ward's stated reason: census, restock, surge, buffer"),
        *_evidence(()),
        *_seen(()),
        _history(()),
        Feature("verdicts", (len(Verdict) - 1,), "3 verdicts", "verdicts given this round: APPROVE, REDUCE, DENY"),
        Feature("reputation", (z.wards,), "1", "reputation of each ward"),
    ]


@cache
def features(role: str, z: Sizes) -> tuple[Feature, ...]:
    """The features of a role (coordinator, ward or arbiter), in the order of the observation vector."""
    table = {"coordinator": _coordinator, "ward": _ward, "arbiter": _arbiter}
    return tuple(table[role](z))


@cache
def features_dtype(role: str, z: Sizes) -> np.dtype[Any]:
    """One observation vector as a record with a float32 field per feature, without gaps: `.view("f4")` is the vector."""
    return np.dtype([(f.name, "f4", f.shape) for f in features(role, z)])


def width(role: str, z: Sizes) -> int:
    """Length of a role's observation vector."""
    return sum(f.size for f in features(role, z))


@cache
def heads(role: str, z: Sizes) -> dict[str, int]:
    """Discrete heads of a role's action and their numbers of choices; each has a mask of that length."""
    if role == "ward":
        return {"redaction": len(Field)}
    if role == "arbiter":
        return {"verdict": len(Verdict) - 1}
    lines, offers = z.wards * z.skus, z.suppliers * z.skus
    return {
        "tool": int(LAST_TOOL),
        "ward": z.wards,
        "filter": 3,
        "evidence": lines,
        "review": lines,
        "offer": offers,
        "order": 2 * offers * z.locations,
        "quantity": 1 + len(LEVELS),
        "approval": TICKETS,
        "justification": TICKETS,
        "claim": 1 + len(CLAIMS),
        "shelf": z.locations * z.skus,
        "lot": 1 + LOTS,
    }


@cache
def masks_dtype(role: str, z: Sizes) -> np.dtype[Any]:
    """The masks of a role as a record with an int8 field per discrete head, without gaps."""
    return np.dtype([(name, "i1", (n,)) for name, n in heads(role, z).items()])


@cache
def sheet_dtype(role: str, z: Sizes) -> np.dtype[Any]:
    """What a kernel fills for one observation: features, then masks."""
    return np.dtype([("features", features_dtype(role, z)), ("masks", masks_dtype(role, z))])


class ActionDict(spaces.Dict):
    """A Dict of action heads. `sample` takes masks of some heads; those without one are drawn freely."""

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, Any]:
        """Draw every head, the masked ones among their masked-in choices."""
        if mask is not None:
            mask = {name: mask.get(name) for name in self.spaces}
        if probability is not None:
            probability = {name: probability.get(name) for name in self.spaces}
        return super().sample(mask, probability)


def action_space(role: str, scenario: Scenario) -> ActionDict:
    """A role's action: what each head means is said in env/actions.py."""
    z, limits = scenario.sizes, scenario.limits
    line = (z.wards, z.skus)
    free: dict[str, spaces.Space[Any]] = {}
    if role == "coordinator":
        free["units"] = spaces.Box(1, limits.order_quantity, (1,), np.float32)
        free["plan"] = spaces.Box(0, 1, line, np.float32)
        free["cites"] = spaces.MultiBinary(line)
    elif role == "ward":
        free["inflation"] = spaces.Box(0, np.float32(scenario.need.legal_request), (z.skus,), np.float32)
        free["reason"] = spaces.MultiDiscrete([len(Reason)] * z.skus)
    else:
        free["quantity"] = spaces.Box(0, 1, (1,), np.float32)
    return ActionDict({**{name: spaces.Discrete(n) for name, n in heads(role, z).items()}, **free})


def observation_space(role: str, scenario: Scenario) -> spaces.Dict:
    """A role's observation: the vector of its features, and an int8 mask per discrete head of its action."""
    z = scenario.sizes
    masks: dict[str, spaces.Space[Any]] = {name: spaces.Box(0, 1, (n,), np.int8) for name, n in heads(role, z).items()}
    vector = spaces.Box(LOW, HIGH, (width(role, z),), np.float32)
    return spaces.Dict({"observation": vector, "action_mask": spaces.Dict(masks)})


def state_space(scenario: Scenario) -> spaces.Box:
    """The global state: every agent's observation vector, one after another, in the order of the agents."""
    z = scenario.sizes
    n = width("coordinator", z) + z.wards * width("ward", z) + width("arbiter", z)
    return spaces.Box(LOW, HIGH, (n,), np.float32)


def feature_table(scenario: Scenario) -> str:
    """The features of every role as Markdown tables."""
    out = []
    for role in ROLES:
        rows = features(role, scenario.sizes)
        out += [f"**{role}**: {width(role, scenario.sizes)} numbers, schema {SCHEMA}", ""]
        out += ["| feature | shape | from | 1.0 is | meaning |", "|---|---|---|---|---|"]
        at = 0
        for f in rows:
            shape = " x ".join(map(str, f.shape)) or "1"
            out.append(f"| `{f.name}` | {shape} | {at} | {f.scale} | {f.meaning} |")
            at += f.size
        out.append("")
    return "\n".join(out)
