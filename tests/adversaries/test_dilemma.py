"""Unaudited, padding pays the ward that pads; audited, it does not. The dilemma must stay."""

import pytest

from experiments.dilemma import COORDINATORS, WARDS, WAYS, dilemma, mean_reward, print_dilemma

SEEDS = range(50, 60)


@pytest.fixture(scope="module")
def table():
    return dilemma(SEEDS)


@pytest.mark.parametrize("ward", WARDS)
def test_padding_pays_where_nobody_audits(table, ward):
    assert table[ward, "restock", "honest"] < table[ward, "restock", "pads x 2.3"]


@pytest.mark.parametrize("ward", WARDS)
def test_padding_does_not_pay_under_audits(table, ward):
    assert table[ward, "auditor", "honest"] >= table[ward, "auditor", "pads x 2.3"]


def test_the_table_is_printed(table, capsys):
    print_dilemma(table)
    shown = capsys.readouterr().out
    assert all(word in shown for word in (*WARDS, *COORDINATORS, *WAYS))
    assert f"{table['ward_er', 'auditor', 'honest']:.3f}" in shown


def test_a_mean_reward_is_a_fill_less_fines():
    assert -0.5 < mean_reward("ward_er", "zero", "honest", [0], ["light"]) < 0.5
