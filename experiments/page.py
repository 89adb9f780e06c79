"""Self-contained HTML pages: text, tables and pictures in one file that asks nothing of the network.

Every report of the project is one `Page`; charts are matplotlib figures, embedded as SVG so that they stay sharp.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

STYLE = """
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5c6b7f;--line:#d9e0e8;--card:#fff;--back:#f3f6f9;--accent:#0b6e8a}
@media(prefers-color-scheme:dark){:root{--ink:#e8edf3;--soft:#9aa9ba;--line:#2d3947;--card:#19222d;--back:#10161d;
--accent:#5cc3de}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:1100px;margin:0 auto;padding:28px 16px 60px}
h1{font-size:1.7rem;margin:.2em 0}
h2{font-size:1.2rem;margin:0 0 .6em}
p.lead{color:var(--soft);margin:.2em 0 1.4em;overflow-wrap:anywhere}
section{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:18px 20px;margin:16px 0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem}
th,td{padding:5px 12px 5px 0;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th:first-child,td:first-child{text-align:left}
th{color:var(--soft);font-weight:600}
figure{margin:0;background:#fff;border-radius:8px;padding:6px}
svg{max-width:100%;height:auto}
code,pre{font:.86rem/1.5 ui-monospace,monospace}
pre{overflow-x:auto;margin:0}
footer{color:var(--soft);font-size:.85rem;margin-top:24px;overflow-wrap:anywhere}
"""


def table_html(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """An HTML table that scrolls by itself where the screen is narrow; floats are shown with three decimals."""
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(_shown(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _shown(cell: Any) -> str:
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)


def figure_html(figure: Any) -> str:
    """A matplotlib figure as an inline SVG, closed afterwards."""
    import matplotlib.pyplot as plt

    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    text = re.sub(r"<metadata>.*?</metadata>", "", buffer.getvalue(), flags=re.DOTALL)
    return f"<figure>{text[text.index('<svg') :]}</figure>"


class Page:
    """A page under construction; sections appear in the order in which they are added."""

    def __init__(self, title: str, lead: str, style: str = "", contents: bool = False) -> None:
        """Start a page with its title and one line on what it shows.

        `style` is added to the pages' common one; `contents` puts links to the sections on top.
        """
        self.title, self.lead, self.style, self.contents = title, lead, style, contents
        self._sections, self._headings = list[str](), list[str]()

    def add(self, heading: str, *parts: str) -> Page:
        """Add a section of ready HTML parts (table_html, figure_html, paragraph)."""
        self._headings.append(heading)
        name = _anchor(heading)
        self._sections.append(f'<section id="{name}"><h2>{escape(heading)}</h2>{"".join(parts)}</section>')
        return self

    def raw(self, part: str) -> Page:
        """Add a ready HTML part between sections."""
        self._sections.append(part)
        return self

    def html(self, footer: str = "") -> str:
        """The whole page."""
        links = "".join(f'<a href="#{_anchor(h)}">{escape(h)}</a>' for h in self._headings)
        nav = f"<nav>{links}</nav>" if self.contents else ""
        return (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(self.title)}</title>'
            '<meta name="viewport" content="width=device-width,initial-scale=1"><link rel="icon" href="data:,">'
            f"<style>{STYLE}{self.style}</style></head><body><main><h1>{escape(self.title)}</h1>"
            f'<p class="lead">{escape(self.lead)}</p>{nav}{"".join(self._sections)}'
            f"<footer>{escape(footer)}</footer></main></body></html>\n"
        )

    def write(self, path: Path, footer: str = "") -> None:
        """Write the page to a file."""
        path.write_text(self.html(footer), encoding="utf-8")


def _anchor(heading: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


def paragraph(text: str) -> str:
    """A paragraph of plain text."""
    return f"<p>{escape(text)}</p>"
