"""Records hold no padding: a copy has the same bytes, so it has the same digest."""

import copy

import numpy as np
import pytest

from medchain.core.params import params_dtype
from medchain.core.record import command_dtype, episode_dtype, packed, result_dtype
from medchain.core.session import Session
from medchain.core.views import arbiter_dtype, coordinator_dtype, ward_dtype
from medchain.scenario import load_scenario
from policies.scripted.memory import memory_dtype

DTYPES = [
    episode_dtype,
    command_dtype,
    result_dtype,
    params_dtype,
    coordinator_dtype,
    ward_dtype,
    arbiter_dtype,
    memory_dtype,
]


@pytest.mark.parametrize("make", DTYPES)
def test_every_byte_belongs_to_a_field(make) -> None:
    dtype = make(load_scenario().sizes)
    owned = np.zeros(dtype.itemsize, int)
    for field, offset, *_ in dtype.fields.values():
        owned[offset : offset + field.itemsize] += 1
    assert (owned == 1).all()


def test_narrow_fields_first_are_packed_all_the_same() -> None:
    assert packed([("a", "i1"), ("b", "i8"), ("c", "i2", (3,))]).itemsize == 16


def test_copies_have_the_digest_of_the_original() -> None:
    session = Session(load_scenario(), 3)
    for twin in (copy.deepcopy(session.episodes), session.episodes.copy(), session.episodes[[0]]):
        assert twin.tobytes() == session.episodes.tobytes()
