# SPDX-License-Identifier: Apache-2.0
#
# What cannot be published is refused by name, and the published tree stays as it is.
"""Refusals of `remora publish`, and findings of `remora check`."""

from __future__ import annotations

import datetime
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from EndToEnd import tool
from EndToEnd.driver import Clock
from EndToEnd.publishing import Publisher, contents

DEEP = "[" * 80 + "]" * 80

BAD_FOLDERS: dict[str, tuple[str, object, int, str]] = {
    "incomplete JSON": ("main/a.json", b'[\n{"id": "x"},', 5, "ends at line 2, column 13, where a value was expected"),
    "a missing comma": ("main/a.json", b'[\n{"id": "x"}\n {}]', 5, "is not JSON at line 3, column 2: expected a comma"),
    "broken JSON": ("main/a.json", b'[{"id": "x"', 5, "main/a.json is not JSON at line 1, column 12: "),
    "a broken line": ("main/a.json", '[\n{"id": "é" "n"}]'.encode(), 5, "is not JSON at line 2, column 15: "),
    "a broken record": ("main/a/x.json", b'{\n"n": 01}', 5, "main/a/x.json is not JSON at line 2, column "),
    "invalid UTF-8": ("main/a.json", b'[{"id": "\xff"}]', 5, "main/a.json is not JSON at line 1, column "),
    "a duplicate name": ("main/a.json", b'[{"id": "x", "id": "y"}]', 5, "main/a.json is not JSON"),
    "no array": ("main/a.json", {"records": []}, 5, "main/a.json has no array of records"),
    "a duplicate id": ("main/a.json", [{"id": "x"}, {"id": "x"}], 5, "record x of main/a occurs twice"),
    "no id": ("main/a.json", [{"id": "x"}, {"n": 1}], 5, "the record at index 1 of"),
    "an id that is not a string": ("main/a.json", [{"id": 1}], 5, "has an id that is not a string"),
    "an id with NUL": ("main/a.json", [{"id": "a\0b"}], 5, "main/a"),
    "a record that is not an object": ("main/a.json", [1], 5, "main/a.json is not an object"),
    "another id than the file": ("main/a/x.json", {"id": "y"}, 5, 'main/a/x.json has the id "y" instead of "x"'),
    "a deleted record": ("main/a.json", [{"id": "x", "deleted": True}], 5, "record x of /"),
    "a float": ("main/a.json", [{"id": "x", "n": 1.0}], 5, "main/a.json has a number that is not an integer at /n"),
    "a number beyond 64 bits": ("main/a.json", [{"id": "x", "n": 2**63}], 5, "main/a.json is not JSON"),
    "too deep nesting": ("main/a.json", f'[{{"id": "x", "n": {DEEP}}}]'.encode(), 5, "main/a"),
    "a long id": ("main/a.json", [{"id": "x" * 70_000}], 5, "a key has 70000 bytes"),
    "a large document": ("main/a.json", [{"id": "x", "text": "x" * (17 << 20)}], 5, "clients accept at most"),
    "a bad name of a collection": ("main/a b.json", [], 5, "a b"),
    "a bad name of a bucket": ("ma.in/a.json", [], 5, "ma.in"),
    "the bucket monitor": ("monitor/a.json", [], 5, "reserved"),
    "a file beside the buckets": ("README", b"x", 5, "README is not the folder of a bucket"),
    "a file beside the collections": ("main/notes.txt", b"x", 5, "main/notes.txt is neither"),
    "an attachment of no record": ("main/good/x", b"x", 5, 'main/good has no record "x"'),
    "an attachment without a hash": (
        "main/a.json", [{"id": "x", "attachment": {"filename": "x"}}], 5, "main/a/x does not exist",
    ),
    "an attachment that is missing": (
        "main/a.json", [{"id": "x", "attachment": {"hash": "0" * 64, "size": 1}}], 5, "main/a/x does not exist",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", BAD_FOLDERS)
def test_a_folder_that_clients_could_not_read_is_refused_and_the_tree_is_unchanged(
    publisher: Publisher, fault: str
) -> None:
    name, content, status, words = BAD_FOLDERS[fault]
    publisher.write("main/good.json", [{"id": "good"}])
    publisher.publish()
    publisher.write("main/good.json", [{"id": "better"}])
    publisher.write(name, content)
    ended = publisher.refused()
    assert (ended.status, words in ended.complaint) == (status, True), ended
    assert set(publisher.verify()["main/good"]) == {"good"}


def test_an_empty_or_missing_folder_is_refused(publisher: Publisher) -> None:
    assert "has no collections" in publisher.refused().complaint
    publisher.folder.rmdir()
    assert (ended := publisher.refused()).status == 6 and str(publisher.folder) in ended.complaint
    assert not publisher.tree.exists()


def _missing(publisher: Publisher) -> None:
    (publisher.keys / "publisher/signer.pem").unlink()


def _damaged(publisher: Publisher) -> None:
    (publisher.keys / "publisher/signer.pem").write_text(
        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
    )


def _mixed(publisher: Publisher) -> None:
    """The key of one signer with the chain of another."""
    file = publisher.keys / "publisher/signer.pem"
    old = file.read_text()
    assert tool.run("keys", "renew", publisher.keys).status == 0
    end = "-----END PRIVATE KEY-----\n"
    file.write_text(old.split(end)[0] + end + file.read_text().split(end)[1])


def _foreign(publisher: Publisher) -> None:
    shutil.rmtree(publisher.keys)
    assert tool.run("keys", "init", publisher.keys).status == 0


def _renamed(publisher: Publisher) -> None:
    """The same authorities have issued a certificate with another DNS name."""
    folder = publisher.keys / "publisher"
    _, intermediate, root = x509.load_pem_x509_certificates((folder / "signer.pem").read_bytes())
    issuer = serialization.load_pem_private_key((folder / "intermediate.key").read_bytes(), None)
    key = ec.generate_private_key(ec.SECP384R1())
    now = datetime.datetime.now(datetime.UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "other")])
    certificate = x509.CertificateBuilder(intermediate.subject, name, key.public_key(), x509.random_serial_number())
    certificate = certificate.not_valid_before(now - datetime.timedelta(1)).not_valid_after(
        now + datetime.timedelta(90)
    )
    for extension in (
        x509.BasicConstraints(ca=False, path_length=None),
        x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]),
        x509.SubjectAlternativeName([x509.DNSName("other.example")]),
    ):
        certificate = certificate.add_extension(extension, critical=False)
    assert isinstance(issuer, ec.EllipticCurvePrivateKey)
    pem = serialization.Encoding.PEM
    text = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    chain = [certificate.sign(issuer, hashes.SHA384()), intermediate, root]
    (folder / "signer.pem").write_bytes(text + b"".join(one.public_bytes(pem) for one in chain))


