# SPDX-License-Identifier: Apache-2.0
"""Sources for programs that wait."""

from __future__ import annotations

from ._arguments import waiting_ms
from ._content import Content
from ._enums import Outcome
from ._ffi import handles
from ._snapshot import Snapshot
from ._source_base import SourceBase
from .errors import closed


class Source(SourceBase):
    """A set of settings that arrives together and is refreshed together, of any kind.

    Every method may be called in every thread and inside a callback. It reads as a mapping, see `Reads`.
    """

    __slots__ = ()

    def refresh(self, timeout: float | None = None) -> Outcome:
        """Asks the server for newer settings and waits until they are live.

        `timeout` is the caller's own limit in seconds: None leaves it to the limits of the client, 0 starts nothing and
        raises TimeoutError. Gives UPDATED, UNCHANGED or NOT_NEWER. Raises what went wrong; the last good data stays
        live and stored. Other threads run meanwhile; Ctrl-C takes effect when it returns.
        """
        return Outcome(handles.refresh(self._using(), waiting_ms(timeout)))

    def wait(self, timeout: float | None = None, only_if_empty: bool = False) -> Snapshot:
        """Waits for a fresh snapshot: the refreshed one if it comes within `timeout` seconds, else the one before.

        `error` of the snapshot tells why it is the one before; None says that it is fresh, or was not asked to be. 0
        gives the live snapshot at once. With `only_if_empty` no request is sent when the source has data, packaged or
        fetched. Raises only when there is no snapshot to give: ClosedError.
        """
        snapshot, error = handles.wait(self._using(), bool(only_if_empty), waiting_ms(timeout))
        if snapshot is None:
            raise error or closed("source")
        return Snapshot(Content(snapshot), error)

    def reset(self) -> None:
        """Forgets everything fetched; the packaged data is live again.

        Waits for file system calls, and while another process refreshes this source (at most 5 s). Raises ClosedError,
        StorageError, PermissionError or UnavailableError.
        """
        handles.reset(self._using())
