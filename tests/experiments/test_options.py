"""Lists on the command line."""

from pathlib import Path

import pytest

from experiments.options import MOST_SEEDS, OptionError, check_writable, parse_names, parse_seeds, write_atomically
from medchain.errors import MedChainError


@pytest.mark.parametrize(
    ("text", "seeds"),
    [
        ("50-52", [50, 51, 52]),
        ("7", [7]),
        ("50-51,100, 3 ,5-5", [50, 51, 100, 3, 5]),
        (f"{2**63 - 1}", [2**63 - 1]),
    ],
)
def test_seeds_are_numbers_and_ranges(text: str, seeds: list[int]) -> None:
    assert parse_seeds("--seeds", text) == seeds


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected seeds and ranges such as 50-59,100, got ''"),
        ("a", "got 'a' in 'a'"),
        ("1,,2", "got '' in '1,,2'"),
        ("-5", "got '-5'"),
        ("1.5", "got '1.5'"),
        ("5-", "got '5-'"),
        ("59-50", "the range 59-50 is empty; write 50-59"),
        ("1,2,1", "1 is there 2 times; name each once"),
        ("1-5,3", "3 is there 2 times"),
        (f"0-{MOST_SEEDS}", f"is more than {MOST_SEEDS:,} seeds"),
        (f"{2**63}", "seed must be an integer in 0 .. 2^63 - 1"),
        ("9" * 30, "expected seeds and ranges"),
        ("٣", "got '٣'"),
    ],
)
def test_wrong_seeds_are_refused_with_what_is_right(text: str, words: str) -> None:
    with pytest.raises(MedChainError) as caught:
        parse_seeds("--seeds", text)
    assert words in str(caught.value)


def test_names_are_split_and_distinct() -> None:
    assert parse_names("--policy", "zero, auditor") == ["zero", "auditor"]
    with pytest.raises(OptionError, match="--policy: expected names with commas between them, got 'zero,'"):
        parse_names("--policy", "zero,")
    with pytest.raises(OptionError, match="--policy: zero is there 2 times"):
        parse_names("--policy", "zero,auditor,zero")


def test_where_a_file_cannot_be_written_is_said_before_the_work(tmp_path: Path) -> None:
    check_writable("--json", tmp_path / "new.json")
    with pytest.raises(OptionError, match="is a folder"):
        check_writable("--json", tmp_path)
    with pytest.raises(OptionError, match=r"the folder of .* does not exist"):
        check_writable("--json", tmp_path / "none" / "new.json")
    with pytest.raises(OptionError, match="cannot be written"):
        check_writable("--json", Path("/proc/x.json"))  # root may write there, and yet no file can be made
    assert not list(tmp_path.iterdir())


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    there = tmp_path / "there.json"
    there.write_text("old")
    write_atomically(there, "new")
    assert there.read_text() == "new" and list(tmp_path.iterdir()) == [there]
