# SPDX-License-Identifier: Apache-2.0
#
# Programs in documents: compiled as C99 or C++17 without a warning, and run where they say so. A block is one when its
# fence reads "c program" or "cpp program"; "c program run A B" also runs it with those arguments, where SERVER is the
# test's server and STORAGE a new directory. The examples of the header are compiled too, in one file. The block "python
# server" of the guide to collections is run as a server, "python rollout" decides for a thousand users.
"""Tests of the programs in documents and of the examples in the header."""

from __future__ import annotations

import http.server
import importlib.util
import os
import re
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from Docs.conftest import compile_program
from Docs.documents import ROOT, Block, blocks, documents, with_words
from Servers.v2_server import V2Server

PROGRAMS = [block for document in documents() for block in blocks(document) if block.is_program]

# What the examples of the header use and do not declare: variables and functions of a host.
HOST = """
#include <poll.h>
#include <remora.h>
#include <stdio.h>

extern remora_config config;
extern remora_client *client;
extern remora_source *source;
extern remora_snapshot *snapshot, *old_snapshot;
extern remora_settings_options settings;
extern remora_error error;
extern char text[256];
extern const char *user_id;
extern const remora_http_request *request;
extern int64_t test_time_ms;
int draw_frame(remora_bool banner);
void download(const remora_http_request *request, void *file);
void load(const void *data, size_t size);
void refresh_in(int64_t delay_ms);
void set_limit(int64_t limit);
void start(const remora_snapshot *snapshot);
void use(const char *host, int64_t port);
"""


@pytest.mark.parametrize("block", PROGRAMS, ids=str)
def test_a_program_in_the_documentation_compiles_and_runs_as_described(
    block: Block, server: V2Server, tmp_path: Path
) -> None:
    source, program = tmp_path / f"program.{block.language}", tmp_path / "program"
    source.write_text(block.text, encoding="utf-8")
    compile_program(source, program)
    if block.arguments is None:
        return
    places = {"SERVER": server.url, "STORAGE": str(tmp_path / "storage")}
    words = [places.get(word, word) for word in block.arguments]
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_the_server_in_the_guide_to_collections_serves_all_records_and_then_only_the_changes(tmp_path: Path) -> None:
    page = blocks(ROOT / "docs/collections.md")
    (text,) = [block.text for block in page if block.words == ("python", "server")]
    (client,) = [block for block in page if block.is_program]
    (tmp_path / "server.py").write_text(text, encoding="utf-8")
    (tmp_path / "client.c").write_text(client.text, encoding="utf-8")
    compile_program(tmp_path / "client.c", tmp_path / "client")
    spec = importlib.util.spec_from_file_location("server", tmp_path / "server.py")
    assert spec and spec.loader
    guide: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(guide)
    requests: list[str] = []
    guide.Handler.log_message = lambda handler, *_: requests.append(handler.path)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), guide.Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = [f"{tmp_path}/client", f"http://127.0.0.1:{server.server_port}", "demo", f"{tmp_path}/storage"]
        assert subprocess.check_output(command, text=True) == 'banner {"text":"Hello"}\n'
        guide.CHANGES[0] = {"id": "banner", "last_modified": 3000, "deleted": True}
        guide.CHANGES.append({"id": "motd", "last_modified": 3000, "n": 1})
        assert subprocess.check_output(command, text=True) == 'motd {"n":1}\n'
        server.shutdown()
    # Each run requests the monitor and then the collection.
    assert [re.findall(r"_since=(\d+)", path) for path in requests] == [[], [], [], ["2000"]]


def test_the_examples_of_the_header_compile_as_c11_without_a_warning(tmp_path: Path) -> None:
    header = (ROOT / "include/remora.h").read_text(encoding="utf-8")
    found = re.findall(r"@code\n(.*?)@endcode", header, re.DOTALL)
    examples = [re.sub(r"^(?: \* ?| {4})", "", text, flags=re.MULTILINE) for text in found]
    assert examples
    functions = [text for text in examples if text.startswith("static ")]
    bodies = [text for text in examples if not text.startswith("static ")]
    source = tmp_path / "examples.c"
    texts = [f"void example_{number}(void) {{\n{text}}}\n" for number, text in enumerate(bodies)]
    source.write_text("\n".join([HOST, *functions, *texts]), encoding="utf-8")
    command = [os.environ.get("CC", "cc"), "-std=c11", "-Wall", "-Wextra", "-Werror", "-D_POSIX_C_SOURCE=200809L"]
    command += [f"-I{ROOT / 'include'}", "-c", "-o", str(tmp_path / "examples.o"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_at_least_three_example_programs_are_found_in_the_documentation() -> None:
    assert len(PROGRAMS) >= 3


def test_the_percentage_of_users_is_stable_and_grows_with_the_number_in_the_record() -> None:
    (block,) = with_words(ROOT / "docs/coming-from.md", "python", "rollout")
    wider = block.text.replace("0, 10, 100", "0, 20, 100")
    assert wider != block.text
    users = [f"user-{number}" for number in range(1000)]
    ten, again, twenty = (set(filter(deciding(text), users)) for text in (block.text, block.text, wider))
    assert 70 <= len(ten) <= 130 and 160 <= len(twenty) <= 240
    assert ten == again and ten < twenty


def deciding(program: str) -> Callable[[str], bool]:
    """The function of the program that decides for a user."""
    module: dict[str, Any] = {}
    exec(compile(program, "coming-from.md", "exec"), module)  # noqa: S102
    decide: Callable[[str], bool] = module["sees_new_menu"]
    return decide
