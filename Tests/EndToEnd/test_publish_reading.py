# SPDX-License-Identifier: Apache-2.0
#
# Programs that require trust read a tree of `remora publish` from ordinary web servers.
"""Reading of published trees."""

from __future__ import annotations

import hashlib
import http.server
import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from Servers.tree_servers import Nginx, PythonServer

from EndToEnd import tool
from EndToEnd.driver import Driver
from EndToEnd.hosts import Hosts
from EndToEnd.publishing import Publisher


@dataclass(frozen=True)
class Published:
    """A published folder and the server of its tree."""

    publisher: Publisher
    server: PythonServer | Nginx

    @property
    def words(self) -> list[object]:
        """The options with which the tool reads the tree."""
        return ["--ca-file", self.server.ca_file] if self.server.ca_file else []

    def open(self, hosts: Hosts, collection: str = "regions", **options: Any) -> Driver:
        if self.server.ca_file:
            options["ca_file"] = str(self.server.ca_file)
        host = hosts.setup(server=self.server.url, **options)
        host.succeed("open", "collection", collection, root_sha256=self.publisher.root)
        return host

    def dump(self, collection: str, *words: object) -> tool.Ended:
        root = ["--root-sha256", self.publisher.root, *self.words]
        return tool.run("dump", "--server", self.server.url, *root, *words, collection)


@pytest.fixture(params=[PythonServer, Nginx])
def published(request: pytest.FixtureRequest, publisher: Publisher) -> Iterator[Published]:
    with request.param(publisher.tree, publisher.directory) as server:
        publisher.base_url = server.url
        publisher.write("main/regions.json", [{"id": "eu", "cities": 2}, {"id": "us", "cities": 3}])
        publisher.publish()
        yield Published(publisher, server)


def test_a_program_that_requires_trust_reads_updates_additions_and_deletions(
    published: Published, hosts: Hosts
) -> None:
    host = published.open(hosts)
    host.update()
    assert (host.get_int("eu", "/cities"), host.succeed("snapshot")["verified"]) == (2, 1)
    versions: list[list[dict[str, Any]]] = [
        [{"id": "eu", "cities": 5}, {"id": "us", "cities": 3}],
        [{"id": "eu", "cities": 5}, {"id": "new"}],
        [],
    ]
    for records in versions:
        published.publisher.write("main/regions.json", records)
        published.publisher.publish()
        host.update()
        assert set(host.values()) == {record["id"] for record in records}
        assert host.refresh()["outcome"] == "unchanged"
    assert published.publisher.check(published.server.url, *published.words).status == 0


def test_attachments_filters_and_syncs_work_with_a_published_tree(published: Published, hosts: Hosts) -> None:
    expression = "env.appinfo.version|versionCompare('999') >= 0"
    published.publisher.write("main/files.json", [{"id": "logo"}, {"id": "hidden", "filter_expression": expression}])
    published.publisher.write("main/files/logo", b"png" * 100_000)
    published.publisher.publish()
    host = published.open(hosts, "files", application_version="1.0")
    assert host.succeed("sync")["updated"] == 1
    assert set(host.values()) == {"logo"}
    opened = host.attachment("logo")
    assert (opened["status"], opened["size"]) == ("REMORA_OK", 300_000)
    published.publisher.write("main/files/logo", b"new")
    published.publisher.publish()
    assert host.succeed("sync")["updated"] == 1
    assert host.attachment("logo")["size"] == 3
    assert host.succeed("sync")["unchanged"] == 1


def test_programs_old_and_new_read_a_tree_that_is_signed_with_a_renewed_chain(
    published: Published, hosts: Hosts, tmp_path: Path
) -> None:
    host = published.open(hosts)
    host.update()
    assert tool.run("keys", "renew", published.publisher.keys).status == 0
    published.publisher.publish()
    assert host.refresh()["outcome"] == "unchanged"
    published.open(hosts, storage=tmp_path / "other").update()
    published.publisher.write("main/regions.json", [{"id": "eu", "cities": 9}])
    published.publisher.publish()
    host.update()
    assert host.get_int("eu", "/cities") == 9


