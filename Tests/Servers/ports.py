# SPDX-License-Identifier: Apache-2.0
"""Ports of loopback, for servers that cannot choose one themselves."""

from __future__ import annotations

import socket


def free_port() -> int:
    """A port that no server uses now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def listens(port: int) -> bool:
    """Whether a server accepts connections at a port."""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0
