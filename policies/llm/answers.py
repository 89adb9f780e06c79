"""The legal answers of wards and the arbiter as grammars: small JSON objects, by the form that is asked for."""

from __future__ import annotations

from collections.abc import Iterable

from medchain.core.words import COORDINATOR
from medchain.scenario import Scenario
from medchain.tools.names import Names
from medchain.tools.objects import REASONS
from medchain.tools.registry import REDACTIONS, VERDICTS
from policies.llm.automaton import Grammar
from policies.llm.calls import GRID, Part

TURN, DISCLOSE, REPLY, RULE = "turn", "disclose", "reply", "rule"
SHARE_STEP = 10
"""Percent of a line's need between the requests that a constrained ward may choose from."""

REPLIES = ("we ask for what our patients need", "please leave our request as it is", "we can do with less")


def request_form(ward: int) -> str:
    """Form of the requests of ward number `ward`: each has lines of its own."""
    return f"request_{ward}"


def forms_of(agents: Iterable[int], scenario: Scenario) -> list[str]:
    """Every form that these agents may be asked for, sorted."""
    found: set[str] = set()
    for agent in agents:
        if agent == COORDINATOR:
            found.add(TURN)
        elif agent <= len(scenario.wards):
            found |= {request_form(agent - 1), DISCLOSE, REPLY}
        else:
            found.add(RULE)
    return sorted(found)


class Answers:
    """Grammars of answers."""

    def __init__(self, names: Names, grammar: Grammar) -> None:
        """Spell the answers of `names`'s scenario into `grammar`."""
        self.names, self.g = names, grammar

    def answer(self, form: str) -> Part:
        """An answer of a form other than a turn of calls."""
        if form == DISCLOSE:
            return self._word('{"redact": "', REDACTIONS, '"}')
        if form == REPLY:
            return self._word('{"body": "', REPLIES, '"}')
        if form == RULE:
            return self._ruling()
        return self._requests(int(form.removeprefix("request_")))

    def _word(self, before: str, words: Iterable[str], after: str) -> Part:
        return self.g.chain(self.g.literal(before), self._one_of(words), self.g.literal(after))

    def _one_of(self, words: Iterable[str]) -> Part:
        return self.g.either([self.g.literal(word) for word in words])

    def _ruling(self) -> Part:
        """A verdict; with the cuts a quantity may be named."""
        g, cuts = self.g, [verdict for verdict in VERDICTS if verdict != "APPROVE"]
        amount = g.chain(g.literal(', "quantity": '), self._one_of([str(n) for n in GRID]))
        cut = g.chain(self._one_of(cuts), g.literal('"'), g.maybe(amount))
        return g.chain(g.literal('{"verdict": "'), g.either([cut, g.literal('APPROVE"')]), g.literal("}"))

    def _requests(self, ward: int) -> Part:
        """A share of its need for every line of the ward, then reasons for those that are not asked for by census."""
        g, skus = self.g, [self.names.skus[k] for k in self.names.lines(ward)]
        most = int(100 * self.names.scenario.need.legal_request)
        parts = [g.literal('{"requests": {')]
        for i, sku in enumerate(skus):
            shares = [f'"{percent}%"' for percent in range(0, most + 1, SHARE_STEP)]
            parts += [g.literal(f'{", " if i else ""}"{sku}": '), self._one_of(shares)]
        firsts = [self._reasons_from(i, skus) for i in range(len(skus))]
        reasons = g.chain(g.literal('}, "reasons": {'), g.either(firsts), g.literal("}}"))
        return g.chain(*parts, g.either([g.literal("}}"), reasons]))

    def _reasons_from(self, first: int, skus: list[str]) -> Part:
        """Reasons of which that of line `first` comes first: only what follows it has a comma before it."""
        g = self.g
        return g.chain(self._reason(skus[first], ""), *(g.maybe(self._reason(sku, ", ")) for sku in skus[first + 1 :]))

    def _reason(self, sku: str, comma: str) -> Part:
        return self._word(f'{comma}"{sku}": "', [r for r in REASONS if r != REASONS[0]], '"')
