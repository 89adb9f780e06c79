"""Everything that belongs to the embedded tiny model: its words, its tokenizer, its chat and its automata."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from medchain.core.session import Session
from medchain.core.words import COORDINATOR, Event, Verdict
from medchain.scenario import Scenario
from medchain.tools.names import Names
from medchain.tools.text_refusals import _SENTENCES
from policies.llm.answers import TURN, Answers
from policies.llm.automaton import Automaton, Grammar
from policies.llm.brief import TINY_SYSTEM, tiny_brief
from policies.llm.brief_roles import role_words
from policies.llm.calls import Part, Turns
from policies.llm.tokenizer import ROLES, build_tokenizer, words_of


def game_words(scenario: Scenario, forms: Sequence[str] = (TURN,)) -> list[str]:
    """Every literal of the grammars of `forms`, and every word of short briefs and results, as tokens."""
    literals: dict[str, None] = {}

    def note(text: str) -> list[int]:
        literals[text] = None
        return [0]

    names = Names(scenario)
    grammar = Grammar(note)
    for form in forms:
        spelled(form, names, grammar)
    view = Session(scenario).view(COORDINATOR)[0]
    texts = [tiny_brief(names, view), TINY_SYSTEM, *(v.name for v in Verdict), *(e.name.lower() for e in Event)]
    texts += ["warned active ok no note APR- JUS- QT- EV-", *(refusal.name.lower() for refusal in _SENTENCES)]
    texts += role_words() if set(forms) - {TURN} else []
    spaced = [f" {word}" for word in (*names.skus, *names.wards, "EV-")]
    return [*ROLES, *literals, *names.skus, *names.wards, *spaced, *words_of(texts, 1)]


def tiny_tokenizer(scenario: Scenario, forms: Sequence[str] = (TURN,)) -> Any:
    """The embedded model's tokenizer for a scenario and the forms that it will be asked for."""
    return build_tokenizer(game_words(scenario, forms))


def spelled(form: str, names: Names, grammar: Grammar) -> Part:
    """The language of a form, spelled into `grammar`."""
    return Turns(names, grammar).turn() if form == TURN else Answers(names, grammar).answer(form)


def turn_automata(scenario: Scenario, tokenizer: Any, forms: Sequence[str] = (TURN,)) -> dict[str, Automaton]:
    """Automata of constrained turns and answers by form, for any tokenizer."""

    def automaton(form: str) -> Automaton:
        grammar = Grammar(lambda text: tokenizer.encode(text, add_special_tokens=False))
        return Automaton(grammar, spelled(form, Names(scenario), grammar), tokenizer.eos_token_id, len(tokenizer))

    return {form: automaton(form) for form in forms}
