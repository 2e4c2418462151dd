# SPDX-License-Identifier: Apache-2.0
"""A server in memory and a clock, for tests of programs that use Remora.

    def test_the_program_keeps_its_values_when_the_server_fails(remora_server, remora_clock):
        remora_server.publish("limits", {"uploads": {"max": 5}})
        with remora.Client.in_memory(server=remora_server.url, transport=remora_server, clock=remora_clock) as client:
            limits = client.collection("limits", trust="off")
            limits.refresh()
            remora_server.fail_next(503, retry_after=30)
            ...
            remora_clock.advance(30)

pytest finds the fixtures `remora_server` and `remora_clock` by itself. The server answers without a network, and does
not sign. The time of a client stands still between two calls of `advance`. docs/testing.md is the guide.
"""

from .clock import Clock
from .server import Server

__all__ = ["Clock", "Server"]
