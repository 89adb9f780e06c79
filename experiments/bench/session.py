"""An episode with reset, played from Python: every command goes through a Session."""

from __future__ import annotations

import statistics

from experiments.bench.row import Line, side_by_side
from medchain.core.session import Session
from medchain.scenario import load_scenario
from policies.drive import play_session
from policies.scripted.single import scripted_policies

EPISODES = 100
REACH = 3_000
PLAIN_PYTHON = 78
"""Episodes per second of an earlier implementation in plain Python on this kind of core; stated, not run."""


def measure(repeats: int) -> list[Line]:
    """Episodes per second of `rubber_stamp`."""
    scenario = load_scenario()
    session, policies = Session(scenario), scripted_policies(scenario, "rubber_stamp")

    def play() -> None:
        for seed in range(EPISODES):
            session.reset(seed)
            play_session(session, policies)

    (seconds,) = side_by_side(repeats, play)
    rate = EPISODES / statistics.median(seconds)
    yardstick = "plain Python, stated"
    ratio = rate / PLAIN_PYTHON
    reach = f">= {REACH:,}/s"
    return [Line("rubber_stamp, from Python", rate, "episodes/s", yardstick, PLAIN_PYTHON, ratio, reach, rate >= REACH)]
