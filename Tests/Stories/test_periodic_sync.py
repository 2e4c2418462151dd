# SPDX-License-Identifier: Apache-2.0
#
# A program that syncs by its own schedule, and what it makes of each end of a sync.
"""Tests of the periodic syncs."""

from __future__ import annotations

from pathlib import Path

import pytest

from Servers import v2_faults
from Servers.v2_server import MONITOR, V2Server
from Stories.conftest import COLLECTION
from Stories.languages import SECONDS, SYNCERS, Example


@pytest.mark.parametrize("syncer", SYNCERS, ids=str)
def test_the_periodic_sync_example_retries_later_after_an_error_and_obeys_retry_after(
    syncer: Example, server: V2Server, tmp_path: Path
) -> None:
    server.collection("other").publish({"a": {"n": 1}})
    options = ("-i", "0.2", "-r", "0.3")
    with syncer.start(*options, server.url, "off", tmp_path / "storage", COLLECTION, "other") as program:
        program.wait_for_line("^sync total=2 updated=2 unchanged=0 failed=0 status=REMORA_OK$", SECONDS)
        program.wait_for_line(r"^next in 0\.2 s$", SECONDS)
        program.wait_for_line("^sync total=2 updated=0 unchanged=2 failed=0 status=REMORA_OK$", SECONDS)
        server.collection("other").publish({"a": {"n": 2}})
        program.wait_for_line("^updated main/other$", SECONDS)
        program.wait_for_line("^sync total=2 updated=1 unchanged=1 failed=0 status=REMORA_OK$", SECONDS)
        server.stop()
        program.wait_for_line("^failed main/other REMORA_ERR_NETWORK: ", SECONDS)
        program.wait_for_line("^sync total=2 updated=0 unchanged=0 failed=2 status=REMORA_ERR_NETWORK$", SECONDS)
        program.wait_for_line(r"^next in 0\.3 s$", SECONDS)
        server.start()
        program.wait_for_line("^sync .* status=REMORA_OK$", SECONDS)
        server.set_fault(MONITOR, v2_faults.status(503, retry_after="7"))
        program.wait_for_line("^sync .* status=REMORA_ERR_HTTP$", SECONDS)
        program.wait_for_line(r"^next in 7\.0 s$", SECONDS)
        program.terminate()
        program.wait_for_end(SECONDS)
