"""Results of episodes to one summary a policy, to differences between policies, and to JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from experiments.evaluation import Result
from experiments.speech import speech
from experiments.statistics import Estimate, cluster_bootstrap, paired_difference
from medchain.reward.formula import COMPONENTS
from medchain.scenario import load_scenario

CRITICAL = "critical_service_level"


class Summary(NamedTuple):
    """One policy over all its episodes. A component that no episode has is None."""

    policy: str
    score: Estimate
    bound_share: float  # mean of score / bound
    components: dict[str, float | None]
    fill: dict[str, float]  # by ward
    penalty: float
    episodes: int


class Difference(NamedTuple):
    """A policy minus the first one, seed by seed and difficulty by difficulty."""

    policy: str
    baseline: str
    score: Estimate
    critical_service_level: Estimate | None  # None where no episode has it
    score_without_audit: Estimate


def by_policy(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Results of each policy, in the order in which policies first appear."""
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(result.policy, []).append(result)
    return found


def summarise(results: Sequence[Result]) -> list[Summary]:
    """One summary a policy, in order."""
    return [_summary(policy, episodes) for policy, episodes in by_policy(results).items()]


def _summary(policy: str, episodes: list[Result]) -> Summary:
    wards = list(dict.fromkeys(ward for e in episodes for ward in e.fill))
    return Summary(
        policy,
        score=cluster_bootstrap([e.score for e in episodes], [e.seed for e in episodes]),
        bound_share=_mean([e.score / e.bound for e in episodes]),
        components={name: _mean_present([e.breakdown[name] for e in episodes]) for name in COMPONENTS},
        fill={ward: _mean([e.fill[ward] for e in episodes if ward in e.fill]) for ward in wards},
        penalty=_mean([e.breakdown["justification_penalty"] or 0.0 for e in episodes]),
        episodes=len(episodes),
    )


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _mean_present(values: list[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return _mean(present) if present else None


def speeches(results: Sequence[Result]) -> dict[str, dict[str, Any]]:
    """How each language model among the policies spoke, see speech.py."""
    heard = {policy: [e.spoken for e in episodes if e.spoken] for policy, episodes in by_policy(results).items()}
    return {policy: speech(counts) for policy, counts in heard.items() if counts}


def differences(results: Sequence[Result]) -> list[Difference]:
    """Every later policy against the first one; each must have played the same episodes, in the same order."""
    (baseline, first), *others = by_policy(results).items()
    return [_difference(policy, episodes, baseline, first) for policy, episodes in others]


def _difference(policy: str, episodes: list[Result], baseline: str, first: list[Result]) -> Difference:
    def paired(value: Callable[[Result], float], pairs: list[tuple[Result, Result]]) -> Estimate:
        ours, theirs = [value(a) for a, _ in pairs], [value(b) for _, b in pairs]
        return paired_difference(ours, theirs, [a.seed for a, _ in pairs])

    pairs = list(zip(episodes, first, strict=True))
    judged = [(a, b) for a, b in pairs if a.breakdown[CRITICAL] is not None and b.breakdown[CRITICAL] is not None]
    return Difference(
        policy,
        baseline,
        score=paired(lambda e: e.score, pairs),
        critical_service_level=paired(lambda e: e.breakdown[CRITICAL] or 0.0, judged) if judged else None,
        score_without_audit=paired(lambda e: score_without(e, "audit_score"), pairs),
    )


def score_without(result: Result, component: str) -> float:
    """The score as it would be if `component` were absent: the weights of the others are rescaled."""
    weights = load_scenario(result.difficulty).score.weights.model_dump()
    kept = {n: v for n in COMPONENTS if n != component and (v := result.breakdown[n]) is not None}
    total = sum(weights[name] * value for name, value in kept.items()) / sum(weights[name] for name in kept)
    score: float = min(1.0, max(0.0, total - (result.breakdown["justification_penalty"] or 0.0)))
    return score


def to_json(results: Sequence[Result]) -> dict[str, Any]:
    """What `medchain eval --json` writes; its form is documented there."""
    keys = ("policy", "seed", "difficulty", "score", "breakdown", "bound", "digest")
    spoken = speeches(results)
    return {
        "policies": {
            s.policy: {
                "score": s.score.mean,
                "score_ci": [s.score.low, s.score.high],
                "components": s.components,
                "fill": s.fill,
                **({"speech": spoken[s.policy]} if s.policy in spoken else {}),
            }
            for s in summarise(results)
        },
        "episodes": [{key: getattr(result, key) for key in keys} for result in results],
    }
