# SPDX-License-Identifier: Apache-2.0
"""The servers and the previous library of these tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from Upgrade.libraries import PREVIOUS_COMMIT, Library, build_previous
from Upgrade.story import Servers, serving


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    """Servers that have published a first edition."""
    with serving(tmp_path) as servers:
        servers.publish("first", 1)
        yield servers


@pytest.fixture(scope="session")
def previous() -> Library:
    """The library of the previous version."""
    library = build_previous()
    if library is None:
        pytest.skip(f"the history does not contain {PREVIOUS_COMMIT}")
    return library
