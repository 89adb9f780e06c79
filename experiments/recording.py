"""Episodes of `medchain eval` on file: one replay each, in names that say what they hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from experiments.options import OptionError
from experiments.players import MODEL, commanders, play_told, player
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
        OptionError: it cannot be made, or two episodes would have one name.
        MedChainError: there is no such policy.
    """
    for policy in policies:
        player(policy)
    names = [replay_name(policy, difficulty, 0) for policy, difficulty in product(policies, difficulties)]
    if len(set(names)) < len(names):
        raise OptionError(f"{option}: two of {', '.join([*policies, *difficulties])} would give their files one name")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"{option}: {folder} cannot be made ({error.strerror or error})") from None


def record_episodes(policy: str, difficulty: str, seeds: Sequence[int], folder: Path) -> tuple[Sequence[Any], Sequence[Any]]:
    """Play an episode per seed command by command and record it; as experiments.players.play_told."""
    if policy.startswith(MODEL):
        return _spoken(policy, difficulty, seeds, folder)
    return [_scripted(policy, difficulty, seed, folder) for seed in seeds], [None] * len(seeds)


def _recorder(policy: str, difficulty: str, session: Session, folder: Path) -> Recorder:
    """Of an episode that is about to start."""
    agents, seed = session.scenario.agents, int(session.record["seed"])
    recorder = Recorder(
        folder / replay_name(policy, difficulty, seed), {agents[0]: policy, **dict.fromkeys(agents[1:], "scripted")}
    )
    recorder.start(session, Path(difficulty).stem)
    return recorder


def _scripted(policy: str, difficulty: str, seed: int, folder: Path) -> Any:
    scenario = load_scenario(difficulty)
    session, agents, policies = Session(scenario, seed), scenario.agents, commanders(policy, scenario)
    recorder = _recorder(policy, difficulty, session, folder)
    try:
        play_session(session, policies, lambda agent, command, _: recorder.add(agents[agent], command[0]))
    finally:
        recorder.close()
    return session.record


def _spoken(policy: str, difficulty: str, seeds: Sequence[int], folder: Path) -> tuple[Sequence[Any], Sequence[Any]]:
    """Episodes of a language model, which are played at once; the words that go with its commands are kept too."""
    recorders: list[Recorder] = []

    def attend(_: Any, table: Any) -> None:
        recorder, agents = _recorder(policy, difficulty, table.session, folder), table.session.scenario.agents
        recorders.append(recorder)
        table.desk.attend = lambda turn: recorder.add(agents[turn.asked.agent], turn.command[0], turn.said)

    try:
        return play_told(policy, difficulty, seeds, attend)
    finally:
        for recorder in recorders:
            recorder.close()
