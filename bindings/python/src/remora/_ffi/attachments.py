# SPDX-License-Identifier: Apache-2.0
"""Opening attachments, and open attachments. Imported at its first use."""

from __future__ import annotations

import os
from ctypes import byref, c_char

from .calling import Handle, call, filled, made
from .library import functions
from .options import AttachmentOptions
from .registry import on_free, on_opened, on_progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .calling import Field

_data = functions["remora_attachment_data"]
_size = functions["remora_attachment_size"]
_path = functions["remora_attachment_path"]
_retain = functions["remora_attachment_retain"]


class AttachmentHandle(Handle):
    """A handle of an attachment, released with the last reference to this object. (The library accepts NULL.)"""

    def __del__(self, close: Callable[[Handle], None] = functions["remora_attachment_release"]) -> None:
        close(self)


def retained(address: int) -> AttachmentHandle:
    """Retains the attachment that a callback received."""
    return AttachmentHandle(_retain(address))


def open_waiting(
    source: Handle, record: bytes, fields: Mapping[str, Field], timeout_ms: int, progress: Callable[[], int] | None
) -> AttachmentHandle:
    """Opens an attachment and waits. `progress` registers the receiver of progress reports, called on this thread."""
    options, opened = _options(fields, progress), AttachmentHandle()
    call(functions["remora_attachment_open"], source, record, byref(options), timeout_ms, byref(opened))
    return opened


def open_async(
    source: Handle,
    record: bytes,
    fields: Mapping[str, Field],
    timeout_ms: int,
    progress: Callable[[], int] | None,
    receiver: Callable[[], int],
) -> Handle:
    """Opens an attachment in the background. The receiver is called with the result."""
    options = _options(fields, progress)
    arguments = source, record, byref(options), timeout_ms, on_opened, receiver(), on_free
    return made(functions["remora_attachment_open_async"], *arguments)


def bytes_of(attachment: AttachmentHandle) -> Any:
    """Returns the bytes of an attachment without a copy: an exporter of buffers, which keeps the attachment."""
    array = (c_char * _size(attachment)).from_address(_data(attachment))
    array.attachment = attachment
    return array


def path_of(attachment: Handle) -> str | None:
    """Returns the path of the file of an attachment, or None if its bytes are only in memory."""
    path: bytes | None = _path(attachment)
    return None if path is None else os.fsdecode(path)


def _options(fields: Mapping[str, Field], progress: Callable[[], int] | None) -> AttachmentOptions:
    options = AttachmentOptions()
    filled(options, fields)
    if progress is not None:
        options.on_progress, options.on_progress_user_data, options.on_progress_free_user_data = (
            on_progress,
            progress(),
            on_free,
        )
    return options
