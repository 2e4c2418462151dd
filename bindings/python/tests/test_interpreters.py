# SPDX-License-Identifier: Apache-2.0
#
# Programs in which the package is imported more than once: by several interpreters of a process, as mod_wsgi has them,
# and again after `sys.modules` was emptied. Each import has modules and types of its own; ctypes has types that they
# share.
"""Several imports of the package in one process."""

from __future__ import annotations

import sys

import pytest

from conftest import RunPython
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server

USE = """
import sys
def use(remora, server, name):
    import remora.testing
    with remora.Client.in_memory(server=server) as client:
        source = client.collection(name, trust="off", on_event=lambda event: None)
        subscription = source.subscribe(lambda event: None)
        source.refresh(30)
        assert source.get_str("banner", "/text") == "Hi" and source["banner"]["n"] == 5
        with source.key("banner", "/n") as key:
            assert key.get_int() == 5
        assert len(client.sources()) == 1 and client.sync(30).failed == 0
        source.overrides.set(("banner", "/n"), 6)
        assert dict(source.overrides) == {("banner", "/n"): 6} and source.get_int("banner", "/n") == 6
        snapshot = source.snapshot()
        assert snapshot.get_int("banner", "/n") == 6 and snapshot.origin.name == "FETCHED"
        assert source.wait(30) and source.info().name
        subscription.close()
    made = remora.testing.Server()
    made.publish("made", {"a": {"n": 1}})
    with remora.Client.in_memory(transport=made, clock=remora.testing.Clock()) as client:
        source = client.collection("made", trust="off")
        source.refresh(30)
        assert source.get_int("a", "/n") == 1
    seed = remora.Installer("/nowhere", application_name="a").settings("http://127.0.0.1:9/")
    assert seed.request().url.startswith("http://127.0.0.1:9/")
"""

AGAIN = (
    USE
    + """
import remora as first
kept = first.Client.in_memory(server=sys.argv[1])
use(first, *sys.argv[1:3])
for name in list(sys.modules):
    if name.split(".")[0] in sys.argv[3:]:
        del sys.modules[name]
import ctypes, remora as second
assert (second is first) == ("remora" not in sys.argv[3:])
for package in (second, first, second):
    use(package, *sys.argv[1:3])
kept.close()
"""
)

SUBINTERPRETERS = """
import sys, _xxsubinterpreters
USE = %r
exec(USE)
def run_in(interpreter):
    program = USE + f"\\nimport remora\\nuse(remora, {sys.argv[1]!r}, {sys.argv[2]!r})\\n"
    _xxsubinterpreters.run_string(interpreter, f"import sys; sys.path[:] = {sys.path!r}\\n{program}")
import remora
use(remora, *sys.argv[1:3])
first, second = _xxsubinterpreters.create(isolated=False), _xxsubinterpreters.create(isolated=False)
for _ in range(2):
    run_in(first)
    use(remora, *sys.argv[1:3])
    run_in(second)
    run_in(first)
_xxsubinterpreters.destroy(first)
use(remora, *sys.argv[1:3])
run_in(second)
_xxsubinterpreters.destroy(second)
""" % (USE,)


@pytest.mark.parametrize("removed", [("remora",), ("ctypes", "_ctypes"), ("remora", "ctypes", "_ctypes")], ids=" ".join)
def test_the_package_works_after_modules_were_removed_from_sys_modules_and_imported_again(
    removed: tuple[str, ...], server: V2Server, collection: Collection, run_python: RunPython
) -> None:
    collection.publish({"banner": {"text": "Hi", "n": 5}})
    done = run_python(AGAIN, server.url, collection.name, *removed)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(not (3, 9) <= sys.version_info < (3, 13), reason="the module has another name")
def test_several_interpreters_of_a_process_use_the_package_in_turn(
    server: V2Server, collection: Collection, run_python: RunPython
) -> None:
    collection.publish({"banner": {"text": "Hi", "n": 5}})
    done = run_python(SUBINTERPRETERS, server.url, collection.name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
