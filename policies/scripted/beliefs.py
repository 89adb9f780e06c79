"""What a request says about need: the wards' rule of section 9 read backwards, corrected by evidence and verdicts."""

from __future__ import annotations

from typing import Any

from medchain.core.kernel import kernel
from medchain.core.lines import is_padded
from medchain.core.words import Criticality, Verdict
from policies.scripted.need import density, forecast, incident_days, rounds

PADS = 8
"""Padding factors over which a posterior is summed."""


@kernel
def read_requests(v: Any, p: Any, m: Any, knobs: Any) -> None:
    """Estimates, targets and chances of padding of all lines, from their requests alone."""
    for w in range(p["demand"].shape[0]):
        for k in range(p["demand"].shape[1]):
            if int(p["demand"][w, k]) == 0:
                continue
            if m["knows"] == 1:
                _know(v, p, m, w, k)
                continue
            blood = int(p["criticality"][k]) == Criticality.CRITICAL
            _read_request(v, p, m, w, k, float(knobs["quantile_blood"] if blood else knobs["quantile_durable"]))


@kernel
def read_disclosures(v: Any, p: Any, m: Any, knobs: Any) -> None:
    """Correct the beliefs of lines by what their wards disclosed; once a round."""
    for w in range(p["demand"].shape[0]):
        for k in range(p["demand"].shape[1]):
            if int(v["evidence"][w, k]) > 0 and m["knows"] == 0:
                _read_evidence(v, p, m, knobs, w, k)


@kernel
def read_verdicts(v: Any, p: Any, m: Any) -> None:
    """Correct the beliefs of lines by the arbiter's verdicts."""
    for w in range(p["demand"].shape[0]):
        for k in range(p["demand"].shape[1]):
            if int(v["verdict"][w, k]) != Verdict.NONE and m["knows"] == 0:
                _read_verdict(v, m, w, k)


@kernel
def _settle(m: Any, w: int, k: int, padded: bool, need: float) -> None:
    m["padded"][w, k] = 1.0 if padded else 0.0
    m["estimate"][w, k] = need
    m["target"][w, k] = need


@kernel
def _know(v: Any, p: Any, m: Any, w: int, k: int) -> None:
    need = forecast(v, p, m, w, k, int(v["round"]))
    _settle(m, w, k, is_padded(int(v["requested"][w, k]), int(need)), need)


@kernel
def _read_request(v: Any, p: Any, m: Any, w: int, k: int, quantile: float) -> None:
    """Posterior of a line's need given its request alone: its mean, a quantile of it, and the chance of padding.

    An honest request is the need; a padded one is the need times a factor, uniform in the wards' range.
    """
    q, usual = int(v["requested"][w, k]), 2.0 * int(p["demand"][w, k])
    _settle(m, w, k, False, float(q))
    if q == 0:
        return
    rate, days = min(0.95, max(0.02, m["pad_rate"][w])), incident_days(v, p, w, k, int(v["round"]))
    step = (p["pad_high"] - p["pad_low"]) / PADS
    honest = (1.0 - rate) * density(p, w, days, q / usual)
    total, units = honest, honest * q
    for i in range(PADS):
        need = q / (p["pad_low"] + (i + 0.5) * step)
        mass = rate / PADS * density(p, w, days, need / usual)
        total += mass
        units += mass * need
    m["padded"][w, k] = 1.0 - honest / total
    m["estimate"][w, k] = units / total
    above, i = honest, 0
    while above < (1.0 - quantile) * total and i < PADS:
        need = q / (p["pad_low"] + (i + 0.5) * step)
        above += rate / PADS * density(p, w, days, need / usual)
        m["target"][w, k] = need
        i += 1


@kernel
def _read_verdict(v: Any, m: Any, w: int, k: int) -> None:
    """A verdict reveals the arbiter's estimate: REDUCE grants 1.05 times it, DENY 0.95 times; APPROVE the request."""
    verdict, units = int(v["verdict"][w, k]), float(int(v["most_allowed"][w, k]))
    if verdict == Verdict.REDUCE:
        units /= 1.05
    elif verdict == Verdict.DENY:
        units /= 0.95
    _settle(m, w, k, verdict != Verdict.APPROVE, units)


@kernel
def _read_evidence(v: Any, p: Any, m: Any, knobs: Any, w: int, k: int) -> None:
    """The patients shown give the need within some percent: enough to tell a padded request from an honest one."""
    q, patients = int(v["requested"][w, k]), int(v["patients"][w, k])
    if patients < 0:  # redacted, which a ward that pads does more often
        odds = knobs["redacted_odds"] * m["padded"][w, k] / max(1e-9, 1.0 - m["padded"][w, k])
        m["padded"][w, k] = odds / (1.0 + odds)
        return
    shown = patients / int(p["ward_census"][w]) * 2.0 * int(p["demand"][w, k])
    padded = q > knobs["padded_from"] * shown
    _settle(m, w, k, padded, shown if padded else float(q))


@kernel
def learn(v: Any, p: Any, m: Any, memory: float) -> None:
    """At a round's opening: learn from what was used how often each ward pads, and how well it has been served."""
    last = v["past_requested"].shape[0] - rounds(m) + int(v["round"]) - 2
    for w in range(p["demand"].shape[0]):
        if int(v["round"]) == 1:
            m["pad_rate"][w] = _past_pad_rate(v, p, w, last + 1)
            continue
        padded, filled = 0.0, 0.0
        for k in range(p["demand"].shape[1]):
            if int(p["demand"][w, k]) == 0:
                continue
            if int(v["past_short"][last, w, k]) == 1:  # only the beliefs of that round say what was needed
                padded += m["padded"][w, k]
                filled += min(1.0, int(v["past_consumed"][last, w, k]) / max(1.0, m["estimate"][w, k]))
            else:
                padded += is_padded(int(v["past_requested"][last, w, k]), int(v["past_consumed"][last, w, k]))
                filled += 1.0
        lines = max(1, int(p["lines"][w]))
        m["fill"][w] += filled / lines
        m["pad_rate"][w] = memory * m["pad_rate"][w] + (1.0 - memory) * padded / lines


@kernel
def _past_pad_rate(v: Any, p: Any, w: int, history: int) -> float:
    """Share of padded lines before the episode, when requests were nearly met: a line that ran short was not padded."""
    padded, seen = 0.5, 1.0
    for t in range(history):
        for k in range(p["demand"].shape[1]):
            if int(p["demand"][w, k]) > 0:
                seen += 1.0
                if int(v["past_short"][t, w, k]) == 0:
                    padded += is_padded(int(v["past_requested"][t, w, k]), int(v["past_consumed"][t, w, k]))
    return padded / seen
