"""Derived seeds are NumPy's."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sing.base.seeds import derived_seed


@given(st.lists(st.one_of(st.integers(0, 5), st.integers(0, 2**64 - 1)), min_size=1, max_size=8))
def test_they_are_numpys(numbers: list[int]) -> None:
    assert derived_seed(*numbers) == np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0]
