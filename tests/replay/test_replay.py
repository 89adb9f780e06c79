"""A replay comes out as it was recorded, or says at which line it first does not."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from experiments.cli import app
from medchain.env.replay import Replay
from medchain.env.replay_log import scenario_digest
from medchain.errors import ReplayError
from medchain.scenario import Scenario, load_scenario
from policies.scripted.batch import play
from tests.golden.episodes import digest
from tests.replay.episodes import record_randomly, rewritten


def test_a_recorded_episode_verifies_and_is_the_one_that_the_batch_plays(recorded):
    replay = Replay(recorded)
    session = replay.verify()
    assert session.digest() == digest(play(load_scenario("medium"), "rubber_stamp", [50])[0])
    assert len(replay.footer["rounds"]) == 8 and replay.footer["rounds"][-1] == session.digest()
    assert replay.players == {a: "rubber_stamp" if a == "coordinator" else "scripted" for a in replay.scenario.agents}


def test_random_commands_verify_refusals_and_all(wild):
    replay = Replay(wild)
    refused = {line.refused for line in replay.lines}
    assert len(refused) > 10 and "not_understood" in refused
    replay.verify()


def test_a_stopped_episode_verifies_and_has_no_score(stopped):
    replay = Replay(stopped)
    assert not replay.ended and replay.footer["score"] is None and len(replay.lines) == 150
    assert not replay.verify().ended


def test_the_same_episode_gives_the_same_file(tmp_path, stopped):
    record_randomly(tmp_path / "again.jsonl", 8, most=150)
    assert (tmp_path / "again.jsonl").read_bytes() == stopped.read_bytes()


def first_plan(lines):
    return next(i for i, line in enumerate(lines) if line.get("kind") == "submit_allocation_plan")


def halve_the_first_plan(lines):
    at = first_plan(lines)
    lines[at]["quantities"] = [[w, k, units // 2] for w, k, units in lines[at]["quantities"]]


def test_a_changed_command_is_found_at_the_close_of_its_round(recorded, tmp_path):
    changed = rewritten(recorded, tmp_path / "changed.jsonl", halve_the_first_plan)
    close = first_plan([json.loads(line) for line in recorded.read_text().splitlines()]) + 2
    with pytest.raises(
        ReplayError, match=rf"first divergence at line {close}, the close of round 1: the record comes out as"
    ):
        Replay(changed).verify()


def test_a_change_in_a_later_round_is_found_there(recorded, tmp_path):
    def change(lines):
        plans = [line for line in lines if line.get("kind") == "submit_allocation_plan"]
        plans[5]["quantities"] = plans[5]["quantities"][:1]

    with pytest.raises(ReplayError, match="the close of round 6"):
        Replay(rewritten(recorded, tmp_path / "later.jsonl", change)).verify()


CHANGES = {
    "accepted, refused in the file": (
        lambda lines: lines[5].update(refused="unknown_lot"),
        r"divergence at line 6: the command of coordinator is accepted; the file says refused \(unknown_lot\)",
    ),
    "refused, accepted in the file": (
        lambda lines: lines[4].update(kind="not_understood"),
        r"line 5: the command of coordinator is refused \(not_understood\); the file says accepted",
    ),
    "another agent": (
        lambda lines: lines[1].update(agent="arbiter"),
        "line 2: a command of 'arbiter' where ward_icu is asked",
    ),
    "another seed": (
        lambda lines: lines[0].update(seed=51),
        r"first divergence at line 4: the command of ward_general is refused \(quantity_out_of_range\)",
    ),
    "another score": (
        lambda lines: lines[-1].update(score=0.99),
        "the end: the score comes out as 0.32.*; the file says 0.99",
    ),
    "another digest": (
        lambda lines: lines[-1].update(digest="0" * 64),
        "the end: the record comes out as .*the file says 000000",
    ),
    "a command too many": (
        lambda lines: (lines.insert(-1, dict(lines[-2])), lines[-1].update(commands=lines[-1]["commands"] + 1)),
        "the episode has ended before this command",
    ),
    "commands missing at the end": (
        lambda lines: (lines.pop(-2), lines[-1].update(commands=lines[-1]["commands"] - 1)),
        "the end: the episode stands in round 8; the file says it ended after 8 closed rounds",
    ),
    "an older version": (
        lambda lines: (lines[0].update(medchain="0.0.1"), lines[-1].update(score=0.5)),
        r"recorded by version 0\.0\.1, this is",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_does_not_verify_says_where_it_first_differs(recorded, tmp_path, name):
    change, message = CHANGES[name]
    changed = Replay(rewritten(recorded, tmp_path / "changed.jsonl", change))
    with pytest.raises(ReplayError, match=message):
        changed.verify()


FORMS = {
    "a line lost": (lambda lines: lines.pop(9), r"the footer counts \d+ commands; the file has"),
    "no footer": (lambda lines: lines.pop(), "no footer; the file was cut off"),
    "another format": (lambda lines: lines[0].update(format=2), "replay format 2; this version reads format 1"),
    "no header": (lambda lines: lines.pop(0), "line 1: expected the header of a replay"),
    "another scenario": (lambda lines: lines[0]["scenario"]["limits"].update(calls_per_round=9), "does not have the digest"),
    "a broken scenario": (lambda lines: lines[0]["scenario"].pop("limits"), "the scenario is wrong\n.*limits"),
    "a bad seed": (lambda lines: lines[0].update(seed=-1), "line 1: seed must be an integer"),
    "a list for a command": (
        lambda lines: lines.__setitem__(3, [1]),
        "line 4: expected a command as a JSON object, got list",
    ),
    "an unknown kind": (lambda lines: lines[3].update(kind="guess"), "line 4: not a command.*GUESS"),
    "an unknown key": (lambda lines: lines[3].update(quantiy=1), "line 4: not a command.*unknown key 'quantiy'"),
    "a fraction": (lambda lines: lines[4].update(quantity=1.5), "line 5: not a command.*1.5 is not a whole number"),
    "a number too large": (lambda lines: lines[4].update(quantity=10**30), "line 5: not a command"),
    "a line that is none": (lambda lines: lines[4].update(quantities=[[0, -1, 3]]), r"line 5: .*no line \[0, -1\]"),
    "a table that is none": (lambda lines: lines[4].update(quantities=7), "line 5: not a command"),
    "words that are none": (lambda lines: lines[4].update(said=[1]), "line 5: expected agent, said and refused as text"),
}


@pytest.mark.parametrize("name", FORMS)
def test_what_is_no_replay_says_what_is_wrong(recorded, tmp_path, name):
    change, message = FORMS[name]
    path = rewritten(recorded, tmp_path / "wrong.jsonl", change)
    with pytest.raises(ReplayError, match=f"(?s){message}"):
        Replay(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty; expected a replay"),
        (b"\xff\xfe\x00", "not text"),
        (b"hello\n", "line 1: not JSON"),
        (b"[" * 100_000 + b"\n{}\n", "line 1: not JSON"),
        (b"7\n7\n", "line 1: expected the header"),
    ],
)
def test_garbage_is_no_replay(tmp_path, content, message):
    path = tmp_path / "garbage.jsonl"
    path.write_bytes(content)
    with pytest.raises(ReplayError, match=message):
        Replay(path)


def test_a_file_cut_off_anywhere_is_refused(recorded, tmp_path):
    whole = recorded.read_bytes()
    for share in (0.2, 0.5, 0.9, 0.999):
        path = tmp_path / "cut.jsonl"
        path.write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(ReplayError, match=r"cut off|no footer"):
            Replay(path)


def test_the_scenario_in_the_file_is_the_one_that_was_played(recorded):
    header = Replay(recorded).header
    assert Scenario.model_validate(header["scenario"]) == load_scenario("medium")
    assert header["digest"] == scenario_digest(load_scenario("medium"))


def test_the_command_exits_2_without_a_traceback(recorded, tmp_path):
    changed = rewritten(recorded, tmp_path / "changed.jsonl", halve_the_first_plan)
    for path in (changed, tmp_path / "none.jsonl", Path("/")):
        result = CliRunner().invoke(app, ["replay", str(path)])
        assert result.exit_code == 2
        assert result.output.startswith(f"medchain: {path}: ") and "Traceback" not in result.output


def test_the_command_tells_the_episode(recorded):
    result = CliRunner().invoke(app, ["replay", str(recorded)])
    assert result.exit_code == 0, result.output
    footer = Replay(recorded).footer
    assert footer["digest"] in result.stdout.replace("\n", "") and f"{footer['score']:.3f}" in result.stdout
    assert "coordinator: rubber_stamp" in result.stdout
