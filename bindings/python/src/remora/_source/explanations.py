# SPDX-License-Identifier: Apache-2.0
"""Which layer a value is from."""

from __future__ import annotations

from .._ffi import reads
from .._runtime.data import Record, decode_json
from ..values import moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from .._ffi.calling import Handle
    from .._runtime.data import JSON


class Layer(Record):
    """A layer that has a value at the explained place, or hides it."""

    __slots__ = ("_fetched_ms", "layer", "reason", "value", "verified", "version", "wins")

    layer: str
    """"override", "hidden", "live", "carried_over", "default", "packaged", "staged", "previous" or "rejected". Later
    versions may add layers."""
    value: JSON
    """The value of the layer at the place; None if it is missing or null."""
    reason: str | None
    """Why the layer hides the key, or where in the value overrides are; otherwise None."""
    wins: bool
    """Whether this layer decides what reads return: its value or nothing."""
    version: int | None
    """The version of the layer's data; None for a layer that is not a version of the data, such as overrides."""
    verified: bool | None
    """Whether the signature of this version was verified; None if `version` is None."""
    _fetched_ms: int

    @property
    def fetched_at(self) -> datetime | None:
        """The time when this version was fetched; None if it was not fetched."""
        return moment(self._fetched_ms)


class Explanation(Record):
    """Which layer a value is from, and why. `str` returns lines for people."""

    __slots__ = ("_json", "_text", "key", "layers", "pointer", "reason", "type", "value")

    key: str
    pointer: str
    """The JSON Pointer into the value of the key; "" for the whole value."""
    value: JSON
    """The value that reads return; None if it is missing or null."""
    type: str
    """The type of the value: "null", "bool", "int", "double", "string", "array" or "object"; else "none"."""
    reason: str | None
    """Why reads return no value, or null; otherwise None."""
    layers: tuple[Layer, ...]
    """The layers that have a value at the place, or hide it. The highest is the first."""
    _json: str
    _text: str

    @property
    def json(self) -> str:
        """The explanation as one line of JSON, for logs."""
        return self._json

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<remora.Explanation {self.key!r} {self.pointer!r} layers={[one.layer for one in self.layers]!r}>"


def explain(source: Handle, key: bytes | None, pointer: bytes | None) -> Explanation:
    """Explains which layer a value is from. Raises InvalidArgumentError if the key is None."""
    json, text = reads.explanation_texts(source, key, pointer)
    members: Any = decode_json(json)
    return Explanation(
        key=members["key"],
        pointer=members["pointer"],
        value=members["value"],
        type=members["type"],
        reason=members["reason"],
        layers=tuple(map(_layer, members["layers"])),
        _json=json.decode(),
        _text=text.decode(),
    )


def _layer(members: Any) -> Layer:
    return Layer(
        layer=members["layer"],
        value=members["value"],
        reason=members["reason"],
        wins=members["wins"],
        version=members.get("version"),
        verified=members.get("verified"),
        _fetched_ms=members.get("fetched_at_ms", 0),
    )
