# SPDX-License-Identifier: Apache-2.0
#
# Each test is a program of its own, which must end with 0 and without a word on stderr; -W error makes every warning
# one.
"""Forks while another thread imports a module for the first time."""

from __future__ import annotations

import pytest

from conftest import RunPython

IMPORTING = """
import os, signal, sys, threading
import remora
signal.alarm(50)
NAME, USE = sys.argv[1:3]
inside, forking, forked = threading.Event(), threading.Event(), threading.Event()
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == NAME and threading.current_thread() is not threading.main_thread():
            inside.set()
            forking.wait()
            forked.wait(1)  # A fork that waits for the import comes after it.
sys.meta_path.insert(0, Slow())
os.register_at_fork(before=forking.set, after_in_parent=forked.set)  # Runs before what remora has registered.
def use():
    exec(USE, {"remora": remora})
thread = threading.Thread(target=use)
thread.start()
inside.wait()
pid = os.fork()
if pid == 0:
    signal.alarm(10)
    use()
    os._exit(0)
thread.join()
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""

USES = {
    "remora.bundle": "remora.Client.in_memory().bundle(None, default=[]).namespaces()",
    "remora.settings": "remora.Client.in_memory().settings('http://127.0.0.1:9/', fetch_at_open=False).tag('t')",
    "remora._runtime.keys": "remora.Client.in_memory().collection('c').key('k').get_int()",
    "json": "remora.Client.in_memory().set_context({'a': 1})",
    "remora.installer": "remora.Installer",
    "datetime": "from remora.values import moment; moment(1)",
    "remora.values": "remora.Client.in_memory().collection('c').snapshot().origin",
    "remora._ffi.options": "remora.Client.in_memory()",
    "remora._ffi.notifying": "len(remora.Client.in_memory().collection('c').overrides)",
}
"""What imports a module at its first use."""


@pytest.mark.parametrize("name", USES)
def test_a_child_that_is_forked_while_another_thread_imports_a_module_can_use_the_package(
    name: str, run_python: RunPython
) -> None:
    done = run_python(IMPORTING, name, USES[name])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
