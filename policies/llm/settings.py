"""From an experiment's plain data to the settings of a player: what a run folder keeps is enough to play its model again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from policies.llm.brief import TINY_SYSTEM
from policies.llm.conversation import Manner
from policies.llm.loading import Lora, Source
from policies.llm.player import TextSettings

SYSTEM = (
    "You coordinate a hospital pharmacy. Each round: read the brief, audit requests that look padded, order what will run "
    "short, submit one allocation plan, then advance the round. Answer with tool calls only, each as "
    '<tool_call>{{"name": ..., "arguments": {{...}}}}</tool_call>. Tools:\n{tools}'
)


def system_prompt(text: Mapping[str, Any]) -> str:
    """The system prompt: the file's own, or one that lists the tools; a tiny brief goes with the tiny one."""
    if text.get("system"):
        return str(text["system"])
    if text["brief"] == "tiny":
        return TINY_SYSTEM
    from medchain.tools.registry import TOOLS

    return SYSTEM.format(tools="\n".join(f"{tool.signature}: {tool.description}" for tool in TOOLS))


def source_of(model: Mapping[str, Any], name: str) -> Source:
    """Where the base model comes from; `name` replaces the file's (a tiny model is built in a folder)."""
    targets = model["lora"]["targets"]
    lora = Lora(model["lora"]["rank"], model["lora"]["alpha"], targets if isinstance(targets, str) else tuple(targets))
    return Source(name, model["quantisation"], model["dtype"], model["attention"], model["gradient_checkpointing"], lora)


def text_settings(config: Mapping[str, Any], base: str) -> TextSettings:
    """Settings of an experiment (resolved, as plain data) whose base model is at `base`."""
    text, agents = config["text"], config["agents"]
    seats = {agent: agent for agent, part in agents.items() if part["role"] == "llm"}
    scripted = {
        agent: part["policy"] if agent == "coordinator" else part["persona"]
        for agent, part in agents.items()
        if part["role"] == "scripted"
    }
    return TextSettings(
        source=source_of(config["model"], base),
        seats=seats,
        scripted=scripted,
        difficulties=tuple(dict.fromkeys([*config["difficulties"], *config["evaluation"]["difficulties"]])),
        manner=Manner(text["brief"], text["results"], text["turn_tokens"], text["round_turns"], text["context_tokens"]),
        constrained=text["constrained"],
        temperature=text["temperature"],
        system=system_prompt(text),
        thinking=text["thinking"],
        batch=text["batch"],
    )
