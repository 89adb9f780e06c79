import numpy as np
import pytest

from experiments.rllib.groups import columns, group_keys, grouped, iteration_seeds
from policies.llm.conversation import Stretch
from policies.llm.rollout import Key, Rollout


def stretch(round_, turns=1, ids=(5, 6, 7)):
    """A round whose turns are of the given ids, each after two ids of text."""
    made = Stretch(0, round_, [])
    for _ in range(turns):
        made.ids += [1, 2]
        made.turns.append((len(made.ids), len(ids), "turn", 100))
        made.ids += ids
        made.logps += [-1.0] * len(ids)
        made.choice += [True] * len(ids)
    return made


def rollout(seed, member, score, turns=1, paid=(0.0, 0.1), stood=(0.0, 0.0), openings=("a", "b")):
    stretches = [stretch(r + 1, turns) for r in range(len(paid))]
    key = Key(seed, "light", member)
    return Rollout(key, score, {}, {0: stretches}, {}, {0: score}, list(paid), {0: list(stood)}, list(openings))


def test_an_iteration_meets_no_world_twice_and_a_lap_meets_them_all():
    seeds = [iteration_seeds(10, 19, 3, 0, i) for i in range(4)]
    assert all(len(set(one)) == 3 and set(one) <= set(range(10, 20)) for one in seeds)
    assert len({seed for one in seeds[:3] for seed in one}) == 9
    assert seeds[3] != seeds[0] and seeds == [iteration_seeds(10, 19, 3, 0, i) for i in range(4)]
    assert sorted(iteration_seeds(10, 19, 10, 0, 7)) == list(range(10, 20))


def test_keys_are_groups_of_one_world():
    keys = group_keys([7, 9], ["light", "heavy"], 3)
    assert [(k.seed, k.difficulty) for k in keys] == [(7, "light")] * 3 + [(9, "heavy")] * 3
    assert [k.member for k in keys] == [0, 1, 2] * 2


def test_advantages_sum_to_zero_in_each_group_and_ignore_the_number_of_turns():
    few = grouped([rollout(0, g, s) for g, s in enumerate((0.2, 0.4, 0.9))], 3)
    many = grouped([rollout(0, g, s, turns=1 + g) for g, s in enumerate((0.2, 0.4, 0.9))], 3)
    values = [s.advantage for s in few.samples[0]]
    assert sum(values) == pytest.approx(0.0)
    assert values == [s.advantage for s in many.samples[0]]
    assert values[::2] == pytest.approx([-0.3, -0.1, 0.4])


def test_constant_and_incomplete_groups_are_dropped_and_counted():
    found = grouped([rollout(0, 0, 0.5), rollout(0, 1, 0.5), rollout(1, 0, 0.1), rollout(2, 0, 0.1), rollout(2, 1, 0.3)], 2)
    assert (found.groups, found.constant, found.incomplete) == (3, 1, 1)
    assert len(found.samples[0]) == 4


def test_round_credit_is_the_return_to_go_against_the_groups():
    members = [rollout(0, 0, 0.5, stood=(0.0, 0.1)), rollout(0, 1, 0.5 + 0.2, stood=(0.0, 0.3))]
    values = [s.advantage for s in grouped(members, 2, "round").samples[0]]
    assert values == pytest.approx([-0.1, 0.0, 0.1, 0.0])


def test_shaping_credit_is_the_return_to_go_as_the_shaping_paid_it():
    members = [rollout(0, 0, 0.5, paid=(0.0, 0.1)), rollout(0, 1, 0.5 + 0.2, paid=(0.0, 0.5), stood=(0.0, 9.0))]
    values = [s.advantage for s in grouped(members, 2, "shaping").samples[0]]
    assert values == pytest.approx([-0.1, 0.1, 0.1, -0.1])


def test_gigpo_compares_only_where_the_record_was_the_same():
    members = [rollout(0, 0, 0.4, openings=("a", "x")), rollout(0, 1, 0.8, openings=("a", "y"))]
    values = [s.advantage for s in grouped(members, 2, "gigpo", 0.5).samples[0]]
    assert values == pytest.approx([-0.2 - 0.1, -0.2, 0.2 + 0.1, 0.2])


def test_columns_mark_exactly_the_sampled_tokens():
    samples = grouped([rollout(0, 0, 0.1, turns=2), rollout(0, 1, 0.3)], 2).samples[0]
    made = columns(samples, 0, ["turn"], rows=6)
    for n, sample in enumerate(samples):
        spoken = made["ids"][n][made["spoken"][n] > 0]
        assert spoken.tolist() == [5, 6, 7] * len(sample.stretch.turns)
    assert made["choice"].sum() == sum(len(s.stretch.logps) for s in samples)
    assert np.isclose(made["scale"][0] * made["choice"].sum(), 1.0)
    assert made["length"].tolist()[4:] == [1, 1] and not made["choice"][4:].any()