def _root(publisher: Publisher) -> None:
    shutil.copytree(publisher.keys / "root", publisher.keys / "publisher", dirs_exist_ok=True)


BAD_KEYS: dict[str, tuple[Callable[[Publisher], None], int, str]] = {
    "missing": (_missing, 6, "signer.pem"),
    "damaged": (_damaged, 4, "has no unencrypted private key"),
    "of another signer": (_mixed, 4, "the key is not that of the signer's certificate"),
    "of another root": (_foreign, 4, "main/collections/a/changeset is signed below the root"),
    "with another name": (_renamed, 4, "is signed by remote-settings.content-signature.mozilla.org, but --keys has"),
    "with the root's": (_root, 2, "contains the root's key"),
}


@pytest.mark.parametrize("fault", BAD_KEYS)
def test_keys_whose_signatures_clients_would_refuse_are_refused(publisher: Publisher, fault: str) -> None:
    change, status, words = BAD_KEYS[fault]
    publisher.write("main/a.json", [])
    publisher.publish()
    change(publisher)
    ended = publisher.refused()
    assert (ended.status, words in ended.complaint) == (status, True), ended


def test_the_folder_of_all_keys_may_not_be_used_to_publish(publisher: Publisher) -> None:
    publisher.write("main/a.json", [])
    words = ["--to", publisher.tree, "--base-url", publisher.base_url]
    for keys in (publisher.keys, publisher.keys / "root"):
        ended = tool.run("publish", publisher.folder, *words, "--keys", keys)
        assert (ended.status, "contains the root's key" in ended.complaint) == (2, True), ended


