"""`medchain eval` and what is behind it: what it computes, writes and prints."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from experiments.bound import bound_for
from experiments.cli import app
from experiments.evaluation import Result, evaluate
from experiments.players import player
from experiments.summary import differences, score_without, summarise, to_json
from experiments.tables import PLAIN_WIDTH
from medchain.core.params import new_params
from medchain.reward.formula import COMPONENTS, breakdown, fill
from medchain.scenario import DIFFICULTIES, load_scenario

WARDS = ["ward_icu", "ward_er", "ward_general"]
BREAKDOWN = [*COMPONENTS, "gate", "justification_penalty", "score"]


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["eval", *arguments])


@pytest.fixture(scope="module")
def results() -> list[Result]:
    return evaluate(["zero", "rubber_stamp"], [52, 50], ["heavy", "light"])


def test_results_come_by_policy_difficulty_and_seed(results: list[Result]) -> None:
    places = [(r.policy, r.difficulty, r.seed) for r in results]
    assert places == [(p, d, s) for p in ("zero", "rubber_stamp") for d in ("heavy", "light") for s in (52, 50)]


def test_a_result_is_what_the_record_says(results: list[Result]) -> None:
    scenario = load_scenario("light")
    params = new_params(scenario)[0]
    (record,) = player("rubber_stamp")(scenario, [50])
    found = results[-1]
    assert found.score == breakdown(record, params)["score"] and found.breakdown == breakdown(record, params)
    assert list(found.fill.values()) == fill(record, params).tolist() and list(found.fill) == WARDS
    assert found.digest == hashlib.sha256(record.tobytes()).hexdigest()
    assert found.bound == bound_for(scenario, 50) > found.score


def test_a_summary_is_the_mean_over_episodes(results: list[Result]) -> None:
    zero, stamp = summarise(results)
    mine = [r for r in results if r.policy == "rubber_stamp"]
    assert (zero.policy, stamp.policy, stamp.episodes) == ("zero", "rubber_stamp", 4)
    assert stamp.score.mean == pytest.approx(sum(r.score for r in mine) / 4) and stamp.score.clusters == 2
    assert stamp.bound_share == pytest.approx(sum(r.score / r.bound for r in mine) / 4)
    assert stamp.fill["ward_er"] == pytest.approx(sum(r.fill["ward_er"] for r in mine) / 4)
    assert stamp.components["approval_workflow_score"] is None  # it orders nothing, so nothing is there to judge


def made_up(policy: str, seed: int, difficulty: str, response: float | None, audit: float) -> Result:
    """A result in which every component but two is 0.5."""
    parts: dict[str, float | None] = dict.fromkeys(COMPONENTS, 0.5)
    parts |= {"event_response": response, "audit_score": audit, "gate": 1.0, "justification_penalty": 0.05}
    return Result(policy, seed, difficulty, 0.4 + audit / 10, parts, dict.fromkeys(WARDS, 0.5), 0.9, "")


def test_absent_components_are_left_out_of_a_mean() -> None:
    (summary,) = summarise([made_up("a", 1, "light", None, 1), made_up("a", 2, "light", 0.8, 1)])
    assert summary.components["event_response"] == 0.8 and summary.components["waste_control"] == 0.5


def test_the_score_without_a_component_rescales_the_others() -> None:
    assert score_without(made_up("a", 1, "light", 0.5, 1.0), "audit_score") == pytest.approx(0.5 - 0.05)
    assert score_without(made_up("a", 1, "light", None, 0.0), "audit_score") == pytest.approx(0.5 - 0.05)
    weights = load_scenario("light").score.weights
    expected = (0.5 * (0.95 - weights.event_response) + weights.event_response) / 0.95 - 0.05
    assert score_without(made_up("a", 1, "light", 1.0, 0.0), "audit_score") == pytest.approx(expected)


def test_differences_are_paired_and_to_the_first_policy() -> None:
    first = [made_up("a", s, d, 0.5, s / 10) for s in (1, 2, 3) for d in DIFFICULTIES]
    second = [made_up("b", s, d, 0.5, s / 10 + 0.5) for s in (1, 2, 3) for d in DIFFICULTIES]
    (found,) = differences(first + second)
    assert (found.policy, found.baseline) == ("b", "a")
    assert found.score[:3] == pytest.approx((0.05, 0.05, 0.05))
    assert found.critical_service_level is not None and found.critical_service_level.mean == 0
    assert found.score_without_audit[:3] == pytest.approx((0, 0, 0), abs=1e-12)


def test_json_has_the_promised_form(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    done = run("--policy", "zero,rubber_stamp", "--seeds", "50-51", "--difficulty", "light,heavy", "--json", str(file))
    assert done.exit_code == 0, done.output
    data = json.loads(file.read_text())
    assert list(data) == ["policies", "episodes"] and list(data["policies"]) == ["zero", "rubber_stamp"]
    for policy in data["policies"].values():
        assert list(policy) == ["score", "score_ci", "components", "fill"]
        low, high = policy["score_ci"]
        assert 0 <= low <= policy["score"] <= high <= 1
        assert list(policy["components"]) == list(COMPONENTS) and list(policy["fill"]) == WARDS
    assert len(data["episodes"]) == 8
    for episode in data["episodes"]:
        assert list(episode) == ["policy", "seed", "difficulty", "score", "breakdown", "bound", "digest"]
        assert list(episode["breakdown"]) == BREAKDOWN and episode["breakdown"]["score"] == episode["score"]
        assert 0 <= episode["score"] <= episode["bound"] <= 1
        assert len(bytes.fromhex(episode["digest"])) == 32


def test_json_is_the_results(results: list[Result]) -> None:
    data = to_json(results)
    assert [e["digest"] for e in data["episodes"]] == [r.digest for r in results]
    assert data["policies"]["zero"]["score"] == summarise(results)[0].score.mean


def test_tables_show_every_policy_component_and_ward() -> None:
    done = run("--policy", "zero,rubber_stamp", "--seeds", "50-51", "--difficulty", "light", "--paired")
    assert done.exit_code == 0, done.output
    for word in ("zero", "rubber_stamp", *COMPONENTS, *WARDS, "of bound", "Difference to zero", "2 seeds (50-51)"):
        assert word in done.output
    assert max(map(len, done.output.splitlines())) <= PLAIN_WIDTH


def test_one_seed_has_no_interval() -> None:
    done = run("--policy", "zero", "--seeds", "50", "--difficulty", "light")
    assert done.exit_code == 0 and "one seed" in done.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--policy", "zero,nobody"], "unknown policy 'nobody'; known: zero, "),
        (["--policy", "zero,zero"], "--policy: zero is there 2 times; name each once"),
        (["--policy", ""], "--policy: expected names"),
        (["--policy", "zero", "--seeds", "9-5"], "--seeds: the range 9-5 is empty; write 5-9"),
        (["--policy", "zero", "--seeds", "-1"], "--seeds: expected seeds and ranges such as 50-59,100, got '-1'"),
        (["--policy", "zero", "--seeds", str(2**63)], "seed must be an integer in 0 .. 2^63 - 1"),
        (["--policy", "zero", "--difficulty", "easy"], "unknown difficulty 'easy'; known: light, medium, heavy"),
        (["--policy", "zero", "--difficulty", "none.yaml"], "none.yaml: cannot be read (No such file or directory)"),
        (["--policy", "zero", "--paired"], "--paired: expected two or more policies to compare, got zero"),
        (["--policy", "zero", "--json", "none/out.json"], "--json: the folder of none/out.json does not exist"),
        (["--policy", "zero", "--workers", "0"], "--workers"),
        (["--policy", "zero", "--workers", "two"], "--workers"),
        (["--seeds", "50"], "--policy"),
        (["--policy", "zero", "--sed", "5"], "--sed"),
    ],
)
def test_wrong_input_is_explained_and_exits_2(arguments: list[str], words: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2 and words in done.output and "Traceback" not in done.output
