"""Episodes of `medchain eval` on file: one replay each, in names that say what they hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from experiments.options import OptionError
from experiments.players import MODEL, commanders
from medchain.core.session import Session
from medchain.env.replay_log import Recorder
from medchain.scenario import load_scenario
from policies.drive import play_session


def replay_name(policy: str, difficulty: str, seed: int) -> str:
    """File name of an episode: policy-difficulty-seed.jsonl; of a scenario file its stem."""
    words = (policy, Path(difficulty).stem if Path(difficulty).suffix else difficulty, str(seed))
    return "-".join(re.sub(r"[^A-Za-z0-9._]+", "_", word) for word in words) + ".jsonl"


def check_folder(option: str, folder: Path, policies: Sequence[str], difficulties: Sequence[str]) -> None:
    """Make the folder of a recording.

    Raises:
        OptionError: it cannot be made, a policy cannot be recorded, or two episodes would have one name.
    """
    for policy in policies:
        if policy.startswith(MODEL):
            raise OptionError(
                f"{option}: {policy} does not play command by command; only scripted coordinators are recorded"
            )
    names = [replay_name(policy, difficulty, 0) for policy, difficulty in product(policies, difficulties)]
    if len(set(names)) < len(names):
        raise OptionError(f"{option}: two of {', '.join([*policies, *difficulties])} would give their files one name")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"{option}: {folder} cannot be made ({error.strerror or error})") from None


def record_episode(policy: str, difficulty: str, seed: int, folder: Path) -> Any:
    """Play an episode command by command and record it; returns the final episode record."""
    scenario = load_scenario(difficulty)
    session, agents = Session(scenario, seed), scenario.agents
    players = {agents[0]: policy, **dict.fromkeys(agents[1:], "scripted")}
    recorder = Recorder(folder / replay_name(policy, difficulty, seed), players)
    recorder.start(session, Path(difficulty).stem)
    try:
        play_session(
            session, commanders(policy, scenario), lambda agent, command, _: recorder.add(agents[agent], command[0])
        )
    finally:
        recorder.close()
    return session.record
