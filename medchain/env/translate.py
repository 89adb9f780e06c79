"""From a command to the structured action that means it: the way scripted agents play through the structured surface.

The law: stepping with the action leaves the same record, byte for byte, as submitting the command. Where several
commands have one effect (arguments of tools that only show something, several claims of which one holds), the action
stands for all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from medchain.core.session import Session, submit_command
from medchain.core.words import COORDINATOR, EVERY, Kind, Phase
from medchain.env.actions import SHORTAGE, SUPPLIER, USES
from medchain.env.masks import open_ticket, shelf_lot
from medchain.env.spaces import LOTS, TICKETS
from medchain.errors import MedChainError

Array = np.ndarray[Any, Any]


def action_of(session: Session, command: Array) -> dict[str, Any] | None:
    """The action of the agent that is asked now that means `command` (an array of one); only the heads it needs.

    An illegal command gives None, which is refused of any agent.

    Raises:
        MedChainError: the heads do not reach that far (a ticket or lot beyond those that can be named).
    """
    asked = session.pending()
    result = _tried(session, command)
    if not result["ok"]:
        return None
    c = command[0]
    if asked.agent == COORDINATOR:
        return _call(session, c, bool(result["a"]))
    if asked.phase == Phase.REQUEST:
        return _request(session, c, asked.ward)
    if asked.phase == Phase.DISCLOSE:
        return {"redaction": int(c["option"])}
    if asked.phase == Phase.REPLY:
        return {}
    request = int(session.record["requested"][int(session.record["round"]) - 1, asked.ward, asked.sku])
    named = min(1.0, int(c["quantity"]) / request)
    return {"verdict": int(c["option"]) - 1, "quantity": np.array([named], np.float32)}


def _tried(session: Session, command: Array) -> Any:
    """What would come of a command."""
    episodes, results = session.episodes.copy(), session.results.copy()
    submit_command(episodes, 0, session.params, command, 0, results)
    return results[0]


def _request(session: Session, c: Any, ward: int) -> dict[str, Any]:
    view = session.view(ward + 1)[0]
    units, need = c["quantities"][ward].astype(float), np.maximum(view["need"], 1)
    inflation = np.where(units >= view["most"], session.params["legal_request"][0], units / need)
    return {"inflation": inflation.astype(np.float32), "reason": c["reasons"][ward].astype(np.int64)}


def _call(session: Session, c: Any, sound: bool) -> dict[str, Any]:
    kind, skus = int(c["kind"]), len(session.scenario.skus)
    action: dict[str, Any] = {"tool": kind - 1}
    first, second = USES.get(kind, ("", ""))
    if kind == Kind.SUBMIT_ALLOCATION_PLAN:
        requested = session.view(COORDINATOR)["requested"][0]
        action["plan"] = np.minimum(c["quantities"] / np.maximum(requested, 1), 1.0).astype(np.float32)
        action["cites"] = (c["cites"] == 1).astype(np.int8)
    elif kind == Kind.READ_INBOX:
        action[first] = int(c["option"])
    elif first == "ward":
        action[first] = int(c["ward"])
    elif first in ("evidence", "review"):
        action[first] = int(c["ward"]) * skus + int(c["sku"])
    elif kind == Kind.QUERY_SUPPLIER:
        action[first] = int(c["supplier"]) * skus + int(np.argmax(session.params["sells"][0, c["supplier"]]))
    elif first == "offer":
        action[first] = int(c["supplier"]) * skus + int(c["sku"])
    elif first in ("approval", "justification"):
        action[first] = _slot(session, first, int(c["ticket"]))
        action[second] = _claim(session, c) if sound else 0
    elif first == "order":
        terms = 2 * int(c["supplier"]) + int(c["option"])
        action[first] = (terms * session.scenario.sizes.locations + int(c["location"])) * skus + int(c["sku"])
    elif first == "shelf":
        action[first] = int(c["location"]) * skus + int(c["sku"])
        action[second] = _lot(session, c)
    if second == "quantity":
        action |= {"quantity": 0, "units": np.array([c["quantity"]], np.float32)}
    return action


def _slot(session: Session, kind: str, order: int) -> int:
    view = session.view(COORDINATOR)[0]
    for slot in range(TICKETS):
        if open_ticket(view, session.params[0], slot, kind == "approval") == order:
            return slot
    raise MedChainError(f"order {order + 1}: head {kind!r} reaches the newest {TICKETS} open tickets only")


def _lot(session: Session, c: Any) -> int:
    if int(c["lot"]) == EVERY:
        return 0
    view = session.view(COORDINATOR)[0]
    for slot in range(LOTS):
        if shelf_lot(view, int(c["sku"]), int(c["location"]), slot) == int(c["lot"]):
            return slot + 1
    raise MedChainError(f"lot index {int(c['lot'])}: head 'lot' reaches the first {LOTS} lots of a shelf only")


def _claim(session: Session, c: Any) -> int:
    """The one claim among those of a sound filing that makes it so."""
    types = {int(session.record["event_type"][e]) for e in range(5) if int(c["claimed_events"]) >> e & 1}
    types |= {t for t in range(SHORTAGE - 1) if int(c["claimed_types"]) >> t & 1}
    for t in sorted(types):
        if _holds(session, c, claimed_types=1 << t):
            return t + 1
    return SUPPLIER if c["claimed_supplier"] and _holds(session, c, claimed_supplier=1) else SHORTAGE


def _holds(session: Session, c: Any, **claim: int) -> bool:
    command = session.command()
    command["kind"], command["ticket"] = c["kind"], c["ticket"]
    for name, value in claim.items():
        command[name] = value
    result = _tried(session, command)
    return bool(result["ok"] and result["a"])
