"""Scenario files: what is wrong is said with file, key, value and what is legal; what is right plays."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from medchain.errors import ScenarioError, UnknownNameError
from medchain.reading import read_yaml
from medchain.scenario import DIFFICULTIES, FOLDER, load_scenario

BASE = FOLDER / "base.yaml"
SELLS_GAUZE = "{MEDLINE: {sells: [GAUZE-01]}, BACKUP-B: {sells: [GAUZE-01]}, FASTMED: {sells: [GAUZE-01]}}"
WARD = "{title: A, priority: 1, census: 1, acute: true, hoarding_pressure: 0, surge_probability: 0}"

WRONG = {
    "unknown key": ("clok: 1", "clok = 1: unknown key; legal: clock, limits, wards"),
    "unknown key inside": ("clock: {round: 8}", "clock.round = 8: unknown key; legal: rounds, days_per_round"),
    "unknown key of a ward": (
        "wards: {ward_icu: {beds: 4}}",
        "wards.ward_icu.beds = 4: unknown key; legal: title, priority",
    ),
    "negative demand": (
        "skus: {BLOOD-RBC: {demand_per_day: {ward_er: -6}}}",
        "skus.BLOOD-RBC: demand of ward_er is -6; legal: ",
    ),
    "nobody sells": (f"suppliers: {SELLS_GAUZE}", "skus.BLOOD-RBC: nobody sells it; list it under some supplier's `sells`"),
    "weights": ("score: {weights: {audit_score: 0.5}}", "score.weights: the weights sum to 1.45; legal: a sum of 1"),
    "lots": ("limits: {lots: 20}", "limits.lots = 20: this scenario can make 262 lots; legal: no fewer"),
    "name": ("events: {breach_ward: ward_x}", "events.breach_ward = 'ward_x': unknown name; legal: ward_icu, ward_er"),
    "sells": ("suppliers: {MEDLINE: {sells: [NOPE]}}", "suppliers.MEDLINE.sells = 'NOPE': unknown name; legal: BLOOD-RBC"),
    "low above high": ("opening: {days_low: 9}", "opening: days_low = 9.0: above days_high; legal: at most 7.0"),
    "padding": ("scripted_ward: {pad_low: 3}", "scripted_ward: pad_low = 3.0: above pad_high; legal: at most 2.5"),
    "too many events": ("events: {count: [3, 9]}", "events.count = [3, 9]: impossible; legal: 0 <= low <= high <= 5"),
    "no room for events": ("events: {count: [5, 5], last_day: 6}", "events: days 2 .. 6 hold no 5 events in an episode"),
    "share": ("wms_noise: 1.5", "wms_noise = 1.5: Input should be less than or equal to 1"),
    "not a number": ("wms_noise: .nan", "wms_noise = nan: Input should be a finite number"),
    "word for a number": ("clock: {rounds: eight}", "clock.rounds = 'eight': Input should be a valid integer"),
    "rule": (
        "allocation_rule: random",
        "allocation_rule = 'random': Input should be 'proportional', 'uniform' or 'priority'",
    ),
    "taken name": (
        f"wards: {{arbiter: {WARD}}}",
        "wards: coordinator, arbiter and central_pharmacy are taken names",
    ),
}

UNREADABLE = {
    "bad YAML": (b"clock: [1", "not valid YAML: while parsing a flow sequence"),
    "not text": (b"\xff\xfe", "not valid YAML: 'utf-8' codec"),
    "a list": (b"- 1\n", "expected a mapping of keys, got list"),
    "nothing": (b"", "expected a mapping of keys, got NoneType"),
    "a key twice": (b"clock: {}\nclock: {}\n", "not valid YAML: key 'clock' is there twice"),
    "itself": (b"extends: mine.yaml\n", "the file ends up extending itself; legal: another file"),
    "no such base": (b"extends: none.yaml\n", "none.yaml: cannot be read (No such file or directory)"),
}


def refusal(path: Path) -> str:
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    return str(caught.value)


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_entry_is_named_with_file_key_value_and_what_is_legal(case: str, tmp_path: Path) -> None:
    entry, sentence = WRONG[case]
    mine = tmp_path / "mine.yaml"
    mine.write_text(f"extends: {BASE}\n{entry}\n", encoding="utf-8")
    assert refusal(mine).startswith(f"{mine}: {sentence}")


@pytest.mark.parametrize("key", ["clock.rounds", "score.weights.audit_score", "skus.GAUZE-01.title", "wms_noise"])
def test_a_missing_key_is_named(key: str, tmp_path: Path) -> None:
    data = read_yaml(BASE)
    *parts, last = key.split(".")
    part = data
    for name in parts:
        part = part[name]
    del part[last]
    mine = tmp_path / "mine.yaml"
    mine.write_text(yaml.safe_dump(data), encoding="utf-8")
    assert refusal(mine) == f"{mine}: {key}: missing key; every key must be given"


def test_every_wrong_entry_is_listed(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text(f"extends: {BASE}\nwms_noise: 2\nfinance: {{gate_cents: -1}}\n", encoding="utf-8")
    assert [line.split(": ")[1] for line in refusal(mine).splitlines()] == ["finance.gate_cents = -1", "wms_noise = 2"]


@pytest.mark.parametrize("case", UNREADABLE)
def test_an_unreadable_file_is_named_with_the_reason(case: str, tmp_path: Path) -> None:
    content, reason = UNREADABLE[case]
    mine = tmp_path / "mine.yaml"
    mine.write_bytes(content)
    said = refusal(mine)
    assert said.startswith(str(tmp_path)) and reason in said


def test_a_missing_file_and_an_unknown_difficulty(tmp_path: Path) -> None:
    assert refusal(tmp_path / "mine.yaml") == f"{tmp_path / 'mine.yaml'}: cannot be read (No such file or directory)"
    with pytest.raises(UnknownNameError, match="unknown difficulty 'easy'; known: light, medium, heavy, or the path"):
        load_scenario("easy")


def test_shipped_difficulties_differ_in_events_pressure_and_surges_only() -> None:
    base = load_scenario("medium").model_dump()
    for name in DIFFICULTIES:
        other = load_scenario(name).model_dump()
        assert {key for key in base if base[key] != other[key]} <= {"events", "wards"}
        assert {key for key in base["events"] if base["events"][key] != other["events"][key]} <= {"count"}
        for ward, entry in base["wards"].items():
            changed = {key for key in entry if entry[key] != other["wards"][ward][key]}
            assert changed <= {"hoarding_pressure", "surge_probability"}


def bigger(tmp_path: Path) -> Path:
    """Five wards and twenty SKUs, one of them sold by a single supplier, in rounds of their own number."""
    data: dict[str, Any] = read_yaml(BASE)
    data["clock"]["rounds"] = 5
    data["events"]["last_day"] = 8
    data["wards"] |= {f"ward_{n}": {**data["wards"]["ward_er"], "title": n} for n in ("burns", "births")}
    for i in range(10):
        demand = {"ward_burns": 3 + i, "ward_births": 5, "ward_icu": 2}
        data["skus"][f"EXTRA-{i}"] = {**data["skus"]["SYR-10"], "demand_per_day": demand}
    data["suppliers"]["MEDLINE"]["sells"] = [sku for sku in data["skus"] if sku != "EXTRA-9"]
    data["limits"]["lots"] = 400
    mine = tmp_path / "bigger.yaml"
    mine.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return mine


def test_a_hospital_of_five_wards_and_twenty_skus_is_played_and_scored(tmp_path: Path) -> None:
    """Uncompiled: kernels for other sizes take two minutes to compile, and run the same lines."""
    scenario, mine, file = load_scenario(bigger(tmp_path)), tmp_path / "bigger.yaml", tmp_path / "out.json"
    assert (scenario.sizes.wards, scenario.sizes.skus, scenario.sizes.days) == (5, 20, 10)
    play = ["--policy", "rubber_stamp,auditor", "--seeds", "7", "--difficulty", str(mine), "--json", str(file)]
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-m", "experiments.cli", "eval", *play], env=env, check=True, capture_output=True)
    data = json.loads(file.read_text())
    assert list(data["policies"]["auditor"]["fill"]) == list(scenario.wards)
    assert min(data["policies"]["auditor"]["fill"].values()) > 0.3
    assert data["policies"]["rubber_stamp"]["score"] < data["policies"]["auditor"]["score"] <= data["episodes"][1]["bound"]


@pytest.mark.parametrize("name", ["inspection", "rationing"])
def test_a_game_of_the_studies_is_no_difficulty(name: str) -> None:
    for given in (name, FOLDER / f"{name}.yaml"):
        with pytest.raises(ScenarioError, match=f"medchain study {name}"):
            load_scenario(given)
