# SPDX-License-Identifier: Apache-2.0
#
# Imported by each run of pytest in an environment that has Remora. So it is outside of the package, which loads the
# library, and imports the package inside the fixtures.
"""Fixtures for pytest, of the package remora."""

from __future__ import annotations

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from remora.testing import Clock, Server


@pytest.fixture
def remora_server() -> Server:
    """A server without documents: a `remora.testing.Server`."""
    from remora.testing import Server

    return Server()


@pytest.fixture
def remora_clock() -> Clock:
    """A clock at 1 January 2030: a `remora.testing.Clock`."""
    from remora.testing import Clock

    return Clock()
