"""Transcripts of a scripted coordinator in the words of constrained turns: what a tiny model is warm-started on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from medchain.core.words import COORDINATOR, Kind
from medchain.scenario import Scenario
from policies.llm.automaton import Automaton
from policies.llm.calls import Speller
from policies.llm.chat import Chat
from policies.llm.conversation import Conversation, Manner
from policies.llm.sampling import Completion
from policies.llm.table import Table


def play_teacher(
    scenario: Scenario,
    seed: int,
    teacher: Any,
    others: Mapping[int, Any],
    chat: Chat,
    manner: Manner,
    automaton: Automaton,
    skipped: Collection[str] = (),
) -> Table:
    """Play an episode whose coordinator is `teacher` (a policy that plans ahead), call by call through text.

    Calls of the tools named in `skipped` are left out. A turn is what the teacher decided at one look. What it
    does is rounded to the words of the grammar: the score of the table's episode is what a perfect imitator would get.
    """
    table = Table(scenario, seed, others, {COORDINATOR: lambda desk, agent: Conversation(desk, agent, chat, manner)})
    words = chat.words()
    state, speller = teacher.initial_state(1, [seed]), Speller(table.desk.registry.names)
    while (talk := table.advance()) is not None:
        texts = []
        view = table.session.view(COORDINATOR)
        while not texts or not teacher.must_look(state, 0, int(view[0]["round"])):
            commands, state = teacher.act(view, state)
            if Kind(int(commands[0]["kind"])).name.lower() not in skipped:
                texts.append(speller.spell(commands[0], view[0]))
        ids = [*automaton.spell("".join(texts), words), chat.end]
        talk.take(Completion(ids, [0.0] * len(ids), [True] * len(ids), True), talk.form())
    return table
