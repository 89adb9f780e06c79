"""What a justification claims and what a rationale cites: free text in, facts for the core out.

A text claims whatever it names: "no MCI is on" names an MCI. An event is named by type words or by its id, a shortage by a
SKU (its id, its title, or the title's last word if no other SKU shares it) or by supply words, a supplier problem by such
words.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from medchain.core.words import Event
from medchain.errors import ToolError
from medchain.tools.arguments import MOST_WORDS, Given, Type, spoken
from medchain.tools.jsons import decode
from medchain.tools.names import Names, event_id, id_number
from medchain.tools.show import came, listed

EVENT_NAMES = [kind.name.lower() for kind in Event]
_EVENT_WORDS = {
    Event.MCI: r"\bmcis?\b|mass[\s_-]*casualt|\bcasualt(?:y|ies)\b",
    Event.SUPPLIER_DISRUPTION: r"(?:supplier|supply)[\s_-]*disruption",
    Event.PRODUCT_RECALL: r"product[\s_-]*recall|(?<!\bi )(?<!\bwe )\brecall(?:s|ed)?\b",
    Event.COLD_CHAIN_BREACH: r"cold[\s_-]*chain|\brefrigerat|temperature (?:excursion|breach)",
}
EVENT_PATTERNS = {kind: re.compile(words, re.IGNORECASE) for kind, words in _EVENT_WORDS.items()}
EVENT_ID = re.compile(r"\bEVT-(\d{1,9})\b", re.IGNORECASE | re.ASCII)
EVIDENCE_ID = re.compile(r"\bEV-(\d{1,9})\b", re.IGNORECASE | re.ASCII)
SHORTAGE = re.compile(
    r"\bshort(?:age|ages|fall|ing)?\b|stock[\s-]*outs?\b|out of stock|"
    r"(?:low|thin|scarce|insufficient|inadequate) (?:on )?(?:stock|supply|supplies|inventory)|"
    r"stock (?:is|are|runs?|running) (?:low|out|short)|run(?:s|ning)? (?:low|out|short)\b|deplet|"
    r"\bbelow par\b|\breplenish|\bscarc|not enough|insufficient",
    re.IGNORECASE,
)
SUPPLIER = re.compile(
    r"(?:supplier|vendor|supply chain)\b.{0,40}"
    r"\b(?:delay|late\b|problem|issue|outage|disrupt|down\b|fail|unreliable|backlog)|"
    r"(?:delay|problem|issue|outage|disrupt|failure|backlog)\w*\b.{0,40}\b(?:supplier|vendor)|"
    r"(?:longer|increased|extended|long) lead[\s-]*times?|back[\s-]*order(?:ed|s)?\b",
    re.IGNORECASE,
)


ORDERED_ONE = "shortage of the ordered product"


@lru_cache(maxsize=16)
def _sku_patterns(titles: tuple[tuple[str, str], ...]) -> tuple[re.Pattern[str], ...]:
    """One pattern per (SKU, title): its id, its title up to a comma, its title's last word if that is its alone."""
    plain = [re.sub(r",.*", "", title).casefold() for _, title in titles]
    words = [re.findall(r"[a-z]{4,}", title) for title in plain]
    patterns = []
    for i, (sku, _) in enumerate(titles):
        options = [r"[\s_-]?".join(re.escape(part) for part in re.split(r"[-_\s]", sku)), re.escape(plain[i])]
        last = words[i][-1] if words[i] else ""
        if last and not any(last in other for j, other in enumerate(words) if j != i):
            options.append(re.escape(last.removesuffix("s")) + "s?")
        patterns.append(re.compile(rf"(?<![\w-])(?:{'|'.join(options)})(?![\w-])", re.IGNORECASE))
    return tuple(patterns)


def _patterns(names: Names) -> tuple[re.Pattern[str], ...]:
    return _sku_patterns(tuple((name, sku.title) for name, sku in names.scenario.skus.items()))


