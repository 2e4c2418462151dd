# SPDX-License-Identifier: Apache-2.0
#
# The host runs in network and mount namespaces of its own, with a loopback interface only, so no look-up leaves them.
"""Tests of host names that do not resolve, or slowly."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from EndToEnd.driver import REPOSITORY

PROGRAM = """
import fcntl, socket, struct, sys, time, remora

with socket.socket() as one:  # The loopback interface is down in a new namespace.
    fcntl.ioctl(one, 0x8914, struct.pack("16sH14x", b"lo", 0x49))
silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
if sys.argv[1] == "silent":
    silent.bind(("127.0.0.1", 53))

def seconds(action):
    begin = time.monotonic()
    action()
    return time.monotonic() - begin

def fail():
    try:
        source.refresh(timeout=30)
    except remora.NetworkError as error:
        print(error)

client = remora.Client.in_memory(connect_timeout=0.5)
source = client.settings("http://settings.invalid/", fetch_at_open=False, packaged_data=b'{"n": 1}')
assert seconds(fail) < 5
source.prefetch()
assert seconds(lambda: print(source["n"])) < 0.5
assert seconds(client.close) < 0.5
"""
ERRORS = {
    "silent": "http://settings.invalid/: http://settings.invalid: Resolving timed out after 5",
    "refused": "http://settings.invalid/: http://settings.invalid: Could not resolve host: settings.invalid",
}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can create namespaces")
@pytest.mark.parametrize("server", ERRORS)
def test_a_name_that_does_not_resolve_is_a_network_error_and_delays_neither_reads_nor_the_close(
    tmp_path: Path, server: str
) -> None:
    (tmp_path / "resolv.conf").write_text("nameserver 127.0.0.1\n")
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = {
        **os.environ,
        "PYTHONPATH": str(REPOSITORY / "bindings/python/src"),
        "REMORA_LIBRARY": os.environ.get("REMORA_LIBRARY", str(REPOSITORY / "build/libremora.so")),
    }
    script = f'mount --bind {tmp_path}/resolv.conf /etc/resolv.conf && exec "$@"'
    command = ["unshare", "-n", "-m", "sh", "-c", script, "sh", sys.executable, str(tmp_path / "program.py"), server]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, timeout=120, check=True)
    error, value = done.stdout.splitlines()
    assert error.startswith(ERRORS[server]) and value == "1"
