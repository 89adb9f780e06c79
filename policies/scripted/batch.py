"""Play many episodes of scripted agents at once: the compiled loop, behind names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from medchain.core.params import new_params
from medchain.core.record import as_bytes, new_episodes
from medchain.errors import ConfigError, UnknownNameError, check_seed
from medchain.scenario import Scenario
from policies.knobs import background_factors, load_knobs
from policies.roster import coordinator as find_coordinator
from policies.scripted.play import Desk, play_range
from policies.scripted.wards import Persona

Array = np.ndarray[Any, Any]
PersonaName = str | tuple[str, float]
"""`scripted`, `honest`, (`pads`, factor) or a background ward of background.py: `chronic` and so on."""


def parse_persona(name: PersonaName) -> tuple[Persona, float]:
    """A persona and the factor by which it pads (1 where it has none).

    Raises:
        UnknownNameError: no such persona.
        ConfigError: a factor is missing, not wanted, or not above 0.
    """
    word, factor = name if isinstance(name, tuple) else (name, None)
    known = [p.name.lower() for p in Persona]
    if word not in known:
        raise UnknownNameError("persona", word, known)
    persona = Persona[word.upper()]
    if (persona == Persona.PADS) != (factor is not None) or (factor is not None and not 0 < factor <= 1000):
        raise ConfigError(f"persona {name!r}: `pads` takes a factor in (0, 1000], as in ('pads', 1.5); the others take none")
    return persona, background_factors().get(word, 1.0) if factor is None else float(factor)


def parse_personas(scenario: Scenario, personas: Mapping[str, PersonaName] | None) -> tuple[Array, Array]:
    """Personas and factors by ward index; wards that are not named are `scripted`.

    Raises:
        UnknownNameError, ConfigError: an unknown ward, or as `parse_persona`.
    """
    wards = list(scenario.wards)
    which, factors = np.zeros(len(wards), np.int64), np.ones(len(wards))
    for ward, name in (personas or {}).items():
        if ward not in wards:
            raise UnknownNameError("ward", ward, wards)
        which[wards.index(ward)], factors[wards.index(ward)] = parse_persona(name)
    return which, factors


def play(
    scenario: Scenario,
    coordinator: str,
    seeds: Sequence[int],
    *,
    personas: Mapping[str, PersonaName] | None = None,
    knobs: Mapping[str, Any] | None = None,
) -> Array:
    """Play the episodes of `seeds` to the end: an array of finished episode records, in the order of the seeds.

    `knobs` replace single knobs of configs/policy/NAME.yaml. Runs on one core and holds no lock while it plays.

    Raises:
        UnknownNameError, ConfigError, SeedError: a name, knob or seed is wrong.
    """
    which = find_coordinator(coordinator)
    loaded = load_knobs(coordinator, knobs)
    who, factors = parse_personas(scenario, personas)
    keys = np.array([check_seed(seed) for seed in seeds], np.uint64)
    episodes = new_episodes(scenario.sizes, len(keys))
    desk = Desk(scenario.sizes)
    play_range(
        episodes, as_bytes(episodes), keys, 0, len(keys), new_params(scenario), int(which), loaded, who, factors, desk.all()
    )
    return episodes
