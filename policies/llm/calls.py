"""The legal turns of a coordinator as a grammar, from the tool registry; and commands spelled as that grammar's calls.

`spell` and `turns` use the same words, so what a teacher does is always something that constrained decoding allows.
"""

from __future__ import annotations

import bisect
from typing import Any

from medchain.core.words import EVERY, Event
from medchain.tools.arguments import Choice, Id, Lot, Name, Whole, Words
from medchain.tools.claims import EVENT_NAMES, Claims
from medchain.tools.names import FIRST_RECALL, Names
from medchain.tools.objects import Plan, Rationale
from medchain.tools.parse import CLOSE, OPEN
from medchain.tools.registry import TOOLS, Parameter, Tool, tool_of
from policies.llm.automaton import Grammar

GRID = [*range(1, 21), *range(22, 51, 2), *range(55, 101, 5), *range(110, 301, 10), *range(320, 601, 20), 700, 800, 900]
"""Units that a constrained turn may order."""

PERCENTS = [*range(0, 101, 5)]
IDS = 250
"""Ids of tickets, quotes and disclosures run from 1 to here."""

PHRASES = {"body": ["please ask for what you need"], "concern": ["asks for more than its patients need"]}
Part = tuple[int, int]


def near(units: int) -> int:
    """The grid's number closest to `units`."""
    at = bisect.bisect(GRID, units)
    return min(GRID[max(0, at - 1) : at + 1], key=lambda n: (abs(n - units), n))


def claim_words(names: Names) -> list[str]:
    """Justifications that a constrained turn may give."""
    return [*EVENT_NAMES, *(f"shortage of {sku}" for sku in names.skus), "supplier delay"]


def _head(tool: Tool) -> str:
    return f'{{"name": "{tool.name}", "arguments": {{'


class Turns:
    """Grammar of complete turns: one or more calls, each with its required parameters, then any of its optional ones."""

    def __init__(self, names: Names, grammar: Grammar) -> None:
        """Spell the tools of `names`'s scenario into `grammar`."""
        self.names, self.g = names, grammar

    def turn(self) -> Part:
        """A turn of the coordinator."""
        g = self.g
        call = g.either([self._call(tool) for tool in TOOLS])
        return g.repeat(g.chain(g.literal(OPEN), call, g.literal("}}"), g.literal(CLOSE)))

    def _call(self, tool: Tool) -> Part:
        parts = [self.g.literal(_head(tool))]
        for i, parameter in enumerate(tool.parameters):
            comma = ", " if i else ""
            if parameter.required:
                parts.append(self._given(parameter, comma))
            elif isinstance(parameter.type, Rationale | Choice | Name):
                parts.append(self.g.maybe(self._given(parameter, comma)))
                if not i:  # a comma depends on what came before: of optional first parameters at most one is spelled
                    break
        return self.g.chain(*parts)

    def _given(self, parameter: Parameter, comma: str) -> Part:
        g, kind = self.g, parameter.type
        key = f'{comma}"{parameter.name}": '
        if isinstance(kind, Whole):
            return g.chain(g.literal(key), self._one_of([str(n) for n in GRID]))
        if isinstance(kind, Plan):
            return g.chain(g.literal(key), self._plan())
        if isinstance(kind, Rationale):
            return g.chain(g.literal(key), self._rationale())
        if isinstance(kind, Id):
            value = g.chain(g.literal(f"{kind.prefix}-"), self._one_of([str(n) for n in range(1, IDS + 1)]))
        elif isinstance(kind, Lot):
            value = self._one_of(self._lots())
        elif isinstance(kind, Claims):
            value = self._one_of(claim_words(self.names))
        elif isinstance(kind, Words):
            value = self._one_of(PHRASES[parameter.name])
        else:
            value = self._one_of(kind.words(self.names))
        return g.chain(g.literal(f'{key}"'), value, g.literal('"'))

    def _lots(self) -> list[str]:
        """All lots of a product, or the lots that a recall is about."""
        recalls = self.names.scenario.sizes.events
        return ["all", *(f"{self.names.recall_prefix}{FIRST_RECALL + n}" for n in range(recalls))]

    def _one_of(self, words: list[str]) -> Part:
        return self.g.either([self.g.literal(word) for word in words])

    def _share(self) -> Part:
        return self._one_of([f'"{p}%"' for p in PERCENTS])

    def _plan(self) -> Part:
        g, parts = self.g, [self.g.literal("{")]
        for w, ward in enumerate(self.names.wards):
            skus = [
                g.maybe(g.chain(g.literal(f'"{self.names.skus[k]}": '), self._share(), g.literal(", ")))
                for k in self.names.lines(w)  # each at most once, in order: a key that comes twice is refused
            ]
            each = g.chain(g.literal("{"), *skus, g.literal('"*": '), self._share(), g.literal("}"))
            parts += [g.literal(f'{", " if w else ""}"{ward}": '), g.either([each, self._share()])]
        return g.chain(*parts, g.literal("}"))

    def _rationale(self) -> Part:
        g, parts = self.g, [self.g.literal("{")]
        for w, ward in enumerate(self.names.wards):
            cite = g.chain(g.literal(" EV-"), self._one_of([str(n) for n in range(1, IDS + 1)]))
            parts += [g.literal(f'{", " if w else ""}"{ward}": "'), g.maybe(g.repeat(cite)), g.literal('"')]
        return g.chain(*parts, g.literal("}"))


