"""Queues of commands: a list that grows too long must not write past its end."""

from medchain.core.outcome import blank
from medchain.core.record import new_commands
from medchain.core.words import EVERY, Kind
from medchain.scenario import load_scenario


def test_a_full_queue_gives_its_last_place_to_the_newest_command():
    buffer = new_commands(load_scenario("medium").sizes, 4)
    queue, n = buffer[:3], 0
    for kind in (Kind.VIEW_REQUESTS, Kind.READ_INBOX, Kind.WMS_SCAN_INVENTORY, Kind.ADVANCE_ROUND):
        n = blank(queue, n, kind)
    assert n == 3
    assert queue["kind"].tolist() == [Kind.VIEW_REQUESTS, Kind.READ_INBOX, Kind.ADVANCE_ROUND]
    assert not buffer[3:].tobytes().strip(b"\0")


def test_a_command_is_written_over_whatever_was_there():
    queue = new_commands(load_scenario("medium").sizes)
    queue["quantity"], queue["cites"], queue["claimed_skus"] = 7, 1, 3
    assert blank(queue, 0, Kind.SUBMIT_PO) == 1
    assert queue[0]["quantity"] == 0 and not queue[0]["cites"].any() and queue[0]["claimed_skus"] == 0
    assert queue[0]["ward"] == queue[0]["sku"] == queue[0]["lot"] == EVERY
