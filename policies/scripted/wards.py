"""Scripted wards. A persona says how a ward asks; the rest of its behaviour is section 9 of the rules."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from medchain.core.chance import rounded, second_uniform_micro, uniform_micro
from medchain.core.demand import scripted_request
from medchain.core.kernel import kernel
from medchain.core.lines import is_padded, legal_most, likely_reason
from medchain.core.outcome import blank
from medchain.core.words import FIXED, Field, Kind, Phase
from policies.scripted.background import adaptive_factor, cyclical_factor, most_unpadded, retaliating_factor
from policies.scripted.memory import line_draw


class Persona(IntEnum):
    """How a scripted ward asks: by its hoarding pressure, honestly, always padded by a factor, or as background.py says."""

    SCRIPTED = 0
    HONEST = 1
    PADS = 2
    CHRONIC = 3
    ADAPTIVE = 4
    CYCLICAL = 5
    RETALIATING = 6
    EDGE = 7


@kernel
def act_ward(v: Any, p: Any, m: Any, persona: int, factor: float, queue: Any) -> int:
    """Decide what ward `v` answers; writes one command into `queue` and returns 1."""
    phase = int(v["phase"])
    if phase == Phase.REQUEST:
        return _request(v, p, m, persona, factor, queue)
    if phase == Phase.DISCLOSE:
        blank(queue, 0, Kind.DISCLOSE)
        queue[0]["option"] = _redaction(v, p, m)
        return 1
    return blank(queue, 0, Kind.REPLY)


@kernel
def _request(v: Any, p: Any, m: Any, persona: int, factor: float, queue: Any) -> int:
    blank(queue, 0, Kind.REQUEST)
    w, r = int(v["ward"]), int(v["round"]) - 1
    times = _factor(v, p, m, persona, factor)
    for k in range(p["demand"].shape[1]):
        if int(p["demand"][w, k]) == 0:
            continue
        need = int(v["need"][k])
        if persona == Persona.SCRIPTED:
            bits = line_draw(m, r, k)
            units = scripted_request(p, need, int(v["pressure"]), uniform_micro(bits), second_uniform_micro(bits))
        elif persona == Persona.EDGE:
            units = min(most_unpadded(need), legal_most(p, need))
        else:
            units = min(rounded(need * times), legal_most(p, need))
        queue[0]["quantities"][w, k] = units
        queue[0]["reasons"][w, k] = likely_reason(units, 2 * int(p["demand"][w, k]))
    return 1


@kernel
def _factor(v: Any, p: Any, m: Any, persona: int, factor: float) -> float:
    """What a ward asks for this round as a multiple of its need, where it is the same for all lines."""
    if persona == Persona.PADS or persona == Persona.CHRONIC:
        return factor
    if persona == Persona.ADAPTIVE:
        return adaptive_factor(v, factor)
    if persona == Persona.CYCLICAL:
        return cyclical_factor(v, m, factor)
    if persona == Persona.RETALIATING:
        return retaliating_factor(v, p, factor)
    return 1.0


@kernel
def _redaction(v: Any, p: Any, m: Any) -> int:
    """Redact with probability 0.6 h if the line is padded, 0.1 h if not: census under high pressure, else the actuals."""
    k, r = int(v["asked_sku"]), int(v["round"]) - 1
    padded = is_padded(int(v["requested"][r, k]), int(v["need"][k]))
    share = int(p["redact_if_padded"]) if padded else int(p["redact_if_honest"])
    chance = share * int(v["pressure"])
    if uniform_micro(line_draw(m, r, k + 2048)) * FIXED * FIXED >= chance * 1000000:
        return Field.NONE
    return Field.CENSUS if int(v["pressure"]) >= int(p["redact_census_from"]) else Field.RECENT_ACTUALS
