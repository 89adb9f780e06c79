"""One play, two ways: compiled over a batch, and command by command through Policy objects; names and knobs are checked."""

import hashlib

import numpy as np
import pytest

from medchain.core.session import Session
from medchain.core.words import Phase
from medchain.errors import ConfigError, SeedError, UnknownNameError
from medchain.scenario import load_scenario
from policies import knobs
from policies.drive import play_session
from policies.roster import coordinator, coordinator_names, describe_coordinators
from policies.scripted.batch import play
from policies.scripted.single import ScriptedWard, scripted_policies

HEAVY = load_scenario("heavy")
PERSONAS = {"ward_er": "honest", "ward_general": ("pads", 2.3)}


@pytest.mark.parametrize("name", coordinator_names())
@pytest.mark.parametrize("personas", [None, PERSONAS], ids=["scripted", "personas"])
def test_policies_play_a_session_exactly_as_the_compiled_loop_plays_its_batch(name, personas):
    seeds = [50, 104, 7]
    records = play(HEAVY, name, seeds, personas=personas)
    session, policies = Session(HEAVY), scripted_policies(HEAVY, name, personas)
    for i, seed in enumerate(seeds):
        session.reset(seed)
        play_session(session, policies)
        assert session.ended
        assert session.digest() == hashlib.sha256(records[i : i + 1].tobytes()).hexdigest()


def test_an_episode_does_not_depend_on_its_batch():
    together = play(HEAVY, "rubber_stamp", range(20))
    for seed in (0, 13, 19):
        assert play(HEAVY, "rubber_stamp", [seed]).tobytes() == together[seed : seed + 1].tobytes()


def test_each_step_is_reported_with_who_acted():
    session, steps = Session(HEAVY, 50), []
    play_session(session, scripted_policies(HEAVY, "rubber_stamp"), lambda *step: steps.append(step[0]))
    assert steps == [1, 2, 3, 0, 0, 0] * 8
    assert int(session.record["calls_total"]) == len(steps)


def test_a_batch_of_views_gets_a_batch_of_commands():
    ward = ScriptedWard(HEAVY, "ward_er")
    sessions = [Session(HEAVY, seed) for seed in (3, 4)]
    for session in sessions:
        session.submit(ScriptedWard(HEAVY, "ward_icu").act(session.view(1), ward.initial_state(1, [0]))[0])
    views = np.concatenate([session.view(2) for session in sessions])
    commands, _ = ward.act(views, ward.initial_state(2, [3, 4]))
    for i, session in enumerate(sessions):
        assert session.pending().phase == Phase.REQUEST
        assert session.submit(commands, i)["ok"] == 1


def test_every_coordinator_is_described_in_one_line():
    assert list(describe_coordinators()) == coordinator_names()


@pytest.mark.parametrize(
    ("what", "call"),
    [
        ("coordinator", lambda: play(HEAVY, "nobody", [0])),
        ("coordinator", lambda: coordinator("RUBBER_STAMP")),
        ("ward", lambda: play(HEAVY, "zero", [0], personas={"ward_x": "honest"})),
        ("persona", lambda: play(HEAVY, "zero", [0], personas={"ward_er": "sly"})),
        ("knob", lambda: play(HEAVY, "discount_general", [0], knobs={"generl_percent": 1})),
    ],
)
def test_unknown_names_are_refused(what, call):
    with pytest.raises(UnknownNameError, match=f"unknown {what}"):
        call()


@pytest.mark.parametrize("persona", ["pads", ("honest", 2.0), ("pads", 0.0), ("pads", float("nan"))])
def test_persona_factors_are_checked(persona):
    with pytest.raises(ConfigError, match="factor"):
        play(HEAVY, "zero", [0], personas={"ward_er": persona})


def test_every_agent_needs_a_policy():
    with pytest.raises(ConfigError, match=r"none is given for \[1, 2, 3, 4\]"):
        play_session(Session(HEAVY), {0: scripted_policies(HEAVY, "zero")[0]})


def test_seeds_are_checked():
    with pytest.raises(SeedError, match="-1"):
        play(HEAVY, "zero", [0, -1])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "general_percent: missing key"),
        ("general_percent: 70\nspeed: 3", "speed = 3: unknown key"),
        ("general_percent: 170", "general_percent = 170"),
    ],
)
def test_a_wrong_knob_file_is_refused_naming_file_and_key(tmp_path, monkeypatch, text, problem):
    (tmp_path / "discount_general.yaml").write_text(text or "{}")
    monkeypatch.setattr(knobs, "FOLDER", tmp_path)
    with pytest.raises(ConfigError) as error:
        knobs.load_knobs("discount_general")
    assert "discount_general.yaml" in str(error.value) and problem in str(error.value)


@pytest.mark.parametrize("name", sorted(knobs.MODELS))
def test_every_shipped_knob_file_is_complete(name):
    assert knobs.load_knobs(name).dtype == knobs.knobs_dtype()
