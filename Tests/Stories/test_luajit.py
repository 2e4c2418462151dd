# SPDX-License-Identifier: Apache-2.0
#
# The binding for LuaJIT that reads the record of the C API: its example, and small hosts that use the rest of it.
"""Tests of the LuaJIT binding."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from Docs.documents import blocks
from Servers.v2_server import V2Server
from Stories.conftest import COLLECTION, RECORD
from Stories.languages import ROOT, SECONDS

FOLDER = ROOT / "examples" / "other"
GUIDE = ROOT / "docs" / "bindings.md"
LUAJIT = shutil.which("luajit")

pytestmark = pytest.mark.skipif(LUAJIT is None, reason="luajit is not installed")

HOST = """
local ffi, remora = require "ffi", require "remora"
local K = remora.record.constants
ffi.cdef "struct pollfd { int fd; short events, revents; }; int poll(struct pollfd *, unsigned long, int);"
local client = remora.setup { server = arg[1], storage_dir = K.REMORA_STORAGE_MEMORY }
local function open(name) return client:open { name = name, trust = K.REMORA_TRUST_OFF } end
local function dispatch()
  local descriptors = ffi.new("struct pollfd[1]", { { client:fd(), 1, 0 } })
  local count
  repeat -- The descriptor can be readable without a waiting callback.
    assert(ffi.C.poll(descriptors, 1, 30000) == 1, "no callback was queued within 30 s")
    count = client:dispatch()
  until count > 0
  return count
end
"""


def run(script: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a script to its end."""
    command: list[str | Path] = [LUAJIT or "luajit", script, *arguments]
    environment = {**os.environ, "LUA_PATH": f"{FOLDER}/?.lua"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)


def run_host(folder: Path, server: V2Server, body: str) -> list[str]:
    """The lines that a host prints; `body` follows HOST."""
    script = folder / "host.lua"
    script.write_text(HOST + body, encoding="utf-8")
    done = run(script, server.url)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def watch(server: V2Server, storage: Path) -> subprocess.CompletedProcess[str]:
    return run(FOLDER / "watch.lua", server.url, COLLECTION, "banner", storage)


def test_the_luajit_watch_example_prints_the_first_fetched_value_as_a_change_from_nil_if_no_data_was_stored(
    server: V2Server, tmp_path: Path
) -> None:
    done = watch(server, tmp_path / "storage")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["before nil", "outcome updated", "change banner: nil -> Hello"]


def test_the_luajit_watch_example_prints_the_stored_text_and_its_change(server: V2Server, tmp_path: Path) -> None:
    watch(server, tmp_path / "storage")
    server.collection(COLLECTION).publish({"banner": {**RECORD, "text": "Edited"}})
    done = watch(server, tmp_path / "storage")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["before Hello", "outcome updated", "change banner: Hello -> Edited"]


def test_the_luajit_watch_example_reports_a_refresh_that_fails(server: V2Server, tmp_path: Path) -> None:
    watch(server, tmp_path / "storage")
    server.stop()
    done = watch(server, tmp_path / "storage")
    assert (done.returncode, done.stdout) == (1, "before Hello\n")
    assert "127.0.0.1" in done.stderr and len(done.stderr.splitlines()) == 1


def test_the_luajit_watch_example_prints_its_usage_if_it_is_started_without_arguments() -> None:
    done = run(FOLDER / "watch.lua")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: ")


def test_the_luajit_binding_declares_every_function_and_field_of_the_c_api(server: V2Server, tmp_path: Path) -> None:
    body = """
        for _, name in ipairs(remora.record.functions) do assert(remora.C[name], name) end
        for _, name in ipairs(remora.record.structures) do
          for _, field in ipairs(remora.record.structures[name].fields) do
            assert(ffi.offsetof("struct " .. name, field.name) == field.offset, name .. "." .. field.name)
          end
        end
        print(#remora.record.functions > 50, #remora.record.structures > 10)
    """
    assert run_host(tmp_path, server, body) == ["true\ttrue"]


