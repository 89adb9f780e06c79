"""The base model of a run: located by name, or built on the spot and warm-started by imitation."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments.train_config import LOCAL, TrainConfig, WarmStartPart
from medchain.scenario import load_scenario

Tell = Callable[[str], None]


def base_of(config: TrainConfig, out: Path, tell: Tell) -> str:
    """What `from_pretrained` is given: the model's name, or the folder in which the tiny one has been built."""
    if config.model.name != "tiny":
        return config.model.name
    folder = out / "base"
    if not (folder / "built.json").is_file():
        build_tiny(config, folder, tell)
    return str(folder)


def build_tiny(config: TrainConfig, folder: Path, tell: Tell) -> None:
    """Build the embedded model in `folder`, warm-started if the experiment says so."""
    import torch

    from policies.llm.answers import forms_of
    from policies.llm.embedded import tiny_tokenizer, turn_automata
    from policies.llm.tiny import save_model, tiny_model
    from policies.llm.warmstart import Schedule, warm_start

    part = config.model.tiny
    assert part is not None
    torch.set_num_threads(config.scale.threads)
    scenario = load_scenario(config.difficulties[0])
    seats = [number for number, name in enumerate(scenario.agents) if config.agents[name].role in LOCAL]
    tokenizer = tiny_tokenizer(scenario, forms_of(seats, scenario))
    model = tiny_model(tokenizer, part.seed, part.width, part.layers, part.heads)
    count = sum(p.numel() for p in model.parameters())
    tell(f"built a model of {count:,} parameters, {len(tokenizer)} tokens")
    facts: dict[str, Any] = {"parameters": count, "vocabulary": len(tokenizer)}
    if config.warm_start is not None:
        save_model(model, tokenizer, folder)
        samples, teacher = transcripts(config, config.warm_start, folder)
        facts |= {"samples": len(samples), **teacher}
        worth = ", ".join(f"{name} {score:.3f}" for name, score in teacher["teacher_scores"].items())
        tell(f"{len(samples)} rounds to imitate; what their coordinators score in these words: {worth}")
        curve: list[dict[str, float]] = []
        total = config.warm_start.steps

        def hear(step: dict[str, float]) -> None:
            curve.append(step)
            if (int(step["step"]) + 1) % 20 == 0:
                done, loss, right = int(step["step"]) + 1, step["loss"], step["right"]
                tell(f"warm start {done}/{total}: loss {loss:.3f}, right {right:.3f}")

        how = Schedule(config.warm_start.steps, config.warm_start.batch, config.warm_start.rate, seed=part.seed)
        warm_start(model, samples, tokenizer.pad_token_id, turn_automata(scenario, tokenizer), how, hear)
        (folder / "warmstart.jsonl").write_text("".join(json.dumps(step) + "\n" for step in curve), encoding="utf-8")
    save_model(model, tokenizer, folder)
    (folder / "built.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def transcripts(config: TrainConfig, part: WarmStartPart, folder: Path) -> tuple[list[Any], dict[str, Any]]:
    """Rounds of the teachers in the words of the model in `folder`, and what they scored and called."""
    from dataclasses import replace

    from experiments.train_config import resolved
    from policies.llm.imitation import play_teacher
    from policies.llm.player import Player
    from policies.llm.settings import text_settings
    from policies.scripted.single import ScriptedCoordinator

    player = Player(replace(text_settings(resolved(config), str(folder)), constrained=True))
    assert player.automata is not None
    samples, tools = [], Counter[str]()
    scores: dict[str, list[float]] = {name: [] for name in part.teachers}
    for difficulty in config.difficulties:
        scenario, others = player.scenarios[difficulty], player.others(difficulty)
        teachers = [(name, ScriptedCoordinator(name, scenario)) for name in part.teachers]
        for i in range(part.seeds):
            name, teacher = teachers[i % len(teachers)]
            how = player.settings.manner, player.automata["turn"], part.skip
            table = play_teacher(scenario, part.first_seed + i, teacher, others, player.chat, *how)
            samples += table.conversations[0].stretches
            scores[name].append(float(table.breakdown()["score"]))
            tools += table.conversations[0].tally.tools
    means = {name: sum(found) / max(1, len(found)) for name, found in scores.items()}
    return samples, {"teacher_scores": means, "teacher_tools": dict(tools.most_common())}