def test_keys_show_prints_the_served_chain_as_that_of_the_folder(published: Published) -> None:
    publisher, url = published.publisher, published.server.url
    in_folder = tool.run("keys", "show", publisher.keys)
    assert in_folder.status == 0 and publisher.root in in_folder.out
    assert tool.run("keys", "show", f"{url}/", *published.words) == in_folder
    soon = tool.run("keys", "show", url, "--warn-days", "91", *published.words)
    assert (soon.status, soon.out) == (1, in_folder.out)
    assert soon.err == f"remora: {url} expires in 89 days; renew the keys, and publish again\n"
    assert tool.run("keys", "renew", publisher.keys, "--days", "200").status == 0
    publisher.publish()
    assert tool.run("keys", "show", url, *published.words) == tool.run("keys", "show", publisher.keys) != in_folder
    for path in (publisher.tree / "v2/authorities").iterdir():
        path.unlink()
    missing = tool.run("keys", "show", url, *published.words)
    assert (missing.status, f"is not at {url}/v2/authorities/" in missing.complaint) == (4, True), missing
    shutil.rmtree(publisher.tree / "v2/buckets")
    assert tool.run("keys", "show", url, *published.words).status == 3


def test_a_dump_that_was_edited_is_published_and_dumped_again(published: Published, tmp_path: Path) -> None:
    publisher = published.publisher
    publisher.write("main/files.json", [{"id": "logo", "title": "é"}])
    publisher.write("main/files/logo", b"png")
    publisher.publish()
    copy = tmp_path / "copy" / "main"
    copy.mkdir(parents=True)
    where = ["--output", copy / "files.json", "--attachments", copy / "files"]
    assert published.dump("files", *where).status == 0
    first = json.loads((copy / "files.json").read_text())
    publisher.folder.rename(tmp_path / "old")
    copy.parent.rename(publisher.folder)
    assert publisher.publish()["main/files"]["change"] == "unchanged"
    first["data"][0]["title"] = "changed"
    first["data"].append({"id": "more"})
    publisher.write("main/files.json", first)
    after = publisher.publish()["main/files"]["after"]
    second = json.loads(published.dump("files").out)
    for record in first["data"]:
        record["last_modified"] = after
    assert (second["data"], second["timestamp"]) == (first["data"], after)


def test_a_machine_without_the_tree_continues_the_published_one(
    published: Published, hosts: Hosts, tmp_path: Path
) -> None:
    publisher = published.publisher
    publisher.write("main/files/logo.json", {"id": "logo"})
    publisher.write("main/files/logo", b"png")
    publisher.publish()
    host = published.open(hosts)
    host.update()
    served, publisher.directory = publisher.tree, tmp_path / "ci"
    publisher.directory.mkdir()
    for name in ("keys", "settings"):
        (tmp_path / name).rename(publisher.directory / name)
    publisher.write("main/regions.json", [{"id": "eu", "cities": 4}])
    (publisher.folder / "main/files/logo").unlink()
    (publisher.folder / "main/files/logo.json").unlink()
    (publisher.folder / "main/files").rmdir()
    url = ["--from", published.server.url, *published.words]
    assert publisher.publish("--dry-run", *url)["main/regions"]["removed"] == 1 and not publisher.tree.exists()
    changes = publisher.publish(*url)
    assert (changes["main/regions"]["removed"], changes["main/files"]["change"]) == (1, "kept")
    assert publisher.verify()["main/files"]["logo"]["attachment"]["size"] == 3
    subprocess.run(["cp", "-rT", publisher.tree, served], check=True)
    host.update()
    assert set(host.values()) == {"eu"}


def test_programs_read_while_another_process_publishes_and_renews(
    published: Published, hosts: Hosts, tmp_path: Path
) -> None:
    publisher, done = published.publisher, threading.Event()
    failures: list[object] = []

    def work() -> None:
        for number in range(30):
            publisher.write("main/regions.json", [{"id": "eu", "cities": number + 3}])
            if number % 5 == 0 and (ended := tool.run("keys", "renew", publisher.keys)).status:
                failures.append(ended)
            if (ended := publisher.run()).status:
                failures.append(ended)
        done.set()

    worker = threading.Thread(target=work)
    worker.start()
    old = published.open(hosts)
    numbers, round_ = [2], 0
    while not done.is_set():
        round_ += 1
        assert old.refresh()["outcome"] in ("updated", "unchanged")
        fresh = published.open(hosts, storage=tmp_path / f"fresh{round_}")
        fresh.update()
        numbers.append(fresh.get_int("eu", "/cities"))
        assert fresh.end() == 0
    worker.join()
    assert failures == [] and numbers == sorted(numbers)
    assert old.refresh()["outcome"] in ("updated", "unchanged")
    assert old.get_int("eu", "/cities") == 32
    publisher.verify()


