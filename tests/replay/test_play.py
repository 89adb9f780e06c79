"""A person's episode through a pipe: what is typed, what is shown, what is on file."""

import pytest
from typer.testing import CliRunner

from experiments.cli import app
from experiments.seat.help import COMMANDS, completions, help_text
from experiments.seat.play import Seat, converse
from experiments.seat.typed import read_line
from medchain.core.session import Session
from medchain.core.words import COORDINATOR
from medchain.env.replay import Replay
from medchain.errors import ToolError
from medchain.scenario import load_scenario
from medchain.tools.desk import Desk
from medchain.tools.names import Names
from medchain.tools.registry import TOOLS
from policies.drive import play_session
from policies.scripted.single import scripted_policies

ROUND = """\
view_requests
# a remark, and an empty line

request_evidence ward_icu BLOOD-RBC
esc ward_general SYR-10 far above what they usually need
messaging_send_to_ward ward_id=ward_er body='Why so much?'
submit_allocation_plan {"ward_icu": "requested", "ward_er": "requested", "ward_general": "70%"}
{"name": "submit_po", "arguments": {"supplier_id": "MEDLINE", "product_id": "SYR-10", "destination_id": "central_pharmacy", \
"quantity": 40}}
advance_round
"""


def play(script, *options):
    return CliRunner().invoke(app, ["play", "--seed", "50", *map(str, options)], input=script)


def test_a_whole_scripted_episode_ends_with_its_breakdown_and_a_replay(tmp_path):
    result = play(ROUND * 7 + "advance_round\n", "--difficulty", "light", "--record", tmp_path / "mine.jsonl")
    assert result.exit_code == 0, result.output
    replay = Replay(tmp_path / "mine.jsonl")
    replay.verify()
    assert replay.ended and replay.players["coordinator"] == "a person" and replay.name == "light"
    assert f"{replay.footer['score']:.3f}" in result.stdout and "critical service level" in result.stdout
    tools = [int(line.command[0]["kind"]) for line in replay.lines if line.agent == "coordinator"]
    assert len(tools) == 7 * 7 + 1
    assert "far above what they usually need" in [line.said.get("concern") for line in replay.lines]


def test_what_is_shown_is_what_a_model_gets():
    seat, desk = Seat(load_scenario("medium"), 50, "medium", None), Desk(Session(load_scenario("medium"), 50))
    policies = scripted_policies(desk.session.scenario, "zero")
    states = {agent: policy.initial_state(1, [50]) for agent, policy in policies.items()}

    def others():
        while (agent := desk.session.pending().agent) != COORDINATOR:
            commands, states[agent] = policies[agent].act(desk.session.view(agent), states[agent])
            desk.submit(commands)

    others()
    assert seat.text() == desk.prompt(COORDINATOR)
    for line in ("view_requests", "request_evidence ward_icu BLOOD-RBC", "submit_po MEDLINE SYR-10 central_pharmacy 0"):
        shown = seat.call(read_line(line))
        desk.call(read_line(line))
        others()
        assert shown == desk.prompt(COORDINATOR)


def test_a_person_who_plays_nothing_plays_the_world_of_zero():
    seat = Seat(load_scenario("medium"), 50, "medium", None)
    lines = iter(["advance_round"] * 8)
    converse(seat, lambda prompt: next(lines), lambda text: None)
    session = Session(load_scenario("medium"), 50)
    play_session(session, scripted_policies(session.scenario, "zero"))
    assert seat.session.ended and (seat.session.record["requested"] == session.record["requested"]).all()


@pytest.mark.parametrize("script", ["view_requests\n", "view_requests\nquit\nadvance_round\n", "view_requests"])
def test_the_end_of_the_input_stops_cleanly_and_the_replay_is_whole(tmp_path, script):
    result = play(script, "--record", tmp_path / "mine.jsonl")
    assert result.exit_code == 0 and "Stopped before the end" in result.stdout
    replay = Replay(tmp_path / "mine.jsonl")
    assert not replay.ended and len(replay.lines) == 4
    replay.verify()


def test_ctrl_c_stops_cleanly_and_the_replay_is_whole(tmp_path, monkeypatch):
    def interrupted(prompt):
        raise KeyboardInterrupt

    monkeypatch.setattr("experiments.commands.play._pipes", interrupted)
    result = play("", "--record", tmp_path / "mine.jsonl")
    assert result.exit_code == 130 and "interrupted" in result.output and "Traceback" not in result.output
    assert Replay(tmp_path / "mine.jsonl").verify().pending().agent == COORDINATOR