def test_a_leaf_that_issues_certificates_is_not_used_as_an_intermediate(publisher: Publisher) -> None:
    folder = publisher.keys / "publisher"
    shutil.copy(folder / "signer.pem", folder / "intermediate.key")
    before = (folder / "signer.pem").read_bytes()
    ended = tool.run("keys", "renew", publisher.keys)
    assert (ended.status, "signer.pem cannot be renewed" in ended.complaint) == (4, True), ended
    assert (folder / "signer.pem").read_bytes() == before


def test_an_intermediate_certificate_that_expires_is_renewed_with_the_key_of_the_root(
    publisher: Publisher, clock: Clock
) -> None:
    publisher.write("main/a.json", [])
    publisher.publish()
    clock.move(days=5 * 365 - 10)

    def keys(*words: object) -> tool.Ended:
        return tool.run("keys", *words, clock=clock.file)

    renewed = keys("renew", publisher.keys)
    assert (renewed.status, ", when the intermediate" in renewed.err) == (0, True), renewed
    shown = keys("show", publisher.keys)
    assert (shown.status, "expires in 9 days; remora keys renew --root replaces it" in shown.err) == (1, True), shown
    wrong = keys("renew", publisher.keys, "--root", publisher.keys / "publisher")
    assert (wrong.status, "root.key" in wrong.complaint) == (6, True), wrong
    assert ", when the intermediate" not in keys("renew", publisher.keys, "--root", publisher.keys / "root").err
    assert keys("show", publisher.keys).status == 0
    assert publisher.run(clock=clock.file).status == 0
    assert publisher.check(clock=clock.file).status == 0


def test_a_root_key_of_other_keys_does_not_renew_the_intermediate_certificate(
    publisher: Publisher, tmp_path: Path
) -> None:
    assert tool.run("keys", "init", tmp_path / "other").status == 0
    before = (publisher.keys / "publisher/signer.pem").read_bytes()
    ended = tool.run("keys", "renew", publisher.keys, "--root", tmp_path / "other/root")
    assert (ended.status, "signer.pem cannot be renewed" in ended.complaint) == (4, True), ended
    assert (publisher.keys / "publisher/signer.pem").read_bytes() == before


@pytest.mark.parametrize(
    ("days", "status", "words"), [(89.5, 4, "within a day"), (91, 4, "is expired"), (-2, 4, "not yet valid")]
)
def test_a_chain_that_is_not_valid_for_another_day_is_refused(
    publisher: Publisher, clock: Clock, days: float, status: int, words: str
) -> None:
    publisher.write("main/a.json", [])
    publisher.publish()
    clock.move(days=days)
    before = contents(publisher.tree)
    ended = publisher.run(clock=clock.file)
    assert (ended.status, words in ended.complaint) == (status, True), ended
    assert contents(publisher.tree) == before


def test_timestamps_grow_even_if_the_clock_goes_back(publisher: Publisher, clock: Clock) -> None:
    publisher.write("main/a.json", [{"id": "x", "n": 1}])
    before = publisher.publish()["main/a"]["after"]
    publisher.write("main/a.json", [{"id": "x", "n": 2}])
    clock.move(days=-0.5)
    assert publisher.run(clock=clock.file).status == 0
    assert publisher.document("main/a")["timestamp"] == before + 1
    publisher.verify()


