"""Replays: what was recorded comes out the same, and what was tampered with is found."""

import copy
import json
import pickle

import numpy as np
import pytest

from medchain import medchain_v0
from medchain.core.session import Session
from medchain.env.replay import Recorder, Replay, command_from_json, command_to_json
from medchain.errors import ReplayError
from medchain.scenario import load_scenario
from policies.drive import play_session
from policies.scripted.single import scripted_policies
from tests.compliance.players import turns
from tests.laws.chance import Chance
from tests.laws.commands import Habits, Writer


@pytest.fixture
def recorded(tmp_path):
    """A text episode of random calls, recorded, and its environment."""
    env = medchain_v0.env(scenario="light", surface="text", record_to=tmp_path / "episode.jsonl")
    for _ in turns(env, 5):
        pass
    return env, tmp_path / "episode.jsonl"


def test_a_replay_verifies(recorded) -> None:
    env, path = recorded
    replay = Replay(path)
    assert replay.seed == 5 and replay.header["name"] == "light"
    assert replay.verify().digest() == env.unwrapped.digest()
    words = [step.said for step in replay.steps(Session(replay.scenario, replay.seed)) if step.said]
    assert {"body": "Why so much?"} in words and {"concern": "odd"} in words


def test_a_folder_takes_one_file_per_episode(tmp_path) -> None:
    env = medchain_v0.env(record_to=tmp_path / "runs")
    for seed, options in ((1, None), (2, {"difficulty": "heavy"})):
        for _ in turns(env, seed, options):
            pass
    assert sorted(p.name for p in (tmp_path / "runs").iterdir()) == ["heavy-2.jsonl", "medium-1.jsonl"]
    assert all(Replay(path).verify().ended for path in (tmp_path / "runs").iterdir())


def test_recording_changes_nothing(tmp_path) -> None:
    plain, watched = medchain_v0.env(), medchain_v0.env(record_to=tmp_path)
    for _ in zip(turns(plain, 3), turns(watched, 3), strict=True):
        assert plain.unwrapped.digest() == watched.unwrapped.digest()


def test_any_session_can_be_recorded(tmp_path) -> None:
    scenario = load_scenario("heavy")
    session, recorder = Session(scenario, 50), Recorder(tmp_path)
    recorder.start(scenario, 50, "auditor-heavy")
    agents = scenario.agents
    play_session(session, scripted_policies(scenario, "auditor"), lambda a, c, result: recorder.add(agents[a], c[0], result))
    recorder.finish(session)
    assert Replay(tmp_path / "auditor-heavy-50.jsonl").verify().digest() == session.digest()


def test_commands_survive_being_written() -> None:
    session = Session(load_scenario("heavy"), 1)
    writer = Writer(session.params, Chance(1), Habits(hostile=30, advance=5))
    while not session.ended:
        command = session.command()
        writer.write(command[0], session.record)
        written = json.loads(json.dumps(command_to_json(command[0])))
        assert command_from_json(written, session.scenario.sizes).tobytes() == command.tobytes()
        session.submit(command)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_does_not_record(tmp_path, copied) -> None:
    env = medchain_v0.env(record_to=tmp_path / "one.jsonl")
    for _ in turns(env, 3, most=50):
        pass
    other = copied(env)
    for _ in turns(other, 4):
        pass
    env.close()
    with pytest.raises(ReplayError, match="no footer"):
        Replay(tmp_path / "one.jsonl")


def rewrite(path, change) -> None:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    change(lines)
    path.write_text("\n".join(json.dumps(line) for line in lines))


def test_tampering_is_found(recorded) -> None:
    _, path = recorded
    whole = path.read_text()

    def fails(change, match: str) -> None:
        path.write_text(whole)
        rewrite(path, change)
        with pytest.raises(ReplayError, match=match):
            Replay(path).verify()

    plan = next(i for i, line in enumerate(whole.splitlines()) if '"submit_allocation_plan"' in line)
    fails(lambda lines: lines.pop(plan), "came out as|in the turn of")
    fails(lambda lines: lines[0].update(seed=6), "came out as|in the turn of")
    fails(lambda lines: lines[-1].update(score=1.0), "score came out as")
    fails(lambda lines: lines[0]["scenario"]["finance"].update(budget_cents=1), "digest")
    fails(lambda lines: lines[0].update(format=2), "format 2")
    fails(lambda lines: lines[2].update(agent="arbiter"), "turn of")
    fails(lambda lines: lines[2].update(kind="no_such_tool"), "not a command")
    fails(lambda lines: lines[2].update(quantities=[[99, 0, 1]]), "not a command")
    fails(lambda lines: lines.insert(3, [1, 2]), "expected a command")
    path.write_text("nonsense")
    with pytest.raises(ReplayError, match="expected a replay"):
        Replay(path)
    with pytest.raises(ReplayError, match="cannot be read"):
        Replay(path.parent / "missing.jsonl")


def test_where_nothing_can_be_written_it_says_so(tmp_path) -> None:
    (tmp_path / "file").write_text("in the way")
    env = medchain_v0.env(record_to=tmp_path / "file" / "runs")
    with pytest.raises(ReplayError, match="cannot be written"):
        env.reset(seed=1)
    assert np.all([not p.is_dir() for p in tmp_path.iterdir()])
