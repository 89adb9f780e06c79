"""Need: what patients will use. The ward is the first to know; the coordinator sees requests only."""

from __future__ import annotations

import math
from typing import Any

from medchain.core.chance import (
    Stream,
    between,
    draw,
    quantile,
    rounded,
    second_uniform_micro,
    stream,
    uniform_micro,
)
from medchain.core.kernel import kernel
from medchain.core.lines import legal_most
from medchain.core.words import FIXED, Criticality, Event


@kernel
def is_mci_day(s: Any, p: Any, day: int) -> bool:
    """Whether a mass-casualty incident is on at `day`."""
    for e in range(int(s["event_count"])):
        first = int(s["event_day"][e])
        if int(s["event_type"][e]) == Event.MCI and first <= day < first + int(p["mci_days"]):
            return True
    return False


@kernel
def scripted_request(p: Any, need: int, pressure: int, padding_micro: int, size_micro: int) -> int:
    """A scripted ward's request: padded with probability `pressure` (fixed point), else near its need; units."""
    chance = min(int(p["pad_most"]), pressure)
    if padding_micro * FIXED < chance * 1000000:
        factor = between(p["pad_low"], p["pad_high"], size_micro)
    else:
        factor = between(1.0 - p["honest_spread"], 1.0 + p["honest_spread"], size_micro)
    return min(rounded(need * factor), legal_most(p, need))


@kernel
def draw_need(s: Any, p: Any) -> None:
    """Fill need for the rounds to come, and the history before round 1, which is lived by the same model."""
    history, rounds = s["past_requested"].shape[0], s["requested"].shape[0]
    wards = p["demand"].shape[0]
    census_key, surge_key = stream(s["seed"], Stream.CENSUS), stream(s["seed"], Stream.SURGE)
    sigma, rho = p["census_sigma"], p["census_rho"]
    fresh = sigma * math.sqrt(1.0 - rho * rho)
    for w in range(wards):
        level = 0.0
        for t in range(history + rounds):
            shock = p["normal"][quantile(draw(census_key, t * wards + w), 0)]
            level = sigma * shock if t == 0 else rho * level + fresh * shock
            census = int(math.exp(level - sigma * sigma / 2) * 1000000.0 + 0.5) / 1000000.0
            surge = uniform_micro(draw(surge_key, t * wards + w)) < int(p["ward_surge_micro"][w])
            if t < history:
                _live_history(s, p, t, w, census, surge)
            else:
                _draw_round(s, p, t, w, census, surge)


@kernel
def _day_need(p: Any, base: float, noise: float, factor: float) -> int:
    return rounded(max(0.0, base * factor * (1.0 + p["daily_sigma"] * noise)))


@kernel
def _line_surge(p: Any, key: Any, bits: Any, index: int) -> float:
    """The factor of a line surge in this round, 1 where there is none."""
    if second_uniform_micro(bits) >= int(p["line_surge_micro"]):
        return 1.0
    return between(p["line_surge_low"], p["line_surge_high"], uniform_micro(draw(key, (1 << 30) + index)))


@kernel
def _draw_round(s: Any, p: Any, t: int, w: int, census: float, surge: bool) -> None:
    wards, skus = p["demand"].shape
    key = stream(s["seed"], Stream.LINE)
    r = t - s["past_requested"].shape[0]
    mci_1, mci_2 = is_mci_day(s, p, 2 * r + 1), is_mci_day(s, p, 2 * r + 2)
    acute = p["ward_acute"][w] == 1
    for k in range(skus):
        demand = int(p["demand"][w, k])
        if demand == 0:
            continue
        index = 2 * ((t * wards + w) * skus + k)
        bits, noise = draw(key, index), draw(key, index + 1)
        base = demand * census * p["mix_factor"][quantile(bits, 4)]
        factor = max(_line_surge(p, key, bits, index), p["ward_surge_factor"] if surge else 1.0)
        hit = max(factor, p["mci_factor"]) if acute and int(p["criticality"][k]) >= Criticality.HIGH else factor
        s["need"][2 * r, w, k] = _day_need(p, base, p["normal"][quantile(noise, 0)], hit if mci_1 else factor)
        s["need"][2 * r + 1, w, k] = _day_need(p, base, p["normal"][quantile(noise, 1)], hit if mci_2 else factor)


@kernel
def _live_history(s: Any, p: Any, t: int, w: int, census: float, surge: bool) -> None:
    wards, skus = p["demand"].shape
    key, past_key = stream(s["seed"], Stream.LINE), stream(s["seed"], Stream.HISTORY)
    for k in range(skus):
        demand = int(p["demand"][w, k])
        if demand == 0:
            continue
        index = 2 * ((t * wards + w) * skus + k)
        bits, noise, past = draw(key, index), draw(key, index + 1), draw(past_key, index)
        base = demand * census * p["mix_factor"][quantile(bits, 4)]
        factor = max(_line_surge(p, key, bits, index), p["ward_surge_factor"] if surge else 1.0)
        need = _day_need(p, base, p["normal"][quantile(noise, 0)], factor)
        need += _day_need(p, base, p["normal"][quantile(noise, 1)], factor)
        padding, size = uniform_micro(past), second_uniform_micro(past)
        asked = scripted_request(p, need, int(p["ward_pressure"][w]), padding, size)
        got = rounded(asked * between(0.8, 1.0, uniform_micro(draw(past_key, index + 1))))
        s["past_requested"][t, w, k] = asked
        s["past_allocated"][t, w, k] = got
        s["past_consumed"][t, w, k] = min(need, got)
        s["past_short"][t, w, k] = need > got
