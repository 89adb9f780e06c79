"""`record_to=` of the AEC environment and `medchain eval --record` leave replays that verify."""

import copy
import json
import pickle

import numpy as np
import pytest
from typer.testing import CliRunner

from experiments.cli import app
from experiments.recording import replay_name
from medchain import medchain_v0
from medchain.env.replay import Replay
from medchain.errors import ReplayError

CALLS = [
    {"name": "messaging_send_to_ward", "arguments": {"ward_id": "ward_er", "body": "Why so much <b>?"}},
    {"name": "request_evidence", "arguments": {"ward_id": "ward_icu", "sku": "BLOOD-RBC"}},
    {"name": "escalate_to_clinical_review", "arguments": {"ward_id": "ward_er", "sku": "SYR-10", "concern": "odd"}},
    {"name": "submit_allocation_plan", "arguments": {"plan_json": {"ward_icu": "requested", "ward_er": "70%"}}},
    "this is no call",
    {"name": "advance_round", "arguments": {}},
]
ANSWERS = {"REQUEST": '{"requests": {"SYR-10": 60}}', "DISCLOSE": '{"redact": "none"}', "VERDICT": '{"verdict": "REDUCE"}'}


def play_text(env, seed, most=10**9):
    """Play an episode on the text surface, or its first `most` turns: the same calls every round."""
    env.reset(seed=seed)
    calls = iter(())
    while env.agents and not env.terminations[env.agent_selection] and most > 0:
        most -= 1
        if env.agent_selection == "coordinator":
            call = next(calls, None)
            if call is None:
                calls = iter(CALLS)
                call = next(calls)
            env.step(call if isinstance(call, str) else json.dumps(call))
        else:
            phase = env.unwrapped.session.pending().phase.name
            env.step(ANSWERS.get(phase, '{"body": "Full house."}'))


def test_a_text_episode_is_recorded_with_its_words(tmp_path):
    env = medchain_v0.env(surface="text", record_to=tmp_path / "deep" / "text.jsonl")
    play_text(env, 3)
    replay = Replay(tmp_path / "deep" / "text.jsonl")
    assert replay.verify().digest() == env.unwrapped.digest()
    said = [line.said for line in replay.lines if line.said]
    assert {"body": "Why so much <b>?"} in said and {"concern": "odd"} in said and {"body": "Full house."} in said
    assert "not_understood" in {line.refused for line in replay.lines}


def test_a_structured_episode_is_recorded(tmp_path):
    env = medchain_v0.env(scenario="light", record_to=tmp_path / "structured.jsonl")
    env.reset(seed=4)
    rng = np.random.default_rng(0)
    for agent in env.possible_agents:
        env.action_space(agent).seed(int(rng.integers(2**31)))
    for agent in env.agent_iter():
        observation, _, ended, cut, _ = env.last()
        done = ended or cut
        env.step(None if done else env.action_space(agent).sample(observation["action_mask"]))
    assert Replay(tmp_path / "structured.jsonl").verify().digest() == env.unwrapped.digest()


def test_a_folder_holds_one_file_per_episode_named_by_difficulty_and_seed(tmp_path):
    env = medchain_v0.env(surface="text", record_to=tmp_path)
    play_text(env, 1)
    env.reset(seed=2, options={"difficulty": "heavy"})
    env.close()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["heavy-2.jsonl", "medium-1.jsonl"]
    assert Replay(tmp_path / "medium-1.jsonl").verify().ended


def test_an_episode_that_is_given_up_is_on_file_up_to_there(tmp_path):
    env = medchain_v0.env(surface="text", record_to=tmp_path)
    play_text(env, 1, most=30)
    digest = env.unwrapped.digest()
    env.reset(seed=2)
    stopped = Replay(tmp_path / "medium-1.jsonl")
    assert not stopped.ended and stopped.verify().digest() == digest
    env.close()


def test_copies_do_not_record_and_loading_gives_the_file_up(tmp_path):
    env = medchain_v0.env(surface="text", record_to=tmp_path / "one.jsonl")
    play_text(env, 1, most=20)
    before = (tmp_path / "one.jsonl").stat().st_size
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        play_text(twin, 5)
        twin.close()
    assert (tmp_path / "one.jsonl").stat().st_size == before
    env.unwrapped.load(env.unwrapped.save())
    with pytest.raises(ReplayError, match=r"no footer|cut off"):
        Replay(tmp_path / "one.jsonl")


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    env = medchain_v0.env(record_to=tmp_path / "file" / "x.jsonl")
    with pytest.raises(ReplayError, match=r"x\.jsonl: cannot be written"):
        env.reset(seed=1)


def run(*arguments):
    return CliRunner().invoke(app, ["eval", *map(str, arguments)])


def test_eval_records_every_episode_in_names_that_say_which(tmp_path):
    options = ("--policy", "zero,rubber_stamp", "--seeds", "50-51", "--difficulty", "light,medium")
    result = run(*options, "--record", tmp_path / "replays", "--json", tmp_path / "all.json")
    assert result.exit_code == 0, result.output
    episodes = json.loads((tmp_path / "all.json").read_text())["episodes"]
    assert run(*options, "--json", tmp_path / "batch.json").exit_code == 0
    assert json.loads((tmp_path / "batch.json").read_text())["episodes"] == episodes
    names = {replay_name(e["policy"], e["difficulty"], e["seed"]): e for e in episodes}
    assert {p.name for p in (tmp_path / "replays").iterdir()} == set(names)
    assert "rubber_stamp-medium-51.jsonl" in names
    for name, episode in names.items():
        replay = Replay(tmp_path / "replays" / name)
        assert (replay.footer["digest"], replay.footer["score"]) == (episode["digest"], episode["score"])
    replay.verify()


def test_eval_refuses_a_folder_that_it_cannot_make(tmp_path):
    (tmp_path / "file").write_text("")
    result = run("--policy", "zero", "--seeds", "1", "--difficulty", "light", "--record", tmp_path / "file")
    assert result.exit_code == 2 and "--record" in result.output and "cannot be made" in result.output


@pytest.mark.parametrize("name", ["llm:none", "learned:none", "nobody"])
def test_eval_makes_no_folder_for_what_cannot_be_played(tmp_path, name):
    result = run("--policy", f"zero,{name}", "--seeds", "1", "--difficulty", "light", "--record", tmp_path / "new")
    assert result.exit_code == 2 and name.split(":")[-1] in result.output and not (tmp_path / "new").exists()


def test_eval_refuses_two_scenarios_whose_replays_would_have_one_name(tmp_path):
    result = run("--policy", "zero", "--difficulty", "light,elsewhere/light.yaml", "--record", tmp_path)
    assert result.exit_code == 2 and "one name" in result.output
