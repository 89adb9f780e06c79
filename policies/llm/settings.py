"""From an experiment's plain data to the settings of a player: what a run folder keeps is enough to play its model again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from policies.llm.adapters import adapter_of, lora_in
from policies.llm.brief import TINY_SYSTEM
from policies.llm.brief_roles import TINY_ARBITER, TINY_WARD
from policies.llm.conversation import Manner
from policies.llm.endpoint import Endpoint
from policies.llm.loading import Lora, Source
from policies.llm.player import TextSettings

COORDINATOR, ARBITER = "coordinator", "arbiter"
ROLES = ("scripted", "llm", "checkpoint", "llm_api")
ENDPOINT_KEYS = ("url", "model", "key", "timeout_s", "parallel")

SYSTEM = (
    "You coordinate a hospital pharmacy. Each round: read the brief, audit requests that look padded, order what will run "
    "short, submit one allocation plan, then advance the round. Answer with tool calls only, each as "
    '<tool_call>{{"name": ..., "arguments": {{...}}}}</tool_call>. A line "note: ..." outside the calls is shown to you '
    "again in the next round. Tools:\n{tools}"
)
WARD_SYSTEM = "You speak for a ward of a hospital. Answer with one JSON object, in the form that is asked for."
ARBITER_SYSTEM = "You are a hospital's clinical review board. Answer with one JSON object, in the form that is asked for."


def system_prompt(text: Mapping[str, Any], agent: str = COORDINATOR) -> str:
    """The system prompt of an agent: the coordinator's may be the file's own; a tiny brief goes with a tiny one."""
    tiny = text["brief"] == "tiny"
    if agent == ARBITER:
        return TINY_ARBITER if tiny else ARBITER_SYSTEM
    if agent != COORDINATOR:
        return TINY_WARD if tiny else WARD_SYSTEM
    if text.get("system"):
        return str(text["system"])
    if tiny:
        return TINY_SYSTEM
    from medchain.tools.registry import TOOLS

    return SYSTEM.format(tools="\n".join(f"{tool.signature}: {tool.description}" for tool in TOOLS))


def source_of(model: Mapping[str, Any], name: str) -> Source:
    """Where the base model comes from; `name` replaces the file's (a tiny model is built in a folder)."""
    targets = model["lora"]["targets"]
    lora = Lora(model["lora"]["rank"], model["lora"]["alpha"], targets if isinstance(targets, str) else tuple(targets))
    return Source(name, model["quantisation"], model["dtype"], model["attention"], model["gradient_checkpointing"], lora)


def endpoints_of(agents: Mapping[str, Any]) -> dict[str, Endpoint]:
    """Endpoint of each agent that a model elsewhere plays."""
    return {
        agent: Endpoint(**{key: part[key] for key in ENDPOINT_KEYS})
        for agent, part in agents.items()
        if part["role"] == "llm_api"
    }


def text_settings(config: Mapping[str, Any], base: str) -> TextSettings:
    """Settings of an experiment (resolved, as plain data) whose base model is at `base`.

    Raises:
        ModelError: an adapter that is to play frozen is not there.
    """
    text, agents = config["text"], config["agents"]
    by_role = {role: {a: p for a, p in agents.items() if p["role"] == role} for role in ROLES}
    local = {**by_role["llm"], **by_role["checkpoint"]}
    elsewhere = {**text, "brief": "short"}  # an endpoint's model is never spoken to in the tiny form
    return TextSettings(
        source=source_of(config["model"], base),
        seats={agent: agent for agent in agents if agent in local},
        scripted={a: p["policy"] if a == COORDINATOR else p["persona"] for a, p in by_role["scripted"].items()},
        endpoints=endpoints_of(agents),
        loras={a: lora_in(adapter_of(Path(p["path"]), a)) for a, p in by_role["checkpoint"].items()},
        systems={a: system_prompt(elsewhere if a in by_role["llm_api"] else text, a) for a in agents},
        difficulties=tuple(dict.fromkeys([*config["difficulties"], *config["evaluation"]["difficulties"]])),
        manner=Manner(text["brief"], text["results"], text["turn_tokens"], text["round_turns"], text["context_tokens"]),
        constrained=text["constrained"],
        temperature=text["temperature"],
        system=system_prompt(text),
        thinking=text["thinking"],
        batch=text["batch"],
    )