def test_a_tree_that_is_more_than_a_day_ahead_of_the_clock_is_refused(publisher: Publisher, clock: Clock) -> None:
    publisher.write("main/a.json", [{"id": "x", "n": 1}])
    clock.move(days=3)
    assert publisher.run(clock=clock.file).status == 0
    publisher.write("main/a.json", [{"id": "x", "n": 2}])
    ended = publisher.refused()
    assert (ended.status, "main/a has the timestamp" in ended.complaint, "set the clock" in ended.complaint) == (
        5,
        True,
        True,
    )


def test_a_tree_of_another_base_url_is_refused(publisher: Publisher) -> None:
    publisher.write("main/a.json", [])
    publisher.publish()
    publisher.base_url = "https://other.example"
    ended = publisher.refused()
    assert (ended.status, "is published at https://settings.example/v2" in ended.complaint) == (2, True), ended


def test_the_folder_may_not_be_the_tree(publisher: Publisher) -> None:
    publisher.write("main/a.json", [])
    ended = tool.run(
        "publish", publisher.folder, "--to", publisher.folder, "--base-url", "https://h", "--keys", publisher.keys
    )
    assert (ended.status, "is the folder that is published" in ended.complaint) == (2, True)


def test_a_full_disk_is_an_error_that_leaves_the_published_tree_and_no_temporary_file(
    publisher: Publisher, mount: Path
) -> None:
    publisher.write("main/a.json", [{"id": "x"}])
    publisher.publish()
    shutil.copytree(publisher.tree, mount / "tree", copy_function=shutil.copy)
    shutil.rmtree(publisher.tree)
    publisher.tree.symlink_to(mount / "tree")
    publisher.write("main/a.json", [{"id": "x", "text": "x" * 100_000}])
    ended = publisher.refused()
    assert (ended.status, "No space left" in ended.complaint) == (6, True), ended
    assert list((mount / "tree").rglob(".remora*")) == []
    publisher.write("main/a.json", [{"id": "y"}])
    publisher.publish()
    assert set(publisher.verify()["main/a"]) == {"y"}


def _edit_record(publisher: Publisher) -> None:
    path = publisher.changeset("main/a")
    path.write_text(path.read_text().replace('"n":1', '"n":7'))


def _edit_timestamp(publisher: Publisher) -> None:
    path, timestamp = publisher.changeset("main/a"), publisher.monitor()["main/a"]
    path.write_text(path.read_text().replace(f'"timestamp":{timestamp}', f'"timestamp":{timestamp - 10}'))


def _edit_monitor(publisher: Publisher) -> None:
    publisher.changeset("monitor/changes").write_text('{"changes": [')


def _delete_chain(publisher: Publisher) -> None:
    for path in (publisher.tree / "v2/authorities").iterdir():
        path.unlink()


def _truncate_attachment(publisher: Publisher) -> None:
    for path in (publisher.tree / "v2/attachments").iterdir():
        path.write_bytes(b"")


EDITS: dict[str, tuple[Callable[[Publisher], object], int]] = {
    "a record": (_edit_record, 4),
    "the timestamp": (_edit_timestamp, 4),
    "the signature's chain": (_delete_chain, 4),
    "a truncated changeset": (lambda publisher: os.truncate(publisher.changeset("main/a"), 20), 5),
    "a deleted changeset": (lambda publisher: publisher.changeset("main/a").unlink(), 5),
    "the monitor": (_edit_monitor, 5),
    "a deleted monitor": (lambda publisher: publisher.changeset("monitor/changes").unlink(), 5),
    "an attachment": (_truncate_attachment, 5),
    "the root document": (lambda publisher: (publisher.tree / "v2/index.json").unlink(), 5),
    "a left-over file": (lambda publisher: (publisher.tree / "v2/.remora-1.tmp").write_bytes(b"x"), 1),
}


