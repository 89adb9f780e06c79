"""The short form in which a tiny model is asked as a ward or as the arbiter: a word for what is asked, numbers as shares."""

from __future__ import annotations

from typing import Any

from medchain.core.words import Phase
from medchain.tools.names import Names
from policies.llm.brief import share

TINY_WARD, TINY_ARBITER = "Speak for the ward.", "Judge the request."


def tiny_question(names: Names, view: Any, phase: Phase, refused: str = "") -> str:
    """What an agent other than the coordinator is asked now; `refused`: why its last answer was not taken."""
    if phase == Phase.VERDICT:
        lines = _case(names, view)
    elif phase == Phase.REQUEST:
        lines = _ward(names, view)
    elif phase == Phase.DISCLOSE:
        lines = _evidence(names, view)
    else:
        lines = ["message"]
    return "\n".join([f"no {refused}", *lines] if refused else lines)


def _ward(names: Names, view: Any) -> list[str]:
    """Round, trust and pressure; then per line its need, stock, and last allocation, in percent of its usual need."""
    w, now, rounds = int(view["ward"]), int(view["round"]), names.scenario.clock.rounds
    head = f"round {now} left {rounds - now} trust {share(int(view['reputation']), 10_000)}"
    lines = [head]
    for k in names.lines(w):
        usual = names.usual(w, k)
        got = int(view["allocated"][now - 2, k]) if now > 1 else usual
        numbers = [share(int(n), usual) for n in (view["need"][k], view["stock"][k], got)]
        lines.append(f"{names.skus[k]} {' '.join(map(str, numbers))}")
    return lines


def _evidence(names: Names, view: Any) -> list[str]:
    k, now = int(view["asked_sku"]), int(view["round"]) - 1
    usual = names.usual(int(view["ward"]), k)
    return [f"evidence {names.skus[k]} {share(int(view['requested'][now, k]), usual)} {share(int(view['need'][k]), usual)}"]


def _case(names: Names, view: Any) -> list[str]:
    """The line under review: what is asked and what the chart review finds, in percent of usual, and the ward's trust."""
    w, k, usual = int(view["asked_ward"]), int(view["asked_sku"]), int(view["usual"])
    asked, estimate = share(int(view["request"]), usual), share(int(view["estimate"]), usual)
    return [f"{names.wards[w]} {names.skus[k]} {asked} {estimate} trust {share(int(view['reputation'][w]), 10_000)}"]


def role_words() -> list[str]:
    """Texts whose words a tiny model should know before it plays a ward or the arbiter."""
    return [TINY_WARD, TINY_ARBITER, "round left trust evidence message no"]
