"""Evidence and review: what a disclosure shows, what the chart review estimates, what a verdict grants."""

from __future__ import annotations

from typing import Any

from medchain.core.chance import Stream, between, draw, quantile, rounded, stream, uniform_micro
from medchain.core.kernel import kernel
from medchain.core.words import Verdict


@kernel
def line_index(s: Any, r: int, w: int, k: int) -> int:
    """Number of a (round, line), the index of its own draws."""
    _, wards, skus = s["requested"].shape
    return (r * int(wards) + w) * int(skus) + k


@kernel
def patients(s: Any, p: Any, need: int, w: int, k: int) -> int:
    """Patients who will use the SKU this round, as the ward's census shows it."""
    r = int(s["round"]) - 1
    bits = draw(stream(s["seed"], Stream.PATIENTS), line_index(s, r, w, k))
    noise = 1.0 + p["evidence_census_sigma"] * p["normal"][quantile(bits, 0)]
    usual = 2 * int(p["demand"][w, k])
    return rounded(max(0.0, int(p["ward_census"][w]) * (need / usual) * noise))


@kernel
def acuity_micro(s: Any, p: Any, w: int, k: int) -> int:
    """Acuity of the line's patients in millionths: it follows the ward's priority."""
    r = int(s["round"]) - 1
    bits = draw(stream(s["seed"], Stream.ACUITY), line_index(s, r, w, k))
    priority = int(p["ward_priority"][w]) / 10000.0
    value = priority * p["acuity_share"] + between(p["acuity_low"], p["acuity_high"], uniform_micro(bits))
    return rounded(max(0.0, value) * 1000000.0)


@kernel
def chart_estimate(s: Any, p: Any, need: int, w: int, k: int) -> int:
    """The arbiter's own estimate of the line's true need, units."""
    r = int(s["round"]) - 1
    bits = draw(stream(s["seed"], Stream.CHART), line_index(s, r, w, k))
    return rounded(max(0.0, need * (1.0 + p["arbiter_sigma"] * p["normal"][quantile(bits, 0)])))


@kernel
def granted(verdict: int, named: int, request: int, estimate: int) -> int:
    """Units a verdict grants; an arbiter may name a quantity (else 0), which is clamped around the estimate."""
    if verdict == Verdict.APPROVE:
        return request
    if named > 0:
        units = max((estimate + 1) // 2, min(named, (110 * estimate) // 100))
    elif verdict == Verdict.REDUCE:
        units = (105 * estimate + 50) // 100
    else:
        units = (95 * estimate + 50) // 100
    return min(request, max(1, units))


@kernel
def disclose(s: Any, w: int, k: int, redacted: int) -> int:
    """Enter a disclosure and return its number."""
    r = int(s["round"]) - 1
    s["evidence_count"] += 1
    s["evidence"][r, w, k] = s["evidence_count"]
    s["redacted"][r, w, k] = redacted
    return int(s["evidence_count"])


@kernel
def disclosures_this_round(s: Any) -> int:
    """Disclosures asked for since this round opened."""
    count, r = 0, int(s["round"]) - 1
    for w in range(s["evidence"].shape[1]):
        for k in range(s["evidence"].shape[2]):
            if int(s["evidence"][r, w, k]) > 0:
                count += 1
    return count


@kernel
def reviews_this_round(s: Any) -> int:
    """Verdicts given since this round opened."""
    count, r = 0, int(s["round"]) - 1
    for w in range(s["verdict"].shape[1]):
        for k in range(s["verdict"].shape[2]):
            if int(s["verdict"][r, w, k]) != Verdict.NONE:
                count += 1
    return count


@kernel
def most_allowed(s: Any, w: int, k: int) -> int:
    """What a line may get this round: its request, or the arbiter's quantity if it was reviewed."""
    r = int(s["round"]) - 1
    if int(s["verdict"][r, w, k]) != Verdict.NONE:
        return int(s["verdict_quantity"][r, w, k])
    return int(s["requested"][r, w, k])
