"""What wards and the arbiter are asked, what they know, and how a scripted ward talks."""

from __future__ import annotations

from typing import Any

from medchain.core.views import UNSEEN
from medchain.core.words import Field, Phase, Reason, Verdict
from medchain.tools.names import Names, an_id
from medchain.tools.registry import REDACTIONS
from medchain.tools.show import fitted, quoted, trust
from medchain.tools.text_events import event_lines
from medchain.tools.text_lines import history_line, line_name, past_rounds
from medchain.tools.text_round import clock, section
from medchain.tools.transcript import Said, Transcript

COLUMNS = ("requested", "allocated", "consumed", "short")


def own_lines(names: Names, view: Any) -> list[str]:
    """A ward's lines: need, stock and limits of this round, and the last rounds."""
    w, rounds = int(view["ward"]), past_rounds(names, view)[:3]
    lines = []
    for k in names.lines(w):
        need, stock, most = (int(view[column][k]) for column in ("need", "stock", "most"))
        past = history_line(names, [view[f"past_{c}"][:, k] for c in COLUMNS], rounds, k, names.usual(w, k))
        lines.append(f"{names.skus[k]}: need {need}, in stock {stock}, may ask 0 to {most}; {past.split(' ', 1)[1]}")
    return lines


def heard(said: list[Said], names: Names) -> list[str]:
    """Words of others, quoted, newest first."""
    return [f"round {s.round}, {names.agents[s.agent]} ({s.what}): {quoted(s.text)}" for s in said]


def ward_prompt(names: Names, view: Any, phase: Phase, transcript: Transcript) -> str:
    """What a ward is asked, with all it knows."""
    w, now = int(view["ward"]), int(view["round"])
    ward = names.scenario.wards[names.wards[w]]
    head = (
        f"{clock(names, view)}. You are {names.wards[w]} ({ward.title}), priority {ward.priority:g}, "
        f"reputation {trust(int(view['reputation']))}."
    )
    written = [s for what in ("message", "rationale") for s in transcript.about(what, w, since=now - 1)]
    if phase == Phase.REQUEST:
        ask = [
            "Ask for the next two days: what you ask for is the most you can get, stock is shared in proportion to what is "
            "granted, and unused blood is discarded.",
            'Answer with JSON: {"requests": {SKU: units}, "reasons": {SKU: census|restock|surge|buffer}}. '
            "Products left out are requests of 0.",
        ]
    elif phase == Phase.DISCLOSE:
        k = int(view["asked_sku"])
        ask = [
            f"The coordinator asks for evidence on {names.skus[k]}: you asked for {int(view['requested'][now - 1, k])} and "
            f"need {int(view['need'][k])}. Census, acuity, recent actuals and events will be shown as they are; you may "
            "keep one field back, which costs reputation.",
            f'Answer with JSON: {{"redact": {"|".join(REDACTIONS)}}}.',
        ]
    else:
        latest = written.pop(0) if written and written[0].what == "message" else None
        ask = [
            f"The coordinator writes: {quoted(latest.text if latest else '')}",
            'Answer with JSON: {"body": "your reply"}. Talk changes nothing by itself.',
        ]
    lines = [
        head,
        *ask,
        *section("Your lines (requested/allocated/consumed by round, * ran short)", own_lines(names, view)),
        *section("Events", event_lines(view)),
        *(section("What the coordinator wrote, newest first", heard(written, names)) if written else []),
    ]
    return fitted(lines, how="they are older")


def arbiter_prompt(names: Names, view: Any, transcript: Transcript) -> str:
    """What the review board is asked, with all it knows."""
    w, k = int(view["asked_ward"]), int(view["asked_sku"])
    priority, reputation = names.scenario.wards[names.wards[w]].priority, trust(int(view["reputation"][w]))
    request, estimate, now = int(view["request"]), int(view["estimate"]), int(view["round"])
    concern = next((s for s in transcript.about("concern", w, since=now) if s.sku == k), None)
    past = history_line(names, [view[f"past_{c}"] for c in COLUMNS], past_rounds(names, view), k, int(view["usual"]))
    lines = [
        f"{clock(names, view)}. You are the clinical review board. {line_name(names, w, k)} is before you.",
        f"Requested: {request} units ({Reason(int(view['reason'])).name.lower()}); your chart review estimates a need of "
        f"{estimate}; usual {int(view['usual'])}. A request above 1.10 x need is padded.",
        "APPROVE grants the request, REDUCE 1.05 x your estimate, DENY 0.95 x. With REDUCE or DENY you may name a quantity.",
        f"Ward: priority {priority:g}, reputation {reputation}.",
        f"Disclosure: {_disclosed(names, view, w)}",
        f"The coordinator's concern: {quoted(concern.text) if concern else 'none stated'}",
        f"History (requested/allocated/consumed by round, * ran short): {past}",
        *section("Events", event_lines(view)),
        *section("Verdicts of this round", _verdicts(names, view)),
        'Answer with JSON: {"verdict": "APPROVE|REDUCE|DENY", "quantity": optional units}.',
    ]
    return fitted(lines)


def _disclosed(names: Names, view: Any, w: int) -> str:
    if not view["evidence"]:
        return "none was asked for"
    redacted, patients = int(view["redacted"]), int(view["patients"])
    census = (
        "census REDACTED"
        if patients == UNSEEN
        else f"census {patients} (baseline {names.scenario.wards[names.wards[w]].census})"
    )
    kept = "; recent actuals REDACTED" if redacted == Field.RECENT_ACTUALS else ""
    return f"{an_id('EV', int(view['evidence']))}: {census}; acuity {int(view['acuity']) / 1e6:.2f}{kept}"


def _verdicts(names: Names, view: Any) -> list[str]:
    found = [
        f"{line_name(names, w, k)}: {Verdict(int(view['verdict'][w, k])).name}"
        for w in range(len(names.wards))
        for k in names.lines(w)
        if view["verdict"][w, k]
    ]
    return found or ["none yet"]


def scripted_reply(names: Names, view: Any) -> str:
    """A scripted ward's reply, in character. It rests on what the coordinator can see anyway, so it gives nothing away."""
    w, r = int(view["ward"]), int(view["round"]) - 1
    ward = names.scenario.wards[names.wards[w]]
    asked, k = max((int(view["requested"][r, k]) - names.usual(w, k), -k) for k in names.lines(w))
    biggest = f"{names.skus[-k]}, {int(view['requested'][r, -k])} against the usual {names.usual(w, -k)}"
    if ward.priority == max(other.priority for other in names.scenario.wards.values()):
        return f"{ward.title} here, briefly: our numbers follow our patients. Largest change: {biggest}. Ask for our charts."
    if ward.acute:
        tone = "It is what the doors brought in" if asked > 0 else "A calm board for once"
        return f"{ward.title} speaking. {tone}: {biggest}. If you doubt a line, ask for evidence, but do not make us wait."
    tone = "We have been cut before and we plan for it" if asked > 0 else "We ask for no more than usual"
    return f"{ward.title} has the most beds and gets what is left. {tone}: {biggest}. Please leave our request as it is."
