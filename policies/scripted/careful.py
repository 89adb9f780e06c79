"""The careful coordinators: estimate each line's need, fund what is worth most, hold the rest back, order to par.

`auditor` estimates from requests, records, evidence and verdicts; `cap_blind` caps each request at what its size and the
ward's record make likely, and audits nothing; `oracle` is told every need.
"""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.outcome import blank
from medchain.core.words import Kind
from policies.scripted.audit import ask_evidence, ask_reviews
from policies.scripted.beliefs import learn, read_disclosures, read_requests, read_verdicts
from policies.scripted.buy import file_open_tickets
from policies.scripted.chores import open_round
from policies.scripted.fund import fund_lines, value_lines
from policies.scripted.memory import next_step
from policies.scripted.plan import allot, ask_quotes, order_to_par, top_up
from policies.scripted.shelf import count_stock


@kernel
def careful(v: Any, p: Any, m: Any, knobs: Any, audits: bool, queue: Any) -> int:
    """Open the round and ask for evidence; have padding reviewed; plan and top up; order; file, ask quotes, advance."""
    step, n = next_step(v, m), 0
    if step == 0:
        count_stock(v, p, m)
        learn(v, p, m, float(knobs["pad_memory"]))
        value_lines(v, p, m, knobs)
        read_requests(v, p, m, knobs)
        fund_lines(v, p, m, knobs)
        n = open_round(v, p, queue)
        return ask_evidence(v, p, m, knobs, queue, n) if audits else n
    if step == 1:
        read_disclosures(v, p, m, knobs)
        n = ask_reviews(v, p, m, knobs, queue, 0) if audits else 0
        if n > 0:
            return n
        step = next_step(v, m)
    if step == 2:
        read_verdicts(v, p, m)
        fund_lines(v, p, m, knobs)
        return top_up(v, p, m, knobs, queue, allot(v, p, m, queue, 0))
    n = file_open_tickets(v, p, queue, 0)
    if step == 3:
        n = order_to_par(v, p, m, knobs, queue, n)
        if n > 0:
            return n
    return blank(queue, ask_quotes(v, p, m, knobs, queue, n), Kind.ADVANCE_ROUND)
