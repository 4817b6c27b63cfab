"""Capabilities: what components offer beyond their base class, and what methods and solvers need of them.

A capability is a small typed protocol, such as ``HasHessian``, or a class, such as ``Simplex``. Its docstring begins
with a noun phrase that error messages quote. A component offers a capability if it has its members. If its class has
them but some objects of the class do not support them, the class has a method ``lacks(capability) -> str | None``,
which returns the reason why this object does not offer the capability.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from inspect import get_annotations
from typing import Any, TypeGuard, TypeVar

from .errors import IncompatibleError

C = TypeVar("C")


def offers(component: object, capability: type[C]) -> TypeGuard[C]:
    """Whether a component offers a capability. No property is evaluated."""
    return lack(component, capability) is None


def lack(component: object, capability: type) -> str | None:
    """Why a component does not offer a capability; None where it does."""
    kind: type = type(component)
    if not getattr(capability, "_is_protocol", False):
        return None if isinstance(component, capability) else f"{kind.__name__} is not one"
    if not _on_class(kind, capability):
        for name in members(capability):
            if not _has(component, kind, name):
                return f"{kind.__name__} has no {name!r}"
    lacks = getattr(kind, "lacks", None)
    return None if lacks is None else lacks(component, capability)


@cache
def members(protocol: type) -> tuple[str, ...]:
    """The names of a protocol's members."""
    found: dict[str, None] = {}
    for base in protocol.__mro__:
        if getattr(base, "_is_protocol", False) and base.__name__ != "Protocol":
            names = [*base.__dict__, *get_annotations(base)]
            found.update(dict.fromkeys(name for name in names if not name.startswith("_")))
    return tuple(found)


@cache
def _on_class(kind: type, protocol: type) -> bool:
    """Whether a class itself has all members; cached, because it is asked often."""
    return all(getattr(kind, name, None) is not None for name in members(protocol))


def _has(component: object, kind: type, name: str) -> bool:
    # On the class first: reading a property from the object would compute it. A member that is None is absent.
    if hasattr(kind, name):
        return getattr(kind, name) is not None
    return getattr(component, name, None) is not None


def phrase(capability: type) -> str:
    """The name of a capability in error messages: a protocol's docstring up to the first colon, or a class name."""
    if not getattr(capability, "_is_protocol", False):
        return f"of type {capability.__name__}"
    text = (capability.__doc__ or capability.__name__).split("\n", 1)[0]
    return "with " + text.split(": ", 1)[0].rstrip(".").replace("``", "")


PARTS = {
    "losses": "losses",
    "dual_set": "a dual set",
    "regularizer": "a regularizer",
    "adversary": "a dual set and a regularizer",
}


def is_from_outside(component: object) -> bool:
    """Whether the class of a component is defined outside this package: what it returns is then checked."""
    return not type(component).__module__.startswith(__name__.split(".")[0] + ".")


@dataclass(frozen=True)
class Needs:
    """The capabilities that a method or an inner solver needs of each part of a problem."""

    losses: tuple[type, ...] = ()
    dual_set: tuple[type, ...] = ()
    regularizer: tuple[type, ...] = ()
    adversary: tuple[type, ...] = ()
    """Of the pair (Lambda, R)."""

    def unmet(self, adversary: Any, losses: object = None) -> str | None:
        """The first need that is not met, in words, with the reason; None where all are."""
        for part, component, capabilities in (
            ("losses", losses, self.losses),
            ("dual_set", adversary.dual_set, self.dual_set),
            ("regularizer", adversary.regularizer, self.regularizer),
            ("adversary", adversary, self.adversary),
        ):
            for capability in capabilities:
                reason = lack(component, capability)
                if reason is not None:
                    return f"{PARTS[part]} {phrase(capability)}; {reason}"
        return None


def refuse_unmet(who: str, needs: Needs, adversary: Any, losses: object = None, *, remedy: Callable[[], str]) -> None:
    """Raise an IncompatibleError with what is missing and what would work, unless all needs are met."""
    reason = needs.unmet(adversary, losses)
    if reason is not None:
        raise IncompatibleError(f"{who} needs {reason}. {remedy()}")
