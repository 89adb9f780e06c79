"""Filing on a ticket: whether it is legal can be known from the view; whether it is sound cannot."""

import numpy as np
import pytest

from medchain.core.session import Session
from medchain.core.words import EVERY, Kind, OrderStatus, Refusal
from medchain.scenario import load_scenario

BACKUP, BLOOD = 1, 0


def act(session: Session, kind: Kind, **fields: int) -> np.void:
    command = session.command()
    command["kind"] = kind
    for name, value in fields.items():
        command[name] = value
    return session.submit(command).copy()


def open_round(session: Session, number: int) -> None:
    """Let wards ask for nothing and rounds pass until the coordinator's turn in round `number`."""
    while session.record["round"] < number or session.pending().agent != 0:
        act(session, Kind.REQUEST if session.pending().agent else Kind.ADVANCE_ROUND)


@pytest.mark.parametrize("claimed_shortage", [0, 1])
def test_an_order_that_would_arrive_too_late_cannot_be_filed_on(claimed_shortage: int) -> None:
    session = Session(load_scenario("medium"), 3)
    open_round(session, 7)
    order = {"supplier": BACKUP, "sku": BLOOD, "location": 0, "lot": EVERY, "quantity": 50}
    assert act(session, Kind.SUBMIT_PO, **order)["ok"] == 1
    assert session.record["order_status"][0] == OrderStatus.WAITING
    open_round(session, 8)
    before = session.episodes.copy()
    result = act(session, Kind.FINANCE_SAP_REQUEST_APPROVAL, ticket=0, claimed_shortage=claimed_shortage)
    assert (result["refusal"], result["a"], result["b"]) == (Refusal.ARRIVES_TOO_LATE, 17, 16)
    before["calls"] += 1
    before["calls_total"] += 1
    assert session.episodes.tobytes() == before.tobytes()
