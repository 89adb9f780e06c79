"""The score and what it is made of, service day by day, trust and money."""

from __future__ import annotations

from html import escape

from experiments.charts import Band, hues, line_chart, stack_chart
from experiments.page import table_html
from experiments.story.data import Story
from experiments.story.facts import Facts, dollars, event_title, title_of, ward_title
from experiments.svg import legend
from medchain.core.words import FIXED, Event
from medchain.reward.formula import COMPONENTS, GATED_FROM

EVENT_HUES = {
    Event.MCI: "bad",
    Event.SUPPLIER_DISRUPTION: "c1",
    Event.PRODUCT_RECALL: "c2",
    Event.COLD_CHAIN_BREACH: "c5",
}


def weights_of(story: Story) -> dict[str, float]:
    """Weights of the components that are present, rescaled to sum to 1."""
    parts = story.parts or {}
    given = dict(zip(COMPONENTS, story.session.params[0]["weights"].tolist(), strict=True))
    present = {name: weight for name, weight in given.items() if parts.get(name) is not None}
    total = sum(present.values()) or 1.0
    return {name: weight / total for name, weight in present.items()}


def tiles(story: Story, f: Facts) -> str:
    """The figures that one asks for first."""
    parts, s = story.parts, f.record
    fills = f.ward_fill(slice(0, max(f.over, 1)))
    padded, caught = int(f.padded.sum()), int(f.caught.sum())
    shown = [(f"{parts['score']:.3f}" if parts else "-", "score" if parts else "score: stopped before the end")]
    critical = parts.get("critical_service_level") if parts else None
    if critical is not None:
        shown.append((f"{critical:.0%}", "critical service"))
    shown += [(f"{fill:.0%}", f"fill {ward_title(name)}") for name, fill in zip(f.names.wards[:4], fills, strict=False)]
    shown.append((f"{caught} / {padded}", "padded requests caught"))
    spent = int(s["spent_on_orders"]) + int(s["spent_on_audit"])
    shown.append((f"{spent / max(1, int(s['limit'])):.0%}", f"spent of {dollars(int(s['limit']))}"))
    return (
        f'<div class="tiles">{"".join(f"<div class=tile><b>{b}</b><span>{escape(w)}</span></div>" for b, w in shown)}</div>'
    )


def score_section(story: Story) -> tuple[str, ...]:
    """Parts of the section on the score's breakdown."""
    parts = story.parts
    if parts is None:
        return ('<p class="note">The episode was stopped before its end; there is no score.</p>',)
    weights = weights_of(story)
    rows = [_part(name, parts[name], weights, gated=i >= GATED_FROM) for i, name in enumerate(COMPONENTS)]
    gate, penalty = parts["gate"] or 0.0, parts["justification_penalty"] or 0.0
    note = (
        "A bar is as long as the component's weight and as full as its value; beside it the value and its points. "
        f"Components with a dot earn in proportion to service: here times {gate:.3f}. "
        f"Penalty for unsound justifications: {penalty:.2f}."
    )
    return f'<p class="note">{note}</p>', "".join(rows)


def _part(name: str, value: float | None, weights: dict[str, float], gated: bool) -> str:
    """A component's row: name, bar, value, points."""
    title = f'<span class="name">{title_of(name)}{" ·" if gated else ""}</span>'
    if value is None:
        return f'<div class="part">{title}<span class="bar soft">nothing to judge</span></div>'
    long = weights[name] / max(weights.values())
    meter = f'<span class="meter" style="width:{long:.1%}"><i style="width:{value:.1%}"></i></span>'
    numbers = f'<b>{value:.3f}</b><span class="points soft">{value * weights[name]:.3f} of {weights[name]:.3f}</span>'
    return f'<div class="part">{title}<span class="bar">{meter}</span>{numbers}</div>'


