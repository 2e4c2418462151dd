# SPDX-License-Identifier: Apache-2.0
#
# `remora verify`: a dump holds or does not, without a server; the reason is one line.
"""The command that verifies packaged data."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from EndToEnd import tool
from EndToEnd.hosts import V2Source
from Servers.pki import Pki, make_pki
from Servers.signing import Signer

Document = dict[str, Any]


@pytest.fixture
def file(v2: V2Source, tmp_path: Path) -> Path:
    """A dump of two records, whose server is gone."""
    v2.content.publish({"a": {"n": 1}, "b": {"n": 2}})
    dumped = tool.dumped(v2, tmp_path / "dump.json")
    v2.server.stop()
    return dumped


def change(file: Path, how: Callable[[Document], object]) -> None:
    """Changes a dump as JSON, with other white space and order than the tool's."""
    document = json.loads(file.read_text())
    how(document)
    file.write_text(json.dumps(document, indent=2))


def signatures(document: Document) -> list[Document]:
    found: list[Document] = document["metadata"]["signatures"]
    return found


def test_a_dump_is_verified_without_a_request_to_its_server(v2: V2Source, file: Path) -> None:
    ended = tool.run("verify", "--root-sha256", v2.root, file)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.startswith(f"{file} is valid: 2 records at version {v2.content.timestamp}, signed until 20")
    assert tool.run("verify", "--root-sha256", v2.root, file, v2.collection).status == 0


def test_a_dump_with_reordered_records_and_without_optional_members_is_still_valid(v2: V2Source, file: Path) -> None:
    def reorder(document: Document) -> None:
        document["data"].reverse()
        del document["metadata"]["id"], document["metadata"]["bucket"], signatures(document)[0]["x5u"]
        document["metadata"]["signatures"].insert(0, {"mode": "mldsa65", "signature": "AAAA", "chain": "x"})

    change(file, reorder)
    assert tool.run("verify", "--root-sha256", v2.root, file, v2.collection).status == 0


FAULTS: dict[str, tuple[Callable[[Document], object], str]] = {
    "a changed record": (lambda document: document["data"][0].update(n=3), "does not match"),
    "a missing record": (lambda document: document["data"].pop(), "does not match"),
    "another timestamp": (lambda document: document.update(timestamp=document["timestamp"] + 1), "does not match"),
    "a cut signature": (lambda document: signatures(document)[0].update(signature="AAAA"), "96"),
    "a cut chain": (lambda document: signatures(document)[0].update(chain="-----BEGIN"), "no certificate"),
    "no chain": (lambda document: signatures(document)[0].pop("chain"), "no signature with a certificate chain"),
    "no metadata": (lambda document: document.pop("metadata"), "no signature with a certificate chain"),
    "no timestamp": (lambda document: document.pop("timestamp"), "timestamp"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_an_invalid_dump_is_reported_with_the_reason(v2: V2Source, file: Path, fault: str) -> None:
    how, words = FAULTS[fault]
    change(file, how)
    ended = tool.run("verify", "--root-sha256", v2.root, file)
    assert ended.status == (5 if fault == "no timestamp" else 4)
    assert words in ended.complaint and str(file) in ended.complaint


def test_a_dump_is_refused_if_the_trust_options_require_a_different_root_certificate_or_signer(
    file: Path, v2: V2Source, stranger: Pki
) -> None:
    for words in ([], ["--root-sha256", stranger.root_sha256], ["--server", "stage"]):
        ended = tool.run("verify", *words, file)
        assert (ended.status, "set --root-sha256 to expect another" in ended.complaint) == (4, True)
    ended = tool.run("verify", "--root-sha256", v2.root, "--bucket", "security-state", file)
    assert "onecrl.content-signature.mozilla.org" in ended.complaint
    assert tool.run("verify", "--root-sha256", v2.root, "--signer", "x.example", file).status == 4


def test_a_dump_whose_certificate_chain_has_expired_is_reported(v2: V2Source, file: Path, tmp_path: Path) -> None:
    expired = make_pki(tmp_path / "expired", leaf_days=-1)

    def sign(document: Document) -> None:
        signature = Signer(expired.leaf_key).sign(document["data"], document["timestamp"])
        signatures(document)[0].update(signature=signature, chain=expired.chain_pem)

    change(file, sign)
    ended = tool.run("verify", "--root-sha256", expired.root_sha256, file)
    assert (ended.status, "is expired" in ended.complaint) == (4, True)


def test_a_dump_of_another_collection_is_reported(v2: V2Source, file: Path) -> None:
    ended = tool.run("verify", "--root-sha256", v2.root, file, "other")
    assert (ended.status, f"belongs to main/{v2.collection}, not to main/other" in ended.complaint) == (5, True)
    ended = tool.run("verify", "--root-sha256", v2.root, "--bucket", "main-preview", file, v2.collection)
    assert (ended.status, "not to main-preview/" in ended.complaint) == (5, True)


@pytest.mark.parametrize(("text", "words"), [("", "is empty"), ("[]", "not a JSON object"), ("{", "JSON")])
def test_an_error_about_a_file_that_is_not_packaged_data_names_the_file(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "some.json"
    file.write_text(text)
    ended = tool.run("verify", file)
    assert (ended.status, words in ended.complaint, str(file) in ended.complaint) == (5, True, True)


def test_an_error_about_a_missing_file_or_a_folder_names_the_path(tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path):
        ended = tool.run("verify", path)
        assert (ended.status, str(path) in ended.complaint) == (6, True)
