"""The round as text: the briefing tool, the brief that opens a coordinator's context, and its short form."""

from __future__ import annotations

from typing import Any

from medchain.core.words import Phase, Verdict
from medchain.tools.names import Names, an_id
from medchain.tools.show import fitted, quoted, trust
from medchain.tools.text_events import current_events, event_line, event_lines, mail_lines, unread
from medchain.tools.text_lines import line_name, request_lines, ward_head
from medchain.tools.text_orders import arrivals, budget_lines, on_order, pipeline_lines, quote_lines, ticket_lines
from medchain.tools.text_stock import erp_age, stock_lines, totals

MOST_OF_A_BRIEF = 6_000
"""Characters of the brief that every round's context begins with."""


def section(title: str, lines: list[str]) -> list[str]:
    """Lines under a title."""
    return [f"{title}:", *[f"- {line}" if not line.startswith(" ") else line for line in lines]]


def clock(names: Names, view: Any) -> str:
    """Where the episode stands."""
    c = names.scenario.clock
    return f"Round {int(view['round'])} of {c.rounds}, day {int(view['day'])} of {c.rounds * c.days_per_round}"


def left(view: Any) -> str:
    """What the coordinator may still do this round."""
    plan = "plan committed" if view["planned"] else "plan not submitted"
    calls, orders, evidence, reviews = (int(view[f"{what}_left"]) for what in ("calls", "orders", "evidence", "reviews"))
    return f"{calls} calls, {orders} orders, {evidence} evidence requests, {reviews} reviews left; {plan}"


def briefing(names: Names, view: Any, mail: int) -> str:
    """get_round_briefing: `mail` has the bits of the messages it shows."""
    lines = [
        f"{clock(names, view)}. {left(view)}.",
        *section("Budget", budget_lines(names, view)),
        *section("Events", event_lines(view)),
        *section("Unread mail (now read)", mail_lines(names, view, mail)),
        *section("Requests, units for the two days", request_lines(names, view)),
        *section(f"ERP stock, {erp_age(view)}", stock_lines(names, view, "erp")),
        *section("Open tickets", ticket_lines(names, view)),
        *section("Pipeline, newest first", pipeline_lines(names, view)),
    ]
    return fitted(lines, how="see erp_oracle_get_pipeline")


def last_round(names: Names, view: Any) -> list[str]:
    """What came of the round that closed last, line by line where it ran short."""
    over = int(view["round"]) - (0 if int(view["phase"]) == Phase.ENDED else 1)
    if over == 0:
        return ["this is the first round"]
    at, days = names.scenario.clock.history_rounds + over - 1, names.scenario.clock.days_per_round
    lines = []
    for w in range(len(names.wards)):
        short = [
            f"{names.skus[k]} (asked {int(view['past_requested'][at, w, k])}, "
            f"allocated {int(view['past_allocated'][at, w, k])}, consumed {int(view['past_consumed'][at, w, k])})"
            for k in names.lines(w)
            if view["past_short"][at, w, k]
        ]
        lines.append(f"{names.wards[w]} ran short of {', '.join(short) if short else 'nothing'}")
    first = days * over - days + 2
    return lines + [f"arrived: {line}" for line in arrivals(names, view, first, first + days - 1)]


def verdict_lines(names: Names, view: Any) -> list[str]:
    """This round's disclosures and verdicts."""
    lines = []
    for w in range(len(names.wards)):
        for k in names.lines(w):
            if view["evidence"][w, k]:
                lines.append(f"{an_id('EV', int(view['evidence'][w, k]))} {line_name(names, w, k)}")
            verdict = Verdict(int(view["verdict"][w, k]))
            if verdict != Verdict.NONE:
                lines.append(
                    f"verdict on {line_name(names, w, k)}: {verdict.name}, at most {int(view['most_allowed'][w, k])}"
                )
    return lines


def brief(names: Names, view: Any, params: Any, note: str = "") -> str:
    """What must survive when the coordinator's context starts afresh at a round's opening."""
    lines = [
        f"{clock(names, view)}. {left(view)}.",
        *section("Last round", last_round(names, view)),
        *section("Wards", [ward_head(names, view, w) for w in range(len(names.wards))]),
        *section("Budget", budget_lines(names, view)),
        *section("Events", [*event_lines(view), f"{unread(view)} unread messages (read_inbox)"]),
    ]
    if note:
        lines.append(f"Your note to yourself: {quoted(note)}")
    for title, found in (("This round", verdict_lines(names, view)), ("Quotes", quote_lines(names, view, params))):
        lines += section(title, found) if found else []
    lines += section("Open tickets", ticket_lines(names, view))
    lines += section("Open orders, newest first", pipeline_lines(names, view))
    return fitted(lines, MOST_OF_A_BRIEF, how="see erp_oracle_get_pipeline")


def short_brief(names: Names, view: Any, note: str = "") -> str:
    """The same and all requests in a few hundred tokens, for tiny models.

    Per ward its reputation and `SKU asked/usual` (`!`: ran short last round, `=n`: ruled to n); per SKU central's scanned
    stock and what is on order.
    """
    over = names.scenario.clock.history_rounds + int(view["round"]) - 2
    head = f"round {int(view['round'])} day {int(view['day'])} calls {int(view['calls_left'])} plan {int(view['planned'])}"
    lines = [head, f"headroom {int(view['headroom']) // 100} of {int(view['limit']) // 100}"]
    lines += [f"event {event_line(view, e)}" for e in current_events(view)]
    if unread(view):
        lines.append(f"mail {unread(view)}")
    for w in range(len(names.wards)):
        asked = []
        for k in names.lines(w):
            short = "!" if over >= 0 and view["past_short"][over, w, k] else ""
            ruled = f"={int(view['most_allowed'][w, k])}" if view["verdict"][w, k] else ""
            evidence = f" {an_id('EV', int(view['evidence'][w, k]))}" if view["evidence"][w, k] else ""
            asked.append(f"{names.skus[k]} {int(view['requested'][w, k])}/{names.usual(w, k)}{short}{ruled}{evidence}")
        lines.append(f"{names.wards[w]} {trust(int(view['reputation'][w]))}: {', '.join(asked)}")
    stock, coming = totals(names, view, "scan"), on_order(names, view)
    central = [f"{sku} {stock[k][0]}" + (f"+{coming[k]}" if coming[k] else "") for k, sku in enumerate(names.skus)]
    lines.append(f"central: {', '.join(central)}")
    tickets = [line.split(":")[0] for line in ticket_lines(names, view) if ":" in line]
    lines += [f"ticket {ticket}" for ticket in tickets]
    if note:
        lines.append(f"note {quoted(note)}")
    return fitted(lines)