def test_json_values_of_all_types_become_lua_values(server: V2Server, tmp_path: Path) -> None:
    value = {
        "no": False,
        "yes": True,
        "int": -7,
        "double": 1.5,
        "text": "é\0!",
        "null": None,
        "list": [[1, 2], {"a": "b"}, []],
    }
    server.collection("types").publish({"all": value})
    body = """
        local source = open "types"
        source:refresh(30000)
        local all = source:get "all"
        print(all.no, all.yes, all.int, all.double, all.null)
        print(#all.text, all.text == "\\195\\169\\0!", all.list[1][2], all.list[2].a, #all.list, #all.list[3])
        print(source:get("all", "/no"), source:get("all", "/list/1/a"), source:get "none", source:get("all", "/null"))
    """
    assert run_host(tmp_path, server, body) == [
        "false\ttrue\t-7\t1.5\tnil",
        "4\ttrue\t2\tb\t3\t0",
        "false\tb\tnil\tnil",
    ]


def test_lua_callbacks_run_only_inside_dispatch(server: V2Server, tmp_path: Path) -> None:
    body = f"""
        local source, events, change = open "{COLLECTION}", 0, nil
        source:subscribe(function() events = events + 1 end)
        source:subscribe(function(event) change = event.changes[1] end, "banner")
        source:refresh(30000)
        print(events, change)
        while events == 0 or not change do dispatch() end
        print(events, change.key, change.new.text, client:dispatch())
    """
    assert run_host(tmp_path, server, body) == ["0\tnil", "1\tbanner\tHello\t0"]


def test_dispatch_raises_an_error_that_a_lua_callback_raised(server: V2Server, tmp_path: Path) -> None:
    body = f"""
        local source = open "{COLLECTION}"
        source:subscribe(function(event) error("bad handler: " .. event.outcome, 0) end)
        source:refresh(30000)
        print(pcall(dispatch))
        print(client:dispatch())
    """
    assert run_host(tmp_path, server, body) == ["false\tbad handler: updated", "0"]


def test_a_closed_subscription_releases_its_lua_callback(server: V2Server, tmp_path: Path) -> None:
    body = f"""
        local source, seen = open "{COLLECTION}", setmetatable({{}}, {{ __mode = "k" }})
        local function subscribe()
          local handler = function(event) print("called", seen) end
          seen[handler] = true
          return source:subscribe(handler)
        end
        local function count()
          collectgarbage()
          collectgarbage()
          local handlers = 0
          for _ in pairs(seen) do handlers = handlers + 1 end
          return handlers
        end
        local first, second = subscribe(), subscribe()
        print(count())
        first:close()
        first:close()
        print(count())
        source:close()
        print(count())
        second:close()
    """
    assert run_host(tmp_path, server, body) == ["2", "1", "0"]


def test_a_lua_callback_can_close_the_client(server: V2Server, tmp_path: Path) -> None:
    body = f"""
        local source = open "{COLLECTION}"
        source:subscribe(function(event) client:close() print("closed", event.outcome) end)
        source:refresh(30000)
        print(dispatch())
        local ok, failure = pcall(source.refresh, source, 30000)
        print(ok, failure.status == K.REMORA_ERR_CLOSED, failure.family == K.REMORA_FAMILY_CALL)
        source:close()
    """
    assert run_host(tmp_path, server, body) == ["closed\tupdated", "1", "false\ttrue\ttrue"]


def test_lua_errors_have_a_status_a_family_and_a_message(server: V2Server, tmp_path: Path) -> None:
    server.stop()
    body = f"""
        local source = open "{COLLECTION}"
        local ok, failure = pcall(source.refresh, source, 30000)
        print(ok, failure.status == K.REMORA_ERR_NETWORK, failure.family == K.REMORA_FAMILY_NETWORK)
        print(#failure.message > 0, tostring(failure) == failure.message)
        source:close()
        ok, failure = pcall(source.get, source, "banner")
        print(ok, failure.status == K.REMORA_ERR_INVALID_ARGUMENT, failure.family == K.REMORA_FAMILY_CALL)
    """
    assert run_host(tmp_path, server, body) == ["false\ttrue\ttrue", "true\ttrue", "false\ttrue\ttrue"]


def test_the_program_in_the_luajit_guide_prints_a_value(server: V2Server, tmp_path: Path) -> None:
    (block,) = [block for block in blocks(GUIDE) if block.words == ("lua",)]
    script = tmp_path / "guide.lua"
    script.write_text(block.text, encoding="utf-8")
    done = run(script, server.url, COLLECTION)
    assert (done.returncode, done.stdout, done.stderr) == (0, "Hello\n", "")


def test_the_luajit_binding_has_at_most_150_lines_as_its_guide_claims() -> None:
    assert "at most 150 lines" in GUIDE.read_text(encoding="utf-8")
    assert len((FOLDER / "remora.lua").read_text(encoding="utf-8").splitlines()) <= 150
