"""The audit trail: every line that was looked into, what came of it, and the padding of each round."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from experiments.charts import stack_chart
from experiments.page import table_html
from experiments.story.data import Story
from experiments.story.facts import Facts, plural, title_of
from experiments.story.lines import FULL
from experiments.svg import legend
from medchain.core.words import Field, Verdict
from medchain.tools.names import an_id

HEADER = ("round", "line", "asked", "need", "of need", "evidence", "redacted", "cited", "verdict", "got", "outcome")
HUE_OF = {
    "padding caught": "good",
    "padding cut by the plan": "good",
    "honest, served": "soft",
    "honest, approved": "warn",
    "honest, cut by the review": "bad",
    "padding approved": "bad",
    "padding paid": "bad",
    "honest, went short": "warn",
}


def outcome(f: Facts, r: int, w: int, k: int) -> str:
    """What the looking into a line came to, in words of HUE_OF."""
    verdict = Verdict(int(f.verdict[r, w, k]))
    if verdict == Verdict.APPROVE:
        return "padding approved" if f.padded[r, w, k] else "honest, approved"
    if verdict:
        return "padding caught" if f.padded[r, w, k] else "honest, cut by the review"
    if f.padded[r, w, k]:
        return "padding paid" if f.paid[r, w, k] else "padding cut by the plan"
    return "honest, served" if f.fill[r, w, k] >= FULL else "honest, went short"


def looked_into(f: Facts) -> Iterator[tuple[int, int, int]]:
    """(round, ward, SKU) of every line with evidence or a verdict, in order."""
    for r, w, k in zip(*((f.evidence > 0) | (f.verdict > 0)).nonzero(), strict=True):
        yield int(r), int(w), int(k)


def audit_row(f: Facts, r: int, w: int, k: int) -> list[str]:
    """One line as cells of HEADER."""
    asked, need, verdict = int(f.asked[r, w, k]), int(f.need[r, w, k]), int(f.verdict[r, w, k])
    return [
        str(r + 1),
        f"{f.names.wards[w]} {f.names.skus[k]}",
        str(asked),
        str(need),
        f"{asked / need:.2f}" if need else "-",
        an_id("EV", int(f.evidence[r, w, k])) if f.evidence[r, w, k] else "-",
        title_of(Field(int(f.redacted[r, w, k])).name) if f.redacted[r, w, k] else "-",
        "yes" if f.cited[r, w, k] else "-",
        f"{Verdict(verdict).name} to {int(f.granted[r, w, k])}" if verdict else "-",
        str(int(f.got[r, w, k])),
        outcome(f, r, w, k),
    ]


def padding_by_round(f: Facts) -> list[tuple[int, int, int, int]]:
    """By round that has closed: padded lines, of these caught by a verdict, cut by the plan, paid."""
    found = []
    for r in range(f.over):
        padded, caught, paid = f.padded[r], f.caught[r], f.paid[r] & ~f.caught[r]
        all_, by_verdict, through = int(padded.sum()), int(caught.sum()), int(paid.sum())
        found.append((all_, by_verdict, all_ - by_verdict - through, through))
    return found


def audit_section(story: Story, f: Facts) -> tuple[str, ...]:
    """Parts of the section on the audit trail."""
    counts = padding_by_round(f)
    rows = [audit_row(f, *line) for line in looked_into(f)]
    padded, caught, cut, through = (sum(row[i] for row in counts) for i in range(4))
    told = f"{plural(padded, 'padded request')}: {caught} caught by a verdict, {cut} cut by the plan, {through} paid."
    names = [str(r + 1) for r in range(f.over)]
    hues = [("good", "caught by a verdict"), ("c0", "cut by the plan"), ("bad", "paid")]
    series = [(words, hue, [row[i + 1] for row in counts]) for i, (hue, words) in enumerate(hues)]
    label = "padded requests by round: caught, cut by the plan, paid"
    chart = stack_chart(label, names, series) if names else '<p class="note">No round was closed.</p>'
    drawn = f'<div class="pair"><div>{legend(hues)}{chart}</div><div>{_words(story)}</div></div>'
    if not rows:
        return f'<p class="note">{told} Nobody looked into any of them.</p>', drawn
    table = table_html(HEADER, rows).replace('class="scroll"', 'class="scroll tall second"')
    for words, hue in HUE_OF.items():
        table = table.replace(f"<td>{words}</td>", f'<td><span class="chip {hue}">{words}</span></td>')
    return f'<p class="note">{told} {plural(len(rows), "line")} looked into.</p>', drawn, table


def _words(story: Story) -> str:
    """What was said, newest last, in a box of its own."""
    rows = []
    for said in story.said:
        who = story.replay.scenario.agents[said.agent]
        about = [story.names.name(what, n) for what, n in (("ward", said.ward), ("sku", said.sku)) if n >= 0]
        told = " ".join(name for name in about if name != who)
        head = escape(" · ".join(part for part in (f"round {said.round}", who, said.what, told) if part))
        rows.append(f'<p><small class="soft">{head}</small><br>“{escape(said.text)}”</p>')
    if not rows:
        return '<p class="note">No concern, justification, rationale or message was written.</p>'
    return f'<h3>What was said</h3><div class="scroll tall said">{"".join(rows)}</div>'
