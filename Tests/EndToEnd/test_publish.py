# SPDX-License-Identifier: Apache-2.0
#
# What `remora publish` writes, verified by code that shares nothing with the tool.
"""Publication of a folder."""

from __future__ import annotations

import hashlib
import json
import os
import pty
import re
import subprocess
import time
from pathlib import Path

import pytest

from EndToEnd import tool
from EndToEnd.publishing import Publisher, contents

REGIONS = [
    {"id": "eu", "cities": 2},
    {"id": "us", "cities": 3, "name": "é\u2028\U0001f600\u007f", "deep": {"b": [1, None, True]}},
]


def test_a_folder_is_published_as_a_tree_that_an_independent_verifier_accepts(publisher: Publisher) -> None:
    publisher.write("main/regions.json", REGIONS)
    publisher.write(
        "main/flags.json", {"data": [{"id": "x", "filter_expression": "env.version|versionCompare('2') > 0"}]}
    )
    publisher.write("other/single/one.json", {"id": "one", "n": 1})
    publisher.write("other/single/two.json", {"n": -(2**63)})
    publisher.publish()
    found = publisher.verify()
    assert found["main/regions"]["us"] == {key: value for key, value in REGIONS[1].items() if key != "id"}
    assert found["other/single"] == {"one": {"n": 1}, "two": {"n": -(2**63)}}
    assert set(found) == {"main/flags", "main/regions", "other/single"} == set(publisher.monitor())
    assert publisher.check().status == 0


def test_unchanged_records_keep_their_times_and_a_publication_without_changes_writes_no_file(
    publisher: Publisher,
) -> None:
    publisher.write("main/regions.json", REGIONS)
    publisher.publish()
    first = publisher.document("main/regions")
    before = {path: path.stat() for path in publisher.tree.rglob("*")}
    assert publisher.publish()["main/regions"]["change"] == "unchanged"
    assert {path: path.stat().st_ino for path in publisher.tree.rglob("*")} == {
        path: one.st_ino for path, one in before.items()
    }
    publisher.write("main/regions.json", [{"id": "eu", "cities": 5}, REGIONS[1], {"id": "asia"}])
    change = publisher.publish()["main/regions"]
    assert (change["added"], change["changed"], change["removed"], change["records"]) == (1, 1, 0, 3)
    times = {one["id"]: one["last_modified"] for one in publisher.document("main/regions")["changes"]}
    assert times == {"asia": change["after"], "eu": change["after"], "us": first["timestamp"]}
    publisher.verify()


def test_a_deleted_record_becomes_a_tombstone_until_it_is_added_again(publisher: Publisher) -> None:
    publisher.write("main/regions.json", REGIONS)
    publisher.publish()
    publisher.write("main/regions.json", REGIONS[:1])
    after = publisher.publish()["main/regions"]["after"]
    assert {"id": "us", "deleted": True, "last_modified": after} in publisher.document("main/regions")["changes"]
    assert set(publisher.verify()["main/regions"]) == {"eu"}
    publisher.write("main/regions.json", REGIONS[:1] + [{"id": "new"}])
    publisher.publish()
    assert {"id": "us", "deleted": True, "last_modified": after} in publisher.document("main/regions")["changes"]
    publisher.write("main/regions.json", REGIONS)
    publisher.publish()
    changes = publisher.document("main/regions")["changes"]
    assert [one["id"] for one in changes if one.get("deleted")] == ["new"]
    assert set(publisher.verify()["main/regions"]) == {"eu", "us"}


def test_the_result_is_a_table_with_the_counts_of_each_collection(publisher: Publisher) -> None:
    publisher.write("main/a.json", REGIONS)
    publisher.write("main/longer.json", REGIONS[:1])
    first = publisher.run()
    assert re.fullmatch(
        r"main/a       new → \d{13}  \+2 ~0 -0  \(2 records\)\nmain/longer  new → \d{13}  \+1 ~0 -0  \(1 record\)\n",
        first.out,
    )
    publisher.write("main/a.json", [{"id": "eu", "cities": 3}])
    again = publisher.run()
    assert re.search(
        r"main/a       \d{13} → \d{13}  \+0 ~1 -1  \(1 record\)\nmain/longer  \d{13}  unchanged", again.out
    )
    assert re.search(r"is signed until 20\d\d-", again.err)


def test_the_table_is_coloured_on_a_terminal_only(publisher: Publisher) -> None:
    publisher.write("main/a.json", REGIONS)
    for variables, expected in (({}, "\x1b[32m+2\x1b[0m"), ({"NO_COLOR": "1"}, "  +2 ~0 -0  ")):
        main, terminal = pty.openpty()
        command = [str(tool.TOOL), *publisher.command("--dry-run")]
        subprocess.run(command, stdout=terminal, env={**os.environ, **variables}, check=True)
        os.close(terminal)
        assert expected in os.read(main, 10_000).decode()
        os.close(main)


