# SPDX-License-Identifier: Apache-2.0
#
# `remora dump --attachments`: the files of all records, whole and right, and nobody else's.
"""The attachments of a dump."""

from __future__ import annotations

import hashlib
import json
import os
import pty
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from EndToEnd import tool
from EndToEnd.hosts import V2Source
from Servers import v2_faults
from Servers.loopback import Ending, LoopbackServer, Request, Response
from Servers.v2_server import ROOT
from Servers.waiting import wait_until


class Files:
    """Attachments on a host of their own, by location."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}
        self.requested: list[str] = []
        self.listener = LoopbackServer(self._respond)

    def put(self, location: str, content: bytes) -> dict[str, Any]:
        """Serves a file; gives what its record says of it."""
        self.contents[location] = content
        return {
            "location": location,
            "hash": hashlib.sha256(content).hexdigest(),
            "size": len(content),
            "filename": "x",
            "mimetype": "x/y",
        }

    def _respond(self, request: Request) -> Response:
        location = unquote(request.path).removeprefix("/files/")
        self.requested.append(location)
        content = self.contents.get(location)
        if content is None:
            return Response(404)
        if content == b"":
            return Response(ending=Ending.HANG, silent=True)
        return Response(body=content)


@pytest.fixture
def files(v2: V2Source) -> Iterator[Files]:
    """The attachments that the server announces."""
    served = Files()
    served.listener.start()
    base = {"capabilities": {"attachments": {"base_url": f"{served.listener.origin}/files/"}}}
    v2.server.set_fault(ROOT, v2_faults.body(json.dumps(base)))
    yield served
    served.listener.stop()


def dump(v2: V2Source, place: Path, *words: object) -> tool.Ended:
    return tool.dump(v2, place / "dump.json", "--attachments", place / "files", *words)


def test_a_dump_writes_each_attachment_to_a_file_named_after_its_record_and_adds_a_metadata_file(
    v2: V2Source, files: Files, tmp_path: Path
) -> None:
    big = os.urandom(3_000_000)
    v2.publish("a", attachment=files.put("main/a.bin", b"of a"))
    v2.publish("b", attachment=files.put("main/b c.bin", big))
    v2.publish("none", n=1)
    ended = dump(v2, tmp_path)
    assert (ended.status, ended.out) == (0, "")
    assert ended.err.splitlines()[1] == f"{tmp_path}/files has 2 attachments: 2 written, 0 removed"
    names = sorted(one.name for one in (tmp_path / "files").iterdir())
    assert names == ["a", "a.meta.json", "b", "b.meta.json"]
    assert (tmp_path / "files" / "b").read_bytes() == big
    digest = hashlib.sha256(b"of a").hexdigest()
    expected = f'{{\n  "location": "main/a.bin",\n  "hash": "{digest}",\n  "size": 4\n}}'
    assert (tmp_path / "files" / "a.meta.json").read_text() == expected


def test_a_second_dump_neither_fetches_nor_writes_attachments_that_are_unchanged(
    v2: V2Source, files: Files, tmp_path: Path
) -> None:
    v2.publish("a", attachment=files.put("a.bin", b"of a"))
    assert dump(v2, tmp_path).status == 0
    before = {one.name: one.stat().st_mtime_ns for one in (tmp_path / "files").iterdir()}
    files.requested.clear()
    ended = dump(v2, tmp_path)
    assert "1 attachment: 0 written, 0 removed" in ended.err
    assert files.requested == []
    assert {one.name: one.stat().st_mtime_ns for one in (tmp_path / "files").iterdir()} == before


def test_a_dump_replaces_changed_attachments_and_deletes_unused_ones_and_keeps_unrelated_files(
    v2: V2Source, files: Files, tmp_path: Path
) -> None:
    for key in "abc":
        v2.publish(key, attachment=files.put(f"{key}.bin", key.encode()))
    assert dump(v2, tmp_path).status == 0
    for name in ("README", "notes.json", ".meta.json"):
        (tmp_path / "files" / name).write_text("mine")
    (tmp_path / "files" / "c").write_bytes(b"X")
    v2.publish("a", attachment=files.put("a2.bin", b"new"))
    v2.content.delete("b")
    files.requested.clear()
    ended = dump(v2, tmp_path)
    assert "2 attachments: 2 written, 1 removed" in ended.err
    assert sorted(files.requested) == ["a2.bin", "c.bin"]
    names = sorted(one.name for one in (tmp_path / "files").iterdir())
    assert names == [".meta.json", "README", "a", "a.meta.json", "c", "c.meta.json", "notes.json"]
    assert [(tmp_path / "files" / name).read_bytes() for name in "ac"] == [b"new", b"c"]


@pytest.mark.parametrize("served", [b"fo a", b"of", b"of a and more", None])
def test_if_an_attachment_is_invalid_or_cannot_be_downloaded_the_previous_dump_is_kept(
    v2: V2Source, files: Files, tmp_path: Path, served: bytes | None
) -> None:
    v2.publish("a", attachment=files.put("old.bin", b"old"))
    assert dump(v2, tmp_path).status == 0
    before = (tmp_path / "dump.json").read_bytes()
    v2.publish("a", attachment=files.put("a.bin", b"of a"))
    if served is None:
        del files.contents["a.bin"]
    else:
        files.contents["a.bin"] = served
    ended = dump(v2, tmp_path)
    assert (ended.status, "a.bin" in ended.complaint) == (3 if served is None else 5, True)
    assert (tmp_path / "dump.json").read_bytes() == before
    assert sorted(one.name for one in (tmp_path / "files").iterdir()) == ["a", "a.meta.json"]
    assert (tmp_path / "files" / "a").read_bytes() == b"old"


@pytest.mark.parametrize("key", ["a.meta.json", ".hidden", "a b", "a~", "a" * 246])
def test_an_error_about_a_record_whose_id_is_not_a_file_name_names_the_record(
    v2: V2Source, files: Files, tmp_path: Path, key: str
) -> None:
    v2.publish(key, attachment=files.put("a.bin", b"of a"))
    ended = dump(v2, tmp_path)
    assert (ended.status, f"record {key} " in ended.complaint) == (5, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a", "a.meta.json"])
def test_a_dump_is_refused_if_its_output_file_has_the_path_of_an_attachment(
    v2: V2Source, files: Files, tmp_path: Path, name: str
) -> None:
    v2.publish("a", attachment=files.put("a.bin", b"of a"))
    (tmp_path / "x").mkdir()
    ended = tool.dump(v2, tmp_path / "files" / name, "--attachments", f"{tmp_path}/x/../files")
    assert (ended.status, "is the path of an attachment" in ended.complaint) == (2, True)
    assert list((tmp_path / "files").iterdir()) == []


def test_a_dump_is_refused_if_its_output_file_has_the_path_of_an_attachment_that_the_dump_would_remove(
    v2: V2Source, files: Files, tmp_path: Path
) -> None:
    v2.publish("a", attachment=files.put("a.bin", b"of a"))
    assert dump(v2, tmp_path).status == 0
    v2.content.delete("a")
    ended = tool.dump(v2, tmp_path / "files" / "a", "--attachments", tmp_path / "files")
    assert (ended.status, "is the path of an attachment" in ended.complaint) == (2, True)
    assert (tmp_path / "files" / "a").read_bytes() == b"of a"


def test_a_dump_replaces_a_symbolic_link_in_the_attachment_folder_and_leaves_its_target_unchanged(
    v2: V2Source, files: Files, tmp_path: Path
) -> None:
    v2.publish("a", attachment=files.put("a.bin", b"new"))
    (tmp_path / "precious").write_bytes(b"old")
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a").symlink_to("../precious")
    assert dump(v2, tmp_path).status == 0
    assert (tmp_path / "precious").read_bytes() == b"old"
    assert not (tmp_path / "files" / "a").is_symlink() and (tmp_path / "files" / "a").read_bytes() == b"new"


def test_an_error_about_an_attachment_folder_that_cannot_be_created_names_the_folder(
    v2: V2Source, files: Files, tmp_path: Path
) -> None:
    v2.publish("a", attachment=files.put("a.bin", b"of a"))
    ended = tool.dump(v2, tmp_path / "dump.json", "--attachments", tmp_path / "no" / "files")
    assert (ended.status, str(tmp_path / "no" / "files") in ended.complaint) == (6, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["file", "dangling link", "unreadable", "read-only"])
def test_a_dump_is_not_written_if_its_attachment_folder_cannot_be_used_even_without_attachments(
    v2: V2Source, files: Files, tmp_path: Path, kind: str
) -> None:
    v2.publish("a", n=1)
    folder = tmp_path / "files"
    if kind == "file":
        folder.write_text("mine")
    elif kind == "dangling link":
        folder.symlink_to("nothing")
    else:
        folder.mkdir()
        (folder / "old.meta.json").write_text("{}")
        folder.chmod(0o300 if kind == "unreadable" else 0o500)
    (tmp_path / "dump.json").write_text("old")
    # Without these capabilities, the modes of files apply to root too.
    limited = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    for output in (tmp_path / "dump.json", "-"):
        command = ["dump", *tool.at(v2), "--attachments", folder, "--output", output, v2.collection]
        done = subprocess.run([*limited, tool.TOOL, *command], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (6, "", 1), done
        assert str(folder) in done.stderr
    assert (tmp_path / "dump.json").read_text() == "old"


def test_the_tool_shows_the_progress_of_downloads_only_on_a_terminal(
    v2: V2Source, files: Files, tmp_path: Path
) -> None:
    for key in "abc":
        v2.publish(key, attachment=files.put(f"{key}.bin", key.encode() * 100_000))
    command = [str(tool.TOOL), "dump", *tool.at(v2), "--output", str(tmp_path / "dump.json")]
    command += ["--attachments", str(tmp_path / "files"), v2.collection]
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stderr=theirs) as process:
        os.close(theirs)
        seen = b""
        try:
            while more := os.read(ours, 65536):
                seen += more
        except OSError:  # A terminal whose other end is closed.
            pass
        os.close(ours)
    assert process.returncode == 0
    assert b"3 of 3 attachments, 300 of 300 kB" in seen
    rest = seen[seen.rindex(b"kB") + 2 :].lstrip(b"\r ").replace(b"\r\n", b"\n")
    assert rest.startswith(str(tmp_path).encode())
    assert "3 attachments: 0 written" in dump(v2, tmp_path).err and "\r" not in dump(v2, tmp_path).err


def test_a_dump_that_is_interrupted_or_times_out_leaves_only_complete_attachment_files(
    v2: V2Source, files: Files, tmp_path: Path
) -> None:
    v2.publish("a", attachment=files.put("a.bin", b"of a"))
    metadata = files.put("b.bin", b"of b")
    files.contents["b.bin"] = b""  # Hangs.
    v2.publish("b", attachment=metadata)
    command = [str(tool.TOOL), "dump", *tool.at(v2), "--output", str(tmp_path / "dump.json")]
    command += ["--attachments", str(tmp_path / "files"), v2.collection]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        wait_until(lambda: "b.bin" in files.requested, "the request for the second one")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
    assert process.returncode == -signal.SIGINT
    ended = dump(v2, tmp_path, "--timeout", "1")
    assert (ended.status, ended.complaint) == (3, "--timeout expired before the fetch was complete")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["files"]
    assert sorted(one.name for one in (tmp_path / "files").iterdir()) == ["a", "a.meta.json"]
