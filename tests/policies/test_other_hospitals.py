"""Scripted coordinators keep to the rules in hospitals of other sizes; uncompiled, for compiling takes longer."""

import os
import subprocess
import sys
from pathlib import Path

from medchain.core.session import Session
from medchain.core.words import Kind
from medchain.scenario import Scenario
from policies.drive import play_session
from policies.roster import coordinator_names
from policies.scripted.single import scripted_policies
from tests.laws.trace import OTHER_SIZES, hospital

ROOT = Path(__file__).resolve().parents[2]


def test_coordinators_keep_to_the_rules_in_hospitals_of_other_sizes():
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "tests.policies.test_other_hospitals"]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [f"{size}:{name}" for size in OTHER_SIZES for name in coordinator_names()]


def behave(scenario: Scenario, name: str) -> None:
    """Play an episode in which none of the coordinator's calls may be refused and all claims must be sound."""
    session, refused = Session(scenario, 1), []

    def note(agent, command, result):
        if result["ok"] == 0:
            refused.append((agent, Kind(int(command["kind"][0])).name, int(result["refusal"])))

    play_session(session, scripted_policies(scenario, name), note)
    assert session.ended and refused == [], (name, refused)
    assert name == "random_legal" or session.record["unsound"] == 0, name


if __name__ == "__main__":
    for size in OTHER_SIZES:
        for coordinator in coordinator_names():
            behave(hospital(size), coordinator)
            print(f"{size}:{coordinator}")
