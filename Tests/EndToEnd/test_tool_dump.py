# SPDX-License-Identifier: Apache-2.0
#
# `remora dump`: what it writes opens as packaged data and verifies; what it refuses leaves nothing behind.
"""The command that writes packaged data."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
from pathlib import Path

import pytest

from EndToEnd import tool
from EndToEnd.hosts import Hosts, KintoSource, V2Source
from Servers import v2_faults, v2_lies
from Servers.pki import Pki
from Servers.v2_server import CHAIN, CHANGESET
from Servers.waiting import wait_until

Source = KintoSource | V2Source


@pytest.fixture(params=["v2", "kinto"])
def source(request: pytest.FixtureRequest) -> Source:
    """A collection with two records, on either server."""
    one: Source = request.getfixturevalue(request.param)
    if isinstance(one, KintoSource):
        for key in ("b", "a"):
            one.put(key, text=f"of {key} ☃", number=1.5)
        one.publish()
    else:
        one.content.publish({key: {"text": f"of {key} ☃", "number": 7} for key in ("b", "a")})
    return one


def test_a_dump_can_be_opened_as_packaged_data_and_is_verified_without_a_request(
    source: Source, hosts: Hosts, tmp_path: Path
) -> None:
    ended = tool.dump(source, tmp_path / "dump.json")
    assert (ended.status, ended.out) == (0, "")
    assert f"2 records of main/{source.collection} at version " in ended.err
    host = hosts.open(source, packaged_file=tmp_path / "dump.json")
    assert (host.origin(), set(host.values())) == ("packaged", {"a", "b"})
    assert host.refresh()["outcome"] == "unchanged"
    answer = host.succeed("snapshot")
    assert (answer["origin"], answer["verified"]) == ("packaged", 1)


def test_a_dump_has_one_record_per_line_sorted_by_id_and_the_signature_with_its_chain(
    v2: V2Source, pki: Pki, tmp_path: Path
) -> None:
    timestamp = v2.content.publish({key: {"text": key} for key in "cab"})
    document = json.loads(tool.dumped(v2, tmp_path / "dump.json").read_text())
    assert document == {
        "data": sorted(v2.content.head.records, key=lambda record: str(record["id"])),
        "timestamp": timestamp,
        "metadata": {
            "bucket": "main",
            "id": v2.collection,
            "signatures": [{**v2.content.document(v2.content.head)["metadata"]["signature"], "chain": pki.chain_pem}],
        },
    }
    lines = (tmp_path / "dump.json").read_text().splitlines()
    assert [json.loads(line.rstrip(","))["id"] for line in lines[1:4]] == ["a", "b", "c"]


def test_a_dump_to_standard_output_has_the_same_bytes_as_a_dump_file_and_no_additional_output(
    v2: V2Source, tmp_path: Path
) -> None:
    v2.publish("a", n=1)
    expected = tool.dumped(v2, tmp_path / "dump.json").read_text()
    for words in ([], ["--output", "-"]):
        ended = tool.run("dump", *tool.at(v2), *words, v2.collection)
        assert (ended.status, ended.out, ended.err) == (0, expected, "")


def test_an_empty_collection_can_be_dumped(v2: V2Source, tmp_path: Path) -> None:
    assert json.loads(tool.dumped(v2, tmp_path / "dump.json").read_text())["data"] == []
    assert tool.run("verify", *tool.at(v2), tmp_path / "dump.json").status == 0


def test_dumping_an_unchanged_collection_again_does_not_write_the_file(source: Source, tmp_path: Path) -> None:
    file = tool.dumped(source, tmp_path / "dump.json")
    before = file.stat()
    ended = tool.dump(source, file)
    assert (ended.status, "is unchanged" in ended.err) == (0, True)
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    other = tool.dumped(source, tmp_path / "other.json")
    assert other.read_bytes() == file.read_bytes()


def test_a_new_dump_replaces_the_file_and_keeps_its_mode_and_a_symbolic_link_to_it(
    v2: V2Source, tmp_path: Path
) -> None:
    v2.publish("a", n=1)
    (tmp_path / "real").mkdir()
    file = tool.dumped(v2, tmp_path / "real" / "dump.json")
    assert stat.S_IMODE(file.stat().st_mode) == 0o666 & ~current_umask()
    file.chmod(0o640)
    link = tmp_path / "link.json"
    link.symlink_to(file)
    v2.publish("a", n=2)
    assert "is written" in tool.dump(v2, link).err
    assert link.is_symlink() and json.loads(file.read_text())["data"][0]["n"] == 2
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [one.name for one in file.parent.iterdir()] == ["dump.json"]


def test_a_collection_that_was_signed_again_without_a_change_is_written_with_its_new_signature(
    v2: V2Source, tmp_path: Path
) -> None:
    v2.publish("a", n=1)
    before = json.loads(tool.dumped(v2, tmp_path / "dump.json").read_text())
    v2.content.re_sign()
    after = json.loads(tool.dumped(v2, tmp_path / "dump.json").read_text())
    assert (after["data"], after["timestamp"]) == (before["data"], before["timestamp"])
    assert after["metadata"] != before["metadata"]


def test_a_dump_that_is_newer_than_the_server_is_not_replaced(v2: V2Source, tmp_path: Path) -> None:
    first = v2.publish("a", n=1)
    old = tool.dumped(v2, tmp_path / "old.json").read_bytes()
    second = v2.publish("a", n=2)
    file = tool.dumped(v2, tmp_path / "dump.json")
    before = file.read_bytes()
    v2.server.set_fault(CHANGESET, v2_lies.replay(1))
    ended = tool.dump(v2, file)
    assert (ended.status, f"{second}, but the server has the older timestamp {first}" in ended.complaint) == (5, True)
    assert file.read_bytes() == before
    for text in ("", "no JSON", '{"timestamp": 99999999999999}', "[]"):
        file.write_text(text)
        assert (tool.dump(v2, file).status, file.read_bytes()) == (0, old)


def test_a_collection_without_signatures_is_dumped_only_with_the_option_no_verify(v2: V2Source, tmp_path: Path) -> None:
    v2.publish("a", n=1)
    v2.server.set_fault(CHANGESET, v2_lies.missing_signature())
    complaint = tool.dump(v2, tmp_path / "dump.json").complaint
    assert "no signature" in complaint and complaint.rstrip().endswith("use --no-verify")
    chains = v2.server.count(CHAIN)
    assert tool.dump(v2, tmp_path / "dump.json", "--no-verify").status == 0
    document = json.loads((tmp_path / "dump.json").read_text())
    assert (document["data"][0]["n"], "signatures" in document["metadata"]) == (1, False)
    assert v2.server.count(CHAIN) == chains


@pytest.mark.parametrize(
    ("fault", "status", "words"),
    [
        (v2_lies.forged_record(), 4, "does not match"),
        (v2_lies.forged_timestamp(), 4, "does not match"),
        (v2_lies.malformed_signature(), 4, "base64url"),
        (v2_lies.chain_at("http://chains.invalid/x.chain"), 4, "chains.invalid"),
        (v2_lies.future(), 5, "ahead of the clock"),
        (v2_faults.status(503), 3, "503"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_previous_dump_is_kept_and_no_other_file_is_left_if_the_server_is_malicious_or_fails(
    v2: V2Source, tmp_path: Path, fault: v2_faults.Fault, status: int, words: str
) -> None:
    v2.publish("a", n=1)
    file = tool.dumped(v2, tmp_path / "dump.json")
    before = file.read_bytes()
    v2.publish("a", n=2)
    v2.server.set_fault(CHANGESET, fault)
    ended = tool.dump(v2, file)
    assert ended.status == status
    assert words in ended.complaint
    assert file.read_bytes() == before
    assert tool.dump(v2, tmp_path / "new.json").status == status
    assert [one.name for one in tmp_path.iterdir() if one.suffix != ".pem"] == ["dump.json"]


def test_a_dump_of_a_collection_with_an_unexpected_root_certificate_or_signer_is_refused(
    v2: V2Source, stranger: Pki, tmp_path: Path
) -> None:
    v2.publish("a", n=1)
    file = tmp_path / "dump.json"
    words = ["--server", v2.url, "--output", file, v2.collection]
    assert (
        "set --root-sha256 to expect another"
        in tool.run("dump", "--root-sha256", stranger.root_sha256, *words).complaint
    )
    assert "set --root-sha256 to expect another" in tool.run("dump", *words).complaint
    assert "x.example" in tool.run("dump", *tool.at(v2), "--signer", "x.example", *words).complaint
    assert not file.exists()


def test_a_dump_of_a_missing_bucket_or_collection_fails_with_http_status_404(v2: V2Source) -> None:
    for words in (["--bucket", "main-preview", v2.collection], ["no-such-collection"]):
        ended = tool.run("dump", *tool.at(v2), *words)
        assert (ended.status, "404" in ended.complaint) == (3, True)


def test_an_error_about_an_output_file_that_cannot_be_written_names_the_file(v2: V2Source, tmp_path: Path) -> None:
    v2.publish("a", n=1)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("nothing")
    for name in ("no/such/folder/dump.json", "folder", "pipe", "link"):
        ended = tool.dump(v2, tmp_path / name)
        assert (ended.status, str(tmp_path / name) in ended.complaint) == (6, True)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["folder", "link", "pipe"]
    assert list((tmp_path / "folder").iterdir()) == []


def test_a_dump_never_writes_to_a_path_that_differs_from_the_given_path_in_bytes_that_are_not_utf_8(
    v2: V2Source, tmp_path: Path
) -> None:
    v2.publish("a", n=1)
    folder = tmp_path / "\udce9"  # A surrogate is the byte in its last two digits.
    folder.mkdir()
    other = tmp_path / "\ufffd"
    other.mkdir()
    for directory in (folder, other):
        (directory / "dump.json").write_text("old")
    words = ["dump", *tool.at(v2), "--output"]
    (tmp_path / "link.json").symlink_to(folder / "dump.json")
    ended = tool.run(*words, tmp_path / "link.json", v2.collection)
    assert (ended.status, "link.json" in ended.complaint, "UTF-8" in ended.complaint) == (6, True, True)
    assert (folder / "dump.json").read_text() == "old"
    assert tool.run(*words, "dump.json", v2.collection, cwd=folder).status == 0
    assert json.loads((folder / "dump.json").read_text())["data"][0]["n"] == 1
    assert [one.read_text() for one in other.iterdir()] == ["old"]


def test_an_error_is_printed_if_standard_output_cannot_be_written(v2: V2Source) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [tool.TOOL, "dump", *tool.at(v2), v2.collection], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, b"standard output" in done.stderr) == (6, True)


def test_closed_standard_streams_are_an_error_and_damage_no_file(v2: V2Source) -> None:
    v2.publish("a", text="x" * 100_000)
    command = [str(tool.TOOL), "dump", *tool.at(v2), v2.collection]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&- >&-', "sh", *command], stderr=subprocess.PIPE, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (6, "remora: cannot write standard output: Bad file descriptor\n")
    silent = subprocess.run(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *command], check=False)
    assert silent.returncode == 6
    assert all(one.target.startswith("/v2/") for one in v2.server.requests)


def test_the_tool_escapes_control_characters_in_its_error_messages() -> None:
    ended = tool.run("a\x1b[2J\nb")
    assert (ended.status, ended.err) == (2, 'remora: "a\\u{1b}[2J\\u{a}b" is not a command; "remora help" lists them\n')


def test_a_dump_from_a_server_that_does_not_respond_ends_at_the_time_limit(v2: V2Source, tmp_path: Path) -> None:
    v2.server.set_fault(CHANGESET, v2_faults.hang())
    ended = tool.dump(v2, tmp_path / "dump.json", "--timeout", "1")
    assert (ended.status, ended.complaint) == (3, "--timeout expired before the fetch was complete")


def test_a_file_that_exceeds_the_file_size_limit_is_an_error_that_leaves_the_old_file_and_no_temporary_file(
    v2: V2Source, tmp_path: Path
) -> None:
    v2.publish("a", text="x" * 100_000)
    file = tmp_path / "dump.json"
    file.write_text("old")
    limits = 'ulimit -f 1; exec "$0" "$@"'
    for command in (
        ["dump", *tool.at(v2), "--output", str(file), v2.collection],
        ["seed", *tool.at(v2), "--collection", v2.collection, str(tmp_path / "storage")],
    ):
        done = subprocess.run(["sh", "-c", limits, tool.TOOL, *command], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (6, "", 1), done
        assert "File too large" in done.stderr
    assert file.read_text() == "old"
    assert sorted(one.name for one in tmp_path.rglob("*")) == ["dump.json", "lock", "storage"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_during_a_dump_leaves_no_files(v2: V2Source, tmp_path: Path, number: signal.Signals) -> None:
    v2.server.set_fault(CHANGESET, v2_faults.hang())
    before = v2.server.count(CHANGESET)
    command = [str(tool.TOOL), "dump", *tool.at(v2), "--output", str(tmp_path / "dump.json"), v2.collection]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_until(lambda: v2.server.count(CHANGESET) > before, "the tool's request")
        process.send_signal(number)
        assert process.communicate(timeout=10) == (b"", b"")
    assert process.returncode == -number
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_during_a_write_takes_effect_when_the_file_is_complete(v2: V2Source, tmp_path: Path) -> None:
    v2.content.publish({str(number): {"text": "x" * 1_000_000} for number in range(10)})
    command = [str(tool.TOOL), "dump", *tool.at(v2), "--output", str(tmp_path / "dump.json"), v2.collection]
    for _ in range(20):
        (tmp_path / "dump.json").unlink(missing_ok=True)
        with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
            seen = wait_until(lambda: os.listdir(tmp_path) or process.poll() is not None, "a file")
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=10)
        assert os.listdir(tmp_path) == ["dump.json"]
        assert len(json.loads((tmp_path / "dump.json").read_text())["data"]) == 10
        if seen != ["dump.json"] and process.returncode == -signal.SIGINT:
            return
    pytest.fail("the tool was never seen writing")


def current_umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
