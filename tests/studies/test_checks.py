"""The learners find the equilibria that theory gives."""

import json
import re

import pytest

from experiments.studies.checks import run_check, run_inspection, run_rationing
from experiments.studies.games import InspectionConfig, RationingConfig, load_game
from experiments.studies.inspection import Inspection
from experiments.studies.rationing import UNIT, Rationing
from medchain.core.words import Rule
from medchain.errors import ConfigError


def test_inspection_closed_form_known_answers() -> None:
    config = load_game(InspectionConfig)
    answers = [tuple(round(x, 3) for x in Inspection(config, fine).equilibrium) for fine in (6.0, 12.0)]
    assert answers == [(0.222, 0.290), (0.222, 0.167)]


def test_nobody_gains_by_leaving_the_inspection_equilibrium() -> None:
    game = Inspection(load_game(InspectionConfig), 6.0)
    pad, audit = game.equilibrium
    strategies = [[1 - pad, pad], [1 - audit, audit]]
    for player in (0, 1):
        first, second = game.payoffs(player, strategies)
        assert first == pytest.approx(second, abs=1e-12)


def test_learners_reach_the_inspection_equilibrium() -> None:
    rows = run_inspection(load_game(InspectionConfig))
    for row in rows:
        for name in ("pad", "audit"):
            assert row[f"{name}_fictitious"] == pytest.approx(row[name], abs=0.03)
            assert row[f"{name}_learned"] == pytest.approx(row[name], abs=0.03)
    assert rows[1]["audit_learned"] < rows[0]["audit_learned"] - 0.08
    assert abs(rows[1]["pad_learned"] - rows[0]["pad_learned"]) < 0.03


@pytest.mark.parametrize(("penalty", "units"), [(0.4, 10.0), (0.2, 15.0), (0.1, 30.0)])
def test_rationing_closed_form_known_answers(penalty: float, units: float) -> None:
    assert Rationing(load_game(RationingConfig), 2, penalty).equilibrium / UNIT == pytest.approx(units)


def test_learners_reach_the_rationing_equilibrium_and_uniform_sharing_pays_nobody() -> None:
    config = load_game(RationingConfig)
    quick = config.model_copy(update={"learning": config.learning.model_copy(update={"seeds": 1})})
    for row in run_rationing(quick):
        assert row["request_learned"] == pytest.approx(row["request"], rel=0.05)
        assert row["request_fictitious"] == pytest.approx(row["request"], rel=0.05)
        assert row["gain_uniform"] == 0.0
        truthful = row["penalty"] >= Rationing(config, row["wards"], 1.0).config.value * 12 * (row["wards"] - 1) / (
            row["wards"] ** 2 * 10
        )
        assert (row["gain_proportional"] == 0.0) is truthful


def test_uniform_rule_predicts_truth() -> None:
    assert Rationing(load_game(RationingConfig), 3, 0.1, Rule.UNIFORM).equilibrium / UNIT == 10.0


def test_a_check_leaves_its_folder(tmp_path) -> None:
    run_check("inspection", tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert {"config.json", "versions.json", "results.json", "inspection.png", "report.html"} <= left
    results = json.loads((tmp_path / "results.json").read_text())
    assert [row["fine"] for row in results["rows"]] == [6.0, 12.0]
    page = (tmp_path / "report.html").read_text()
    assert set(re.findall(r"https?://[^/\"]+", page)) <= {"http://www.w3.org"}  # names of XML, nothing to fetch


def test_wrong_configs_are_refused_by_key(tmp_path) -> None:
    bad = tmp_path / "inspection.yaml"
    text = (load_game.__globals__["FOLDER"] / "inspection.yaml").read_text()
    bad.write_text(text.replace("audit_cost: 1.0", "audit_cost: 9.0"))
    with pytest.raises(ConfigError, match="no mixed equilibrium"):
        load_game(InspectionConfig, bad)
    bad.write_text(text.replace("pad_gain: 2.0", "pad_gane: 2.0"))
    with pytest.raises(ConfigError, match="pad_gane"):
        load_game(InspectionConfig, bad)
