"""Tool calls out of model text: both forms, several in one text, thoughts, and everything that is not a call."""

import json
import pickle

import pytest

from medchain.errors import ToolError
from medchain.tools.parse import MOST_CALLS, Call, as_call, read_answer, read_call, read_turn

VIEW = '<tool_call>{"name": "view_requests", "arguments": {}}</tool_call>'
XML = """<tool_call>
<function=submit_po>
<parameter=supplier_id>
MEDLINE
</parameter>
<parameter=quantity>10</parameter>
</function>
</tool_call>"""
STUB = "<think>\n\n</think>\n\n"


def code_of(text):
    (*_, last) = read_turn(text)
    assert isinstance(last, ToolError), last
    return last.code


def test_json_form():
    assert read_turn(VIEW) == [Call("view_requests", {})]


def test_xml_form_keeps_values_as_text():
    assert read_turn(XML) == [Call("submit_po", {"supplier_id": "MEDLINE", "quantity": "10"}, textual=True)]


def test_several_calls_in_both_forms_with_prose_between():
    calls = read_turn(f"First I look.\n{VIEW}\nThen I order.\n{XML}\nDone.{VIEW}")
    assert [call.name for call in calls] == ["view_requests", "submit_po", "view_requests"]


@pytest.mark.parametrize("text", [VIEW, XML, '{"name": "view_requests"}'])
def test_an_empty_think_stub_changes_nothing(text):
    assert read_turn(STUB + text) == read_turn(text)


def test_a_call_inside_a_thought_is_not_made():
    assert read_turn(f"<think>maybe {VIEW}</think>{XML}") == read_turn(XML)
    assert read_turn(f"maybe {VIEW}</think>{XML}") == read_turn(XML)
    assert read_turn(f"{XML} <think>or {VIEW}</think> {XML}") == read_turn(XML + XML)
    assert read_turn(f"Now <think>{VIEW}{VIEW}</think><think>{VIEW}</think>{XML}<think>{VIEW}") == read_turn(XML)
    assert code_of(f"<think>never closed {VIEW}") == "no_call"


@pytest.mark.parametrize(
    "body", [VIEW, XML, "<think>", "</think>", "<think></think>", f"</tool_call>{VIEW}", f"</think>{VIEW}"]
)
def test_tags_inside_an_argument_are_its_text(body):
    call = Call("messaging_send_to_ward", {"body": body})
    bare = json.dumps({"name": call.name, "arguments": call.arguments})
    assert read_turn(bare) == read_turn(f"<tool_call>{bare}</tool_call>") == [call]
    assert read_turn(f"{STUB}<tool_call>{bare}</tool_call>") == read_turn(f"```json\n{bare}\n```") == [call]
    assert read_answer(json.dumps({"body": body}), "reply") == Call("reply", {"body": body})


def test_the_last_closing_tag_may_be_cut_off_by_a_stop_string():
    assert read_turn(VIEW.removesuffix("</tool_call>")) == read_turn(VIEW)
    assert read_turn(XML.removesuffix("\n</tool_call>")) == read_turn(XML)


def test_what_can_be_read_before_a_mistake_is_kept():
    first, second = read_turn(f"{VIEW}<tool_call>oops</tool_call>{VIEW}")
    assert first == Call("view_requests", {})
    assert second.code == "not_json"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "no_call"),
        ("I would rather talk.", "no_call"),
        ("\x00\x07", "no_call"),
        ("[1, 2]", "no_call"),
        ("{}", "not_a_call"),
        ('{"name": 3}', "wrong_type"),
        ('{"name": "a", "arguments": [1]}', "wrong_type"),
        ('{"name": "a", "what": 1}', "unknown_key"),
        ('{"name": "a", "name": "b"}', "duplicate_key"),
        ('{"name": "a", "arguments": {"x": NaN}}', "bad_number"),
        ('{"name": "a", "arguments": {"x": -Infinity}}', "bad_number"),
        ('{"name": "a"} {"name": "b"}', "not_json"),
        ('{"name": "a", "arguments": {"x": "\x01"}}', "not_json"),
        (f"{VIEW[:-12]} trailing</tool_call>", "not_closed"),
        ("<tool_call><function=a", "not_closed"),
        ("<tool_call><function=a><parameter=b>1</function>", "not_closed"),
        ("<tool_call><function=a>1</function>", "not_closed"),
        ("<tool_call><function=a><parameter=b>1</parameter><parameter=b>1</parameter>", "duplicate_key"),
        ("<tool_call>" + "[" * 90_000, "too_deep"),
        ("<tool_call>" + '{"a":' * 30_000, "too_deep"),
        ("x" * 10_000_000, "too_long"),
        (VIEW * (MOST_CALLS + 1), "too_many_calls"),
    ],
)
def test_what_is_not_a_call_is_refused_with_a_code(text, code):
    assert code_of(text) == code


def test_one_call_at_a_time_where_one_is_asked_for():
    with pytest.raises(ToolError, match="too_many_calls"):
        read_call(VIEW + VIEW)
    assert read_call(VIEW) == read_call({"name": "view_requests", "arguments": {}}) == Call("view_requests", {})


def test_a_bare_call_may_stand_in_a_code_fence():
    assert read_call('```json\n{"name": "view_requests"}\n```') == Call("view_requests", {})


def test_openai_form_with_arguments_as_text():
    call = {"id": "x", "type": "function", "function": {"name": "query_erp", "arguments": '{"table": "expiry"}'}}
    assert as_call(call) == Call("query_erp", {"table": "expiry"})


def test_answers_come_bare_or_as_calls():
    bare = read_answer('{"redact": "none"}', "disclose")
    assert bare == Call("disclose", {"redact": "none"})
    assert read_answer('{"name": "disclose", "arguments": {"redact": "none"}}', "disclose") == bare
    assert read_answer(f'{STUB}<tool_call>{{"name": "disclose", "arguments": {{"redact": "none"}}}}', "disclose") == bare


@pytest.mark.parametrize("given", [3, None, b"{}", [VIEW], "null", "3", '"text"', "[]", "", "nothing"])
def test_answers_that_are_no_object_are_refused(given):
    with pytest.raises(ToolError):
        read_answer(given, "disclose")


def test_errors_say_expected_came_and_right():
    error = read_turn("no idea")[0]
    assert str(error) == (
        'no_call: expected a tool call; got "no idea". Right: such as {"name": "view_requests", "arguments": {}}'
    )


def test_errors_survive_pickling_between_processes():
    error = read_turn("no idea")[0]
    copied = pickle.loads(pickle.dumps(error))
    assert (copied.code, copied.expected, copied.came, copied.right) == (error.code, error.expected, error.came, error.right)
    assert str(copied) == str(error)
