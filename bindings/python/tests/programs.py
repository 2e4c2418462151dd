# SPDX-License-Identifier: Apache-2.0
#
# The first lines of the programs that tests run in processes of their own.
"""Programs of tests."""

from __future__ import annotations

BEGIN = """
import multiprocessing, os, queue, signal, sys, threading
import remora
signal.alarm(50)
SERVER, NAME = sys.argv[1:3]
seen = queue.Queue()
def opened(storage=":memory:", **options):
    client = remora.Client(storage, server=SERVER, **options)
    return client, client.collection(NAME, trust="off")
def ended(pid):
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""
