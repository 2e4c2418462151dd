# SPDX-License-Identifier: Apache-2.0
#
# A publisher as a test runs it, and a verifier of published trees that shares no code with the tool: canonical JSON is
# Mozilla's implementation, certificates and signatures are those of `cryptography`.
"""Publishing, and verification of what was published."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import canonicaljson
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

from EndToEnd import tool

SIGNER = "remote-settings.content-signature.mozilla.org"
_DAY = 24 * 3600


@dataclass
class Publisher:
    """A folder, its keys and its tree."""

    directory: Path
    base_url: str = "https://settings.example"
    root: str = field(init=False)

    def __post_init__(self) -> None:
        made = tool.run("keys", "init", self.keys)
        assert made.status == 0, made
        self.root = made.out.strip()
        self.folder.mkdir()

    @property
    def keys(self) -> Path:
        return self.directory / "keys"

    @property
    def folder(self) -> Path:
        """What is published."""
        return self.directory / "settings"

    @property
    def tree(self) -> Path:
        return self.directory / "tree"

    def write(self, name: str, content: object) -> Path:
        """Writes a file of the folder: bytes as they are, all else as JSON."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    def command(self, *words: object) -> list[str]:
        keys = self.keys / "publisher"
        options = ["--to", self.tree, "--base-url", self.base_url, "--keys", keys]
        return [str(word) for word in ("publish", self.folder, *options, *words)]

    def run(self, *words: object, clock: Path | None = None) -> tool.Ended:
        """Publishes; with `clock`, at the time of that file."""
        return tool.run(*self.command(*words), clock=clock)

    def publish(self, *words: object) -> dict[str, Any]:
        """Publishes, which must succeed; returns the changes by the name of the collection."""
        ended = self.run("--json", *words)
        assert ended.status == 0, ended
        return {change["name"]: change for change in json.loads(ended.out)["collections"]}

    def refused(self, *words: object) -> tool.Ended:
        """Publishes, which must fail and change no file of the tree."""
        before = contents(self.tree)
        ended = self.run(*words)
        assert ended.status != 0 and contents(self.tree) == before, ended
        return ended

    def check(self, place: object = None, *words: object, clock: Path | None = None) -> tool.Ended:
        return tool.run("check", place or self.tree, "--root-sha256", self.root, *words, clock=clock)

    def changeset(self, name: str) -> Path:
        bucket, collection = name.split("/")
        return self.tree / "v2" / "buckets" / bucket / "collections" / collection / "changeset"

    def document(self, name: str) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.changeset(name).read_bytes())
        return document

    def monitor(self) -> dict[str, int]:
        """The timestamps in the monitor."""
        changes = self.document("monitor/changes")["changes"]
        return {f"{change['bucket']}/{change['collection']}": change["last_modified"] for change in changes}

    def verify(self) -> dict[str, dict[str, Any]]:
        """Verifies the whole tree; returns the records of each collection, without their times."""
        return verify_tree(self.tree, self.base_url, self.root)


def contents(tree: Path) -> dict[str, bytes]:
    """All files of a tree, except temporary ones."""
    files = (path for path in tree.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {str(path.relative_to(tree)): path.read_bytes() for path in files}


def verify_tree(tree: Path, base_url: str, root: str) -> dict[str, dict[str, Any]]:
    """Verifies every collection that the monitor lists, as the specification of Remote Settings says."""
    v2 = tree / "v2"
    index = json.loads((v2 / "index.json").read_bytes())
    attachments = index["capabilities"]["attachments"]["base_url"]
    assert (
        attachments == f"{base_url}/v2/attachments/"
        and (v2 / "index.html").read_bytes() == (v2 / "index.json").read_bytes()
    )
    monitor = json.loads((v2 / "buckets/monitor/collections/changes/changeset").read_bytes())
    assert monitor["timestamp"] == max([change["last_modified"] for change in monitor["changes"]], default=0)
    collections = {}
    for change in monitor["changes"]:
        name = f"{change['bucket']}/{change['collection']}"
        path = v2 / "buckets" / change["bucket"] / "collections" / change["collection"] / "changeset"
        document = json.loads(path.read_bytes())
        assert document["timestamp"] == change["last_modified"], name
        assert document["metadata"]["bucket"] == change["bucket"] and document["metadata"]["id"] == change["collection"]
        collections[name] = _verify_changeset(v2, document, base_url, root)
    return collections


def _verify_changeset(v2: Path, document: dict[str, Any], base_url: str, root: str) -> dict[str, Any]:
    records = sorted((one for one in document["changes"] if not one.get("deleted")), key=lambda one: str(one["id"]))
    assert len({one["id"] for one in document["changes"]}) == len(document["changes"])
    assert all(one["last_modified"] <= document["timestamp"] for one in document["changes"])
    (signature,) = document["metadata"]["signatures"]
    assert signature["mode"] == "p384ecdsa"
    name = signature["x5u"].removeprefix(f"{base_url}/v2/authorities/")
    pem = (v2 / "authorities" / name).read_bytes()
    assert name == f"{hashlib.sha256(pem).hexdigest()}.pem"
    key = _verify_chain(pem, root)
    text = canonicaljson.dumps({"data": records, "last_modified": str(document["timestamp"])})
    raw = base64.urlsafe_b64decode(signature["signature"])
    assert len(raw) == 96
    der = utils.encode_dss_signature(int.from_bytes(raw[:48], "big"), int.from_bytes(raw[48:], "big"))
    key.verify(der, b"Content-Signature:\x00" + text.encode(), ec.ECDSA(hashes.SHA384()))
    for one in records:
        if attachment := one.get("attachment"):
            body = (v2 / "attachments" / attachment["location"]).read_bytes()
            assert (hashlib.sha256(body).hexdigest(), len(body)) == (attachment["hash"], attachment["size"])
            assert attachment["filename"] and attachment["mimetype"]
    return {one["id"]: {k: v for k, v in one.items() if k not in ("id", "last_modified")} for one in records}


def _verify_chain(pem: bytes, root: str) -> ec.EllipticCurvePublicKey:
    leaf, intermediate, anchor = x509.load_pem_x509_certificates(pem)
    assert anchor.fingerprint(hashes.SHA256()).hex() == root.replace(":", "").lower()
    now = time.time()
    for certificate, issuer in ((leaf, intermediate), (intermediate, anchor), (anchor, anchor)):
        certificate.verify_directly_issued_by(issuer)
        start, end = certificate.not_valid_before_utc.timestamp(), certificate.not_valid_after_utc.timestamp()
        assert start <= now - _DAY + 60 and now < end
        assert issuer.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == [SIGNER]
    assert not leaf.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    key = leaf.public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey) and key.curve.name == "secp384r1"
    return key
