"""Equilibria and ranks of small games whose answers are known."""

import numpy as np
import pytest

pytest.importorskip("nashpy", reason="studies need medchain[study]")
pytest.importorskip("open_spiel", reason="studies need medchain[study]")

from experiments.studies.games import InspectionConfig, load_game
from experiments.studies.inspection import Inspection
from experiments.studies.meta_game import alpha_rank, equilibria, regret


def test_the_inspection_game_has_its_one_mixed_equilibrium() -> None:
    game = Inspection(load_game(InspectionConfig), 6.0)
    ward, coordinator = game.matrices()
    (found,) = equilibria(coordinator.T, ward.T)
    pad, audit = game.equilibrium
    assert found.rows[1] == pytest.approx(audit) and found.columns[1] == pytest.approx(pad)
    assert regret(coordinator.T, ward.T, found.rows, found.columns) < 1e-9


def test_every_equilibrium_of_a_coordination_game_is_one() -> None:
    rows, columns = np.diag([2.0, 1.0]), np.diag([1.0, 2.0])
    found = equilibria(rows, columns)
    assert len(found) >= 2
    assert all(regret(rows, columns, e.rows, e.columns) < 1e-9 for e in found)
    assert {tuple(e.rows.round(6)) for e in found} >= {(1.0, 0.0), (0.0, 1.0)}


def test_regret_by_hand() -> None:
    rows, columns = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[0.0, 3.0], [0.0, 0.0]])
    assert regret(rows, columns, np.array([1.0, 0.0]), np.array([1.0, 0.0])) == 3.0


def test_alpha_rank_finds_the_dominant_pair() -> None:
    rows, columns = np.array([[3.0, 2.0], [1.0, 0.0]]), np.array([[2.0, 1.0], [2.0, 1.0]])
    found = alpha_rank(rows, columns)
    assert found.rows[0] > 0.95 and found.columns[0] > 0.95
    assert found.rows.sum() == pytest.approx(1.0)


def test_alpha_rank_of_a_cycle_prefers_nobody() -> None:
    found = alpha_rank(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([[-1.0, 1.0], [1.0, -1.0]]))
    assert found.rows == pytest.approx([0.5, 0.5], abs=1e-6)