def test_a_slip_of_the_finger_is_answered_and_costs_no_call(tmp_path):
    wrong = [
        "viw_requests",
        "query_",
        "submit_po MEDLINE 'SYR",
        "view_requests now",
        "query_erp table=expiry table=expiry",
        "{",
    ]
    result = play("\n".join(["view_request", *wrong]), "--record", tmp_path / "mine.jsonl")
    assert result.stdout.count("Not a call, and not counted as one.") == 6
    for told in ("unknown_tool", "query_ward_history", "not_closed", "too_many_values", "table twice"):
        assert told in result.stdout, told
    assert len(Replay(tmp_path / "mine.jsonl").lines) == 3 + 1


def test_a_wrong_argument_is_refused_by_the_desk_and_counts(tmp_path):
    result = play("query_supplier NOBODY\n", "--record", tmp_path / "mine.jsonl")
    assert "REFUSED" in result.stdout and "unknown_supplier" in result.stdout
    assert Replay(tmp_path / "mine.jsonl").lines[-1].refused == "not_understood"


@pytest.mark.parametrize("file", ["folder/x.jsonl", "x.txt"])
def test_a_bad_place_for_the_replay_is_refused(tmp_path, file):
    result = play("quit\n", "--record", tmp_path / file)
    assert result.exit_code == 2 and "--record" in result.output


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("wms_scan_inventory", {}),
        ("wms_scan_inventory sku=SYR-10", {"sku": "SYR-10"}),
        ("wms ward_icu", {"location": "ward_icu"}),
        ("submit_po sku=1 MEDLINE SYR-10", {"sku": "1", "supplier_id": "MEDLINE", "product_id": "SYR-10"}),
        ("escalate ward_icu SYR-10 'a b' ", {"ward_id": "ward_icu", "sku": "SYR-10", "concern": "a b"}),
        ("file JUS-0001 reason=MCI, a lot of need", {"ticket_id": "JUS-0001", "reason": "MCI, a lot of need"}),
        (
            'submit_all {"a": "}"} rationale_json={"ward_er": "it\'s {so} \\" "}',
            {"plan_json": '{"a": "}"}', "rationale_json": '{"ward_er": "it\'s {so} \\" "}'},
        ),
    ],
)
def test_a_line_is_read(line, arguments):
    call = read_line(line)
    assert call.textual and call.arguments == arguments


def test_a_line_that_is_json_is_read_as_a_models():
    assert read_line('{"name": "query_supplier", "arguments": {"supplier_id": "MEDLINE"}}').name == "query_supplier"
    assert read_line('<tool_call>{"name": "advance_round", "arguments": {}}</tool_call>').name == "advance_round"


@pytest.mark.parametrize("line", ["", "  ", "{", '{"a"', "view_requests '", "submit_allocation_plan {", "x" * 10_000])
def test_a_line_that_is_none_is_refused(line):
    with pytest.raises(ToolError):
        read_line(line)


def test_help_names_every_tool_and_every_parameter():
    names = Names(load_scenario("medium"))
    listed = help_text(names, "")
    assert all(tool.signature in listed for tool in TOOLS) and all(command in listed for command in COMMANDS)
    for tool in TOOLS:
        told = help_text(names, tool.name)
        assert all(parameter.name in told for parameter in tool.parameters)
    assert "BLOOD-RBC" in help_text(names, "request_evidence") and "plan_json=" in help_text(names, "submit_allocation_plan")
    assert "One allocation plan a round" in help_text(names, "rules")
    with pytest.raises(ToolError, match="unknown_tool"):
        help_text(names, "nothing_such")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("view", ["view_requests "]),
        ("he", ["help "]),
        ("help esc", ["escalate_to_clinical_review"]),
        ("query_supplier ", ["supplier_id="]),
        ("query_supplier supplier_id=ME", ["supplier_id=MEDLINE "]),
        ("query_supplier ME", ["MEDLINE "]),
        ("request_evidence ward_id=ward_icu s", ["sku="]),
        ("submit_po MEDLINE BLOOD-R", ["BLOOD-RBC "]),
        ("nothing_such x", []),
        ("advance_round x", []),
    ],
)
def test_tab_completes(line, found):
    assert completions(Names(load_scenario("medium")), line) == found
