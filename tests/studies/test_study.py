"""A whole study, cut down to seconds: its folder, what is repaired, what stays frozen, what is refused."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("torch", reason="learned roles need medchain[train]")
pytest.importorskip("ray", reason="learned roles need medchain[train]")
pytest.importorskip("nashpy", reason="studies need medchain[study]")
pytest.importorskip("open_spiel", reason="studies need medchain[study]")

from typer.testing import CliRunner

from experiments.cli import app
from experiments.studies import plan, tuned
from experiments.studies.config import FOLDER, PaddingConfig, StaticsConfig, load_study
from experiments.studies.learning import Sides, learn_stage
from experiments.studies.padding import run_padding, suspicion
from experiments.studies.players import digest, play_cast, roles
from experiments.studies.statics import run_statics
from experiments.studies.trial import Trial, finished, run_trial
from medchain.errors import ConfigError, MedChainError, UnknownNameError
from medchain.scenario import load_scenario
from tests.learned.setups import one_thread, start_ray

MEDIUM = load_scenario()
SMALL = {"hidden": 4, "episodes": 4, "minibatch": 16, "epochs": 1}


def small(path: Path, shipped: str, **changes: Any) -> Path:
    """A shipped config with networks and batches of seconds."""
    data = {"extends": str(FOLDER / f"{shipped}.yaml"), "seeds": [0, 1], "evaluation": {"first_seed": 500000, "episodes": 2}}
    data |= {"learners": {"wards": SMALL, "coordinator": SMALL}}
    path.write_text(yaml.safe_dump(data | changes), encoding="utf-8")
    return path


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Any:
    with start_ray(), one_thread():
        yield


@pytest.fixture
def here(monkeypatch: Any) -> list[str]:
    """Trials run in this process, without Tune; the names of those that were run."""
    ran: list[str] = []

    def run(missing: Any, out: Path, scale: Any, tell: Any) -> None:
        for t in missing:
            run_trial(t, out / tuned.TRIALS / t.name)
            ran.append(t.name)

    monkeypatch.setattr(tuned, "_tune", run)
    return ran


def league(number: int = 0) -> Trial:
    """Wards and coordinator learn by turns against all that the other has been."""
    sides = {name: how for name, how in tiny_config().learners.items() if name != "arbiter"}
    stages = plan._stages("league", ["coordinator", "wards"], tiny_config().together)
    scenario = MEDIUM.model_dump(mode="json")
    return Trial(
        name="league", scenario=scenario, wards=["ward_general"], seed=number, learners=sides, stages=stages,
        evaluate={"self": {}}, first_key=10_000_000, evaluation_seeds=(500_000, 2),
    )  # fmt: skip


def tiny_config(tmp: dict[str, PaddingConfig] = {}) -> PaddingConfig:  # noqa: B006
    if not tmp:
        base = load_study(PaddingConfig, Path("padding_vs_auditing_quick"))
        learners = {name: how.model_copy(update=SMALL) for name, how in base.learners.items()}
        short = base.together.model_copy(update={"stages": 2, "iterations": 1, "schemes": ["league"]})
        tmp["it"] = base.model_copy(update={"learners": learners, "together": short})
    return tmp["it"]


def test_shipped_configs_load() -> None:
    for path in sorted(FOLDER.glob("*.yaml")):
        if path.stem != "base":
            kind = StaticsConfig if path.stem.startswith("statics") else PaddingConfig
            assert load_study(kind, Path(path.stem)).name == path.stem.replace("_", "-")


def test_a_study_leaves_its_report_and_repairs_one_deleted_trial(here: list[str], tmp_path: Path) -> None:
    path = small(
        tmp_path / "x.yaml",
        "padding_vs_auditing_quick",
        alone={"iterations": {"wards": 1, "coordinator": 1}, "wards": ["restock", "auditor"]},
        together={"schemes": ["simultaneous"], "stages": 2, "iterations": 1},
        regret={"budgets": [1], "seeds": 1},
        cross_play={"coordinators": ["restock"], "wards": ["honest"], "held_out": []},
    )
    config, out, told = load_study(PaddingConfig, path), tmp_path / "out", list[str]()
    first = run_padding(config, out, told.append)
    # alone, together, best responses, cross-play of restock and of three learned populations
    assert len(here) == len(first["trials"]) == 6 + 2 + 4 + 7
    page = (out / "report.html").read_text("utf-8")
    assert page.count("<svg") == len(list(out.glob("*.png"))) == 11
    assert "http" not in page.replace("http://www.w3.org", "").replace("http://purl.org", "").replace(
        "http://creativecommons", ""
    )
    results = json.loads((out / "results.json").read_text("utf-8"))
    assert [c["verdict"] for c in results["claims"]] and len(results["claims"]) == 5
    for trial in results["trials"].values():
        left = {path.name for path in (out / trial["folder"]).iterdir()}
        assert {"trial.json", "scenario.yaml", "versions.json", "result.json", "policies"} <= left
    before = {p: p.stat().st_mtime_ns for p in out.glob("trials/**/result.json")}
    shutil.rmtree(out / "trials" / "simultaneous" / "seed-1")
    here.clear()
    again = run_padding(config, out, told.append)
    assert here == ["simultaneous/seed-1"]
    assert {p for p, at in before.items() if p.stat().st_mtime_ns != at} == {out / "trials/simultaneous/seed-1/result.json"}
    assert again["cross_play"] == first["cross_play"] and again["nash_conv"] == first["nash_conv"]


def test_opponents_stay_frozen_and_snapshots_are_copies(tmp_path: Path) -> None:
    """A league of two rounds: snapshots do not change while others learn, nor when their side learns on."""
    (tmp_path / "policies").mkdir()
    trial = league()
    (tmp_path / "scenario.yaml").write_text(yaml.safe_dump(trial.scenario), encoding="utf-8")
    sides, seen = Sides(trial, tmp_path), dict[Path, str]()
    for number in range(len(trial.stages)):
        learn_stage(sides, number)
        assert {path: digest(path) for path in seen} == seen
        seen |= {path: digest(path) for paths in sides.snapshots.values() for path in paths}
    assert [len(paths) for paths in sides.snapshots.values()] == [3, 3]
    assert len(set(seen.values())) == 6  # every stage changed what learned in it


def test_the_same_trial_comes_to_the_same(tmp_path: Path) -> None:
    one, other = run_trial(league(), tmp_path / "a"), run_trial(league(), tmp_path / "b")
    assert one["evaluations"] == other["evaluations"] and one["identity"] == other["identity"]
    assert (tmp_path / "a/metrics.jsonl").read_bytes() == (tmp_path / "b/metrics.jsonl").read_bytes()
    assert finished(league(), tmp_path / "a") == one
    assert finished(league(7), tmp_path / "a") is None
    (tmp_path / "b/policies/wards-01.ward.pt").unlink()
    assert finished(league(), tmp_path / "b") is None


def test_tune_runs_trials_and_names_the_one_that_fails(tmp_path: Path) -> None:
    config = tiny_config()
    play = plan.trial(config, "play/one", 0, [], {"self": {"coordinator": "restock"}}, MEDIUM)
    bad = play.model_copy(update={"name": "play/bad", "evaluate": {"self": {"coordinator": "nobody"}}})
    told: list[str] = []
    with pytest.raises(tuned.StudyError, match="play/bad"):
        tuned.run_trials([play, bad], tmp_path, config.scale, told.append)
    assert finished(play, tmp_path / "trials/play/one") is not None
    assert any("play/bad: FAILED" in line for line in told)
    assert list(tuned.run_trials([play], tmp_path, config.scale, told.append)) == ["play/one"]


def test_statics_turn_one_knob_at_a_time(here: list[str], tmp_path: Path) -> None:
    knobs = {
        "fine": {
            "title": "fine",
            "labels": ["none", "shipped"],
            "settings": [{"ward_reward.caught": 0.0}, {"ward_reward.caught": 1.0}],
        },
        "quota": {
            "title": "quota",
            "labels": ["0", "3"],
            "settings": [{"limits.reviews_per_round": 0}, {"limits.reviews_per_round": 3}],
        },
    }
    path = small(tmp_path / "x.yaml", "statics_quick", learn="nobody")
    config = load_study(StaticsConfig, path)
    data = config.model_dump(by_alias=True) | {"knobs": knobs}
    config = StaticsConfig.model_validate(data)
    found = run_statics(config, tmp_path / "out", lambda _: None)
    assert sorted({name.partition("/")[0] for name in here}) == ["fine-none", "quota-0", "shipped"]
    quota = found["knobs"]["quota"]["settings"]
    assert quota["0"]["studied/review_rate"]["value"] == 0.0 < quota["3"]["studied/review_rate"]["value"]
    assert found["knobs"]["fine"]["effect"]["studied/padding_rate"]["value"] == 0.0  # scripted wards know no fine
    assert (tmp_path / "out/report.html").is_file()


def test_who_is_audited_more_is_told_apart_from_which_ward_it_is() -> None:
    """ER is always audited .1 more than General, a chronic padder .2 more than an honest ward: .2 is told."""
    config = load_study(PaddingConfig, Path("padding_vs_auditing_quick"))
    casts = config.alone.coordinator["one-padder"]
    bias, extra = {"ward_er": 0.1, "ward_general": 0.0, "ward_icu": 0.5}, {"chronic": 0.2, "honest": 0.0}
    told = {
        str(i): {"facts": {f"{ward}/audit_rate": bias[ward] + extra[cast[ward]] for ward in cast}}
        for i, cast in enumerate(casts)
    }
    results = {f"coordinator-vs-one-padder/seed-{seed}": {"evaluations": told} for seed in config.seeds}
    assert suspicion(config, results, "one-padder", "audit_rate") == pytest.approx([0.2] * len(config.seeds))


def test_words_become_roles_and_play() -> None:
    cast = {"coordinator": "restock", "wards": "chronic"}
    made = roles(MEDIUM, ["ward_er"], (), cast)
    assert made["coordinator"] == {"role": "scripted", "policy": "restock"}
    assert [made[w]["persona"] for w in ("ward_er", "ward_icu")] == ["chronic", "scripted"]
    assert play_cast(MEDIUM, ["ward_er"], cast, range(2)).rates([1])["padding_rate"] == 1.0
    by_name = roles(MEDIUM, ["ward_er"], ("coordinator",), {"ward_icu": "honest", "wards": "edge"})
    assert [by_name[w]["persona"] for w in ("ward_icu", "ward_er", "ward_general")] == ["honest", "edge", "scripted"]
    with pytest.raises(UnknownNameError, match="unknown side 'ward_x'"):
        roles(MEDIUM, ["ward_er"], (), {"ward_x": "honest"})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"wards": ["ward_x"]}, "unknown ward 'ward_x'"),
        ({"seeds": [1, 1]}, "one is there twice"),
        ({"evaluation": {"first_seed": 9_999_999, "episodes": 2}}, "training keys"),
        ({"togther": 1}, "togther"),
        ({"learners": {"nurse": {}}}, "learners.nurse"),
    ],
)
def test_wrong_configs_are_refused_by_key(change: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(MedChainError, match=message):
        load_study(PaddingConfig, small(tmp_path / "x.yaml", "padding_vs_auditing_quick", **change))


def test_a_knob_that_is_none_is_refused(tmp_path: Path) -> None:
    config = load_study(StaticsConfig, Path("statics_quick"))
    knob = config.knobs["fine"].model_copy(update={"settings": [{"ward_reward.fine": 1.0}] * 4})
    with pytest.raises(ConfigError, match=r"ward_reward\.fine: no such key"):
        plan.statics(config.model_copy(update={"knobs": {"fine": knob}}))
    with pytest.raises(ConfigError, match="expected a file, or one of"):
        load_study(StaticsConfig, Path("nothing"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope"], "unknown study 'nope'"),
        (["inspection", "--quick"], "takes seconds as it is"),
        (["statics", "--quick", "--config", "x.yaml"], "leave out --config"),
        (["statics", "--config", "x.yaml"], "expected a file, or one of padding_vs_auditing"),
    ],
)
def test_wrong_commands_are_one_line(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(app, ["study", *arguments])
    assert result.exit_code == 2
    assert message in result.output and "Traceback" not in result.output
