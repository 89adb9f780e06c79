"""The timeline: a card for each round with what it brought, and every call of it folded inside."""

from __future__ import annotations

from html import escape

from experiments.story.audit import padding_by_round
from experiments.story.data import Call, Chapter, Story
from experiments.story.facts import Facts, dollars, event_title, plural, ward_title
from experiments.story.score import EVENT_HUES

NOTE = "What each round brought; beneath, every call and answer: open a round, then a call for what came back."
_GOOD, _FAIR = 0.9, 0.7


def card(story: Story, f: Facts, chapter: Chapter) -> str:
    """One round."""
    r, first = chapter.number - 1, (chapter.number - 1) * f.days_per_round + 1
    days = range(first, first + f.days_per_round)
    chips = [
        f'<span class="chip" style="color:var(--{EVENT_HUES[e.kind]})">{event_title(e.kind)}</span> '
        for e in f.events()
        if e.day in days
    ]
    head = f"<h3>Round {chapter.number} <small>days {days[0]} to {days[-1]}</small></h3>"
    fills = _fills(f, r) if r < f.over else '<p class="note">Stopped here.</p>'
    told = "".join(f"<li>{escape(line)}</li>" for line in told_of(f, chapter))
    return f'<article class="round">{head}{"".join(chips)}{fills}<ul>{told}</ul></article>'


def calls_of(chapter: Chapter) -> str:
    """Every call and answer of a round, folded."""
    mine = sum(1 for call in chapter.calls if call.agent == "coordinator")
    told = (
        f"Round {chapter.number}: {plural(mine, 'call')} of the coordinator, {plural(len(chapter.calls) - mine, 'answer')}"
    )
    return f"<details><summary>{told}</summary>{''.join(map(_call, chapter.calls))}</details>"


def _fills(f: Facts, r: int) -> str:
    rows = []
    for name, fill in zip(f.names.wards, f.ward_fill(slice(r, r + 1)), strict=True):
        hue = "good" if fill >= _GOOD else "warn" if fill >= _FAIR else "bad"
        meter = f'<span class="meter"><i style="width:{fill:.1%};background:var(--{hue})"></i></span>'
        rows.append(f"<span>{escape(ward_title(name))}</span>{meter}<span>{fill:.0%}</span>")
    return f'<div class="fills">{"".join(rows)}</div>'


def told_of(f: Facts, chapter: Chapter) -> list[str]:
    """A round in a few sentences; the terminal shows them too."""
    r, before, after = chapter.number - 1, chapter.opening, chapter.closing
    told = [f"{int(f.padded[r].sum())} of {int(f.lines.sum())} lines padded"]
    if r < f.over:
        _, caught, cut, paid = padding_by_round(f)[r]
        told[0] += f": {caught} caught, {cut} cut, {paid} paid"
    evidence, reviews = int((f.evidence[r] > 0).sum()), int((f.verdict[r] > 0).sum())
    if evidence or reviews:
        told.append(f"{plural(evidence, 'disclosure')}, {plural(reviews, 'review')}")
    orders = range(int(before["order_count"]), int(after["order_count"]))
    if orders:
        cost = sum(int(after["order_cost"][o]) for o in orders)
        told.append(f"{plural(len(orders), 'order')} for {dollars(cost)}")
    wasted = int(after["wasted_value"]) - int(before["wasted_value"])
    if wasted:
        told.append(f"{dollars(wasted)} wasted")
    refused = sum(1 for call in chapter.calls if call.refused)
    if refused:
        told.append(f"{plural(refused, 'call')} refused")
    if not f.record["planned"][r] and r < f.over:
        told.append("no allocation plan")
    return told


def _call(call: Call) -> str:
    refused = f' <span class="chip bad">{escape(call.refused.replace("_", " "))}</span>' if call.refused else ""
    arguments = f" <code>{escape(_clipped(call.arguments))}</code>" if call.arguments else ""
    head = f'<span class="who">{escape(call.agent)}</span><b>{escape(call.tool)}</b>{arguments}{refused}'
    whole = f"{call.arguments}\n\n" if len(call.arguments) > _MOST else ""
    return f'<details class="call"><summary>{head}</summary><pre>{escape(whole + call.text)}</pre></details>'


_MOST = 150


def _clipped(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[: _MOST - 1]}…"


def rounds_section(story: Story, f: Facts) -> tuple[str, ...]:
    """Parts of the section with the timeline."""
    cards = "".join(card(story, f, chapter) for chapter in story.chapters)
    calls = "".join(map(calls_of, story.chapters))
    return f'<p class="note">{NOTE}</p>', f'<div class="rounds">{cards}</div><h3>Calls</h3>{calls}'
