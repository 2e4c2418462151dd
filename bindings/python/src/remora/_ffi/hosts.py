# SPDX-License-Identifier: Apache-2.0
"""Transports and clocks of a program, and the answers to requests. Imported at their first use, which is in tests. The
thread `remora-engine` calls a transport.
"""

from __future__ import annotations

from ctypes import byref, c_char_p, c_void_p, cast

from .callbacks import ClockCallback, SendCallback
from .calling import call, filled
from .constants import number as constant
from .library import functions
from .options import Clock, ClockPointer, Config, HttpResponse, Transport, TransportPointer
from .registry import find_receiver, on_free, passing, register_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Bound early: a transport answers on a thread of the library, where Python imports modules of the main interpreter.
_respond = functions["remora_respond"]

on_send = SendCallback(passing("id", "url"))


def _read_clock(wall: Any, monotonic: Any, number: int | None) -> None:
    if receiver := find_receiver(number):
        receiver.receive(wall, monotonic)


on_clock = ClockCallback(_read_clock)


def set_transport(config: Config, send: Callable[[int, bytes], None]) -> None:
    """Sets the function that receives the requests of a client. The function must not raise exceptions."""
    transport = Transport()
    filled(transport, {})
    transport.send, transport.user_data, transport.free_user_data = on_send, register_function(send), on_free
    config.transport = TransportPointer(transport)


def set_clock(config: Config, read: Callable[[], tuple[int, int]]) -> None:
    """Sets the function that returns wall time and monotonic time in milliseconds, and must not raise exceptions."""

    def fill(wall: Any, monotonic: Any) -> None:
        wall[0], monotonic[0] = read()

    clock = Clock()
    filled(clock, {})
    clock.read, clock.user_data, clock.free_user_data = on_clock, register_function(fill), on_free
    config.clock = ClockPointer(clock)


def respond(request: int, status: int, body: bytes = b"", headers: tuple[bytes, ...] = ()) -> None:
    """Completes a request with a response."""
    response = filled(HttpResponse(), {"http_status": status, "headers": list(headers)})
    response.body, response.body_size = cast(c_char_p(body), c_void_p), len(body)
    call(_respond, request, byref(response))


def refuse(request: int, message: bytes) -> None:
    """Completes a request with a network error."""
    response = filled(HttpResponse(), {"failure": constant("REMORA_ERR_NETWORK"), "message": message})
    call(_respond, request, byref(response))


def clock_changed() -> None:
    """Notifies all clients that the time of their clocks has changed."""
    functions["remora_clock_changed"]()
