"""A search over macro-habits finds no policy that beats the auditor at the patients' cost; a search can be resumed."""

from dataclasses import asdict
from json import dumps

import pytest
from typer.testing import CliRunner

from experiments import search
from medchain.errors import UnknownNameError
from policies.scripted.habits_vector import HABITS

FEW = range(0, 50, 7)
MARGIN = 0.02


@pytest.mark.parametrize("goal", search.GOALS)
@pytest.mark.parametrize("coordinator", ["habits", "auditor"])
def test_nothing_found_beats_the_auditor_at_the_patients_cost(coordinator, goal):
    """A short cross-entropy search on training seeds; what it finds is held against the auditor on held-out seeds."""
    honest, held_out = search.measure("auditor", FEW), search.measure("auditor", range(50, 60))
    state = search.start(coordinator, goal)
    for _ in range(2):
        state = search.next_generation(state, 20, FEW, honest)
        for vector in (state.mean, state.best):
            worth = search.measure(coordinator, range(50, 60), vector)
            assert worth.score <= held_out.score + MARGIN or worth.critical >= held_out.critical - MARGIN


def test_the_search_improves_on_where_it_starts():
    state = search.start()
    state.mean = [0.5] * len(HABITS)
    honest, before = search.Worth(1.0, 1.0), search.measure("habits", FEW, state.mean)
    for _ in range(2):
        state = search.next_generation(state, 30, FEW, honest)
    assert search.measure("habits", FEW, state.mean).score > before.score + 0.02


def test_known_habits_hold_an_auditor():
    """The family is rich enough for the law to mean something: its known best is not far from the auditor."""
    assert search.measure("habits", range(50, 60), search.known_point("habits")).score > 0.87


def test_a_search_goes_on_from_its_file(tmp_path):
    path, honest = tmp_path / "search.json", search.Worth(0.9, 0.9)
    whole = once = search.start("habits", "exploit", 3)
    for _ in range(2):
        whole = search.next_generation(whole, 5, [0], honest)
    once = search.next_generation(once, 5, [0], honest)
    path.write_text(dumps(asdict(once)))
    assert search.next_generation(search.load_state(path, "habits", "exploit", 3), 5, [0], honest) == whole


def test_wrong_states_are_refused(tmp_path):
    path = tmp_path / "search.json"
    assert search.load_state(path, "habits", "score", 0) == search.start("habits", "score", 0)
    state = asdict(search.start("habits", "score", 1))
    for text, complaint in [
        ("{", "cannot read"),
        (dumps({"goal": "score"}), "cannot read"),
        (dumps(state | {"mean": [0.5], "seed": 0}), "knobs there are now"),
        (dumps(state), "--seed 1"),
    ]:
        path.write_text(text)
        with pytest.raises(search.SearchError, match=complaint):
            search.load_state(path, "habits", "score", 0)


def test_the_command_prints_the_vector_beside_the_auditor(tmp_path):
    app = search.typer.Typer()
    app.command()(search.run)
    path = tmp_path / "search.json"
    options = ["--generations", "1", "--population", "5", "--seeds", "0", "--check", "50", "--state", str(path)]
    for generation in (1, 2):
        result = CliRunner().invoke(app, options)
        assert result.exit_code == 0
        assert f"generation {generation}" in result.output
        assert all(name in result.output for name in [*HABITS, "auditor"])


def test_other_coordinators_are_searched_around_their_files():
    middle = search.knobs_at("auditor", search.known_point("auditor"))
    known = search.load_knobs("auditor")
    assert all(middle[name] == pytest.approx(known[name][0]) for name in middle)
    corner = search.knobs_at("discount_general", [1.0])
    assert corner == {"general_percent": 100}  # 210 would be illegal
    with pytest.raises(UnknownNameError):
        search.start("zero")


def test_wrong_options_exit_2_with_one_line(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["search", "--goal", "money"])
    with pytest.raises(SystemExit) as stop:
        search.main()
    assert stop.value.code == 2
    assert "expected score or exploit" in capsys.readouterr().err