def test_a_dry_run_prints_the_result_and_writes_nothing(publisher: Publisher) -> None:
    publisher.write("main/regions.json", REGIONS)
    ended = publisher.run("--dry-run")
    assert (ended.status, "+2 ~0 -0" in ended.out, publisher.tree.exists()) == (0, True, False)
    publisher.publish()
    before = contents(publisher.tree)
    publisher.write("main/regions.json", REGIONS[:1])
    assert publisher.publish("--dry-run")["main/regions"]["removed"] == 1
    assert contents(publisher.tree) == before


def test_attachments_are_published_under_their_hash_before_the_records_that_name_them(publisher: Publisher) -> None:
    publisher.write(
        "main/files.json",
        [{"id": "logo", "attachment": {"filename": "logo.png", "mimetype": "image/png"}}, {"id": "x"}],
    )
    publisher.write("main/files/logo", b"png")
    publisher.write("main/files/x", b"")
    publisher.publish()
    digest = hashlib.sha256(b"png").hexdigest()
    assert publisher.verify()["main/files"]["logo"]["attachment"] == {
        "filename": "logo.png", "hash": digest, "location": digest, "mimetype": "image/png", "size": 3,
    }  # fmt: skip
    assert publisher.verify()["main/files"]["x"]["attachment"]["filename"] == "x"
    publisher.write("main/files/logo", b"new")
    assert publisher.publish()["main/files"]["changed"] == 1
    publisher.verify()
    assert (publisher.tree / "v2/attachments" / digest).read_bytes() == b"png", "old versions are still fetched"


def test_an_attachment_that_no_version_of_the_last_30_days_names_is_removed(publisher: Publisher) -> None:
    publisher.write("main/files/logo.json", {"id": "logo"})
    publisher.write("main/files/logo", b"old")
    publisher.publish()
    old = publisher.tree / "v2/attachments" / hashlib.sha256(b"old").hexdigest()
    long_ago = time.time() - 40 * 24 * 3600
    os.utime(old, (long_ago, long_ago))
    publisher.write("main/files/logo", b"new")
    publisher.publish()
    assert old.exists(), "the version before named it"
    publisher.publish()
    assert old.exists()
    os.utime(old, (long_ago, long_ago))
    publisher.publish()
    assert not old.exists()
    publisher.verify()


def test_a_renewed_chain_signs_all_collections_again_at_the_same_timestamps(publisher: Publisher) -> None:
    publisher.write("main/regions.json", REGIONS)
    publisher.write("main/gone.json", REGIONS)
    publisher.publish()
    (publisher.folder / "main/gone.json").unlink()
    before = publisher.document("main/regions")
    assert tool.run("keys", "renew", publisher.keys).status == 0
    changes = publisher.publish()
    assert [changes[name]["change"] for name in ("main/gone", "main/regions")] == ["kept", "renewed"]
    after = publisher.document("main/regions")
    assert (after["timestamp"], after["changes"]) == (before["timestamp"], before["changes"])
    assert after["metadata"]["signatures"][0]["x5u"] != before["metadata"]["signatures"][0]["x5u"]
    assert len(publisher.verify()) == 2
    assert publisher.publish()["main/regions"]["change"] == "unchanged"


def test_a_replaced_file_is_at_least_a_second_newer_than_the_old_one(publisher: Publisher) -> None:
    publisher.write("main/regions.json", REGIONS)
    publisher.publish()
    paths = [publisher.changeset("main/regions"), publisher.changeset("monitor/changes")]
    for number in range(3):
        before = [path.stat().st_mtime for path in paths]
        publisher.write("main/regions.json", [{"id": "eu", "cities": number + 5}])
        publisher.publish()
        assert all(int(path.stat().st_mtime) > int(old) for path, old in zip(paths, before, strict=True))


def test_files_are_written_so_that_none_refers_to_a_file_that_is_missing(publisher: Publisher, tmp_path: Path) -> None:
    publisher.write("main/files/logo.json", {"id": "logo"})
    publisher.write("main/files/logo", b"png")
    trace = ["strace", "-f", "-e", "trace=rename,fsync", "-o", str(tmp_path / "trace")]
    command = [*trace, str(tool.TOOL), *publisher.command()]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("strace is not allowed here")
    calls = (tmp_path / "trace").read_text()
    renamed = re.findall(r'rename\(.*"[^"]*/v2/([^"]*)"\) = 0', calls)
    assert [name.split("/")[0] for name in renamed] == [
        "attachments",
        "authorities",
        "index.html",
        "index.json",
        "buckets",
        "buckets",
    ]
    assert renamed[-1] == "buckets/monitor/collections/changes/changeset"
    order = re.findall(r"\d+ +(rename|fsync)", calls)
    assert re.fullmatch(r"(f*fr)+f+", "".join(call[0] for call in order)), "each file is durable before its name is"


