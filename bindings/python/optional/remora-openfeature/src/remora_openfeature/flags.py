# SPDX-License-Identifier: Apache-2.0
"""The evaluation of one flag: its variants, its rules, and the type that the caller asks for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import remora
from openfeature.evaluation_context import EvaluationContext
from openfeature.exception import (
    InvalidContextError,
    ParseError,
    TargetingKeyMissingError,
    TypeMismatchError,
)
from openfeature.flag_evaluation import Reason

TARGETING_KEY = "targetingKey"
"""The name of the targeting key in rules: `env.targetingKey`."""


@dataclass(frozen=True)
class Resolution:
    """A flag's value, whose type is not checked yet. If `has_value` is False, the caller's default is used."""

    value: Any
    reason: Reason
    variant: str | None = None
    has_value: bool = True


def is_flag(value: object) -> bool:
    """Returns whether a value is a flag with variants, and not a plain value."""
    return isinstance(value, Mapping) and isinstance(value.get("variants"), Mapping)


def evaluate(flag: Any, context: EvaluationContext | None) -> Resolution:
    """Returns the value and the variant of a flag with variants. Raises an OpenFeatureError with a code."""
    rules = flag.get("rules") or []
    if not isinstance(rules, Sequence) or isinstance(rules, str):
        raise ParseError('"rules" is not an array')
    matched = _first_match(rules, context) if rules else None
    if matched is not None:
        return Resolution(_variant(flag, matched), Reason.TARGETING_MATCH, matched)
    reason = Reason.DEFAULT if rules else Reason.STATIC
    default = flag.get("default")
    if default is None:
        return Resolution(None, Reason.DEFAULT, has_value=False)
    return Resolution(_variant(flag, default), reason, default)


def _variant(flag: Any, name: object) -> Any:
    """Returns the value of a variant. Raises ParseError if the flag has no such variant."""
    if not isinstance(name, str) or name not in flag["variants"]:
        raise ParseError(f'"variants" has no member {name!r}')
    return flag["variants"][name]


def _first_match(rules: Sequence[Any], context: EvaluationContext | None) -> Any:
    """Returns the variant of the first rule whose expression is true; None if no rule matches."""
    attributes: str | None = None
    for number, rule in enumerate(rules):
        if not isinstance(rule, Mapping) or not isinstance(rule.get("if"), str) or "variant" not in rule:
            raise ParseError(f'rule {number} is not an object with the strings "if" and "variant"')
        expression = rule["if"]
        if TARGETING_KEY in expression and not (context and context.targeting_key):
            raise TargetingKeyMissingError(f"rule {number} needs a targeting key")
        if attributes is None:
            attributes = attributes_of(context)
        if _matches(expression, attributes, number):
            return rule["variant"]
    return None


def _matches(expression: str, attributes: str, number: int) -> bool:
    try:
        return remora.filter_matches(expression, attributes)
    except remora.InvalidArgumentError as error:
        if error.message.startswith("context "):
            raise InvalidContextError(error.message) from None
        raise ParseError(f"rule {number}: {error.message}") from None
    except ValueError as error:  # U+0000, or a surrogate.
        raise ParseError(f"rule {number}: {error}") from None


def attributes_of(context: EvaluationContext | None) -> str:
    """Returns the JSON text of an evaluation context.

    Raises InvalidContextError for a value that JSON does not have.
    """
    if context is None:
        return "{}"
    members = dict(context.attributes)
    if context.targeting_key:
        members[TARGETING_KEY] = context.targeting_key
    try:
        return json.dumps(members, allow_nan=False, default=_converted)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidContextError(f"the evaluation context cannot be written as JSON: {error}") from None


def _converted(value: object) -> object:
    """Converts the types of attributes that JSON does not have. Expressions read a time with the transform `date`."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return list(value)
    raise TypeError(f"an attribute has the type {type(value).__name__}")


def metadata_of(flag: object) -> dict[str, bool | int | float | str]:
    """Returns those members of a flag's `metadata` that OpenFeature allows: booleans, numbers and strings."""
    found = flag.get("metadata") if isinstance(flag, Mapping) else None
    if not isinstance(found, Mapping):
        return {}
    return {name: value for name, value in found.items() if isinstance(value, (bool, int, float, str))}


def boolean(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise _mismatch("a boolean", value)


def string(value: object) -> str:
    if isinstance(value, str):
        return value
    raise _mismatch("a string", value)


def integer(value: object) -> int:
    """Accepts a number without a fraction too, such as 2.0, which JSON does not distinguish from 2."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    raise _mismatch("an integer", value)


def number(value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    raise _mismatch("a number", value)


def structure(value: object) -> Any:
    if isinstance(value, (dict, list)):
        return value
    raise _mismatch("an object or an array", value)


def _mismatch(expected: str, value: object) -> TypeMismatchError:
    names = {bool: "a boolean", int: "an integer", float: "a number", str: "a string", type(None): "null"}
    found = names.get(type(value)) or ("an array" if isinstance(value, list) else "an object")
    return TypeMismatchError(f"the value is {found}, not {expected}")