def service_section(f: Facts) -> tuple[str, ...]:
    """Parts of the section on service day by day."""
    if f.over == 0:
        return ('<p class="note">No round was closed.</p>',)
    daily, days = f.daily_fill(), [str(d + 1) for d in range(f.over * f.days_per_round)]
    colours = hues(f.names.wards)
    bands = [
        Band(e.day - 1, min(e.days, len(days) - e.day + 1), EVENT_HUES[e.kind], _told(f, e.kind, e.day)) for e in f.events()
    ]
    series = [(name, colours[name], daily[:, w].tolist()) for w, name in enumerate(f.names.wards)]
    bands = [band for band in bands if band.length > 0]
    chart = line_chart("mean fill of each ward's lines by day, events shaded", days, series, bands=bands, height=230)
    swatches = legend([(colours[name], ward_title(name)) for name in f.names.wards])
    rows = [(f"day {e.day}", event_title(e.kind), _effect(f, e.kind)) for e in f.events()]
    told = table_html(("when", "event", "what it did"), rows) if rows else '<p class="note">No event came.</p>'
    told = told.replace('class="scroll"', 'class="words"')
    kinds = {e.kind for e in f.events()}
    shades = legend([(hue, event_title(kind)) for kind, hue in EVENT_HUES.items() if kind in kinds])
    note = "Share of the day's need that was met, mean over each ward's lines; events are shaded."
    return f'<p class="note">{note}</p>', f'<div class="pair"><div>{swatches}{chart}</div><div>{shades}{told}</div></div>'


def _told(f: Facts, kind: Event, day: int) -> str:
    return f"{event_title(kind)} from day {day}: {_effect(f, kind)}"


def _effect(f: Facts, kind: Event) -> str:
    e = f.names.scenario.events
    if kind == Event.MCI:
        factor = f.names.scenario.need.mci_factor
        return f"need of critical and high products times {factor:g} in acute wards, for {e.mci_days} days"
    if kind == Event.SUPPLIER_DISRUPTION:
        return f"{e.disrupted_supplier} takes {e.disrupted_lead_time_days} days to deliver, for {e.disruption_days} days"
    if kind == Event.PRODUCT_RECALL:
        used = int(f.record["recalled_used"].sum())
        return f"bad lots of {e.recall_sku} at the wards; {used} recalled units reached patients in all"
    return f"{e.breach_sku} at {e.breach_ward} quarantined"


def trust_section(story: Story, f: Facts) -> tuple[str, ...]:
    """Parts of the section on trust."""
    records = [chapter.opening for chapter in story.chapters] + [story.chapters[-1].closing]
    names = [*[str(chapter.number) for chapter in story.chapters], "end"]
    colours = hues(f.names.wards)
    drawn = []
    for field, told in (("pressure", "Hoarding pressure: how likely a line is padded"), ("reputation", "Reputation")):
        series = [
            (ward, colours[ward], [int(record[field][w]) / FIXED for record in records])
            for w, ward in enumerate(f.names.wards)
        ]
        chart = line_chart(f"{field} of each ward as rounds open", names, series, shown=lambda v: f"{v:.2f}")
        drawn.append(f"<div><h3>{told}</h3>{chart}</div>")
    note = "As each round opened. An audit skipped today is paid for in every later request; a fair hearing buys honesty."
    swatches = legend([(colours[ward], ward_title(ward)) for ward in f.names.wards])
    return f'<p class="note">{note}</p>', swatches, f'<div class="pair">{"".join(drawn)}</div>'


def money_section(story: Story, f: Facts) -> tuple[str, ...]:
    """Parts of the section on money."""
    records = [chapter.closing for chapter in story.chapters]
    names = [str(chapter.number) for chapter in story.chapters]
    columns = [("received orders", "c0", "spent_on_orders"), ("audit", "c2", "spent_on_audit")]
    columns.append(("open orders", "ghost", "committed"))
    series = [(words, hue, [int(record[field]) / 100 for record in records]) for words, hue, field in columns]
    limit = (int(f.record["limit"]) / 100, f"limit {dollars(int(f.record['limit']))}")
    chart = stack_chart("money by round", names, series, lambda v: f"${v / 1000:,.0f}k", limit)
    s = f.record
    rows = [
        ("spent on received orders", dollars(int(s["spent_on_orders"]))),
        ("committed to open orders", dollars(int(s["committed"]))),
        ("evidence and reviews", dollars(int(s["spent_on_audit"]))),
        ("limit of the episode", dollars(int(s["limit"]))),
        ("list value of ordered units used", dollars(int(s["ordered_value_used"]))),
        ("value expired or discarded", dollars(int(s["wasted_value"]))),
        ("unsound justifications", str(int(s["unsound"]))),
    ]
    swatches = legend([(hue, words) for words, hue, _ in columns])
    note = "The whole budget as it stood at each round's close."
    table = table_html(("at the end", ""), rows)
    return f'<p class="note">{note}</p>', f'<div class="pair"><div>{swatches}{chart}</div><div>{table}</div></div>'
