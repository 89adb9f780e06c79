"""Lines (ward, product) as text: requests, history, disclosures, verdicts."""

from __future__ import annotations

from typing import Any

from medchain.core.views import UNSEEN
from medchain.core.words import Field, Phase, Reason, Verdict
from medchain.tools.names import Names, an_id
from medchain.tools.show import trust
from medchain.tools.text_events import event_lines


def line_name(names: Names, w: int, k: int) -> str:
    """Ward and product."""
    return f"{names.wards[w]} {names.skus[k]}"


def ward_head(names: Names, view: Any, w: int) -> str:
    """A ward with its priority and reputation."""
    priority = names.scenario.wards[names.wards[w]].priority
    return f"{names.wards[w]} (priority {priority:g}, reputation {trust(int(view['reputation'][w]))})"


def request_lines(names: Names, view: Any) -> list[str]:
    """Per ward and line: requested, usual, reason, evidence, verdict, allocation."""
    lines = []
    for w in range(len(names.wards)):
        lines.append(ward_head(names, view, w))
        for k in names.lines(w):
            reason = Reason(int(view["reason"][w, k])).name.lower()
            critical = names.scenario.skus[names.skus[k]].criticality
            text = f"  {names.skus[k]} {critical}: asks {int(view['requested'][w, k])} (usual {names.usual(w, k)}), {reason}"
            if view["evidence"][w, k]:
                text += f", {an_id('EV', int(view['evidence'][w, k]))}"
            if int(view["verdict"][w, k]) != Verdict.NONE:
                text += f", verdict {Verdict(int(view['verdict'][w, k])).name}: at most {int(view['most_allowed'][w, k])}"
            if view["planned"]:
                text += f", allocated {int(view['allocated'][w, k])}"
            lines.append(text)
    return lines


def past_rounds(names: Names, view: Any) -> list[int]:
    """Rounds that are over, latest first; the history before the episode counts 0, -1 ..."""
    over = int(view["round"]) - (0 if int(view["phase"]) == Phase.ENDED else 1)
    return list(range(over, -names.scenario.clock.history_rounds, -1))


def history_line(names: Names, past: list[Any], rounds: list[int], k: int, usual: int) -> str:
    """One product's rounds: requested/allocated/consumed, * where it ran short. `past` holds its four columns."""
    first = names.scenario.clock.history_rounds - 1
    shown = []
    for r in rounds:
        asked, given, used, short = (int(column[first + r]) for column in past)
        shown.append(f"r{r} {asked}/{given}/{used}{'*' if short else ''}")
    return f"{names.skus[k]} (usual {usual}): {', '.join(shown) or 'no rounds'}"


def history_lines(names: Names, view: Any, w: int, sku: int, count: int) -> list[str]:
    """A ward's past as the coordinator sees it."""
    rounds = past_rounds(names, view)[:count]
    lines = [
        f"{names.wards[w]}: requested/allocated/consumed by round, latest first; * ran short; r0 and below: before round 1"
    ]
    for k in names.lines(w):
        if sku in (-1, k):
            columns = [view[f"past_{what}"][:, w, k] for what in ("requested", "allocated", "consumed", "short")]
            lines.append(history_line(names, columns, rounds, k, names.usual(w, k)))
    return lines if len(lines) > 1 else [f"{names.wards[w]} does not stock {names.skus[sku]}"]


def disclosure(names: Names, view: Any, w: int, k: int, what: int = 0) -> str:
    """The disclosure of a line, all of it or one field: 1 census, 2 acuity, 3 recent actuals, 4 events."""
    redacted, scenario = int(view["redacted"][w, k]), names.scenario
    parts = []
    if what in (0, 1):
        baseline = scenario.wards[names.wards[w]].census
        patients = int(view["patients"][w, k])
        kept = redacted == Field.CENSUS or patients == UNSEEN
        parts.append("census REDACTED by the ward" if kept else f"census {patients} patients (baseline {baseline})")
    if what in (0, 2):
        parts.append(f"acuity {int(view['acuity'][w, k]) / 1e6:.2f}")
    if what in (0, 3):
        parts.append(_actuals(names, view, w, k, redacted == Field.RECENT_ACTUALS))
    if what in (0, 4):
        parts.append(f"events: {'; '.join(event_lines(view))}")
    return f"{an_id('EV', int(view['evidence'][w, k]))} {line_name(names, w, k)}: {'; '.join(parts)}"


def _actuals(names: Names, view: Any, w: int, k: int, redacted: bool) -> str:
    if redacted:
        return "recent actuals REDACTED by the ward"
    first = names.scenario.clock.history_rounds - 1
    shown = []
    for r in past_rounds(names, view)[: names.scenario.evidence.recent_rounds]:
        given, used = (int(view[f"past_{what}"][first + r, w, k]) for what in ("allocated", "consumed"))
        shown.append(f"r{r} {given}/{used}{'*' if view['past_short'][first + r, w, k] else ''}")
    return f"recent allocated/consumed (* ran short) {', '.join(shown)}"
