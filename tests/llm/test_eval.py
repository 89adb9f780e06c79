"""`medchain eval --policy llm:...`: a run's model, a bare model and an adapter, beside scripted coordinators."""

import hashlib
import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from experiments.cli import app
from experiments.players import player
from experiments.speech import RATES, speech
from medchain.errors import MedChainError
from medchain.scenario import load_scenario


def run(*arguments):
    return CliRunner().invoke(app, ["eval", "--difficulty", "light", *map(str, arguments)])


def test_a_run_scores_in_the_table_what_the_run_itself_found(mini_run, tmp_path):
    file, name = tmp_path / "out.json", f"llm:{mini_run}"
    done = run("--policy", f"{name},rubber_stamp", "--seeds", "50-51", "--json", file)
    assert done.exit_code == 0, done.output
    told = json.loads((mini_run / "evaluation_after.json").read_text())
    data = json.loads(file.read_text())
    mine = [[e["difficulty"], e["seed"], e["score"]] for e in data["episodes"] if e["policy"] == name]
    assert mine == told["episodes"]
    spoken = data["policies"][name]["speech"]
    assert {key: spoken[key] for key in (*RATES, "tools")} == {key: told[key] for key in (*RATES, "tools")}
    assert "speech" not in data["policies"]["rubber_stamp"]
    for words in (*RATES.values(), *told["tools"], "rubber_stamp"):
        assert words in done.output


def test_without_its_adapter_a_run_is_what_it_was_before(mini_run):
    before = json.loads((mini_run / "evaluation_before.json").read_text())
    from experiments.evaluation import evaluate

    found = evaluate([f"llm:{mini_run}+none"], [50, 51], ["light"])
    assert [r.score for r in found] == [score for _, _, score in before["episodes"]]


def test_a_bare_model_with_an_adapter_is_played_unconstrained(mini_run, monkeypatch):
    from policies.llm import evaluate

    monkeypatch.setattr(evaluate, "PLAIN", replace(evaluate.PLAIN, brief="tiny", turn_tokens=8, round_turns=1))
    adapter = mini_run / "checkpoints" / "000002" / "coordinator"
    name = f"llm:{mini_run / 'base'}+{adapter}"
    (record,) = player(name)(load_scenario("light"), [50])
    assert int(record["round"]) == 8


def test_speech_counts_every_episode_alike():
    one = {"turns": 4, "unparsed": 1, "calls": 8, "refused": 2, "tokens": 100, "rounds": 4, "tools": {"a": 6, "b": 2}}
    two = {**one, "unparsed": 0, "tokens": 50, "tools": {"b": 8}}
    assert speech([one, two]) == {
        "parse_rate": 1 - 1 / 8,
        "refused_share": 4 / 16,
        "calls_per_round": 2.0,
        "tokens_per_episode": 75.0,
        "tools": {"b": 10, "a": 6},
    }


def test_what_cannot_be_played_is_said_before_anything_is(mini_run, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    wrong = {
        f"llm:{tmp_path / 'none'}": "expected a model folder with config.json",
        f"llm:{mini_run}+{other}": "expected an adapter (adapter_config.json)",
        "llm:tiny": "expected llm:RUN_FOLDER",
    }
    for name, words in wrong.items():
        done = run("--policy", name, "--seeds", "50")
        assert done.exit_code == 2 and words in done.output, done.output


def test_an_adapter_of_another_base_is_refused(mini_run, tokenizer, tmp_path):
    from policies.llm.tiny import save_model, tiny_model

    save_model(tiny_model(tokenizer, width=64, layers=1), tokenizer, tmp_path)
    adapter = mini_run / "checkpoints" / "000002" / "coordinator"
    with pytest.raises(MedChainError, match="is of another base model"):
        player(f"llm:{tmp_path}+{adapter}")


def test_a_grammar_is_not_taken_to_another_hospital(mini_run):
    from policies.llm.evaluate import rollouts
    from tests.laws.trace import OTHER_SIZES, hospital

    for name in OTHER_SIZES:
        with pytest.raises(MedChainError, match="can only speak of the hospital it was made for"):
            rollouts(str(mini_run), hospital(name), name, [1])


def test_episodes_of_a_language_model_are_recorded_as_they_were_played(mini_run, tmp_path):
    """Recording changes no score, and each file replays to its last digest."""
    from medchain.env.replay import Replay

    file, folder = tmp_path / "out.json", tmp_path / "episodes"
    done = run("--policy", f"llm:{mini_run}", "--seeds", "50-51", "--json", file, "--record", folder)
    assert done.exit_code == 0, done.output
    told = json.loads((mini_run / "evaluation_after.json").read_text())
    data = json.loads(file.read_text())
    assert [e["score"] for e in data["episodes"]] == [score for *_, score in told["episodes"]]
    files = sorted(folder.glob("*.jsonl"))
    assert len(files) == 2
    for path, episode in zip(files, data["episodes"], strict=True):
        assert hashlib.sha256(Replay(path).verify().record.tobytes()).hexdigest() == episode["digest"]
