# SPDX-License-Identifier: Apache-2.0
"""The evaluation of filter expressions outside of sources."""

from __future__ import annotations

from ._ffi import handles
from ._runtime.arguments import json_object, named_options, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@named_options
def filter_matches(expression: str, context: Mapping[str, object] | str | None = None) -> bool:
    """Returns whether a filter expression is true in a context.

    Use it for a decision per request or user, such as the rule of a feature flag. As in the filters of records, an
    expression matches if its result is the boolean true, and a blank expression matches.

    - expression: at most 16 KiB. docs/filters.md describes the language.
    - context: the attributes, as for `Client.set_context`: a mapping, or the text of a JSON object. None: as if the
      program had set no context.

    Needs no client, and does not wait. Raises InvalidArgumentError if the evaluation fails or the context is invalid,
    and TypeError or ValueError for an argument that cannot be converted.
    """
    tested = text("expression", expression)
    if tested is None:
        raise TypeError("expression must be str, not NoneType")
    attributes = text("context", context) if isinstance(context, str) else json_object("context", context)
    return handles.filter_matches(tested, attributes)