def test_a_collection_that_the_folder_lacks_is_kept_until_it_is_removed(publisher: Publisher) -> None:
    publisher.write("main/a.json", REGIONS)
    publisher.write("main/b.json", REGIONS)
    publisher.publish()
    (publisher.folder / "main/b.json").unlink()
    assert publisher.publish()["main/b"]["change"] == "kept"
    ended = publisher.run("--remove", "main/b")
    assert (ended.status, "publish an empty collection to retire it" in ended.err) == (0, True)
    assert set(publisher.verify()) == {"main/a"} and not publisher.changeset("main/b").exists()
    assert "is not in the tree" in publisher.refused("--remove", "main/b").complaint
    assert "is in FOLDER" in publisher.refused("--remove", "main/a").complaint


def test_numbers_that_are_not_integers_are_published_only_if_they_are_allowed(publisher: Publisher) -> None:
    publisher.write("main/a.json", [{"id": "x", "deep": [{"n": 0.1}]}])
    assert "record x of" in (complaint := publisher.refused().complaint) and "at /deep/0/n" in complaint
    publisher.publish("--allow-floats")
    assert publisher.verify()["main/a"]["x"]["deep"] == [{"n": 0.1}]


def test_a_dump_is_published_and_dumped_again_without_a_difference(publisher: Publisher) -> None:
    publisher.write(
        "main/a.json",
        {"data": [{"id": "x", "last_modified": 1}], "timestamp": 5, "metadata": {"bucket": "main", "id": "a"}},
    )
    publisher.publish()
    times = [one["last_modified"] for one in publisher.document("main/a")["changes"]]
    assert times == [publisher.monitor()["main/a"]], "the tool sets the times"
    publisher.write("main/a.json", {"data": [], "metadata": {"bucket": "main", "id": "other"}})
    assert "belongs to another collection" in publisher.refused().complaint


def test_ids_are_compared_by_their_bytes(publisher: Publisher) -> None:
    ids = ["\u00e9", "e\u0301", "Z", "a", "\U0001f600", "\uffff"]
    publisher.write("main/a.json", [{"id": one} for one in ids])
    publisher.publish()
    assert set(publisher.verify()["main/a"]) == set(ids)
    publisher.write("main/a.json", [{"id": one} for one in ids[1:]])
    assert publisher.publish()["main/a"]["removed"] == 1
    assert set(publisher.verify()["main/a"]) == set(ids[1:])


def test_hidden_files_of_the_folder_are_ignored(publisher: Publisher) -> None:
    publisher.write("main/a.json", [])
    publisher.write(".git/config", b"x")
    publisher.write("main/.a.json.swp", b"x")
    assert set(publisher.publish()) == {"main/a"}


def test_the_keys_are_never_printed_and_only_their_owner_can_read_them(publisher: Publisher) -> None:
    keys = [publisher.keys / name for name in ("root/root.key", "publisher/intermediate.key", "publisher/signer.pem")]
    assert [path.stat().st_mode & 0o777 for path in keys] == [0o600] * 3
    secrets = {line for path in keys for line in path.read_text().split("-----")[2].split()}
    assert tool.run("keys", "renew", publisher.keys).status == 0
    assert (publisher.keys / "publisher/signer.pem").stat().st_mode & 0o777 == 0o600
    publisher.write("main/a.json", [])
    printed = [publisher.run(), publisher.check(), tool.run("keys", "show", publisher.keys)]
    assert all(secret not in ended.out + ended.err for secret in secrets for ended in printed)
    published = b"".join(contents(publisher.tree).values()).decode()
    assert "PRIVATE" not in published and all(secret not in published for secret in secrets)


def test_keys_are_not_created_over_existing_files_and_show_warns_before_they_expire(publisher: Publisher) -> None:
    before = contents(publisher.keys)
    for folder in (publisher.keys, publisher.keys / "publisher"):
        ended = tool.run("keys", "init", folder)
        assert (ended.status, f"{folder} has keys already, and nothing was changed" in ended.complaint) == (6, True)
        assert "remora keys show" in ended.complaint and "remora keys renew" in ended.complaint
    assert "root is a folder that is not empty" in tool.run("keys", "init", publisher.keys / "root").complaint
    assert contents(publisher.keys) == before
    shown = tool.run("keys", "show", publisher.keys)
    assert (shown.status, publisher.root in shown.out) == (0, True)
    assert tool.run("keys", "show", publisher.keys / "publisher", "--warn-days", "91").status == 1
    assert tool.run("keys", "renew", publisher.keys / "publisher", "--days", "200").status == 0
    assert tool.run("keys", "show", publisher.keys, "--warn-days", "199").status == 0
    assert [path.name for path in publisher.keys.parent.iterdir() if path.name.startswith(".")] == []


def test_check_prints_its_result_as_json(publisher: Publisher) -> None:
    publisher.write("main/a.json", REGIONS)
    publisher.publish()
    ended = publisher.check(None, "--json", "--warn-days", "100")
    answer = json.loads(ended.out)
    assert (ended.status, answer["collections"], answer["records"]) == (1, 1, 2)
    assert [finding["level"] for finding in answer["findings"]] == ["warning"]
