"""Structured actions: what each head means, and the command that an action stands for.

The coordinator's `tool` is Kind - 1; a tool reads its own heads and ignores the others:

| tool | heads |
|---|---|
| read_inbox | `filter` (unread, all, flagged) |
| submit_allocation_plan | `plan` fraction of the request, per line; `cites` whether its evidence is cited |
| messaging_send_to_ward, query_ward_history | `ward` |
| query_supplier | `offer` (its supplier) |
| supplier_portal_request_quote | `offer` = supplier × SKU, `quantity`, `units` |
| finance_sap_request_approval, file_justification | `approval` or `justification`: the open tickets, newest first; `claim` |
| request_evidence, escalate_to_clinical_review | `evidence` or `review` = ward × SKU |
| submit_po | `order` = supplier × (standard, expedited) × location × SKU, `quantity`, `units` |
| quarantine_lot | `shelf` = location × SKU; `lot`: 0 all, else the lot so many from the first to expire |

The other tools only show what the observation holds already; they take no argument here. A ward answers a request with
`inflation` (request / true need) and `reason` per SKU, a disclosure with `redaction`; a reply needs no head. The arbiter
gives a `verdict` and may name a `quantity`, a fraction of the request (0: none).
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from medchain.core.chance import rounded
from medchain.core.kernel import kernel
from medchain.core.outcome import blank
from medchain.core.words import CENTRAL, EVERY, Kind, Phase
from medchain.env.masks import legal_quantity, open_ticket, shelf_lot
from medchain.env.spaces import CLAIMS, LEVELS, heads
from medchain.errors import ToolError
from medchain.scenario import Scenario
from medchain.tools.show import came

Array = np.ndarray[Any, Any]

SHORTAGE, SUPPLIER = CLAIMS.index("shortage") + 1, CLAIMS.index("supplier") + 1
"""Choices of head `claim`; those before them are event types, 0 claims nothing."""

DISCLOSE, RULE, REPLY = int(Kind.DISCLOSE), int(Kind.RULE), int(Kind.REPLY)  # an enum member costs a call 400 us
USES: dict[int, tuple[str, str]] = {
    Kind.READ_INBOX: ("filter", ""),
    Kind.QUERY_WARD_HISTORY: ("ward", ""),
    Kind.QUERY_SUPPLIER: ("offer", ""),
    Kind.SUPPLIER_PORTAL_REQUEST_QUOTE: ("offer", "quantity"),
    Kind.FINANCE_SAP_REQUEST_APPROVAL: ("approval", "claim"),
    Kind.MESSAGING_SEND_TO_WARD: ("ward", ""),
    Kind.REQUEST_EVIDENCE: ("evidence", ""),
    Kind.ESCALATE_TO_CLINICAL_REVIEW: ("review", ""),
    Kind.SUBMIT_PO: ("order", "quantity"),
    Kind.FILE_JUSTIFICATION: ("justification", "claim"),
    Kind.QUARANTINE_LOT: ("shelf", "lot"),
}
"""The discrete heads that a tool reads, beside `tool`; of `units`, `plan` and `cites` see the table above."""


@kernel
def _level_units(p: Any, location: int, sku: int, level: int) -> int:
    """Units of a choice of head `quantity`: days of usual demand at the location (central: of the network)."""
    demand = 0
    for w in range(p["demand"].shape[0]):
        if location == CENTRAL or location == w + 1:
            demand += int(p["demand"][w, sku])
    return max(1, demand * LEVELS[level - 1])


@kernel
def write_call(views: Any, params: Any, tool: int, a: int, b: int, units: int, commands: Any) -> None:
    """Write the coordinator's command for `tool` (a Kind), its first two discrete heads and `units`."""
    v, p, c = views[0], params[0], commands[0]
    skus = p["demand"].shape[1]
    blank(commands, 0, tool)
    if tool == Kind.READ_INBOX:
        c["option"] = a
    elif tool == Kind.QUERY_WARD_HISTORY or tool == Kind.MESSAGING_SEND_TO_WARD:
        c["ward"] = a
        c["quantity"] = 10
    elif tool == Kind.QUERY_SUPPLIER:
        c["supplier"] = a // skus if p["sells"][a // skus, a % skus] == 1 else -1
    elif tool == Kind.SUPPLIER_PORTAL_GET_QUOTE:
        c["quote"] = int(v["quote_count"]) - 1
    elif tool == Kind.SUPPLIER_PORTAL_REQUEST_QUOTE:
        c["supplier"] = a // skus
        c["sku"] = a % skus
        c["quantity"] = units if b == 0 else _level_units(p, CENTRAL, a % skus, b)
    elif tool == Kind.FINANCE_SAP_REQUEST_APPROVAL or tool == Kind.FILE_JUSTIFICATION:
        c["ticket"] = open_ticket(v, p, a, tool == Kind.FINANCE_SAP_REQUEST_APPROVAL)
        _write_claim(b, c)
    elif tool == Kind.REQUEST_EVIDENCE or tool == Kind.ESCALATE_TO_CLINICAL_REVIEW:
        c["ward"] = a // skus
        c["sku"] = a % skus
    elif tool == Kind.SUBMIT_PO:
        _write_order(v, p, a, b, units, c)
    elif tool == Kind.QUARANTINE_LOT:
        c["location"] = a // skus
        c["sku"] = a % skus
        c["lot"] = EVERY if b == 0 else shelf_lot(v, a % skus, a // skus, b - 1)


@kernel
def _write_claim(claim: int, c: Any) -> None:
    if 1 <= claim < SHORTAGE:
        c["claimed_types"] = 1 << (claim - 1)
    elif claim == SHORTAGE:
        c["claimed_shortage"] = 1
    elif claim == SUPPLIER:
        c["claimed_supplier"] = 1


@kernel
def _write_order(v: Any, p: Any, cell: int, level: int, units: int, c: Any) -> None:
    skus, places = p["demand"].shape[1], v["scan"].shape[1]
    sku, rest = cell % skus, cell // skus
    location, terms = rest % places, rest // places
    supplier, expedited = terms // 2, terms % 2
    asked = units if level == 0 else _level_units(p, location, sku, level)
    legal = 0
    if p["sells"][supplier, sku] == 1:
        legal = legal_quantity(v, p, supplier, sku, expedited == 1, asked)
    c["supplier"] = supplier
    c["sku"] = sku
    c["location"] = location
    c["option"] = expedited
    c["quantity"] = legal if legal > 0 else asked


@kernel
def write_plan(views: Any, fractions: Any, cites: Any, commands: Any) -> None:
    """Write an allocation plan: fractions[ward x sku] of this round's requests, to the nearest unit, and what is cited."""
    v, c = views[0], commands[0]
    blank(commands, 0, Kind.SUBMIT_ALLOCATION_PLAN)
    wards, skus = v["requested"].shape
    for w in range(wards):
        for k in range(skus):
            c["quantities"][w, k] = rounded(fractions[w * skus + k] * int(v["requested"][w, k]))
            c["cites"][w, k] = int(cites[w * skus + k])


@kernel
def write_request(views: Any, params: Any, inflation: Any, reasons: Any, commands: Any) -> None:
    """Write a ward's request: inflation[sku] times its true need, to the nearest unit; the highest is the legal most."""
    v, p, c = views[0], params[0], commands[0]
    w = int(v["ward"])
    blank(commands, 0, Kind.REQUEST)
    for k in range(inflation.shape[0]):
        if int(p["demand"][w, k]) > 0:
            units = rounded(inflation[k] * int(v["need"][k]))
            at_most = inflation[k] >= np.float32(p["legal_request"])
            c["quantities"][w, k] = int(v["most"][k]) if at_most else min(units, int(v["most"][k]))
            c["reasons"][w, k] = int(reasons[k])


@kernel
def write_answer(kind: int, option: int, quantity: int, commands: Any) -> None:
    """Write a disclosure, a verdict or a reply."""
    blank(commands, 0, kind)
    commands[0]["option"] = option
    commands[0]["quantity"] = quantity


def choice(action: Mapping[str, Any], head: str, n: int) -> int:
    """The choice of a discrete head; raises ToolError unless it is an integer in 0 .. n - 1."""
    value = action.get(head)
    try:
        index = operator.index(value)  # type: ignore[arg-type]
    except Exception:  # whatever a stranger's object raises while it is being read
        index = -1
    if not 0 <= index < n:
        raise ToolError("bad_head", f"an integer in 0 .. {n - 1} as head {head!r}", came(value))
    return index


@kernel
def _lie_within(values: Any, low: float, high: float) -> bool:
    inside = True
    for i in range(values.shape[0]):
        inside = inside and low <= values[i] <= high
    return inside


def numbers(
    action: Mapping[str, Any], head: str, shape: tuple[int, ...], low: float, high: float, whole: bool = False
) -> Array:
    """The values of a head with many, float64, flat; raises ToolError unless all lie in low .. high (NaN does not).

    `whole`: they must be of an integer type.
    """
    value = action.get(head)
    try:
        array = np.asarray(value)
    except Exception:  # whatever a stranger's object raises while it is being read
        array = np.empty(0)
    if array.dtype.kind in ("iub" if whole else "fiub") and array.shape == shape:
        found = array.astype(np.float64).reshape(-1)
        if _lie_within(found, low, high):
            return found
    sort = "integers" if whole else "numbers"
    raise ToolError("bad_head", f"{sort} of shape {shape} in {low:g} .. {high:g} as head {head!r}", came(value))


class Reader:
    """Reads actions of one scenario into a command buffer."""

    def __init__(self, scenario: Scenario) -> None:
        """Take the sizes and bounds of `scenario`."""
        z = scenario.sizes
        self._heads = heads("coordinator", z)
        self._line, self._skus = (z.wards, z.skus), (z.skus,)
        self._most_units = float(scenario.limits.order_quantity)
        self._most_inflation = float(np.float32(scenario.need.legal_request))

    def coordinator(self, action: object, views: Array, params: Array, commands: Array) -> None:
        """Write the command of a coordinator's action into `commands`; `views[0]` is what it sees now.

        Raises:
            ToolError: the action is no mapping, or a head that its tool reads is missing or out of range.
        """
        heads_of = _mapping(action)
        tool = choice(heads_of, "tool", self._heads["tool"]) + 1
        if tool == Kind.SUBMIT_ALLOCATION_PLAN:
            plan = numbers(heads_of, "plan", self._line, 0.0, 1.0)
            cites = numbers(heads_of, "cites", self._line, 0.0, 1.0, whole=True)
            write_plan(views, plan, cites, commands)
            return
        first, second = USES.get(tool, ("", ""))
        a = choice(heads_of, first, self._heads[first]) if first else 0
        b = choice(heads_of, second, self._heads[second]) if second else 0
        units = 0
        if second == "quantity" and b == 0:
            units = int(numbers(heads_of, "units", (1,), 1.0, self._most_units)[0] + 0.5)
        write_call(views, params, tool, a, b, units, commands)

    def ward(self, action: object, views: Array, params: Array, commands: Array) -> None:
        """Write the command of a ward's action; raises ToolError like `coordinator`."""
        heads_of = _mapping(action)
        phase = views["phase"].item(0)
        if phase == Phase.REQUEST:
            inflation = numbers(heads_of, "inflation", self._skus, 0.0, self._most_inflation)
            reasons = numbers(heads_of, "reason", self._skus, 0.0, 3.0, whole=True)
            write_request(views, params, inflation, reasons, commands)
        elif phase == Phase.DISCLOSE:
            write_answer(DISCLOSE, choice(heads_of, "redaction", 3), 0, commands)
        else:
            write_answer(REPLY, 0, 0, commands)

    def arbiter(self, action: object, views: Array, commands: Array) -> None:
        """Write the command of the arbiter's action; raises ToolError like `coordinator`."""
        heads_of = _mapping(action)
        verdict = choice(heads_of, "verdict", 3) + 1
        named = float(numbers(heads_of, "quantity", (1,), 0.0, 1.0)[0]) * views["request"].item(0)
        write_answer(RULE, verdict, int(named + 0.5), commands)


def _mapping(action: object) -> dict[str, Any]:
    if type(action) is dict:
        return action
    try:
        if isinstance(action, Mapping):
            return dict(action)
    except Exception:  # a mapping that cannot be read is none
        pass
    raise ToolError("bad_action", "a dict of action heads", came(action))
