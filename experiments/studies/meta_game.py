"""The empirical game between populations: coordinators in rows, wards in columns, what each pair earns when they meet.

Equilibria by nashpy, alpha-rank by OpenSpiel: both are libraries of the `study` extra.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from medchain.errors import ConfigError

Array = np.ndarray[Any, Any]
LIBRARIES = {"nashpy": "nashpy", "open_spiel": "open_spiel"}
EXACT = 1e-7
"""An equilibrium is one if nobody can gain more than this by leaving it."""


class Equilibrium(NamedTuple):
    """Mixed strategies [rows], [columns] and what each side expects."""

    rows: Array
    columns: Array
    row_value: float
    column_value: float


class Ranks(NamedTuple):
    """Alpha-rank's mass over each side's strategies."""

    rows: Array
    columns: Array


def check_libraries() -> None:
    """Refuse to begin a study that could not be finished.

    Raises:
        ConfigError: the `study` extra is not installed.
    """
    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        raise ConfigError(f"this study needs medchain[study]; not installed: {', '.join(missing)}")


def equilibria(rows: Array, columns: Array) -> list[Equilibrium]:
    """Nash equilibria of the bimatrix game that Lemke-Howson finds from its every start, without repeats.

    Args:
        rows: payoffs of the row player, [row strategy, column strategy].
        columns: payoffs of the column player, of the same shape.
    """
    import warnings

    import nashpy

    game, found = nashpy.Game(rows, columns), list[Equilibrium]()
    for label in range(sum(rows.shape)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # degenerate games warn; what comes out is checked below
            x, y = game.lemke_howson(initial_dropped_label=label)
        if x.shape != (rows.shape[0],) or y.shape != (rows.shape[1],) or not regret(rows, columns, x, y) < EXACT:
            continue
        if not any(np.allclose(x, e.rows, atol=1e-6) and np.allclose(y, e.columns, atol=1e-6) for e in found):
            found.append(Equilibrium(x, y, float(x @ rows @ y), float(x @ columns @ y)))
    return sorted(found, key=lambda e: -(e.row_value + e.column_value))


def regret(rows: Array, columns: Array, x: Array, y: Array) -> float:
    """The most that one player can gain by leaving the mixed profile (x, y)."""
    gain_of_rows = (rows @ y).max() - x @ rows @ y
    gain_of_columns = (x @ columns).max() - x @ columns @ y
    return float(max(gain_of_rows, gain_of_columns))


def alpha_rank(rows: Array, columns: Array) -> Ranks:
    """Mass of each strategy in the long run of evolution under strong selection (Omidshafiei et al. 2019)."""
    from open_spiel.python.egt import alpharank

    mass = alpharank.compute([rows, columns], use_inf_alpha=True, inf_alpha_eps=0.01)[2]
    joint = np.asarray(mass).reshape(rows.shape)
    return Ranks(joint.sum(1), joint.sum(0))