class Speller:
    """Commands as calls in the words of `Turns`, for imitation."""

    def __init__(self, names: Names) -> None:
        """Spell with the names of one scenario."""
        self.names = names

    def spell(self, command: Any, view: Any) -> str:
        """One command of the coordinator as a call, `view` being what it sees as it makes the call."""
        tool = tool_of(int(command["kind"]))
        given: list[str] = []
        for parameter in tool.parameters:
            value = self._value(parameter, command, view)
            if value:
                given.append(f'{", " if given else ""}"{parameter.name}": {value}')
        return f"{OPEN}{_head(tool)}{''.join(given)}}}}}{CLOSE}"

    def _value(self, parameter: Parameter, c: Any, view: Any) -> str:
        kind = parameter.type
        if isinstance(kind, Plan):
            return self._plan(c, view)
        if isinstance(kind, Rationale):
            return self._rationale(c, view)
        if isinstance(kind, Whole):
            return str(near(int(c["quantity"]))) if parameter.required else ""
        if isinstance(kind, Name):
            number = int(c[kind.what])
            return "" if number == EVERY else f'"{self.names.of[kind.what][number]}"'
        if isinstance(kind, Choice):
            option = int(c["option"]) - kind.first
            return f'"{kind.choices[option]}"' if parameter.required or option else ""
        if isinstance(kind, Id):
            return f'"{kind.prefix}-{int(c[kind.column]) + 1}"'
        if isinstance(kind, Claims):
            return f'"{self._claim(c)}"'
        if isinstance(kind, Lot):
            return f'"{self.names.lot(view, int(c["lot"]))}"'
        return f'"{PHRASES[parameter.name][0]}"'

    def _claim(self, c: Any) -> str:
        """The first claim that the command makes."""
        for kind in Event:
            if int(c["claimed_types"]) >> kind & 1:
                return kind.name.lower()
        for k, sku in enumerate(self.names.skus):
            if int(c["claimed_skus"]) >> k & 1:
                return f"shortage of {sku}"
        return "supplier delay" if c["claimed_supplier"] else f"shortage of {self.names.skus[0]}"

    def _plan(self, c: Any, view: Any) -> str:
        wards = []
        for w, ward in enumerate(self.names.wards):
            share = {k: self._percent(int(c["quantities"][w, k]), int(view["requested"][w, k])) for k in self.names.lines(w)}
            usual = max(PERCENTS, key=lambda p: (list(share.values()).count(p), p))
            apart = "".join(f'"{self.names.skus[k]}": "{p}%", ' for k, p in share.items() if p != usual)
            wards.append(f'"{ward}": {{{apart}"*": "{usual}%"}}' if apart else f'"{ward}": "{usual}%"')
        return f"{{{', '.join(wards)}}}"

    def _percent(self, units: int, requested: int) -> int:
        if requested <= 0:
            return 100
        return min(PERCENTS, key=lambda p: (abs(p * requested - 100 * units), -p))

    def _rationale(self, c: Any, view: Any) -> str:
        if not c["cites"].any():
            return ""
        wards = []
        for w, ward in enumerate(self.names.wards):
            ids = "".join(f" EV-{int(view['evidence'][w, k])}" for k in self.names.lines(w) if c["cites"][w, k])
            wards.append(f'"{ward}": "{ids}"')
        return f"{{{', '.join(wards)}}}"
