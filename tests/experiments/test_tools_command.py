"""`medchain tools`: every format prints the 21 tools of the registry, and a wrong one is refused in one line."""

import json

import pytest
from typer.testing import CliRunner

from experiments.cli import app
from medchain.scenario import load_scenario
from medchain.tools.registry import REPLIES, TOOLS, Registry


def printed(*arguments):
    result = CliRunner().invoke(app, ["tools", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_table_has_every_tool_once():
    text = printed()
    for tool in TOOLS:
        assert text.count(f" {tool.name}(") == 1


@pytest.mark.parametrize("form", ["mcp", "openai"])
def test_schemas_are_the_registrys(form):
    registry = Registry(load_scenario("medium"))
    assert json.loads(printed("--format", form)) == getattr(registry, form)()


def test_json_has_tools_and_answers():
    found = json.loads(printed("--format", "json", "--difficulty", "heavy"))
    assert [tool["name"] for tool in found["tools"]] == [tool.name for tool in TOOLS]
    assert [tool["name"] for tool in found["answers"]] == [tool.name for tool in REPLIES]


@pytest.mark.parametrize(("option", "value"), [("--format", "yaml"), ("--difficulty", "absurd")])
def test_a_wrong_option_is_named_and_exits_2(option, value):
    result = CliRunner().invoke(app, ["tools", option, value])
    assert result.exit_code == 2
    assert repr(value) in result.output and "known:" in result.output
