"""The text surface: what a language model reads, one tool call or answer per step."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from gymnasium import spaces

from medchain.core.words import COORDINATOR
from medchain.env.game import Game
from medchain.errors import ToolError
from medchain.scenario import Scenario
from medchain.tools.desk import Turn
from medchain.tools.show import MOST_CHARACTERS, came
from medchain.tools.text_system import system_text

PRINTABLE = "\n" + "".join(map(chr, range(32, 127)))
MOST_SPOKEN = 4_000
"""The longest action that is read, in characters; a longer one is refused."""

_PRINTABLE = re.compile(r"[\n -~]*")
_SAMPLED = 40


class ShownText(spaces.Text):
    """Printable ASCII; `contains` is fast, where the stock one costs milliseconds."""

    def contains(self, x: Any) -> bool:
        """Whether `x` is a str of printable ASCII that is not too long."""
        return isinstance(x, str) and len(x) <= self.max_length and _PRINTABLE.fullmatch(x) is not None


class SpokenText(spaces.Text):
    """Any string. What cannot be read is refused by the game, so that odd text is never a crash."""

    def __init__(self, max_length: int, examples: Sequence[str]) -> None:
        """Sample from `examples` half of the time, else short noise."""
        super().__init__(max_length, min_length=0, charset=PRINTABLE)
        self.examples = tuple(examples)

    def contains(self, x: Any) -> bool:
        """Whether `x` is a str."""
        return isinstance(x, str)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """An example or up to 40 characters of noise; with a mask or probabilities as in gymnasium's Text."""
        if mask is not None or probability is not None:
            return super().sample(mask, probability)
        if self.np_random.random() < 0.5:
            return self.examples[self.np_random.integers(len(self.examples))]
        picks = self.np_random.integers(len(PRINTABLE), size=self.np_random.integers(_SAMPLED + 1))
        return "".join(PRINTABLE[i] for i in picks)


def _examples(scenario: Scenario, number: int) -> list[str]:
    stocked = {ward: [k for k, sku in scenario.skus.items() if ward in sku.demand_per_day] for ward in scenario.wards}
    if number == COORDINATOR:
        calls: list[tuple[str, dict[str, Any]]] = [("get_round_briefing", {}), ("advance_round", {})]
        for ward, skus in stocked.items():
            calls.append(("messaging_send_to_ward", {"ward_id": ward, "body": "Why so much?"}))
            for sku in skus[:1]:
                calls.append(("request_evidence", {"ward_id": ward, "sku": sku}))
                calls.append(("escalate_to_clinical_review", {"ward_id": ward, "sku": sku, "concern": "odd"}))
        calls.append(("submit_allocation_plan", {"plan_json": dict.fromkeys(stocked, "requested")}))
        return [json.dumps({"name": name, "arguments": arguments}) for name, arguments in calls]
    if number <= len(scenario.wards):
        requests = dict.fromkeys(stocked[list(stocked)[number - 1]][:1], 5)
        answers = [{"requests": requests}, {"redact": "none"}, {"redact": "census"}, {"body": "Full house."}]
        return [json.dumps(answer) for answer in answers]
    return [json.dumps({"verdict": verdict}) for verdict in ("APPROVE", "REDUCE", "DENY")]


class Spoken:
    """One agent's text surface."""

    def __init__(self, scenario: Scenario, number: int) -> None:
        """Make the surface of agent `number`."""
        self.number = number
        self.observation_space: spaces.Space[Any] = spaces.Dict(
            {"text": ShownText(MOST_CHARACTERS, min_length=0, charset=PRINTABLE)}
        )
        self.action_space: spaces.Space[Any] = SpokenText(MOST_SPOKEN, _examples(scenario, number))

    def forget(self) -> None:
        """Nothing is kept between turns."""

    def instructions(self, game: Game) -> str:
        """The agent's standing instructions."""
        return system_text(game.desk.registry.names, self.number)

    def observe(self, game: Game, clock: int) -> dict[str, Any]:
        """All that the agent should read now; the game is only read."""
        text = game.desk.prompt(self.number)
        if len(text) > MOST_CHARACTERS:
            note = f"\n[{len(text)} characters; the rest is cut: ask for less at once]"
            text = text[: MOST_CHARACTERS - len(note)] + note
        return {"text": text}

    def read(self, game: Game, clock: int, action: object, commands: Any) -> Turn:
        """Write the command that a text (or a dict of name and arguments) means into `commands`."""
        given: Any = action
        if not isinstance(action, str | Mapping):
            given = ToolError("not_text", "a text with one call", came(action), 'such as {"name": ..., "arguments": {...}}')
        elif isinstance(action, str) and len(action) > MOST_SPOKEN:
            given = ToolError("too_long", f"at most {MOST_SPOKEN} characters", f"{len(action)} characters", "say it shorter")
        turn = game.desk.read(given)
        commands[0] = turn.command[0]
        return turn
