"""Refusals of the core as sentences: what was expected, what came, what would be right."""

from __future__ import annotations

from typing import Any, NamedTuple

from medchain.core.words import Kind, OrderStatus, Phase, Refusal
from medchain.errors import ToolError
from medchain.tools.names import Names, an_id
from medchain.tools.registry import answer_asked, tool_of
from medchain.tools.show import listed, money
from medchain.tools.text_lines import line_name
from medchain.tools.text_orders import ticket_lines

Sentence = tuple[str, str, str]


class Refused(NamedTuple):
    """A refused command with its result, the caller's view (one record) and the names."""

    names: Names
    view: Any
    command: Any
    result: Any

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The numbers that its sentence needs."""
        return int(self.result["a"]), int(self.result["b"]), int(self.result["c"])


def refusal_error(refused: Refused) -> ToolError:
    """A refusal as the error it is."""
    refusal = Refusal(int(refused.result["refusal"]))
    what = {
        Refusal.UNKNOWN_WARD: "ward",
        Refusal.UNKNOWN_SKU: "sku",
        Refusal.UNKNOWN_SUPPLIER: "supplier",
        Refusal.UNKNOWN_LOCATION: "location",
    }.get(refusal)
    expected, came, right = _unknown(refused, what) if what else _SENTENCES[refusal](refused)
    return ToolError(refusal.name.lower(), expected, came, right)


def _unknown(r: Refused, what: str) -> Sentence:
    known = r.names.of[what]
    return f"a {what} number from 0 to {len(known) - 1}", str(r.numbers[0]), f"the numbers of {listed(known)}, in this order"


def _not_understood(r: Refused) -> Sentence:
    return "a legal call or answer", "one that cannot be understood", ""


def _ended(r: Refused) -> Sentence:
    rounds = r.names.scenario.clock.rounds
    return "no further call", "a call after the end", f"the episode ended after round {rounds}; reset to play another"


def _not_your_turn(r: Refused) -> Sentence:
    phase = Phase(r.numbers[0])
    asked = answer_asked(phase)
    expected = f"the answer {asked.signature}" if asked else "a tool of the coordinator"
    kind = int(r.command["kind"])
    came = tool_of(kind).name if Kind.GET_ROUND_BRIEFING <= kind <= Kind.REPLY else f"a command of kind {kind}"
    return expected, came, ""


def _unknown_lot(r: Refused) -> Sentence:
    lot, sku, _ = r.numbers
    right = f"the lots of {r.names.skus[sku]} that wms_scan_inventory shows, or all"
    return f"a lot of {r.names.skus[sku]}", _lot(r, lot), right


def _lot(r: Refused, lot: int) -> str:
    return "all" if lot == -1 else r.names.lot(r.view, lot)


def _prefix(r: Refused) -> str:
    return "APR" if int(r.command["kind"]) == Kind.FINANCE_SAP_REQUEST_APPROVAL else "JUS"


def _unknown_ticket(r: Refused) -> Sentence:
    prefix = _prefix(r)
    open_ones = listed(line.split(":")[0] for line in ticket_lines(r.names, r.view) if line.startswith(prefix))
    came = an_id(prefix, r.numbers[0]) if r.numbers[0] > 0 else "ticket number 0"
    return f"an {prefix} ticket of this episode", came, f"open: {open_ones or 'none'}"


def _ticket_closed(r: Refused) -> Sentence:
    order = r.numbers[0] - 1
    state = OrderStatus(int(r.view["order_status"][order])).name.lower().replace("_", " ")
    return "an open ticket", f"{an_id(_prefix(r), order + 1)}, whose order is {state}", "each ticket is filed once"


def _unknown_quote(r: Refused) -> Sentence:
    count = int(r.view["quote_count"])
    right = f"{an_id('QT', 1)} to {an_id('QT', count)}" if count else "ask with supplier_portal_request_quote first"
    return "a quote of this episode", f"quote number {r.numbers[0]}", right


def _not_a_line(r: Refused) -> Sentence:
    w, k, _ = r.numbers
    stocked = listed(r.names.skus[i] for i in r.names.lines(w))
    return f"a product that {r.names.wards[w]} stocks", r.names.skus[k], f"one of {stocked}"


def _out_of_range(r: Refused) -> Sentence:
    a, least, most = r.numbers
    what = ""
    if int(r.command["kind"]) == Kind.REQUEST:
        w = int(r.view["ward"])
        asked, limits = r.command["quantities"][w].tolist(), r.view["most"].tolist()
        what = next(
            f" of {sku}" for sku, units, top in zip(r.names.skus, asked, limits, strict=True) if not 0 <= units <= top
        )
    return f"a quantity{what} from {least} to {most}", str(a), ""


def _planned(r: Refused) -> Sentence:
    review = int(r.command["kind"]) == Kind.ESCALATE_TO_CLINICAL_REVIEW
    expected = "a review before the plan" if review else "one plan a round"
    return expected, "a call after this round's plan was committed", "advance_round when the round's other work is done"


def _not_requested(r: Refused) -> Sentence:
    w, k, _ = r.numbers
    return "a line with a request", f"{line_name(r.names, w, k)}, for which nothing was asked", "see view_requests"


def _budget(r: Refused) -> Sentence:
    cost, headroom, _ = r.numbers
    right = "a smaller order; the budget is for the whole episode and waiting orders hold their money"
    return f"at most the headroom of {money(headroom)}", f"a cost of {money(cost)}", right


def _used_up(what: str) -> Any:
    def sentence(r: Refused) -> Sentence:
        return f"at most {r.numbers[0]} {what} a round", "one more", "go on; the next round has its own"

    return sentence


def _too_late(r: Refused) -> Sentence:
    day, last, _ = r.numbers
    return f"an arrival by day {last}", f"an order that arrives on day {day}", "a faster supplier, or no order so late"


def _not_sold(r: Refused) -> Sentence:
    supplier, sku, _ = r.numbers
    name = r.names.skus[sku]
    sellers = [s for s, x in r.names.scenario.suppliers.items() if x.sells == "all" or name in x.sells]
    return f"a product that {r.names.suppliers[supplier]} sells", name, f"{listed(sellers)} sell it"


def _reviewed(r: Refused) -> Sentence:
    w, k, _ = r.numbers
    return "one review of a line a round", f"{line_name(r.names, w, k)} again", "its verdict stands for this round"


def _nothing(r: Refused) -> Sentence:
    lot, sku, place = r.numbers
    return (
        "usable units there",
        f"none of {r.names.skus[sku]} {_lot(r, lot)} at {r.names.locations[place]}",
        "see wms_scan_inventory",
    )


def _illegal_option(r: Refused) -> Sentence:
    return "a legal option", f"option {r.numbers[0]}", "one of the words that the schema lists"


_SENTENCES: dict[Refusal, Any] = {
    Refusal.NOT_UNDERSTOOD: _not_understood,
    Refusal.EPISODE_ENDED: _ended,
    Refusal.NOT_YOUR_TURN: _not_your_turn,
    Refusal.UNKNOWN_LOT: _unknown_lot,
    Refusal.UNKNOWN_TICKET: _unknown_ticket,
    Refusal.UNKNOWN_QUOTE: _unknown_quote,
    Refusal.NOT_A_LINE: _not_a_line,
    Refusal.QUANTITY_OUT_OF_RANGE: _out_of_range,
    Refusal.PLAN_ALREADY_COMMITTED: _planned,
    Refusal.NOT_REQUESTED: _not_requested,
    Refusal.TICKET_CLOSED: _ticket_closed,
    Refusal.BUDGET_EXCEEDED: _budget,
    Refusal.ORDERS_USED_UP: _used_up("orders"),
    Refusal.ARRIVES_TOO_LATE: _too_late,
    Refusal.NOT_SOLD: _not_sold,
    Refusal.EVIDENCE_USED_UP: _used_up("evidence requests"),
    Refusal.REVIEWS_USED_UP: _used_up("reviews"),
    Refusal.ALREADY_REVIEWED: _reviewed,
    Refusal.NOTHING_TO_QUARANTINE: _nothing,
    Refusal.ILLEGAL_OPTION: _illegal_option,
}