def claim_from_text(text: str, c: Any, names: Names) -> None:
    """Enter into command `c` what a justification names."""
    rest = EVENT_ID.sub(" ", text)
    for found in EVENT_ID.finditer(text):
        _claim_event_number(int(found[1]), c, names)
    supplier_event = EVENT_PATTERNS[Event.SUPPLIER_DISRUPTION]
    for kind, pattern in EVENT_PATTERNS.items():
        if pattern.search(rest):
            c["claimed_types"] |= 1 << kind
    for k, pattern in enumerate(_patterns(names)):
        if pattern.search(rest):
            c["claimed_skus"] |= 1 << k
    if ORDERED_ONE in rest or (SHORTAGE.search(rest) and not c["claimed_skus"]):
        c["claimed_shortage"] = 1
    if SUPPLIER.search(supplier_event.sub(" ", rest)):
        c["claimed_supplier"] = 1


def _claim_event_number(number: int, c: Any, names: Names) -> None:
    if 1 <= number <= names.scenario.sizes.events:
        c["claimed_events"] |= 1 << (number - 1)
    else:
        c["claimed_nonsense"] = 1


def claims_text(names: Names, c: Any) -> str:
    """What a command claims, in words that claim the same."""
    found = [f"event {kind.name.lower()}" for kind in Event if int(c["claimed_types"]) >> kind & 1]
    found += [f"event {event_id(e)}" for e in range(names.scenario.sizes.events) if int(c["claimed_events"]) >> e & 1]
    found += [f"event {event_id(-1)} (no such event)"] if c["claimed_nonsense"] else []
    found += [f"shortage of {sku}" for k, sku in enumerate(names.skus) if int(c["claimed_skus"]) >> k & 1]
    found += [ORDERED_ONE] if c["claimed_shortage"] else []
    found += ["supplier problem"] if c["claimed_supplier"] else []
    return ", ".join(found)


def cite(text: str, ward: int, c: Any, view: Any) -> None:
    """Mark the lines of a ward whose disclosure of this round the text names by its evidence id."""
    numbers = {int(found[1]) for found in EVIDENCE_ID.finditer(text)}
    for k in range(view["evidence"].shape[1]):
        if int(view["evidence"][ward, k]) in numbers - {0}:
            c["cites"][ward, k] = 1


class Claims(Type):
    """A justification: free text, or the claim itself as {"event", "shortage", "supplier_problem"}."""

    def schema(self, names: Names) -> dict[str, Any]:
        """A string, or an object of claims."""
        return {
            "anyOf": [
                {"type": "string", "maxLength": MOST_WORDS},
                {
                    "type": "object",
                    "properties": {
                        "event": {"type": "string", "description": f"{listed(EVENT_NAMES)}, or an id such as EVT-1"},
                        "shortage": {"type": "string", "enum": list(names.skus)},
                        "supplier_problem": {"type": "boolean"},
                    },
                    "additionalProperties": False,
                },
            ]
        }

    def write(self, value: Any, c: Any, given: Given) -> None:
        """Enter the claims, and note the words."""
        if isinstance(value, str) and value.lstrip().startswith("{"):
            value = decode(value)
        if isinstance(value, dict):
            given.said[given.parameter] = self._structured(value, c, given)
            return
        text = spoken(value, given)
        given.said[given.parameter] = text
        claim_from_text(text, c, given.names)

    def spell(self, c: Any, given: Given) -> Any:
        """What was said, or words that claim the same as the command."""
        return given.said.get(given.parameter) or claims_text(given.names, c)

    def _structured(self, claims: dict[Any, Any], c: Any, given: Given) -> str:
        words = []
        for key, value in claims.items():
            if key == "event":
                words.append(self._event(value, c, given))
            elif key == "shortage":
                sku = given.names.number("sku", value)
                c["claimed_skus"] |= 1 << sku
                words.append(f"shortage of {given.names.skus[sku]}")
            elif key == "supplier_problem":
                if not isinstance(value, bool):
                    raise given.wrong("wrong_type", "true or false for supplier_problem", value)
                c["claimed_supplier"] = int(value)
                words += ["supplier problem"] if value else []
            else:
                raise given.wrong("unknown_key", "the keys event, shortage, supplier_problem", key)
        return "; ".join(words)

    def _event(self, value: object, c: Any, given: Given) -> str:
        text = value.strip()[:80].casefold() if isinstance(value, str) else ""
        number = id_number("EVT", text)
        if number is not None:
            _claim_event_number(number, c, given.names)
        elif text in EVENT_NAMES:
            c["claimed_types"] |= 1 << EVENT_NAMES.index(text)
        else:
            raise ToolError("unknown_event", f"{listed(EVENT_NAMES)}, or an event's id", came(value), "such as EVT-1")
        return text
