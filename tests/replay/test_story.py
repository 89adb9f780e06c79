"""An episode's page counts what the record holds, and shows what was said as text."""

import re

import numpy as np
import pytest

from experiments.story.audit import HUE_OF, audit_row, looked_into, padding_by_round
from experiments.story.data import tell
from experiments.story.facts import Facts
from experiments.story.page import footer, page_of
from experiments.story.rounds import told_of
from experiments.story.score import weights_of
from experiments.story.stock import ORDER_HEADER, order_row, shelf
from medchain.core.session import Session
from medchain.core.words import Verdict
from medchain.env.replay import Replay
from medchain.reward.formula import COMPONENTS, fill
from medchain.tools.desk import Desk
from tests.replay.episodes import rewritten

URL = re.compile(
    r"(?i)\b(?:https?:|ftp:|wss?:|file:)?//[a-z0-9]|@import|url\(|\bsrc=|<script|<link(?! rel=\"icon\" href=\"data:,\")"
)


@pytest.fixture(scope="module")
def story(wild):
    return tell(Replay(wild))


@pytest.fixture(scope="module")
def f(story):
    return Facts(story)


def test_chapters_are_the_rounds_and_their_calls_all_commands(story):
    assert [chapter.number for chapter in story.chapters] == list(range(1, 9))
    assert sum(len(chapter.calls) for chapter in story.chapters) == len(story.replay.lines)
    for before, after in zip(story.chapters, story.chapters[1:], strict=False):
        assert before.closing.tobytes() == after.opening.tobytes()
    assert story.chapters[-1].closing.tobytes() == story.session.record.tobytes()


def test_every_call_says_what_came_back(story):
    calls = [call for chapter in story.chapters for call in chapter.calls]
    assert all(call.text for call in calls)
    for call in calls:
        assert call.text.startswith("REFUSED") == bool(call.refused), call


def test_a_call_that_waits_for_an_answer_ends_with_the_answer(story):
    calls = [call for chapter in story.chapters for call in chapter.calls if not call.refused]
    ruled = [call for call in calls if call.tool == "escalate_to_clinical_review"]
    assert ruled and all(any(v.name in call.text for v in Verdict) for call in ruled)


def test_facts_agree_with_the_rewards(story, f):
    assert np.allclose(f.ward_fill(slice(0, 8)), fill(story.session.record, story.session.params[0]))
    daily = f.daily_fill()
    assert daily.shape == (16, 3) and (daily >= 0).all() and (daily <= 1).all()
    parts, weights = story.parts, weights_of(story)
    assert sum(weights.values()) == pytest.approx(1)
    points = sum(weights[name] * parts[name] for name in COMPONENTS if parts[name] is not None)
    assert max(0.0, points - parts["justification_penalty"]) == pytest.approx(parts["score"])


def test_padding_is_split_without_a_rest(f):
    counts = np.array(padding_by_round(f))
    assert (counts[:, 0] == counts[:, 1:].sum(axis=1)).all() and (counts >= 0).all()
    assert counts[:, 0].sum() == f.padded.sum() and counts[:, 1].sum() == f.caught.sum() > 0


def test_a_round_that_has_not_closed_is_not_judged(stopped):
    story = tell(Replay(stopped))
    f = Facts(story)
    assert f.over == f.rounds - 1 == len(padding_by_round(f))
    assert told_of(f, story.chapters[-1])[0].endswith(" lines padded")
    assert "caught" in told_of(f, story.chapters[0])[0]


def test_the_audit_trail_has_every_line_that_was_looked_into(f):
    rows = [audit_row(f, *line) for line in looked_into(f)]
    assert len(rows) == int(((f.evidence > 0) | (f.verdict > 0)).sum()) > 0
    assert {row[-1] for row in rows} <= set(HUE_OF)


def test_stock_is_every_usable_unit(story, f):
    for chapter in story.chapters:
        s = chapter.opening
        for k in range(len(f.names.skus)):
            alive = (s["lot_sku"] == k) & (s["lot_expiry"] > s["day"]) & (np.arange(len(s["lot_sku"])) < s["lot_count"])
            assert sum(shelf(s, k, 2)) == int((s["on_hand"] - s["quarantined"])[alive].sum())


def test_every_order_is_told(f):
    rows = [order_row(f, o) for o in range(int(f.record["order_count"]))]
    assert rows and all(len(row) == len(ORDER_HEADER) for row in rows)
    assert len({row[0] for row in rows}) == len(rows)


@pytest.mark.parametrize("episode", ["recorded", "wild", "stopped"])
def test_a_page_is_whole_and_asks_nothing_of_the_network(episode, request):
    told = tell(Replay(request.getfixturevalue(episode)))
    html = page_of(told).html(footer(told))
    assert html.count("<section") == html.count("</section>") == 9
    assert html.count("<svg") == html.count("</svg>") > 30
    assert not URL.findall(html)
    assert "nan" not in re.sub(r"<[^>]*>", " ", html).split()
    assert ("no score" in html) == (episode == "stopped")


def test_an_episode_of_which_nothing_was_played_has_a_page(tmp_path, recorded):
    digest = Session(Replay(recorded).scenario, 50).digest()

    def change(lines):
        del lines[1:-1]
        lines[-1].update(ended=False, commands=0, rounds=[], score=None, digest=digest)

    told = tell(Replay(rewritten(recorded, tmp_path / "none.jsonl", change)))
    assert len(told.chapters) == 1 and "Stopped here" in page_of(told).html()


def test_what_was_said_is_text_on_the_page(tmp_path, recorded):
    evil = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>"

    def change(lines):
        lines[0]["players"] = {"coordinator": evil}
        at = next(i for i, line in enumerate(lines) if line.get("kind") == "submit_allocation_plan")
        lines[at]["said"] = {"ward_icu": evil}

    told = tell(Replay(rewritten(recorded, tmp_path / "evil.jsonl", change)))
    assert [said.text for said in told.said] == [evil]
    html = page_of(told).html(footer(told))
    assert "<script" not in html and "<img" not in html and html.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 2


def test_telling_changes_nothing(recorded):
    replay = Replay(recorded)
    assert tell(replay).session.digest() == replay.verify().digest()
    assert Desk(replay.verify()).session.ended