@pytest.mark.parametrize("edit", EDITS)
def test_check_finds_what_somebody_edited_in_a_tree_and_the_next_publication_repairs_it(
    publisher: Publisher, edit: str
) -> None:
    publisher.write("main/a.json", [{"id": "x", "n": 1}])
    publisher.write("main/a/x", b"attached")
    publisher.publish()
    timestamp = publisher.monitor()["main/a"]
    change, status = EDITS[edit]
    change(publisher)
    found = publisher.check()
    assert (found.status, found.err) == (status, ""), found
    publisher.publish()
    assert publisher.verify()["main/a"]["x"]["n"] == 1
    assert publisher.document("main/a")["timestamp"] >= timestamp
    assert publisher.check() == tool.Ended(0, publisher.check().out, "")


def test_an_edited_collection_that_the_folder_lacks_is_not_signed(publisher: Publisher) -> None:
    publisher.write("main/a.json", [{"id": "x", "n": 1}])
    publisher.write("main/b.json", [])
    publisher.publish()
    (publisher.folder / "main/a.json").unlink()
    _edit_record(publisher)
    ended = publisher.refused()
    assert (ended.status, "main/a was edited" in ended.complaint) == (4, True), ended
    publisher.publish("--remove", "main/a")
    assert set(publisher.verify()) == {"main/b"}


def test_check_reports_an_expired_chain_a_wrong_root_and_times_that_do_not_fit(
    publisher: Publisher, clock: Clock
) -> None:
    publisher.write("main/a.json", [{"id": "x"}])
    publisher.publish()
    other = tool.run("check", publisher.tree, "--root-sha256", "00" * 32)
    assert (other.status, "error: main/a: the root certificate" in other.out) == (4, True), other
    assert publisher.check(None, "--signer", "x.example").status == 4
    clock.move(days=100)
    ended = publisher.check(clock=clock.file)
    assert (ended.status, "is expired" in ended.out) == (4, True), ended
    ended = tool.run("keys", "show", publisher.keys, clock=clock.file)
    assert (ended.status, ", expired\nRemora intermediate: " in ended.out) == (1, True), ended
    assert "signer.pem is expired; remora keys renew replaces it" in ended.err
    monitor = publisher.changeset("monitor/changes")
    monitor.write_text(monitor.read_text().replace('"last_modified":1', '"last_modified":2'))
    assert "the monitor lists" in publisher.check().out


def test_a_second_publisher_waits_or_fails_without_a_wait(publisher: Publisher) -> None:
    publisher.write("main/a.json", [{"id": "x"}])
    publisher.publish()
    lock = subprocess.Popen(
        ["flock", publisher.tree / "v2", "sh", "-c", "echo locked; read line"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert lock.stdout and lock.stdin and lock.stdout.readline() == b"locked\n"
    ended = publisher.refused("--no-wait")
    assert (ended.status, "locked by another publisher" in ended.complaint) == (1, True)
    waiting = subprocess.Popen([tool.TOOL, *publisher.command()], stderr=subprocess.PIPE, text=True)
    assert waiting.stderr and "waiting for it" in waiting.stderr.readline()
    assert waiting.poll() is None
    lock.communicate(b"\n")
    waiting.communicate()
    assert waiting.returncode == 0


def test_publishers_at_the_same_time_leave_a_tree_that_verifies(publisher: Publisher) -> None:
    publisher.write("main/a.json", [{"id": "x"}])
    publisher.publish()
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline:
        publisher.write("main/a.json", [{"id": "x", "n": time.monotonic_ns()}])
        running = [
            subprocess.Popen([tool.TOOL, *publisher.command()], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for _ in range(3)
        ]
        assert [one.wait() for one in running] == [0, 0, 0]
        publisher.verify()
    assert json.loads((publisher.tree / "v2/index.json").read_text())
