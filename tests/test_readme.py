"""What the README shows is what the commands print, and what it names is there."""

import re
from pathlib import Path

import pytest

from experiments.readme import commands, printed, rendered

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", commands(TEXT))
def test_a_generated_block_is_what_its_command_prints(command: str) -> None:
    """When this fails: python -m experiments.readme."""
    assert f"<!-- {command} -->\n{printed(command)}<!-- end -->" in TEXT


def test_it_shows_what_make_scores_plays() -> None:
    (played,) = re.findall(r"^POLICIES := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert f"medchain eval --policy {played} --seeds 50-59" in commands(TEXT)


def test_only_generated_blocks_are_replaced() -> None:
    text = "a\n<!-- medchain --version -->\nold\n<!-- end -->\nb\n<!-- no command -->\n"
    assert re.fullmatch(
        r"a\n<!-- medchain --version -->\n```text\n[\w.]+\n```\n<!-- end -->\nb\n<!-- no command -->\n", rendered(text)
    )


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([\w/]+/[\w./]*)`", TEXT))))
def test_files_and_folders_it_names_exist(name: str) -> None:
    assert (ROOT / name).exists()


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL))
def test_its_code_runs(code: str) -> None:
    """And leaves an episode that is over."""
    names: dict = {}
    exec(compile(code, "README.md", "exec"), names)
    assert names["session"].ended if "session" in names else names["env"].agents == []
