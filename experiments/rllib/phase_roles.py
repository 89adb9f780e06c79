"""Who plays at phase level: a role for each agent, out of plain data, so that it travels to remote runners.

| kind       | keys                                                     | how it plays                    |
|------------|----------------------------------------------------------|---------------------------------|
| scripted   | `persona` of a ward, `policy` of the coordinator         | compiled, at tool level         |
| learned    | `module`: agents that name the same one share its weights| by RLlib, at phase level        |
| checkpoint | `path`: a role's file or a run folder; `greedy`          | a frozen network at phase level |
| llm        | `model` of the coordinator, as after `llm:` in eval      | a frozen model, at tool level   |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from experiments.train_checks import told_at
from medchain.env.vector import Responder
from medchain.errors import ConfigError
from medchain.scenario import Scenario
from policies.knobs import load_knobs
from policies.learned.layout import role_of
from policies.phase import Decide
from policies.roster import coordinator
from policies.scripted.batch import parse_persona
from policies.scripted.circle import circle
from policies.scripted.responders import CoordinatorResponder

KEYS = {"scripted": {"persona", "policy"}, "learned": {"module"}, "checkpoint": {"path", "greedy"}, "llm": {"model"}}
"""Which keys a kind of role may have."""


class RolePart(BaseModel):
    """Who plays one agent."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: Literal["scripted", "learned", "checkpoint", "llm"]
    persona: str | tuple[str, float] = "scripted"
    policy: str = "auditor"
    module: str | None = None
    path: str | None = None
    greedy: bool = False
    model: str | None = None


class Cast(NamedTuple):
    """What plays each agent number."""

    responders: dict[int, Responder]
    frozen: dict[int, Decide]
    learned: dict[int, str]  # the module that plays it


def check_roles(scenario: Scenario, parts: Mapping[str, RolePart], where: str) -> None:
    """Refuse roles that cannot play `scenario`.

    Raises:
        ConfigError: an agent is missing or unknown, a key is of another kind of role, a module is shared by unlike roles;
            no such persona or scripted coordinator.
    """
    names = list(scenario.agents)
    for name in names:
        if name not in parts:
            raise ConfigError(f"{where}: agents.{name}: missing; expected a role for each of {', '.join(names)}")
    owners: dict[str, str] = {}
    for name, part in parts.items():
        if name not in names:
            raise ConfigError(f"{where}: agents.{name}: no such agent; known: {', '.join(names)}")
        odd = part.model_fields_set - KEYS[part.role] - {"role"}
        if odd:
            raise ConfigError(
                f"{where}: agents.{name}.{min(odd)}: a {part.role} role takes {', '.join(sorted(KEYS[part.role]))}"
            )
        if part.role == "checkpoint" and part.path is None:
            raise ConfigError(f"{where}: agents.{name}.path: missing; expected a role's file or a run folder")
        if part.role == "llm" and (name != names[0] or part.model is None):
            raise ConfigError(f"{where}: agents.{name}: an llm plays the {names[0]}, and `model` says which one")
        role = role_of(names.index(name), scenario.sizes)
        if part.role == "learned" and owners.setdefault(part.module or name, role) != role:
            raise ConfigError(f"{where}: agents.{name}.module: {part.module} already plays a {owners[part.module or name]}")
        told_at(f"{where}: agents.{name}", _scripted, {names.index(name): part}, scenario)


def roles_as_data(parts: Mapping[str, RolePart]) -> dict[str, dict[str, Any]]:
    """Roles as plain data: of each kind the keys that it may have."""
    return {
        name: {"role": part.role}
        | {k: v for k, v in part.model_dump(mode="json").items() if k in KEYS[part.role] and v is not None}
        for name, part in parts.items()
    }


def assemble(scenario: Scenario, parts: Mapping[str, RolePart]) -> Cast:
    """Make what plays each agent of `scenario`; `parts` have been checked.

    Raises:
        ConfigError: a checkpoint is missing or does not fit.
    """
    responders, frozen, learned, scripted = {}, {}, {}, {}
    for agent, name in enumerate(scenario.agents):
        part = parts[name]
        if part.role == "scripted":
            scripted[agent] = part
        elif part.role == "learned":
            learned[agent] = part.module or name
        elif part.role == "llm":
            from policies.llm.respond import ModelResponder

            responders[agent] = ModelResponder(part.model or "")
        else:
            from policies.learned.checkpoint import load_net
            from policies.learned.player import decider

            net = load_net(role_file(Path(part.path or ""), role_of(agent, scenario.sizes)), scenario.sizes)
            frozen[agent] = decider(net, agent, part.greedy)
    return Cast({**responders, **_scripted(scripted, scenario)}, frozen, learned)


def role_file(path: Path, role: str) -> Path:
    """The file of a role: `path` itself, or the first of its role in a run folder.

    Raises:
        ConfigError: there is no such file, or a folder holds none.
    """
    if path.is_file():
        return path
    if not path.is_dir():
        raise ConfigError(f"checkpoint {path}: expected a file that `medchain train` wrote, there is none")
    found = sorted((path / "policies").glob(f"*.{role}.pt"))
    if not found:
        raise ConfigError(f"checkpoint {path}: expected a run folder with policies/NAME.{role}.pt; there is none")
    return found[0]


def _scripted(parts: Mapping[int, RolePart], scenario: Scenario) -> dict[int, Responder]:
    """What answers for the scripted agents."""
    arbiter = scenario.sizes.agents - 1
    wards = {a: parse_persona(part.persona) for a, part in parts.items() if 0 < a < arbiter}
    found = circle(wards, arbiter if arbiter in parts else None)
    if 0 in parts:
        found[0] = CoordinatorResponder(coordinator(parts[0].policy), load_knobs(parts[0].policy))
    return found


def play_learned(path: Path, scenario: Scenario, seeds: Sequence[int]) -> Any:
    """Episode records [seed] of the coordinator in a role's file, its most probable choices, beside scripted agents.

    Raises:
        ConfigError: the file is missing or does not fit the scenario.
    """
    from experiments.rllib.phase_batch import PhaseBatch

    parts = {name: RolePart(role="scripted") for name in scenario.agents}
    parts[next(iter(parts))] = RolePart(role="checkpoint", path=str(path), greedy=True)
    batch = PhaseBatch(scenario, len(seeds), parts, "terminal")
    batch.reset(seeds)
    batch.turn()
    return batch.env.episodes
