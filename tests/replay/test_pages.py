"""Both pages render at desktop and phone width without a console error, and nothing hangs over the edge of a phone."""

import re

import pytest

from experiments.charts import round_range
from experiments.comparison import comparison_page, heat_table
from experiments.evaluation import Result
from experiments.story.data import tell
from experiments.story.page import footer, page_of
from experiments.svg import nice_top
from medchain.env.replay import Replay
from medchain.reward.formula import COMPONENTS
from tests.replay.browser import needed_width, needs_browser, shot
from tests.replay.test_story import URL

WARDS = ("ward_icu", "ward_er", "ward_general")


def result(policy, difficulty, seed, score):
    parts = dict.fromkeys(COMPONENTS, score) | {"gate": 1.0, "justification_penalty": 0.0, "score": score}
    if seed == 50:
        parts["event_response"] = None
    return Result(policy, seed, difficulty, score, parts, dict.fromkeys(WARDS, score), 0.95, "0" * 64)


RESULTS = [
    result(policy, difficulty, seed, base + 0.01 * (seed - 50) - 0.05 * (difficulty == "heavy"))
    for policy, base in (("rubber_stamp", 0.4), ("restock", 0.65), ("auditor", 0.85))
    for difficulty in ("light", "heavy")
    for seed in range(50, 56)
]


@pytest.fixture(scope="module")
def pages(tmp_path_factory, wild):
    folder = tmp_path_factory.mktemp("pages")
    story = tell(Replay(wild))
    page_of(story).write(folder / "story.html", footer(story))
    comparison_page(RESULTS).write(folder / "comparison.html", "numpy 2")
    return folder


def test_the_comparison_shows_every_episode_and_every_pair(pages):
    html = (pages / "comparison.html").read_text()
    assert not URL.findall(html)
    assert html.count("auditor, heavy, seed 55: ") == 4  # score, share of the bound, both differences
    assert html.count("rubber_stamp, heavy, seed 55: ") == 2
    assert "auditor, light, seed 50: +0.450" in html and "+0.450</td>" in html
    assert re.search(r"<td>heavy 55</td>.*?0\.400.*?0\.650.*?0\.850.*?0\.950", html, re.DOTALL)


def test_one_policy_alone_is_compared_with_nothing():
    html = comparison_page(RESULTS[:12]).html()
    assert "pair by pair" not in html and html.count("<svg") == 2


def test_a_table_shades_numbers_by_their_share():
    html = heat_table(("name", "value"), [["<a>", 0.5], ["b", None]], {1: 1.0})
    assert "&lt;a&gt;" in html and "var(--c0) 22%" in html and "<td>-</td>" in html


@pytest.mark.parametrize(
    ("value", "top"), [(0, 4), (3, 4), (7, 8), (8.5, 12), (11, 12), (99, 100), (101, 120), (64_000, 80_000)]
)
def test_an_axis_ends_at_a_round_number(value, top):
    assert nice_top(value) == top


@pytest.mark.parametrize(
    ("values", "expected"), [([0, 0.52], (0, 0.8)), ([-0.13, 0.1], (-0.2, 0.2)), ([0, 0], (0, 0.04)), ([-1, 1], (-1, 1))]
)
def test_a_range_is_round_and_holds_its_values(values, expected):
    low, high = round_range(values)
    assert low <= min(values) and max(values) <= high
    assert (low, high) == pytest.approx(expected)


def test_a_page_of_thousands_of_episodes_stays_small():
    many = [result(policy, "light", seed, 0.5) for policy in ("zero", "auditor") for seed in range(2000)]
    html = comparison_page(many).html()
    assert len(html) < 1_000_000 and "The first 300 of 2000" in html


@needs_browser
@pytest.mark.parametrize("width", [1100, 390])
@pytest.mark.parametrize("name", ["story", "comparison"])
def test_a_page_renders_without_a_console_error(pages, name, width, tmp_path):
    picture, console = shot(pages / f"{name}.html", width, tmp_path)
    assert picture.shape == (1400, width, 3)
    assert picture.reshape(-1, 3).std() > 0.05, "an empty page"
    assert console == []


@needs_browser
@pytest.mark.parametrize("name", ["story", "comparison"])
def test_nothing_hangs_over_the_edge_of_a_phone(pages, name, tmp_path):
    assert needed_width(pages / f"{name}.html", 390, tmp_path) == 390
