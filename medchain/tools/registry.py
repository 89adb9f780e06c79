"""The 21 tools and the four answers of wards and arbiter: one typed registry from which schemas, docs and commands follow.

A tool's number is its `words.Kind`. Schemas depend on the scenario: wards, SKUs, suppliers and locations are listed in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from medchain.core.record import new_commands
from medchain.core.words import Kind, Phase, Verdict
from medchain.errors import ToolError
from medchain.scenario import Scenario
from medchain.tools.arguments import Choice, Given, Id, Lot, Name, Type, Whole, Words
from medchain.tools.claims import Claims
from medchain.tools.names import Names
from medchain.tools.objects import Plan, Rationale, Reasons, Requests
from medchain.tools.parse import Call
from medchain.tools.show import came, listed

TABLES = ("inventory", "expiry", "pipeline_orders")
FILTERS = ("unread", "all", "flagged")
PRIORITIES = ("normal", "expedited")
FIELDS = ("all", "census", "acuity", "recent_actuals", "events")
REDACTIONS = ("none", "census", "recent_actuals")
VERDICTS = tuple(verdict.name for verdict in Verdict if verdict != Verdict.NONE)


@dataclass(frozen=True)
class Parameter:
    """One parameter of a tool."""

    name: str
    type: Type
    description: str
    required: bool = True


@dataclass(frozen=True)
class Tool:
    """One tool, or one kind of answer."""

    kind: Kind
    system: str
    description: str
    parameters: tuple[Parameter, ...] = ()

    @property
    def name(self) -> str:
        """Name by which it is called."""
        return self.kind.name.lower()

    @property
    def signature(self) -> str:
        """Name and parameters, optional ones in brackets."""
        shown = [p.name if p.required else f"[{p.name}]" for p in self.parameters]
        return f"{self.name}({', '.join(shown)})"

    def schema(self, names: Names) -> dict[str, Any]:
        """JSON schema of its arguments."""
        properties = {p.name: p.type.schema(names) | {"description": p.description} for p in self.parameters}
        required = [p.name for p in self.parameters if p.required]
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _optional(name: str, kind: Type, description: str) -> Parameter:
    return Parameter(name, kind, description, required=False)


_WARD = Parameter("ward_id", Name("ward"), "ward")
_SKU = Parameter("sku", Name("sku"), "product")
_PRODUCT = Parameter("product_id", Name("sku"), "product")
_SUPPLIER = Parameter("supplier_id", Name("supplier"), "supplier")
_UNITS = Parameter("quantity", Whole(1), "units")
_PLACE = _optional("location", Name("location"), "this location only")
_ONLY = _optional("sku", Name("sku"), "this product only")
_REASON = "why it is needed now: the event (type or id), the short product or the supplier problem; only what is true"

TOOLS: tuple[Tool, ...] = (
    Tool(
        Kind.GET_ROUND_BRIEFING,
        "coordination",
        "Budget, events, unread mail, requests, ERP stock, pipeline, tickets, reputations. Once a round is enough.",
    ),
    Tool(Kind.VIEW_REQUESTS, "coordination", "What each ward asks for this round, with its reason and priority."),
    Tool(
        Kind.READ_INBOX,
        "coordination",
        "Messages about events; marks read what it shows.",
        (_optional("filter", Choice(FILTERS, default="unread"), "which messages"),),
    ),
    Tool(
        Kind.SUBMIT_ALLOCATION_PLAN,
        "coordination",
        "Move stock from central to the wards, once a round. A line gets its request (or verdict) at most, 0 if left out.",
        (
            Parameter(
                "plan_json",
                Plan(),
                'units by ward and product; instead of units "requested" or "70%", "*" for the other products of a ward',
            ),
            _optional("rationale_json", Rationale(), "reasons by ward, naming the evidence ids they rest on"),
        ),
    ),
    Tool(Kind.ADVANCE_ROUND, "coordination", "Close the round: two days pass, and the wards ask again."),
    Tool(
        Kind.QUERY_WARD_HISTORY,
        "investigation",
        "Requested, allocated, consumed and stockouts of a ward per round, latest first.",
        (
            _WARD,
            _optional("product_id", Name("sku"), "this product only"),
            _optional("n_rounds", Whole(1, 1_000_000, default=10), "rounds to look back"),
        ),
    ),
    Tool(
        Kind.QUERY_ERP,
        "investigation",
        "ERP tables: inventory and expiry as of the previous round's opening, or open orders.",
        (Parameter("table", Choice(TABLES), "table"), _PLACE, _ONLY),
    ),
    Tool(Kind.QUERY_SUPPLIER, "investigation", "Lead time, price factor and disruption of a supplier.", (_SUPPLIER,)),
    Tool(
        Kind.ERP_ORACLE_GET_INVENTORY,
        "ERP Oracle",
        "Exact stock, as of the opening of the previous round.",
        (_PLACE, _ONLY),
    ),
    Tool(Kind.ERP_ORACLE_GET_PIPELINE, "ERP Oracle", "Open orders."),
    Tool(Kind.WMS_SCAN_INVENTORY, "WMS", "Live stock by lot, each count a few percent off.", (_PLACE, _ONLY)),
    Tool(
        Kind.SUPPLIER_PORTAL_REQUEST_QUOTE,
        "supplier portal",
        "Ask for a quote; it is ready next round, keeps today's lead time and takes a little off the price.",
        (_SUPPLIER, _PRODUCT, _UNITS),
    ),
    Tool(
        Kind.SUPPLIER_PORTAL_GET_QUOTE,
        "supplier portal",
        "Terms of a quote, or pending.",
        (Parameter("quote_id", Id("quote", "QT", "the id that supplier_portal_request_quote gave"), "quote, QT-0001"),),
    ),
    Tool(Kind.FINANCE_SAP_GET_BUDGET, "finance", "Limit, committed, spent, headroom, gate, open tickets."),
    Tool(
        Kind.FINANCE_SAP_REQUEST_APPROVAL,
        "finance",
        "File for the approval of an order above the gate: sound releases it, unsound cancels it.",
        (
            Parameter("approval_id", Id("ticket", "APR", "JUS tickets go to file_justification"), "ticket, APR-0001"),
            Parameter("justification", Claims(), _REASON),
        ),
    ),
    Tool(
        Kind.MESSAGING_SEND_TO_WARD,
        "messaging",
        "Write to a ward; it replies.",
        (_WARD, Parameter("body", Words(), "message")),
    ),
    Tool(
        Kind.REQUEST_EVIDENCE,
        "audit",
        "Ask a ward for census, acuity, recent actuals and events of a line; it may redact one field. Costs money, limited.",
        (_WARD, _SKU, _optional("evidence_type", Choice(FIELDS, default="all"), "what to show")),
    ),
    Tool(
        Kind.ESCALATE_TO_CLINICAL_REVIEW,
        "audit",
        "Put a line before the review board, before the plan; its verdict binds. Costs money, limited.",
        (_WARD, _SKU, Parameter("concern", Words(), "why")),
    ),
    Tool(
        Kind.SUBMIT_PO,
        "procurement",
        "Order to central or to a ward that stocks the product. Large and expedited orders wait for a ticket.",
        (
            _SUPPLIER,
            _PRODUCT,
            Parameter("destination_id", Name("location"), "where to"),
            _UNITS,
            _optional("priority", Choice(PRIORITIES, default="normal"), "expedited: a day earlier, dearer, a ticket"),
        ),
    ),
    Tool(
        Kind.FILE_JUSTIFICATION,
        "procurement",
        "Justify an expedited order: sound releases it, unsound cancels it.",
        (
            Parameter(
                "ticket_id", Id("ticket", "JUS", "APR tickets go to finance_sap_request_approval"), "ticket, JUS-0001"
            ),
            Parameter("reason", Claims(), _REASON),
        ),
    ),
    Tool(
        Kind.QUARANTINE_LOT,
        "procurement",
        "Set a lot (or all lots of a product) at one location aside for good.",
        (
            Parameter("location_id", Name("location"), "location"),
            _SKU,
            Parameter("lot_id", Lot(), "lot, LOT-0001 or RECALL-LOT-..., or all"),
        ),
    ),
)
"""The coordinator's tools, in the order of words.Kind."""

