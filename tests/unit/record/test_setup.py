import json
from collections.abc import Callable

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from ginref.engine.ruleset import OKLAHOMA
from ginref.record.setup import (
    Setup,
    canonical,
    read_setup,
    setup_from_json,
    setup_to_json,
    statement,
)

MakeSetup = Callable[..., Setup]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(codec="ascii")), inner)
    ),
    max_leaves=20,
)


@pytest.mark.parametrize("seeded", [False, True])
def test_a_setup_comes_back(make_setup: MakeSetup, *, seeded: bool) -> None:
    setup = make_setup(seeded=seeded, rules=OKLAHOMA)

    assert read_setup(canonical(setup_to_json(setup))) == setup


def test_rules_that_do_not_fit_their_digest_are_refused(make_setup: MakeSetup) -> None:
    facts = setup_to_json(make_setup())
    facts["ruleset"]["gin_bonus"] = 20

    with pytest.raises(ValueError, match="digest"):
        setup_from_json(facts)


@given(JSON)
def test_canonical_json_is_that_of_the_standard(value: object) -> None:
    assert canonical(value) == rfc8785.dumps(value)  # type: ignore[arg-type]


def test_the_signed_statement_binds_match_rules_seats_and_commitment() -> None:
    signed = statement("m", OKLAHOMA, ("a", "b"), b"\x01\x02")

    tag, _, facts = signed.partition(b"\n")
    assert tag == b"ginref/commitment/v1"
    assert json.loads(facts) == {
        "match_id": "m",
        "ruleset_digest": OKLAHOMA.digest,
        "bots": ["a", "b"],
        "commitment": "0102",
    }
