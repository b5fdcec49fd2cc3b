"""Everything in the engine is a value: it is made once and never changes."""

import dataclasses
import importlib
import inspect
import pkgutil
from dataclasses import FrozenInstanceError

import pytest

import ginref.engine
from ginref.engine.card import CardSet, Rank
from ginref.engine.deadwood import Arrangement
from ginref.engine.meld import SetMeld
from ginref.engine.sheet import Game

VALUES = {
    kind
    for module in pkgutil.iter_modules(ginref.engine.__path__)
    for kind in vars(importlib.import_module(f"ginref.engine.{module.name}")).values()
    if inspect.isclass(kind)
    and dataclasses.is_dataclass(kind)
    and not kind.__name__.startswith("_")
}

each_value = pytest.mark.parametrize(
    "kind", sorted(VALUES, key=str), ids=lambda kind: kind.__name__
)


def test_there_are_values() -> None:
    assert {Arrangement, SetMeld, Game} <= VALUES


@each_value
def test_a_value_cannot_be_changed_or_given_more(kind: type) -> None:
    names = [field.name for field in dataclasses.fields(kind)]
    value: object = object.__new__(kind)

    for name in [*names, "more"]:
        with pytest.raises((FrozenInstanceError, TypeError)):
            setattr(value, name, None)
    assert not hasattr(value, "__dict__")


def test_equal_values_are_one_key() -> None:
    threes = [SetMeld(Rank.THREE, CardSet.parse("3s3h3d")) for _ in range(2)]

    assert len(set(threes)) == 1