REPLIES: tuple[Tool, ...] = (
    Tool(
        Kind.REQUEST,
        "answer",
        "A ward asks for the round's supplies; products left out are requests of 0.",
        (
            Parameter("requests", Requests(), 'units by product; instead of units "120%" of the need'),
            _optional("reasons", Reasons(), "reason by product; census where left out"),
        ),
    ),
    Tool(
        Kind.DISCLOSE,
        "answer",
        "A ward discloses a line's facts and may keep one field back.",
        (Parameter("redact", Choice(REDACTIONS), "field kept back"),),
    ),
    Tool(
        Kind.RULE,
        "answer",
        "The review board rules on a line.",
        (
            Parameter("verdict", Choice(VERDICTS, first=1), "ruling"),
            _optional("quantity", Whole(1), "units to grant instead of the usual ones, with REDUCE or DENY"),
        ),
    ),
    Tool(Kind.REPLY, "answer", "A ward replies to a message.", (Parameter("body", Words(), "message"),)),
)
"""What wards and arbiter answer with, in the order of words.Kind."""

_BY_NAME = {tool.name: tool for tool in (*TOOLS, *REPLIES)}
_BY_KIND = {tool.kind: tool for tool in (*TOOLS, *REPLIES)}
_ASKED = {Phase.REQUEST: Kind.REQUEST, Phase.DISCLOSE: Kind.DISCLOSE, Phase.VERDICT: Kind.RULE, Phase.REPLY: Kind.REPLY}


