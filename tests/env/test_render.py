"""Rendering: PettingZoo's own test, that looking changes nothing, and that the page and the picture show the state."""

import warnings

import numpy as np
import pytest
from pettingzoo.test import render_test

from medchain import medchain_v0
from medchain.env.render import Scene
from tests.compliance.players import turns


def test_pettingzoo_render(capsys) -> None:
    render_test(medchain_v0.env)
    assert "MedChain: round 1 of 8" in capsys.readouterr().out


@pytest.mark.parametrize("surface", ["structured", "text"])
def test_rendering_changes_nothing(surface: str) -> None:
    env = medchain_v0.env(surface=surface, render_mode="ansi", scenario="heavy")
    pages = set()
    for i, _ in enumerate(turns(env, 4)):
        if i % 25 == 0:
            before = env.unwrapped.save()
            page = env.render()
            pages.add(page)
            assert env.unwrapped.save() == before
            assert page.isascii() and page.count("\n") > 30
    assert len(pages) > 8 and "the episode is over: score 0." in env.render()


def test_the_picture_changes_with_the_state() -> None:
    env = medchain_v0.env(render_mode="rgb_array", scenario="light")
    pictures = []
    for i, _ in enumerate(turns(env, 4)):
        if i in (0, 3, 60):
            pictures.append(env.render())
    pictures.append(env.render())
    assert {p.shape for p in pictures} == {(900, 1400, 3)} and {p.dtype for p in pictures} == {np.dtype(np.uint8)}
    assert len({p.tobytes() for p in pictures}) == 4
    assert all(40 < p.mean() < 254 for p in pictures)


def test_the_scene_adds_up() -> None:
    env = medchain_v0.env(scenario="heavy")
    for i, _ in enumerate(turns(env, 12)):
        if i % 40:
            continue
        scene, s = Scene(env.unwrapped.session), env.unwrapped.session.record
        assert sum(scene.money().values()) == s["limit"]
        lots = s["lot_count"]
        assert scene.stock_by_band()[:, :-1].sum() == s["on_hand"][:lots].sum()
        wards = sum(line.stock for line in scene.lines)
        assert wards + scene.central().sum() == (s["on_hand"] - s["quarantined"])[:lots].sum()
        assert ((scene.fill() >= 0) & (scene.fill() <= 1)).all()


def test_without_a_mode_it_says_so() -> None:
    env = medchain_v0.env()
    env.reset(seed=1)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        assert env.render() is None
    assert "render_mode" in str(heard[0].message)
