"""The scripted arbiter: it believes its own chart review."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.lines import is_padded
from medchain.core.outcome import blank
from medchain.core.words import FIXED, Kind, Verdict


@kernel
def act_arbiter(v: Any, p: Any, queue: Any) -> int:
    """Rule on the line under review: APPROVE if not padded, DENY if the excess is over 35 % of need, else REDUCE."""
    blank(queue, 0, Kind.RULE)
    request, need = int(v["request"]), int(v["estimate"])
    if not is_padded(request, need):
        queue[0]["option"] = Verdict.APPROVE
    elif FIXED * (request - need) > int(p["deny_excess"]) * need:
        queue[0]["option"] = Verdict.DENY
    else:
        queue[0]["option"] = Verdict.REDUCE
    return 1
