"""The parts of a scenario file: what keys each has, in what units, and what is legal by itself; see scenario.py."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Part(BaseModel):
    """Base of all parts of a scenario: no unknown key, nothing changes after loading, no x_low above its x_high."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="after")
    def _low_to_high(self) -> Self:
        for name in type(self).model_fields:
            high = getattr(self, f"{name.removesuffix('_low')}_high", None) if name.endswith("_low") else None
            if high is not None and getattr(self, name) > high:
                raise ValueError(f"{name} = {getattr(self, name)}: above {name[:-4]}_high; legal: at most {high}")
        return self


Count = Field(ge=1)
Units = Field(ge=0, le=100_000)
Cents = Field(ge=0, le=10**12)
Share = Field(ge=0, le=1)
Factor = Field(gt=0, le=100)
Sigma = Field(ge=0, le=2)


class Clock(Part):
    """Rounds per episode, days per round, rounds of history before round 1."""

    rounds: int = Field(ge=1, le=52)
    days_per_round: Literal[2]
    history_rounds: int = Field(ge=0, le=52)


class Limits(Part):
    """Call budgets and the sizes of the record's tables."""

    calls_per_round: int = Field(ge=1, le=1000)
    orders_per_round: int = Field(ge=1, le=1000)
    evidence_per_round: int = Units
    reviews_per_round: int = Units
    refusals_before_forfeit: int = Count
    order_quantity: int = Field(ge=1, le=10**7)
    lots: int = Field(ge=1, le=30_000)


class Ward(Part):
    """A ward: priority weight in [0, 1], baseline census in patients, opening hoarding pressure."""

    title: str
    priority: float = Share
    census: int = Count
    acute: bool
    hoarding_pressure: float = Share
    surge_probability: float = Share


class Sku(Part):
    """A product: shelf life in days (None: never expires), list price in cents, usual demand per ward in units/day."""

    title: str
    shelf_life_days: int | None = Field(ge=1, le=100_000)
    criticality: Literal["NORMAL", "HIGH", "CRITICAL"]
    unit_cost_cents: int = Field(ge=1, le=10**8)
    demand_per_day: dict[str, int] = Field(min_length=1)

    @model_validator(mode="after")
    def _demand(self) -> Self:
        for ward, units in self.demand_per_day.items():
            if not 1 <= units <= 100_000:
                raise ValueError(f"demand of {ward} is {units}; legal: 1 .. 100000 units a day (leave the ward out for 0)")
        return self


class Supplier(Part):
    """A supplier: lead time in days, price as percent of list, what it sells."""

    lead_time_days: int = Field(ge=1, le=365)
    price_percent: int = Field(ge=1, le=10_000)
    sells: Literal["all"] | list[str]


class Opening(Part):
    """Opening stock: days of stock ~ U(low, high) per SKU, shares for wards and central, shelf life left."""

    days_low: float = Field(ge=0, le=365)
    days_high: float = Field(ge=0, le=365)
    ward_share: float = Factor
    central_share: float = Factor
    ward_shelf_left: float = Share
    central_shelf_left: float = Share


class Finance(Part):
    """Budget, approval gate and prices of services, in cents or percent."""

    budget_cents: int = Cents
    budget_per_event_cents: int = Cents
    gate_cents: int = Cents
    evidence_cost_cents: int = Cents
    review_cost_cents: int = Cents
    expedite_percent: int = Field(ge=100, le=1000)
    quote_discount_percent: int = Field(ge=0, le=100)
    quote_good_rounds: int = Count


class Need(Part):
    """The need model: log-normal census (AR(1)) and mix, daily noise, surges, MCI."""

    daily_sigma: float = Sigma
    census_rho: float = Field(ge=0, lt=1)
    census_sigma: float = Sigma
    mix_sigma: float = Sigma
    mci_factor: float = Factor
    ward_surge_factor: float = Factor
    line_surge_probability: float = Share
    line_surge_low: float = Factor
    line_surge_high: float = Factor
    legal_request: float = Field(ge=1, le=100)


class Events(Part):
    """How many events, when, and what each does."""

    count: tuple[int, int]
    first_day: int = Count
    last_day: int = Count
    mci_days: int = Count
    disruption_days: int = Count
    disrupted_supplier: str
    disrupted_lead_time_days: int = Count
    recall_sku: str
    recall_units: int = Units
    breach_sku: str
    breach_ward: str
    breach_days: int = Count


class Trust(Part):
    """The moves of reputation and hoarding pressure, as fractions of 1."""

    opening_reputation: float = Share
    reputation_kept: float = Share
    pressure_pull: float = Share
    caught_pressure: float = Share
    caught_pressure_deny: float = Share
    caught_pressure_per_further_line: float = Share
    caught_pressure_most: float = Share
    caught_reputation: float = Share
    paid_pressure: float = Share
    short_pressure: float = Share
    honest_review_pressure: float = Share
    honest_review_reputation: float = Share
    cited_pressure: float = Share
    cited_reputation: float = Share
    redacted_reputation: float = Share
    disclosed_reputation: float = Share


class ScriptedWard(Part):
    """The scripted request and disclosure rule."""

    pad_low: float = Factor
    pad_high: float = Factor
    honest_spread: float = Share
    pad_probability_most: float = Share
    redact_if_padded: float = Share
    redact_if_honest: float = Share
    redact_census_from_pressure: float = Share


class ScriptedArbiter(Part):
    """The scripted ruling."""

    deny_excess: float = Field(ge=0, le=100)


class Arbiter(Part):
    """The arbiter's chart review."""

    noise_sigma: float = Sigma


class Evidence(Part):
    """What a disclosure holds."""

    census_sigma: float = Sigma
    acuity_share: float = Share
    acuity_low: float = Field(ge=-1, le=1)
    acuity_high: float = Field(ge=-1, le=1)
    recent_rounds: int = Count


class Weights(Part):
    """Weights of the ten score components; they sum to 1."""

    network_service_level: float = Share
    critical_service_level: float = Share
    allocation_accuracy: float = Share
    event_response: float = Share
    budget_efficiency: float = Share
    waste_control: float = Share
    audit_score: float = Share
    approval_workflow_score: float = Share
    tool_discovery_score: float = Share
    briefing_efficiency: float = Share

    @model_validator(mode="after")
    def _sum(self) -> Self:
        total = sum(self.model_dump().values())
        if abs(total - 1) > 1e-9:
            raise ValueError(f"the weights sum to {total:.6g}; legal: a sum of 1")
        return self


class Score(Part):
    """Weights, gate and penalty of the coordinator's score."""

    weights: Weights
    gate_fill: float = Field(gt=0, le=1)
    unsound_penalty: float = Share
    unsound_penalty_most: float = Share
    least_spend_share: float = Field(gt=0, le=1)


class Shaping(Part):
    """The training signal; see reward/shaping.py."""

    scale: float = Share
    mail_read: float
    requests_viewed: float
    briefing: float
    plan_committed: float
    order_released: float
    recall_stopped: float
    evidence: float
    review_of_padded: float
    review_of_honest: float
    approval_sound: float
    approval_unsound: float
    first_use_of_system: float
    orders_rewarded: int = Units
    evidence_rewarded: int = Units
    reviews_rewarded: int = Units


class WardReward(Part):
    """Weights of the wards' reward."""

    surplus: float = Field(ge=0, le=100)
    caught: float = Field(ge=0, le=100)
    redaction: float = Field(ge=0, le=100)
