"""A scenario as one numeric record, so that kernels hold no number of their own.

Shares of trust are fixed point (1e-4); factors of chance are floats that are used only in products that are rounded to
units at once.
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np

from medchain.core.record import packed
from medchain.core.words import FIXED, MICRO, NEVER, Criticality, Rule
from medchain.scenario import Scenario, Sizes

NORMALS = 4096
"""Entries of the table of normal quantiles: chance draws one of them."""

TRUST_FIELDS = [
    "opening_reputation",
    "reputation_kept",
    "pressure_pull",
    "caught_pressure",
    "caught_pressure_deny",
    "caught_pressure_per_further_line",
    "caught_pressure_most",
    "caught_reputation",
    "paid_pressure",
    "short_pressure",
    "honest_review_pressure",
    "honest_review_reputation",
    "cited_pressure",
    "cited_reputation",
    "redacted_reputation",
    "disclosed_reputation",
]
LIMIT_FIELDS = ["calls_per_round", "orders_per_round", "evidence_per_round", "reviews_per_round"]
LIMIT_FIELDS += ["refusals_before_forfeit", "order_quantity"]
FINANCE_FIELDS = ["budget_cents", "budget_per_event_cents", "gate_cents", "evidence_cost_cents", "review_cost_cents"]
FINANCE_FIELDS += ["expedite_percent", "quote_discount_percent", "quote_good_rounds"]
NEED_FIELDS = ["daily_sigma", "census_rho", "census_sigma", "mix_sigma", "mci_factor", "ward_surge_factor"]
NEED_FIELDS += ["line_surge_low", "line_surge_high", "legal_request"]
EVENT_FIELDS = ["first_day", "last_day", "mci_days", "disruption_days", "disrupted_lead_time_days", "recall_units"]
EVENT_FIELDS += ["breach_days"]
OPENING_FIELDS = ["days_low", "days_high", "ward_share", "central_share", "ward_shelf_left", "central_shelf_left"]
SHAPING_FIELDS = ["mail_read", "requests_viewed", "briefing", "plan_committed", "order_released", "recall_stopped"]
SHAPING_FIELDS += ["evidence", "review_of_padded", "review_of_honest", "approval_sound", "approval_unsound"]
"""In the order of words.Fact."""


@cache
def params_dtype(z: Sizes) -> np.dtype[Any]:
    """dtype of the Params record of every scenario with these sizes."""
    W, S, P = z.wards, z.skus, z.suppliers
    return packed(
        [
            ("rounds", "i4"),
            ("days", "i4"),
            ("normal", "f8", (NORMALS,)),  # quantiles of N(0, 1)
            ("mix_factor", "f8", (NORMALS,)),  # quantiles of the mix factor (log-normal, mean 1)
            ("ward_priority", "i4", (W,)),  # fixed point
            ("ward_census", "i4", (W,)),  # patients
            ("ward_acute", "i1", (W,)),
            ("ward_pressure", "i4", (W,)),  # fixed point
            ("ward_surge_micro", "i4", (W,)),  # probability
            ("demand", "i4", (W, S)),  # usual units per day, 0 where the ward does not stock the SKU
            ("lines", "i4", (W,)),
            ("shelf_life", "i4", (S,)),  # days, NEVER if undated
            ("criticality", "i1", (S,)),
            ("unit_cost", "i8", (S,)),  # cents
            ("lead_time", "i4", (P,)),  # days
            ("price_percent", "i4", (P,)),
            ("sells", "i1", (P, S)),
            ("least_events", "i4"),
            ("most_events", "i4"),
            ("recall_sku", "i4"),
            ("breach_sku", "i4"),
            ("breach_ward", "i4"),
            ("disrupted_supplier", "i4"),
            ("line_surge_micro", "i4"),
            ("allocation_rule", "i4"),  # Rule
            ("wms_noise", "f8"),
            ("arbiter_sigma", "f8"),
            ("evidence_census_sigma", "f8"),
            ("acuity_share", "f8"),
            ("acuity_low", "f8"),
            ("acuity_high", "f8"),
            ("recent_rounds", "i4"),
            ("deny_excess", "i4"),  # fixed point
            ("pad_low", "f8"),
            ("pad_high", "f8"),
            ("honest_spread", "f8"),
            ("pad_most", "i4"),  # fixed point
            ("redact_if_padded", "i4"),  # fixed point
            ("redact_if_honest", "i4"),  # fixed point
            ("redact_census_from", "i4"),  # fixed point
            ("weights", "f8", (10,)),
            ("gate_fill", "f8"),
            ("unsound_penalty", "f8"),
            ("unsound_penalty_most", "f8"),
            ("least_spend_share", "f8"),
            ("shaping", "i4", (len(SHAPING_FIELDS),)),  # micro-reward each, times scale
            ("shaping_most", "i4", (len(SHAPING_FIELDS),)),  # rewarded times a round
            ("shaping_system", "i4"),  # micro-reward for the first use of a system
            ("ward_surplus", "f8"),
            ("ward_caught", "f8"),
            ("ward_redaction", "f8"),
            *[(name, "i8") for name in LIMIT_FIELDS + FINANCE_FIELDS],
            *[(name, "f8") for name in NEED_FIELDS + OPENING_FIELDS],
            *[(name, "i4") for name in EVENT_FIELDS + TRUST_FIELDS],
        ]
    )


def fixed(share: float) -> int:
    """A share of 1 in fixed point."""
    return round(share * FIXED)


@cache
def _quantiles() -> tuple[float, ...]:
    normal = NormalDist()
    return tuple(round(normal.inv_cdf((i + 0.5) / NORMALS), 9) for i in range(NORMALS))


def log_normal(z: float, sigma: float) -> float:
    """A log-normal factor with mean 1, rounded so that every platform has the same one."""
    return round(math.exp(sigma * z - sigma * sigma / 2), 9)


def new_params(scenario: Scenario) -> np.ndarray[Any, Any]:
    """The Params of `scenario`, as an array of one record."""
    array = np.zeros(1, params_dtype(scenario.sizes))
    p = array[0]
    need = scenario.need
    p["rounds"], p["days"] = scenario.sizes.rounds, scenario.sizes.days
    p["normal"] = _quantiles()
    p["mix_factor"] = [log_normal(z, need.mix_sigma) for z in _quantiles()]
    _fill_catalogue(p, scenario)
    _fill_sections(p, scenario)
    _fill_rewards(p, scenario)
    array.setflags(write=False)
    return array


def _fill_catalogue(p: Any, scenario: Scenario) -> None:
    skus = list(scenario.skus)
    for w, (name, ward) in enumerate(scenario.wards.items()):
        p["ward_priority"][w] = fixed(ward.priority)
        p["ward_census"][w] = ward.census
        p["ward_acute"][w] = ward.acute
        p["ward_pressure"][w] = fixed(ward.hoarding_pressure)
        p["ward_surge_micro"][w] = round(ward.surge_probability * MICRO)
        p["demand"][w] = [scenario.skus[s].demand_per_day.get(name, 0) for s in skus]
        p["lines"][w] = np.count_nonzero(p["demand"][w])
    for s, sku in enumerate(scenario.skus.values()):
        p["shelf_life"][s] = NEVER if sku.shelf_life_days is None else sku.shelf_life_days
        p["criticality"][s] = Criticality[sku.criticality]
        p["unit_cost"][s] = sku.unit_cost_cents
    for i, supplier in enumerate(scenario.suppliers.values()):
        p["lead_time"][i] = supplier.lead_time_days
        p["price_percent"][i] = supplier.price_percent
        p["sells"][i] = [supplier.sells == "all" or s in supplier.sells for s in skus]
    events = scenario.events
    p["least_events"], p["most_events"] = events.count
    p["recall_sku"] = skus.index(events.recall_sku)
    p["breach_sku"] = skus.index(events.breach_sku)
    p["breach_ward"] = list(scenario.wards).index(events.breach_ward)
    p["disrupted_supplier"] = list(scenario.suppliers).index(events.disrupted_supplier)


def _fill_sections(p: Any, scenario: Scenario) -> None:
    parts: list[tuple[list[str], Any]] = [
        (LIMIT_FIELDS, scenario.limits),
        (FINANCE_FIELDS, scenario.finance),
        (NEED_FIELDS, scenario.need),
        (OPENING_FIELDS, scenario.opening),
        (EVENT_FIELDS, scenario.events),
    ]
    for names, part in parts:
        for name in names:
            p[name] = getattr(part, name)
    for name in TRUST_FIELDS:
        p[name] = fixed(getattr(scenario.trust, name))
    p["line_surge_micro"] = round(scenario.need.line_surge_probability * MICRO)
    p["allocation_rule"] = Rule[scenario.allocation_rule.upper()]
    p["wms_noise"] = scenario.wms_noise
    p["arbiter_sigma"] = scenario.arbiter.noise_sigma
    p["deny_excess"] = fixed(scenario.scripted_arbiter.deny_excess)
    evidence, ward = scenario.evidence, scenario.scripted_ward
    p["evidence_census_sigma"] = evidence.census_sigma
    for name in ("acuity_share", "acuity_low", "acuity_high", "recent_rounds"):
        p[name] = getattr(evidence, name)
    for name in ("pad_low", "pad_high", "honest_spread"):
        p[name] = getattr(ward, name)
    p["pad_most"] = fixed(ward.pad_probability_most)
    p["redact_if_padded"] = fixed(ward.redact_if_padded)
    p["redact_if_honest"] = fixed(ward.redact_if_honest)
    p["redact_census_from"] = fixed(ward.redact_census_from_pressure)


def _fill_rewards(p: Any, scenario: Scenario) -> None:
    score, shaping, ward = scenario.score, scenario.shaping, scenario.ward_reward
    p["weights"] = list(score.weights.model_dump().values())
    for name in ("gate_fill", "unsound_penalty", "unsound_penalty_most", "least_spend_share"):
        p[name] = getattr(score, name)
    p["shaping"] = [round(getattr(shaping, name) * shaping.scale * MICRO) for name in SHAPING_FIELDS]
    most = dict.fromkeys(SHAPING_FIELDS, 1)
    most |= {"order_released": shaping.orders_rewarded, "evidence": shaping.evidence_rewarded}
    most |= {"review_of_padded": shaping.reviews_rewarded, "review_of_honest": 1_000_000}
    p["shaping_most"] = list(most.values())
    p["shaping_system"] = round(shaping.first_use_of_system * shaping.scale * MICRO)
    p["ward_surplus"], p["ward_caught"], p["ward_redaction"] = ward.surplus, ward.caught, ward.redaction