def test_nginx_with_the_configuration_of_the_guide_serves_types_lifetimes_and_no_hidden_files(
    publisher: Publisher,
) -> None:
    with Nginx(publisher.tree, publisher.directory) as nginx:
        publisher.base_url = nginx.url
        publisher.write("main/a/x.json", {})
        publisher.write("main/a/x", b"<html>")
        publisher.publish()
        (publisher.tree / "v2/.remora-1.tmp").write_bytes(b"")
        digest = hashlib.sha256(b"<html>").hexdigest()
        changeset = nginx.fetch("/v2/buckets/main/collections/a/changeset?_expected=0")[1]
        assert (changeset["content-type"], changeset["cache-control"]) == ("application/json", "max-age=60")
        assert nginx.fetch("/v2/")[1]["content-type"] == "application/json"
        attachment = nginx.fetch(f"/v2/attachments/{digest}")[1]
        assert attachment["content-type"] == "application/octet-stream"
        assert attachment["cache-control"] == "max-age=31536000, immutable"
        assert nginx.fetch("/v2/.remora-1.tmp")[0] == nginx.fetch("/v2/none")[0] == 404


def test_check_of_a_url_names_the_places_elsewhere_from_which_clients_would_fetch(
    publisher: Publisher, tmp_path: Path
) -> None:
    publisher.write("main/a.json", [{"id": "x"}])
    with PythonServer(tmp_path / "moved", tmp_path) as server:
        stated = [server.url, f"{server.url}/old", server.url.replace("127.0.0.1", "localhost"), "https://old.example"]
        for publisher.base_url, status in zip(stated, (0, 1, 1, 4), strict=True):
            shutil.rmtree(publisher.tree, ignore_errors=True)
            publisher.publish()
            shutil.rmtree(tmp_path / "moved")
            shutil.copytree(publisher.tree, tmp_path / "moved")
            ended = publisher.check(server.url)
            *findings, _ = ended.out.splitlines()
            assert (ended.status, len(findings)) == (status, 2 if status else 0), ended
            for finding in findings:
                assert f"{publisher.base_url}/v2" in finding and f"clients of {server.url}/v2 " in finding
            assert publisher.check().status == 0
    assert [finding.split(":")[0] for finding in findings] == ["warning", "error"]


class Caching(http.server.SimpleHTTPRequestHandler):
    """Lets caches keep everything for a day; the changesets that it serves are listed elsewhere."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "max-age=86400")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_check_of_a_url_finds_caches_that_delay_changes_and_missing_files(publisher: Publisher) -> None:
    publisher.tree.mkdir()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Caching, directory=publisher.tree)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        publisher.base_url = f"http://127.0.0.1:{server.server_port}"
        publisher.write("main/a/x.json", {})
        publisher.write("main/a/x", b"attached")
        publisher.publish()
        ended = publisher.check(publisher.base_url)
        assert (ended.status, "caches may keep it for 86400 s" in ended.out) == (1, True), ended
        for path in (publisher.tree / "v2/attachments").iterdir():
            path.unlink()
        missing = publisher.check(publisher.base_url)
        assert (missing.status, "the attachment of record x does not exist" in missing.out) == (5, True), missing
        old = publisher.changeset("main/a").read_bytes()
        publisher.write("main/a/x.json", {"n": 1})
        publisher.publish()
        publisher.changeset("main/a").write_bytes(old)
        held = publisher.check(publisher.base_url)
        assert (held.status, "a cache or an incomplete copy holds it back" in held.out) == (5, True), held
        server.shutdown()
        thread.join()
    refused = publisher.check(publisher.base_url)
    assert (refused.status, refused.out.startswith("error: ")) == (3, True), refused
