"""Capabilities: asked without work, refused by name."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Protocol

import pytest

import saddleback as sb
from saddleback.capabilities import Needs, lack, members, offers, refuse_unmet


class HasSquare(Protocol):
    """a square ``square(x)``: x times itself."""

    def square(self, x: float) -> float: ...


class HasWeight(HasSquare, Protocol):
    """a weight."""

    weight: float


class Squares:
    weight = None

    def square(self, x):
        return x * x


class Costly:
    @property
    def square(self):
        raise AssertionError("asking for a capability computes nothing")


def test_members_of_a_protocol_and_of_those_it_extends():
    assert members(HasSquare) == ("square",)
    assert set(members(HasWeight)) == {"square", "weight"}


def test_members_are_looked_for_on_the_class_and_on_the_object():
    assert offers(Squares(), HasSquare)
    assert offers(SimpleNamespace(square=abs), HasSquare)
    assert not offers(SimpleNamespace(), HasSquare)
    assert lack(3, HasSquare) == "int has no 'square'"


def test_none_stands_for_an_absent_member():
    assert not offers(Squares(), HasWeight)
    assert not offers(SimpleNamespace(square=None), HasSquare)


def test_asking_computes_nothing():
    assert offers(Costly(), HasSquare)


def test_an_object_may_lack_what_its_class_has():
    class Weighted(Squares):
        weight = 1.0

        def lacks(self, capability):
            return "it is Sunday" if capability is HasWeight else None

    assert offers(Weighted(), HasSquare)
    assert lack(Weighted(), HasWeight) == "it is Sunday"


def test_a_class_is_a_capability_of_its_instances():
    assert offers(sb.Simplex(), sb.Simplex)
    assert lack(sb.Box(0.0, 1.0), sb.Simplex) == "Box is not one"


def test_a_refusal_names_need_lack_and_remedy():
    needs = Needs(losses=(HasSquare,))
    adversary, losses = SimpleNamespace(dual_set=sb.Simplex(), regularizer=sb.Zero()), SimpleNamespace()
    with pytest.raises(sb.IncompatibleError) as caught:
        refuse_unmet("squaring", needs, adversary, losses, remedy=lambda: "Bring squares.")
    expected = "squaring needs losses with a square square(x); SimpleNamespace has no 'square'. Bring squares."
    assert str(caught.value) == expected
    refuse_unmet("squaring", Needs(), adversary, losses, remedy=lambda: "unused")