def tool_of(kind: int) -> Tool:
    """The tool or answer of a kind of command."""
    return _BY_KIND[Kind(kind)]


def answer_asked(phase: Phase) -> Tool | None:
    """The answer that a phase asks for; None where the coordinator may call any tool."""
    kind = _ASKED.get(phase)
    return _BY_KIND[kind] if kind else None


class Built(NamedTuple):
    """A command (array of one) and the free text that came with it, by parameter (a rationale's: by ward)."""

    command: np.ndarray[Any, Any]
    said: dict[str, str]


class Registry:
    """The tools of one scenario."""

    def __init__(self, scenario: Scenario) -> None:
        """Take the names of its wards, SKUs, suppliers and locations."""
        self.scenario = scenario
        self.names = Names(scenario)

    def mcp(self, tools: tuple[Tool, ...] = TOOLS) -> list[dict[str, Any]]:
        """Tools as MCP lists them: name, description, inputSchema."""
        return [{"name": t.name, "description": t.description, "inputSchema": t.schema(self.names)} for t in tools]

    def openai(self, tools: tuple[Tool, ...] = TOOLS) -> list[dict[str, Any]]:
        """Tools as OpenAI's function calling wants them."""
        functions = [{"name": t.name, "description": t.description, "parameters": t.schema(self.names)} for t in tools]
        return [{"type": "function", "function": function} for function in functions]

    def described(self, tools: tuple[Tool, ...] = TOOLS) -> list[dict[str, Any]]:
        """Everything about each tool: name, system, signature, description, parameters."""
        return [
            {"name": t.name, "system": t.system, "signature": t.signature}
            | {"description": t.description, "parameters": t.schema(self.names)}
            for t in tools
        ]

    def table(self, tools: tuple[Tool, ...] = TOOLS) -> list[tuple[str, str, str]]:
        """(system, signature, description) of each tool."""
        return [(tool.system, tool.signature, tool.description) for tool in tools]

    def build(self, call: Call, phase: Phase, view: Any) -> Built:
        """The command that a call stands for, judged by the caller's view (one record) in `phase`.

        Raises:
            ToolError: no such tool or not now, an argument missing, unknown or illegal. Nothing has been carried out.
        """
        tool = self._tool(call.name, phase)
        command = new_commands(self.scenario.sizes)
        c = command[0]
        c["kind"] = tool.kind
        given = Given(self.names, view, tool.name, call.textual)
        known = {p.name for p in tool.parameters}
        for key in call.arguments:
            if key not in known:
                expected = f"the parameters of {tool.signature}" if known else f"no parameters for {tool.name}"
                raise ToolError("unknown_parameter", expected, came(key))
        for parameter in tool.parameters:
            given.parameter = parameter.name
            value = call.arguments.get(parameter.name)
            if value is not None:
                parameter.type.write(value, c, given)
            elif parameter.required:
                raise ToolError("missing_parameter", f"{parameter.name} for {tool.signature}", "a call without it")
            else:
                parameter.type.absent(c)
        return Built(command, given.said)

    def call_of(self, command: Any, view: Any, said: Mapping[str, str] | None = None) -> Call:
        """The call that stands for a command (one record), judged by the caller's view; `said` gives it its free text.

        `build` makes the same command of it, as far as the core reads it.

        Raises:
            ToolError: no tool has its kind.
        """
        tool = _BY_KIND.get(int(command["kind"]))  # type: ignore[call-overload]
        if tool is None:
            raise ToolError("unknown_tool", "a command of a tool", f"kind {int(command['kind'])}")
        given = Given(self.names, view, tool.name, said=dict(said or {}))
        arguments = {}
        for parameter in tool.parameters:
            given.parameter = parameter.name
            value = parameter.type.spell(command, given)
            if value is not None:
                arguments[parameter.name] = value
        return Call(tool.name, arguments)

    def _tool(self, name: str, phase: Phase) -> Tool:
        asked = answer_asked(phase)
        tool = _BY_NAME.get(name.strip()[:80].casefold())
        if asked is not None and tool is not asked:
            raise ToolError("not_your_turn", f"the answer {asked.signature}", came(name))
        if tool is None or (asked is None and tool in REPLIES):
            raise ToolError("unknown_tool", "the name of a tool", came(name), f"one of {listed(t.name for t in TOOLS)}")
        return tool
