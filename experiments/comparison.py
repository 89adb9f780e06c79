"""What `medchain eval --html` writes: policies beside each other, over the same seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from experiments.charts import Row, hues, percent, round_range, strip_chart, thinned
from experiments.evaluation import Result
from experiments.page import Page
from experiments.run_folder import versions
from experiments.statistics import CONFIDENCE, Estimate, cluster_bootstrap
from experiments.summary import CRITICAL, Summary, by_policy, differences, summarise
from experiments.svg import CLASSES, legend
from experiments.tables import interval, number

STYLE = (
    CLASSES
    + """
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,380px),1fr));gap:22px}
p.note{color:var(--soft);font-size:.9rem;margin:.2em 0 1em;max-width:75ch}
.legend{font-size:.84rem;color:var(--soft);margin:.3em 0 .9em}
.legend span{display:inline-block;margin-right:14px}
.legend i{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:5px;vertical-align:-1px}
.scroll{margin-top:14px}.scroll table{width:100%;max-width:980px}
td:first-child,th:first-child{position:sticky;left:0;background:var(--card);padding-right:14px;z-index:1}
td.heat{padding:5px 10px;text-align:right;border-bottom:2px solid var(--card)}
th{vertical-align:bottom}tr.total td{font-weight:600}
details>summary{cursor:pointer;color:var(--accent);font-size:.9rem;margin:.5em 0}
.scroll.tall{max-height:560px;overflow:auto}.scroll.tall thead th{position:sticky;top:0;background:var(--card)}
h3{font-size:1rem;margin:0 0 .5em}svg{max-width:560px}
@media(max-width:480px){main{padding:16px 10px 40px}section{padding:14px 12px}}
"""
)


MOST_ROWS = 300
"""Episodes that the table of every seed lists."""


def comparison_page(results: Sequence[Result]) -> Page:
    """The page of an evaluation."""
    summaries, seeds = summarise(results), len({r.seed for r in results})
    difficulties = list(dict.fromkeys(_short(r.difficulty) for r in results))
    lead = f"{', '.join(s.policy for s in summaries)} on {seeds} seeds, {', '.join(difficulties)}: {len(results)} episodes."
    page = Page("MedChain: comparison of coordinators", lead, style=STYLE)
    page.add("Score", *_score_parts(results, summaries))
    if len(summaries) > 1:
        page.add(f"Against {summaries[0].policy}, pair by pair", *_pair_parts(results))
    page.add("Components of the score", *_component_parts(summaries))
    page.add("Fill of each ward's lines", *_fill_parts(summaries))
    page.add("Every seed", *_seed_parts(results))
    return page


def footer() -> str:
    """The versions that can change a result."""
    return ", ".join(f"{name} {version}" for name, version in versions().items())


def _short(difficulty: str) -> str:
    return Path(difficulty).stem if Path(difficulty).suffix else difficulty


def _rows(
    results: Sequence[Result], value: Callable[[Result], float], shown: Callable[[float], str], possible: tuple[float, float]
) -> list[Row]:
    """One row a policy: a dot an episode."""
    colours = hues(list(dict.fromkeys(r.difficulty for r in results)))
    rows = []
    for policy, episodes in by_policy(results).items():
        values = [value(e) for e in episodes]
        mean = cluster_bootstrap(values, [e.seed for e in episodes], possible)
        dots = [(v, _title(e, shown(v)), colours[e.difficulty]) for e, v in zip(episodes, values, strict=True)]
        rows.append(Row(policy, thinned(dots), mean.mean, mean.low, mean.high))
    return rows


def _title(e: Result, value: str) -> str:
    return f"{e.policy}, {_short(e.difficulty)}, seed {e.seed}: {value}"


def _difficulty_legend(results: Sequence[Result]) -> str:
    colours = hues(list(dict.fromkeys(r.difficulty for r in results)))
    return legend([(hue, _short(name)) for name, hue in colours.items()])


def _score_parts(results: Sequence[Result], summaries: Sequence[Summary]) -> tuple[str, ...]:
    note = (
        f"A dot is an episode; the large dot is the mean, with its {CONFIDENCE:.0%} interval (seeds resampled). The "
        "bound is what a linear program that knows every future need could reach at most in that episode."
    )
    scores = strip_chart("scores by policy", _rows(results, lambda r: r.score, number, (0, 1)), 0, 1, lambda v: f"{v:.2f}")
    shares = _rows(results, lambda r: r.score / r.bound if r.bound else 0.0, percent, (0, 1))
    bound = strip_chart("share of the bound by policy", shares, 0, 1, percent)
    header = ("policy", "score", f"{CONFIDENCE:.0%} interval", "of bound", "episodes")
    rows = [[s.policy, s.score.mean, interval(s.score), f"{s.bound_share:.1%}", str(s.episodes)] for s in summaries]
    drawn = f"<div><h3>Score</h3>{scores}</div><div><h3>Share of the bound</h3>{bound}</div>"
    table = heat_table(header, rows, {1: 1.0})
    return f'<p class="note">{note}</p>{_difficulty_legend(results)}', f'<div class="pair">{drawn}</div>', table


def _pair_parts(results: Sequence[Result]) -> tuple[str, ...]:
    found = differences(results)
    drawn = _pair_chart("Score", results, lambda r: r.score, [d.score for d in found])
    critical = [d.critical_service_level for d in found]
    if all(estimate is not None for estimate in critical):
        drawn += _pair_chart("Critical service", results, lambda r: r.breakdown[CRITICAL], critical)
    header = ("policy", "score", "interval", "critical service", "interval", "score without audit", "interval")
    rows = [
        [d.policy, *_signed(d.score), *_signed(d.critical_service_level), *_signed(d.score_without_audit)] for d in found
    ]
    note = "Both play the same world, so its luck cancels out: a dot is one seed and difficulty."
    head = f'<p class="note">{note}</p>{_difficulty_legend(results)}'
    return head, f'<div class="pair">{drawn}</div>', heat_table(header, rows, {})


def _pair_chart(
    title: str, results: Sequence[Result], value: Callable[[Result], float | None], means: Sequence[Estimate | None]
) -> str:
    """Differences to the first policy, a dot a pair; pairs that lack the value are left out."""
    first, *others = by_policy(results).values()
    colours, rows = hues(list(dict.fromkeys(r.difficulty for r in results))), []
    for mean, episodes in zip(means, others, strict=True):
        dots = []
        for ours, theirs in zip(episodes, first, strict=True):
            mine, base = value(ours), value(theirs)
            if mine is not None and base is not None:
                dots.append((mine - base, _title(ours, f"{mine - base:+.3f}"), colours[ours.difficulty]))
        if mean is not None:
            rows.append(Row(episodes[0].policy, thinned(dots), mean.mean, mean.low, mean.high))
    low, high = round_range([0.0, *(v for row in rows for v, _, _ in row.dots)])
    chart = strip_chart(f"difference of {title.lower()} by pair", rows, low, high, lambda v: f"{v:+.2f}", zero=0.0)
    return f"<div><h3>{escape(title)}</h3>{chart}</div>"


def _signed(estimate: Estimate | None) -> tuple[str, str]:
    return ("-", "-") if estimate is None else (f"{estimate.mean:+.3f}", interval(estimate, signed=True))


def _component_parts(summaries: Sequence[Summary]) -> tuple[str, ...]:
    header = ("component", *[s.policy for s in summaries])
    rows = [[_words(name), *[s.components[name] for s in summaries]] for name in summaries[0].components]
    rows.append(["justification penalty", *[s.penalty for s in summaries]])
    rows.append(["score", *[s.score.mean for s in summaries]])
    note = "Means of the components as they enter the score; the last six earn in proportion to service."
    return f'<p class="note">{note}</p>', heat_table(header, rows, dict.fromkeys(range(1, len(header)), 1.0), total=True)


def _fill_parts(summaries: Sequence[Summary]) -> tuple[str, ...]:
    wards = list(dict.fromkeys(ward for s in summaries for ward in s.fill))
    rows = [[s.policy, *[s.fill.get(ward) for ward in wards]] for s in summaries]
    return (heat_table(("policy", *wards), rows, dict.fromkeys(range(1, len(wards) + 1), 1.0)),)


def _seed_parts(results: Sequence[Result]) -> tuple[str, ...]:
    found = {(r.difficulty, r.seed, r.policy): r for r in results}
    policies = list(by_policy(results))
    episodes = list(dict.fromkeys((r.difficulty, r.seed) for r in results))
    rows = []
    for difficulty, seed in episodes:
        mine = [found[difficulty, seed, policy] for policy in policies]
        rows.append([f"{_short(difficulty)} {seed}", *[r.score for r in mine], mine[0].bound])
    header = ("episode", *policies, "bound")
    table = heat_table(header, rows[:MOST_ROWS], dict.fromkeys(range(1, len(header)), 1.0))
    note = f'<p class="note">The first {MOST_ROWS} of {len(rows)}; --json has all.</p>' if len(rows) > MOST_ROWS else ""
    return note, table.replace('class="scroll"', 'class="scroll tall"')


def _words(name: str) -> str:
    return name.replace("_", " ")


def heat_table(
    header: Sequence[str], rows: Sequence[Sequence[object]], heated: dict[int, float], total: bool = False
) -> str:
    """A table whose columns in `heated` (number: value of full heat) are shaded; `total` sets the last row apart."""
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = []
    for i, row in enumerate(rows):
        cells = "".join(_cell(cell, heated.get(j)) for j, cell in enumerate(row))
        body.append(f'<tr class="total">{cells}</tr>' if total and i == len(rows) - 1 else f"<tr>{cells}</tr>")
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
    return f'<div class="scroll">{table}</div>'


def _cell(cell: object, full: float | None) -> str:
    if not isinstance(cell, float):
        return f"<td>{escape('-' if cell is None else str(cell))}</td>"
    if full is None:
        return f"<td>{number(cell)}</td>"
    share = min(1.0, max(0.0, cell / full))
    shade = f"background:color-mix(in srgb,var(--c0) {share * 45:.0f}%,transparent)"
    return f'<td class="heat" style="{shade}">{number(cell)}</td>'
