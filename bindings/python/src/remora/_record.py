# SPDX-License-Identifier: Apache-2.0
#
# The base of what the package tells in one piece. A frozen dataclass would do the same, and importing `dataclasses`
# would more than double the time that a program needs until its first setting.
"""Read-only records."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


class Record:
    """Attributes that are set once; the annotations of a subclass say which."""

    __slots__: tuple[str, ...] = ()

    def __init__(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is read-only")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is read-only")

    def __copy__(self) -> Record:
        return self

    def __deepcopy__(self, _: object) -> Record:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be pickled")

    def __repr__(self) -> str:
        names = (name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ()))
        shown = (name for name in names if not name.startswith("_"))
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"
