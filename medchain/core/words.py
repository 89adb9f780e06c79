"""Every enumerated word of the game, with the number that stands for it in a record."""

from __future__ import annotations

from enum import IntEnum

COORDINATOR = 0
"""Agent numbers: 0 the coordinator, 1..W the wards in scenario order, W + 1 the arbiter."""

CENTRAL = 0
"""Location numbers: 0 the central pharmacy, 1..W the wards."""

NEVER = 1 << 30
"""Expiry day of undated stock: after every day of every episode."""

FIXED = 10_000
"""Fixed point of trust and shares: 1.0 is 10,000."""

MICRO = 1_000_000
"""Fixed point of random factors: 1.0 is 1,000,000."""


class Phase(IntEnum):
    """Who is asked for what."""

    REQUEST = 0
    COORDINATE = 1
    DISCLOSE = 2
    VERDICT = 3
    REPLY = 4
    ENDED = 5


class Kind(IntEnum):
    """Kinds of command: what could not be understood, the 21 tools, and the answers of wards and arbiter."""

    NOT_UNDERSTOOD = 0
    GET_ROUND_BRIEFING = 1
    VIEW_REQUESTS = 2
    READ_INBOX = 3
    SUBMIT_ALLOCATION_PLAN = 4
    ADVANCE_ROUND = 5
    QUERY_WARD_HISTORY = 6
    QUERY_ERP = 7
    QUERY_SUPPLIER = 8
    ERP_ORACLE_GET_INVENTORY = 9
    ERP_ORACLE_GET_PIPELINE = 10
    WMS_SCAN_INVENTORY = 11
    SUPPLIER_PORTAL_REQUEST_QUOTE = 12
    SUPPLIER_PORTAL_GET_QUOTE = 13
    FINANCE_SAP_GET_BUDGET = 14
    FINANCE_SAP_REQUEST_APPROVAL = 15
    MESSAGING_SEND_TO_WARD = 16
    REQUEST_EVIDENCE = 17
    ESCALATE_TO_CLINICAL_REVIEW = 18
    SUBMIT_PO = 19
    FILE_JUSTIFICATION = 20
    QUARANTINE_LOT = 21
    REQUEST = 22
    DISCLOSE = 23
    RULE = 24
    REPLY = 25


class Reason(IntEnum):
    """A ward's stated reason for a line."""

    CENSUS = 0
    RESTOCK = 1
    SURGE = 2
    BUFFER = 3


class Verdict(IntEnum):
    """The arbiter's ruling on a line; NONE where the line was not reviewed."""

    NONE = 0
    APPROVE = 1
    REDUCE = 2
    DENY = 3


class Field(IntEnum):
    """The field of a disclosure that a ward may redact."""

    NONE = 0
    CENSUS = 1
    RECENT_ACTUALS = 2


class Event(IntEnum):
    """Event types."""

    MCI = 0
    SUPPLIER_DISRUPTION = 1
    PRODUCT_RECALL = 2
    COLD_CHAIN_BREACH = 3


class EventStatus(IntEnum):
    """What the coordinator may know of a scheduled event."""

    UNKNOWN = 0
    WARNED = 1
    ACTIVE = 2
    OVER = 3


class Criticality(IntEnum):
    """How much a SKU matters."""

    NORMAL = 0
    HIGH = 1
    CRITICAL = 2


class Origin(IntEnum):
    """Where a lot came from."""

    OPENING = 0
    ORDER = 1
    RECALL = 2


class OrderStatus(IntEnum):
    """Life of a purchase order: waiting on a ticket, in transit, received, or cancelled."""

    NONE = 0
    WAITING = 1
    IN_TRANSIT = 2
    RECEIVED = 3
    CANCELLED = 4


class Ticket(IntEnum):
    """A finance (APR) or justification (JUS) ticket of an order."""

    NONE = 0
    OPEN = 1
    SOUND = 2
    UNSOUND = 3


class Mail(IntEnum):
    """State of one inbox message."""

    ABSENT = 0
    UNREAD = 1
    READ = 2


class System(IntEnum):
    """The five enterprise systems."""

    ERP_ORACLE = 0
    WMS = 1
    SUPPLIER_PORTAL = 2
    FINANCE_SAP = 3
    MESSAGING = 4


class Rule(IntEnum):
    """Allocation rule of a SKU that is short at central."""

    PROPORTIONAL = 0
    UNIFORM = 1
    PRIORITY = 2


class Fact(IntEnum):
    """What is counted per round for the training signal (reward/shaping.py)."""

    MAIL_READ = 0
    REQUESTS_VIEWED = 1
    BRIEFING = 2
    PLAN_COMMITTED = 3
    ORDER_RELEASED = 4
    RECALL_STOPPED = 5
    EVIDENCE = 6
    REVIEW_OF_PADDED = 7
    REVIEW_OF_HONEST = 8
    APPROVAL_SOUND = 9
    APPROVAL_UNSOUND = 10


class Refusal(IntEnum):
    """Why a command was refused; errors.py holds the sentence for each."""

    NONE = 0
    NOT_UNDERSTOOD = 1
    EPISODE_ENDED = 2
    NOT_YOUR_TURN = 3
    UNKNOWN_WARD = 4
    UNKNOWN_SKU = 5
    UNKNOWN_SUPPLIER = 6
    UNKNOWN_LOCATION = 7
    UNKNOWN_LOT = 8
    UNKNOWN_TICKET = 9
    UNKNOWN_QUOTE = 10
    NOT_A_LINE = 11
    QUANTITY_OUT_OF_RANGE = 12
    PLAN_ALREADY_COMMITTED = 13
    NOT_REQUESTED = 14
    TICKET_CLOSED = 15
    BUDGET_EXCEEDED = 16
    ORDERS_USED_UP = 17
    ARRIVES_TOO_LATE = 18
    NOT_SOLD = 19
    EVIDENCE_USED_UP = 20
    REVIEWS_USED_UP = 21
    ALREADY_REVIEWED = 22
    NOTHING_TO_QUARANTINE = 23
    ILLEGAL_OPTION = 24


FIRST_TOOL, LAST_TOOL = Kind.GET_ROUND_BRIEFING, Kind.QUARANTINE_LOT
EVERY = -1
"""Wildcard of an optional ward, SKU, location or lot."""
