# SPDX-License-Identifier: Apache-2.0
#
# `remora seed`: what it asks its server, what the first opening then finds, and what it leaves alone.
"""The command that saves seeds."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import remora
from EndToEnd import tool
from EndToEnd.bundle_hosts import BundleHosts
from EndToEnd.hosts import Hosts, V2Source
from EndToEnd.publishing import Publisher
from EndToEnd.settings_hosts import PATH, SettingsHosts
from Servers.bundle_server import element
from Servers.loopback import Response
from Servers.tree_servers import Nginx, PythonServer


def seed(settings: SettingsHosts, *words: object) -> tool.Ended:
    """Seeds the storage of the hosts."""
    return tool.run("seed", "--settings", settings.server.url(PATH), *words, settings.storage)


def test_remora_seed_names_the_application_in_its_request_and_the_program_reads_the_saved_data(
    settings: SettingsHosts,
) -> None:
    settings.say(a=1)
    application = ["--app-name", "A B", "--app-version", "2.0", "--app-build", "7", "--identifier", "post/inst"]
    ended = seed(settings, "--param", "user=x/y&z", "--param", "empty=", *application)
    assert (ended.status, ended.out) == (0, "")
    assert ended.err.startswith(f"{settings.storage} has a seed: 1 key at version ")
    (request,) = settings.requests()
    query = "user=x%2Fy%26z&empty=&identifier=post%2Finst&app=A%20B&version=2.0&build=7"
    assert request.target == f"{PATH}?{query}"
    assert request.headers["user-agent"].startswith("A B/2.0 (7) Remora/")
    settings.server.stop()
    host = settings.open(params={"user": "x/y&z", "empty": ""})
    assert (host.origin(), host.get_int("a")) == ("cached", 1)
    assert settings.open().get_int("a") == -1


def test_remora_seed_saves_a_local_file_without_a_request(settings: SettingsHosts, tmp_path: Path) -> None:
    file = tmp_path / "download.json"
    file.write_text('{"a":5}')
    os.utime(file, (1_700_000_000, 1_700_000_000))
    ended = seed(settings, "--file", file)
    assert ended.status == 0
    assert ended.err.rstrip().endswith("fetched 2023-11-14 22:13:20 UTC")
    assert settings.requests() == []
    host = settings.open()
    assert (host.get_int("a"), host.version(), file.read_text()) == (5, 1_700_000_000_000, '{"a":5}')


def test_remora_seed_follows_a_redirect(settings: SettingsHosts) -> None:
    settings.server.say(b'{"a":6}', "/moved")
    settings.server.answer(Response(status=302, headers={"Location": "/moved"}), PATH)
    assert seed(settings).status == 0
    assert settings.open().get_int("a") == 6


def test_settings_that_remora_seed_saves_with_a_tag_and_a_root_key_are_read_with_the_same_options(
    settings: SettingsHosts,
) -> None:
    settings.say(inner={"a": 7})
    assert seed(settings, "--tag", "t", "--tag-item", "context", "--root-key", "inner").status == 0
    assert settings.requests()[0].query["context"] == "t"
    assert settings.open(tag="t", tag_item="context", root_key="inner").get_int("a") == 7


def test_remora_seed_requests_a_bundle_without_additional_query_items_and_prints_warnings(bundles: BundleHosts) -> None:
    bundles.server.publish(3, element("A"), element("B", tracker={"sessionContext": "yes"}))
    ended = tool.run("seed", "--bundle", bundles.server.url(), "--app-name", "A", bundles.storage)
    assert ended.status == 0
    assert "/configurationBundle/1/trackerConfiguration/sessionContext" in ended.err
    assert bundles.server.requests[0].target == "/bundle.json"
    host = bundles.open(fetch_at_open=False)
    assert (host.version(), host.origin()) == (3, "cached")


def _diff(storage: Path, server: str, *words: object) -> tool.Ended:
    """Compares the only source of a directory with a server."""
    (source,) = json.loads(tool.run("list", "--json", storage).out)["sources"]
    return tool.run("diff", storage, source["name"], "--server", server, "--keys-only", *words)


def test_diff_requests_settings_and_bundles_with_the_options_that_the_storage_directory_states(
    settings: SettingsHosts, bundles: BundleHosts, tmp_path: Path
) -> None:
    for number, root in enumerate(["inner", "in ner/\u00e9%25\n"]):
        storage, url = tmp_path / f"s{number}", settings.server.url(PATH)
        with remora.Client(storage) as client:
            settings.say(**{root: {"a": 7}, "other": {"z": 1}})
            client.settings(url, root_key=root).refresh(30)
        settings.say(**{root: {"a": 8, "b": 1}, "other": {"z": 1}})
        assert _diff(storage, url).out == "~ a\n+ b\n"

    url, schema = bundles.server.url(), "schemas.example/own/jsonschema/1"
    bundles.server.publish(3, element("A"), schema=f"http://{schema}-0-0")
    for method in ("post", "get"):
        with remora.Client(tmp_path / method) as client:
            client.bundle(url, method=method, accepted_schema=schema).refresh(30)
        ended = _diff(tmp_path / method, url)
        assert (ended.status, ended.out) == (0, ""), ended
        assert [request.method for request in bundles.server.requests[-2:]] == [method.upper()] * 2


NAMES = ["x\n \ny", "x\n\ny", "\n", "x\nkind settings", "x\r\nschema y", "x\nname y", "\u0301", "x \u00e9 "]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_the_name_of_a_bundle_may_have_lines(bundles: BundleHosts, tmp_path: Path, name: str) -> None:
    url, schema = bundles.server.url(), "schemas.example/own/jsonschema/1"
    bundles.server.publish(3, element("A"), schema=f"http://{schema}-0-0")
    with remora.Client(tmp_path) as client:
        client.bundle(url, name=name, method="post", accepted_schema=schema).refresh(30)
    (source,) = json.loads(tool.run("list", "--json", tmp_path).out)["sources"]
    assert (source["kind"], source["name"]) == ("bundle", f"{url} {name}")
    assert tool.run("list", tmp_path).out.count("\n") == 4
    assert tool.run("get", tmp_path, source["name"], "--keys-only").out == "A\n"
    ended = _diff(tmp_path, url)
    assert (ended.status, ended.out, bundles.server.requests[-1].method) == (0, "", "POST"), ended


def test_diff_fetches_a_certificate_chain_from_a_trusted_host(publisher: Publisher, tmp_path: Path) -> None:
    storage = tmp_path / "storage"
    with Nginx(publisher.tree, tmp_path) as chains, PythonServer(publisher.tree, tmp_path) as server:
        publisher.base_url = chains.url
        publisher.write("main/a.json", [{"id": "x", "n": 1}])
        publisher.publish()
        host = chains.url.removeprefix("https://")
        with remora.Client(storage, server=server.url, ca_file=chains.ca_file) as client:
            client.collection("a", root_sha256=publisher.root, trusted_hosts=[host]).refresh(30)
        publisher.write("main/a.json", [{"id": "x", "n": 2}])
        publisher.publish()
        words = ["--ca-file", chains.ca_file]
        refused = _diff(storage, server.url, *words)
        assert (refused.status, "is not trusted" in refused.complaint) == (4, True), refused
        ended = _diff(storage, server.url, *words, "--trusted-host", "other.example", "--trusted-host", host)
        assert (ended.status, ended.out) == (0, "~ x\n"), ended


def test_a_trusted_host_of_diff_needs_a_server_and_a_collection(bundles: BundleHosts, tmp_path: Path) -> None:
    bundles.server.publish(3, element("A"))
    with remora.Client(tmp_path) as client:
        client.bundle(bundles.server.url()).refresh(30)
    (source,) = json.loads(tool.run("list", "--json", tmp_path).out)["sources"]
    words = ("diff", tmp_path, source["name"], "--trusted-host", "h")
    for more in ([], ["--rejected"]):
        ended = tool.run(*words, *more)
        assert (ended.status, ended.complaint) == (2, "--trusted-host needs --server")
    ended = tool.run(*words, "--server", bundles.server.url())
    problem = f"--trusted-host is only for a collection, not for {source['name']}"
    assert (ended.status, ended.complaint) == (2, problem)


def test_remora_seed_verifies_a_collection_with_the_certificate_chain_of_its_server(v2: V2Source, hosts: Hosts) -> None:
    v2.publish("a", n=1)
    where = ["seed", "--collection", v2.collection, "--server", v2.url]
    assert "root" in tool.run(*where, hosts.storage).complaint
    assert list(hosts.storage.glob("*")) == []
    assert tool.run(*where, "--root-sha256", v2.root, hosts.storage).status == 0
    host = hosts.open(v2)
    answer = host.succeed("snapshot")
    assert (answer["origin"], answer["verified"], set(answer["json"])) == ("cached", 1, {"a"})


def test_if_remora_seed_fails_it_prints_one_line_and_the_previously_saved_file_is_kept(
    settings: SettingsHosts, tmp_path: Path
) -> None:
    settings.say(a=1)
    assert seed(settings).status == 0
    (before,) = [(one, one.read_bytes()) for one in settings.storage.glob("*.seed")]
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    cases: list[tuple[Response, list[object], int, str]] = [
        (Response(status=404), [], 3, "404"),
        (Response(body=b"[]"), [], 5, "the settings"),
        (Response(body=b"{}"), ["--file", bad], 5, str(bad)),
        (Response(body=b"{}"), ["--file", tmp_path], 6, "not a regular file"),
        (Response(body=b"{}"), ["--file", tmp_path / "none"], 6, "No such file"),
        (Response(body=b"{}"), ["--proxy", "http://127.0.0.1:1"], 3, "127.0.0.1"),
    ]
    for answer, words, status, expected in cases:
        settings.server.answer(answer, PATH)
        ended = seed(settings, *words)
        assert (ended.status, expected in ended.complaint) == (status, True), ended
    assert [(one, one.read_bytes()) for one in settings.storage.glob("*.seed")] == [before]
    assert settings.open().get_int("a") == 1


def test_remora_seed_ends_at_its_time_limit_if_the_server_does_not_respond(settings: SettingsHosts) -> None:
    settings.server.answer(Response(silent=True), PATH)
    assert seed(settings, "--timeout", "1").complaint == "--timeout expired before the fetch was complete"


def test_remora_seed_sends_additional_headers_to_the_server(settings: SettingsHosts) -> None:
    settings.say(a=7)
    assert seed(settings, "--header", "Authorization: Bearer x:y", "--header", "X-Group:  beta").status == 0
    (request,) = settings.requests()
    assert (request.headers["authorization"], request.headers["x-group"]) == ("Bearer x:y", "beta")


def test_remora_seed_refuses_an_invalid_header_without_showing_its_value(settings: SettingsHosts) -> None:
    for header in ["secret", "Range: secret", "A b: secret", "X: secret\n"]:
        ended = seed(settings, "--header", header)
        assert ended.complaint.startswith("--header ") and "secret" not in ended.complaint
    assert settings.requests() == []
