"""Everything that belongs to the embedded tiny model: its words, its tokenizer, its chat and its automata."""

from __future__ import annotations

from typing import Any

from medchain.core.session import Session
from medchain.core.words import COORDINATOR, Event, Verdict
from medchain.scenario import Scenario
from medchain.tools.names import Names
from medchain.tools.text_refusals import _SENTENCES
from policies.llm.automaton import Automaton, Grammar
from policies.llm.brief import TINY_SYSTEM, tiny_brief
from policies.llm.calls import Turns
from policies.llm.tokenizer import ROLES, build_tokenizer, words_of


def game_words(scenario: Scenario) -> list[str]:
    """Every literal of the grammar, and every word of short briefs and results, as tokens."""
    literals: dict[str, None] = {}

    def note(text: str) -> list[int]:
        literals[text] = None
        return [0]

    names = Names(scenario)
    Turns(names, Grammar(note)).turn()
    view = Session(scenario).view(COORDINATOR)[0]
    texts = [tiny_brief(names, view), TINY_SYSTEM, *(v.name for v in Verdict), *(e.name.lower() for e in Event)]
    texts += ["warned active ok no note APR- JUS- QT- EV-", *(refusal.name.lower() for refusal in _SENTENCES)]
    spaced = [f" {word}" for word in (*names.skus, *names.wards, "EV-")]
    return [*ROLES, *literals, *names.skus, *names.wards, *spaced, *words_of(texts, 1)]


def tiny_tokenizer(scenario: Scenario) -> Any:
    """The embedded model's tokenizer for a scenario."""
    return build_tokenizer(game_words(scenario))


def turn_automata(scenario: Scenario, tokenizer: Any) -> dict[str, Automaton]:
    """Automata of constrained turns by form, for any tokenizer."""
    grammar = Grammar(lambda text: tokenizer.encode(text, add_special_tokens=False))
    return {"turn": Automaton(grammar, Turns(Names(scenario), grammar).turn(), tokenizer.eos_token_id, len(tokenizer))}
