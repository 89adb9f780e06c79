"""What a coordinator's words can move: for each sampled token the ledgers of the score that its call is about.

A call about one SKU is told what that SKU earns, and what its tool is for; one that names several, each where it names it;
what is about nothing in particular is told everything. Texts are made of the tokens' own pieces, so nothing is tokenised.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from medchain.reward.ledgers import LEDGERS
from medchain.tools.parse import CLOSE, OPEN
from medchain.tools.registry import TOOLS

PURPOSE = {
    "get_round_briefing": ("briefing",),
    "submit_allocation_plan": ("audit",),
    "request_evidence": ("audit",),
    "escalate_to_clinical_review": ("audit",),
    "erp_oracle_get_inventory": ("systems",),
    "erp_oracle_get_pipeline": ("systems",),
    "wms_scan_inventory": ("systems",),
    "supplier_portal_request_quote": ("systems", "budget"),
    "supplier_portal_get_quote": ("systems", "budget"),
    "finance_sap_get_budget": ("systems",),
    "finance_sap_request_approval": ("systems", "approvals"),
    "messaging_send_to_ward": ("systems",),
    "submit_po": ("budget", "approvals", "justification"),
    "file_justification": ("justification",),
    "quarantine_lot": (),
}
"""Ledgers that a tool can move, beside those of the SKUs that its call names."""

PLAN, CITED = "submit_allocation_plan", "rationale_json"
Concern = tuple[int, ...]


class Concerns:
    """Reads what turns are about, in the names of one scenario."""

    def __init__(self, skus: Sequence[str]) -> None:
        """`skus` in the scenario's order: the first ledgers."""
        self.skus = list(skus)
        named = {name: len(self.skus) + i for i, name in enumerate(LEDGERS)}
        self.purpose = {tool: tuple(named[ledger] for ledger in found) for tool, found in PURPOSE.items()}
        self.all = tuple(range(len(self.skus) + len(LEDGERS)))
        self._call = re.compile(f"{re.escape(OPEN)}.*?(?:{re.escape(CLOSE)}|$)", re.DOTALL)
        self._tool = re.compile("|".join(rf"\b{tool.name}\b" for tool in TOOLS))
        longest = sorted(self.skus, key=len, reverse=True)
        self._sku = re.compile("|".join(map(re.escape, longest)))

    def kind(self, concern: Concern) -> tuple[str, ...]:
        """What ledgers of a concern are called, whichever SKUs it is about."""
        if concern == self.all:
            return ("everything",)
        several = sum(i < len(self.skus) for i in concern)
        about = ("sku",) if several == 1 else ("skus",) if several else ()
        return (*about, *(LEDGERS[i - len(self.skus)] for i in concern if i >= len(self.skus)))

    def of(self, pieces: Sequence[str]) -> list[Concern]:
        """The concern of each token of a turn, from their texts."""
        text = "".join(pieces)
        found = [self.all] * len(text)
        for call in self._call.finditer(text):
            start, stop = call.span()
            found[start:stop] = self._of_call(text[start:stop])
        ends = itertools.accumulate(len(piece) for piece in pieces)  # a token belongs where it ends: `"BLOOD-RBC` to its SKU
        return [found[end - 1] if end else self.all for end in ends]

    def _of_call(self, text: str) -> list[Concern]:
        """The concern of each character of a call."""
        tool = self._tool.search(text)
        purpose = self.purpose.get(tool[0]) if tool else None
        named = [(m.start(), self.skus.index(m[0])) for m in self._sku.finditer(text)]
        if tool is not None and tool[0] == PLAN:
            return self._of_plan(text, named)
        about = sorted({sku for _, sku in named})
        if purpose is None and not about:
            return [self.all] * len(text)
        return [(*about, *(purpose or ()))] * len(text)

    def _of_plan(self, text: str, named: Sequence[tuple[int, int]]) -> list[Concern]:
        """A share is about its SKU, what it is not given for about all of them, citing about audits."""
        purpose = self.purpose[PLAN]
        found: list[Concern] = [(*range(len(self.skus)), *purpose)] * len(text)
        cited = text.find(CITED)
        if cited >= 0:
            found[cited:] = [purpose] * (len(text) - cited)
        for at, sku in named:
            if 0 <= cited <= at:
                continue
            ends = [end for end in (text.find(mark, at) for mark in ",}<") if end >= 0]
            stop = min(ends, default=len(text))
            found[at:stop] = [(sku, *purpose)] * (stop - at)
        return found
