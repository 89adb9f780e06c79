"""Nonsense is refused, never raised: the record changes in its call counts only, and the info says what would be right."""

import numpy as np
import pytest

from medchain import medchain_v0
from medchain.core.words import Phase
from tests.compliance.players import drawn, seed_spaces

HUGE = "x" * 10_000_000
DEEP = "[" * 100_000


class Hostile:
    """Raises whatever is asked of it."""

    def __getattr__(self, name):
        raise RuntimeError(name)

    def __array__(self, *args, **kwargs):
        raise MemoryError

    def __repr__(self):
        raise KeyError


ODD = [
    None,
    7,
    -1,
    2.5,
    float("nan"),
    b"bytes",
    HUGE,
    DEEP,
    [],
    {},
    set(),
    object(),
    Hostile(),
    np.zeros(3),
    "",
    "\x00\ud800",
]
NUMBERS = [None, -1, 99, 1.5, float("nan"), float("inf"), -np.inf, 1e308, "3", HUGE, [], [0], {}, Hostile(), 10**400, True]
NUMBERS += [np.nan, np.int64(-5), np.array([1, 2]), np.zeros((3, 10)), np.full((3, 10), np.nan), np.full((3, 10), 1e9)]
TEXTS = [
    "",
    " ",
    "hello",
    DEEP,
    HUGE,
    '{"name": "advance_round"',
    '{"name": 5}',
    "[1, 2]",
    "null",
    "NaN",
    '{"verdict": "MAYBE"}',
]
TEXTS += ['{"requests": {"BLOOD-RBC": -5}}', '{"requests": {"BLOOD-RBC": 1e308}}', '{"requests": {"UNOBTAINIUM": 1}}']
TEXTS += [
    '{"name": "submit_po", "arguments": {"quantity": NaN}}',
    "\x00\x1b[2J",
    "\ud800",
    "<tool_call>" * 5000,
    '{"a": 1, "a": 2}',
]


def reach(phase: Phase, surface: str):
    """An environment in which somebody is asked in `phase`."""
    env = medchain_v0.env(surface=surface)
    env.reset(seed=12)
    seed_spaces(env, 12)
    while env.unwrapped.session.pending().phase != phase:
        env.step(drawn(env))
    return env


def is_refused(env, action) -> None:
    """Try an action where it would be refused, on a copy of the state."""
    raw, agent = env.unwrapped, env.agent_selection
    saved, before = env.save(), raw.session.episodes.copy()
    env.step(action)
    info = env.infos[agent]
    assert info.get("refusal"), (agent, str(type(action)))
    assert info["message"].isascii() and len(info["message"]) < 1000 and not info["forfeit"]
    for name in ("calls", "calls_total", "refusals_in_a_row"):
        before[name] = raw.session.record[name]
    assert raw.session.episodes.tobytes() == before.tobytes()
    env.load(saved)


PHASES = [Phase.REQUEST, Phase.COORDINATE, Phase.DISCLOSE, Phase.VERDICT, Phase.REPLY]


@pytest.mark.parametrize("phase", PHASES)
def test_odd_structured_actions(phase: Phase) -> None:
    env = reach(phase, "structured")
    for action in ODD:
        if phase == Phase.REPLY and isinstance(action, dict):
            continue  # a reply needs no head
        is_refused(env, action)


@pytest.mark.parametrize("phase", [Phase.REQUEST, Phase.DISCLOSE, Phase.VERDICT])
def test_odd_heads_of_wards_and_arbiter(phase: Phase) -> None:
    env = reach(phase, "structured")
    heads = {Phase.REQUEST: ("inflation", "reason"), Phase.DISCLOSE: ("redaction",), Phase.VERDICT: ("verdict", "quantity")}
    for head in heads[phase]:
        for value in NUMBERS:
            legal = isinstance(value, bool) and head in ("redaction", "verdict")
            legal |= head == "quantity" and isinstance(value, list) and value == [0]
            if not legal:
                is_refused(env, drawn(env) | {head: value})
        is_refused(env, {k: v for k, v in drawn(env).items() if k != head})


@pytest.mark.parametrize("kind", range(21))
def test_odd_heads_of_the_coordinator(kind: int) -> None:
    """Every tool, every head that it reads, every odd value."""
    from medchain.core.words import Kind
    from medchain.env.actions import USES

    env = reach(Phase.COORDINATE, "structured")
    heads = [head for head in USES.get(kind + 1, ("", "")) if head] + ["tool"]
    heads += ["plan", "cites"] if kind + 1 == Kind.SUBMIT_ALLOCATION_PLAN else []
    heads += ["units"] if "quantity" in heads else []
    for head in heads:
        for value in NUMBERS:
            if isinstance(value, bool) or (isinstance(value, np.ndarray) and value.shape == (3, 10) and not value.any()):
                continue  # a legal choice, an empty plan
            is_refused(env, drawn(env) | {"tool": kind, "quantity": 0} | {head: value})


@pytest.mark.parametrize("phase", PHASES)
def test_odd_texts(phase: Phase) -> None:
    env = reach(phase, "text")
    for text in [*TEXTS, *ODD]:
        is_refused(env, text)


def test_three_refusals_are_a_forfeit_for_a_ward_and_the_arbiter() -> None:
    for phase, agent in ((Phase.REQUEST, "ward_icu"), (Phase.VERDICT, "arbiter")):
        env = reach(phase, "structured")
        for forfeit in (False, False, True):
            assert env.agent_selection == agent
            env.step(None)
            assert env.infos[agent]["forfeit"] == forfeit
        assert env.agent_selection != agent
        number = env.possible_agents.index(agent)
        assert env.unwrapped.session.record["forfeits"].tolist() == [int(i == number) for i in range(5)]


@pytest.mark.parametrize("surface", ["structured", "text"])
def test_an_episode_of_nothing_but_nonsense_ends(surface: str) -> None:
    """Sixty refused calls a round, every ward answered for: eight rounds, then the score."""
    env = medchain_v0.env(surface=surface)
    env.reset(seed=2)
    steps = 0
    while not env.terminations[env.agent_selection]:
        env.step("nonsense")
        steps += 1
    assert steps == 8 * (60 + 3 * 3)
    info = env.infos["coordinator"]
    assert info["forfeits"] == {"coordinator": 0, "ward_icu": 8, "ward_er": 8, "ward_general": 8, "arbiter": 0}
    assert 0 <= info["score"] < 0.3
