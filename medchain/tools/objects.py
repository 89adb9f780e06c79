"""The larger arguments: plan, rationale, a ward's requests and its reasons. Each may come as JSON text or decoded."""

from __future__ import annotations

import re
from typing import Any

from medchain.core.words import Reason
from medchain.tools.arguments import MOST_WORDS, Given, Type, place, spoken, whole
from medchain.tools.claims import cite
from medchain.tools.jsons import decode
from medchain.tools.names import Names, an_id

REASONS = tuple(reason.name.lower() for reason in Reason)
SHARE = r"^(requested|[0-9]{1,3}%)$"
NEED_SHARE = r"^[0-9]{1,5}%$"


def object_of(value: Any, given: Given) -> dict[Any, Any]:
    """A value that must be an object, decoded if it came as JSON text."""
    if isinstance(value, str):
        value = decode(value)
    if not isinstance(value, dict):
        raise given.wrong("wrong_type", "an object", value)
    return value


def percent_of(value: str, given: Given) -> int:
    """Percent that "requested" or "70%" stands for."""
    word = value.strip()[:20].casefold()
    if word == "requested":
        return 100
    found = re.fullmatch(r"(\d{1,3})\s*%", word, re.ASCII)
    if found and int(found[1]) <= 100:
        return int(found[1])
    raise given.wrong("bad_share", 'units, "requested", or a whole percentage from "0%" to "100%",', value)


def need_share(value: str, need: int, given: Given) -> int:
    """Units that "120%" of a line's need stands for, rounded half up; never more than a ward may ask for."""
    most = int(100 * given.names.scenario.need.legal_request)
    found = re.fullmatch(r"\s*(\d{1,5})\s*%\s*", value[:20], re.ASCII)
    if found and int(found[1]) <= most:
        return (need * int(found[1]) + 50) // 100
    raise given.wrong("bad_share", f'units, or a whole percentage of the need from "0%" to "{most}%",', value)


def _row(names: Names, row: Any) -> dict[str, int]:
    return {sku: units for sku, units in zip(names.skus, row.tolist(), strict=True) if units}


def _nested(names: Names, table: Any) -> dict[str, dict[str, int]]:
    return {ward: row for w, ward in enumerate(names.wards) if (row := _row(names, table[w]))}


class Plan(Type):
    """{ward: {SKU: units}}; a ward's or a SKU's value may be "requested" or "70%", with "*" for the ward's other SKUs."""

    def schema(self, names: Names) -> dict[str, Any]:
        """An object of objects."""
        units = {"type": ["integer", "string"], "minimum": 0, "pattern": SHARE}
        lines = {}
        for w, ward in enumerate(names.wards):
            stocked = {"enum": [*(names.skus[k] for k in names.lines(w)), "*"]}
            lines[ward] = {
                "type": ["object", "string"],
                "propertyNames": stocked,
                "additionalProperties": units,
                "pattern": SHARE,
            }
        return {"type": ["object", "string"], "properties": lines, "additionalProperties": False}

    def write(self, value: Any, c: Any, given: Given) -> None:
        """Enter the planned units; a share is of the request, rounded down."""
        for ward, lines in object_of(value, given).items():
            w = given.names.number("ward", ward)
            if isinstance(lines, str):
                lines = {"*": lines}
            if not isinstance(lines, dict):
                raise given.wrong("wrong_type", f'an object of SKUs, "requested" or "70%" for {given.names.wards[w]}', lines)
            self._ward(w, lines, c, given)

    def spell(self, c: Any, given: Given) -> Any:
        """Units by ward and product, zeros left out."""
        return _nested(given.names, c["quantities"])

    def _ward(self, w: int, lines: dict[Any, Any], c: Any, given: Given) -> None:
        if "*" in lines:
            percent = percent_of(lines["*"] if isinstance(lines["*"], str) else "", given)
            for k in given.names.lines(w):
                c["quantities"][w, k] = int(given.view["requested"][w, k]) * percent // 100
        for sku, units in lines.items():
            if sku == "*":
                continue
            k = given.names.number("sku", sku)
            if isinstance(units, str):
                c["quantities"][w, k] = int(given.view["requested"][w, k]) * percent_of(units, given) // 100
            else:
                c["quantities"][w, k] = whole(units, given, 0, given.names.scenario.limits.order_quantity)


class Rationale(Type):
    """{ward: text}; it cites the ward's disclosures of this round whose evidence ids it holds."""

    def schema(self, names: Names) -> dict[str, Any]:
        """An object of strings."""
        text = {"type": "string", "maxLength": MOST_WORDS}
        return {"type": ["object", "string"], "properties": dict.fromkeys(names.wards, text), "additionalProperties": False}

    def write(self, value: Any, c: Any, given: Given) -> None:
        """Enter the citations, and note the words by ward."""
        for ward, text in object_of(value, given).items():
            w = given.names.number("ward", ward)
            words = spoken(text, given)
            given.said[given.names.wards[w]] = words
            cite(words, w, c, given.view)

    def spell(self, c: Any, given: Given) -> Any:
        """What was said by ward; where nothing was, the evidence ids cited."""
        found: dict[str, str] = {ward: given.said[ward] for ward in given.names.wards if ward in given.said}
        for w, ward in enumerate(given.names.wards):
            cited = [int(n) for n, on in zip(given.view["evidence"][w], c["cites"][w], strict=True) if on and n]
            if cited and ward not in found:
                found[ward] = " ".join(an_id("EV", number) for number in cited)
        return found or None


class Requests(Type):
    """{SKU: units, or "120%" of the need} of the ward that is asked; SKUs left out are requests of 0."""

    def schema(self, names: Names) -> dict[str, Any]:
        """An object of integers or shares."""
        most = names.scenario.limits.order_quantity
        units = {"type": ["integer", "string"], "minimum": 0, "maximum": most, "pattern": NEED_SHARE}
        return {"type": "object", "properties": dict.fromkeys(names.skus, units), "additionalProperties": False}

    def write(self, value: Any, c: Any, given: Given) -> None:
        """Enter the ward's units."""
        w = int(given.view["ward"])
        for sku, units in object_of(value, given).items():
            k = given.names.number("sku", sku)
            if isinstance(units, str):
                c["quantities"][w, k] = need_share(units, int(given.view["need"][k]), given)
            else:
                c["quantities"][w, k] = whole(units, given, 0, given.names.scenario.limits.order_quantity)

    def spell(self, c: Any, given: Given) -> Any:
        """Units by product, zeros left out."""
        return _row(given.names, c["quantities"][int(given.view["ward"])])


class Reasons(Type):
    """{SKU: reason}; census where left out."""

    def schema(self, names: Names) -> dict[str, Any]:
        """An object of words."""
        reason = {"type": "string", "enum": list(REASONS)}
        return {"type": "object", "properties": dict.fromkeys(names.skus, reason), "additionalProperties": False}

    def write(self, value: Any, c: Any, given: Given) -> None:
        """Enter the ward's reasons."""
        w = int(given.view["ward"])
        for sku, reason in object_of(value, given).items():
            c["reasons"][w, given.names.number("sku", sku)] = place(reason, REASONS, given)

    def spell(self, c: Any, given: Given) -> Any:
        """Reasons by product, where they are not the first."""
        row = c["reasons"][int(given.view["ward"])].tolist()
        words = {
            sku: REASONS[r] if 0 < r < len(REASONS) else str(r) for sku, r in zip(given.names.skus, row, strict=True) if r
        }
        return words or None
