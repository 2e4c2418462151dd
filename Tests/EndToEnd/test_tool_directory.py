# SPDX-License-Identifier: Apache-2.0
"""What the tool says of a storage directory, beside the host that uses it, and that it changes nothing there."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import remora
from Servers import v2_faults
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server

from EndToEnd.settings_hosts import PATH, SettingsHosts
from EndToEnd.tool import TOOL, Ended, run

_numbers = itertools.count(1)
RECORDS: dict[str, dict[str, Any]] = {
    "banner": {"text": "Hello", "n": 1},
    "phone": {"filter_expression": 'env.appinfo.OS == "Android"'},
}


class Host:
    """A program with a collection that it activates itself, and an override."""

    def __init__(self, storage: Path, server: V2Server, collection: Collection) -> None:
        self.storage, self.server, self.collection = storage, server, collection
        self.client = remora.Client(storage, server=server.url)
        self.source = self.client.collection(collection.name, trust="off", activation="manual", persist_overrides=True)

    def publish(self, records: dict[str, dict[str, Any]]) -> int:
        """Publishes records, which are staged."""
        version = self.collection.publish(records)
        assert self.source.refresh(30) == remora.Outcome.STAGED
        return version

    @property
    def name(self) -> str:
        return self.collection.name

    def list(self) -> dict[str, Any]:
        """The only source of the directory, as remora list prints it."""
        (source,) = json.loads(said("list", "--json", self.storage).out)["sources"]
        return dict(source)


@pytest.fixture(scope="module")
def server() -> Iterator[V2Server]:
    with V2Server(None) as running:
        yield running


@pytest.fixture
def host(tmp_path: Path, server: V2Server) -> Iterator[Host]:
    made = Host(tmp_path / "storage", server, server.collection(f"tool-{next(_numbers)}"))
    with made.client:
        made.publish(RECORDS)
        made.source.activate()
        yield made
    server.clear_faults()


def said(*words: object) -> Ended:
    """Runs a command that must succeed."""
    ended = run(*words)
    assert ended.status == 0, ended
    return ended


def test_list_prints_versions_numbers_of_keys_and_ages_in_80_columns(host: Host) -> None:
    live = host.collection.timestamp
    staged = host.publish({"new": {}})
    host.source.overrides["banner", "/n"] = 5
    lines = said("list", host.storage).out.splitlines()
    assert lines[0] == f"main/{host.name}  collection of {host.server.url}"
    assert lines[1].startswith(f"  live       version {live}, 2 keys, fetched ") and lines[1].endswith(" ago")
    assert lines[2].startswith(f"  staged     version {staged}, 3 keys, fetched ")
    assert lines[3] == "  overrides  1" and lines[4].startswith("  checked    ")
    assert all(len(line) <= 80 for line in lines) and "\x1b" not in "".join(lines)
    found = host.list()
    assert (found["live"]["version"], found["staged"]["version"], found["previous"]) == (live, staged, None)
    assert found["overrides"] == 1 and found["problems"] == [] and found["failures"] == 0


def test_list_prints_failures_and_the_pause_that_a_server_requests(host: Host) -> None:
    host.server.set_fault("changeset", v2_faults.status(503, retry_after="600"))
    with pytest.raises(remora.Error):
        host.source.refresh(30)
    found = host.list()
    assert found["failures"] == 1 and 0 < found["retry_after_ms"] <= 600_000
    lines = said("list", host.storage).out.splitlines()
    assert any("then 1 failure, the last one" in line for line in lines)
    assert any(line.startswith("  paused     by the server, for ") for line in lines)


def test_get_prints_what_the_host_reads_with_its_overrides_and_filters(host: Host) -> None:
    host.source.overrides["banner", "/n"] = 5
    whole = json.loads(said("get", host.storage, host.name).out)
    assert whole == dict(host.source)
    assert said("get", host.storage, f"main/{host.name}", "banner", "/n").out == "5\n"
    assert said("get", host.storage, host.name, "--keys-only").out == "banner\n"
    context = json.dumps({"appinfo": {"OS": "Android"}})
    assert said("get", host.storage, host.name, "--keys-only", "--context", context).out == "banner\nphone\n"


def test_explain_prints_the_layers_of_the_host(host: Host) -> None:
    host.source.overrides["banner", "/n"] = 5
    host.publish({"banner": {"n": 2}})
    found = json.loads(said("explain", host.storage, host.name, "banner", "/n", "--json").out)
    assert [(layer["layer"], layer["value"], layer["wins"]) for layer in found["layers"]] == [
        ("override", 5, True),
        ("live", 1, False),
        ("staged", 2, False),
    ]
    screen = said("explain", host.storage, host.name, "banner", "/n").out.splitlines()
    assert screen[0] == "banner /n: 5" and "* override     5" in screen
    hidden = said("explain", host.storage, host.name, "phone").out
    assert "* hidden " in hidden and 'env.appinfo.OS == "Android"' in hidden
    assert all(len(line) <= 80 for line in hidden.splitlines())
    assert "there is no" not in hidden and "the key does not exist" in said("explain", host.storage, host.name, "x").out


def test_diff_prints_what_staged_data_will_change_then_what_the_last_change_was_then_what_a_server_has(
    host: Host,
) -> None:
    assert run("diff", host.storage, host.name).complaint.endswith("has neither staged nor previous data; use --server")
    host.publish({"banner": {"n": 2}, "new": {}})
    staged = said("diff", host.storage, host.name, "--keys-only")
    assert staged.out == "~ banner\n+ new\n" and "live and staged" in staged.err and "+1 ~1 -0" in staged.err
    host.source.activate()
    assert "previous and live" in said("diff", host.storage, host.name).err
    host.collection.delete("banner")
    changes = [json.loads(line) for line in _lines(host, "--server", host.server.url, "--json")]
    assert [(change["change"], change["key"]) for change in changes] == [("deleted", "banner")]
    assert changes[0]["old"]["n"] == 2 and "new" not in changes[0]
    assert "banner" in host.source


def _lines(host: Host, *options: object) -> list[str]:
    return said("diff", host.storage, host.name, *options).out.splitlines()


def test_diff_refuses_two_options_that_each_choose_what_to_compare_and_names_both(host: Host) -> None:
    host.publish({"banner": {"n": 2}})
    options = {"--server": [host.server.url], "--previous": [], "--rejected": []}
    for first, second in itertools.combinations(options, 2):
        ended = run("diff", host.storage, host.name, second, *options[second], first, *options[first])
        assert ended.status == 2
        assert ended.complaint == f"{first} and {second} exclude each other; use one of them"


def test_diff_reports_the_url_of_a_server_without_the_values_in_its_query(
    settings: SettingsHosts, tmp_path: Path
) -> None:
    storage, url = tmp_path / "compared", settings.server.url(PATH)
    settings.say(a=1)
    with remora.Client(storage) as client:
        client.settings(url).refresh(30)
    settings.say(a=2)
    (source,) = json.loads(said("list", "--json", storage).out)["sources"]
    ended = said("diff", storage, source["name"], "--server", f"{url}?token=secret&user=a=b&other", "--keys-only")
    assert ended.out == "~ a\n"
    assert ended.err.startswith(f"{source['name']}: live and {url}?token=…&user=…&…: version ")
    assert settings.requests()[-1].query["token"] == "secret"


def test_staged_data_and_overrides_are_read_even_if_no_data_is_live(settings: SettingsHosts, tmp_path: Path) -> None:
    storage, url = tmp_path / "first", settings.server.url(PATH)
    settings.say(a=1)
    with remora.Client(storage) as client:
        source = client.settings(url, activation="manual", fetch_at_open=False, persist_overrides=True)
        source.refresh(30)
        staged = said("diff", storage, url)
        assert staged.out == "+ a\n  + 1\n" and "live and staged: version 0 → " in staged.err
        assert run("get", storage, url).complaint.endswith("has no live data")
        source.overrides["a"] = 9
        assert said("get", storage, url, "a").out == f"{source['a']}\n" == "9\n"
        (host,) = [layer.layer for layer in source.explain("a").layers if layer.wins]
        layers = json.loads(said("explain", storage, url, "a", "--json").out)["layers"]
        assert [layer["layer"] for layer in layers if layer["wins"]] == [host] == ["override"]
    assert run("diff", storage, url, "--previous").complaint.endswith("has no previous data; use --server")


def test_a_key_whose_value_is_null_is_not_counted_and_a_change_to_null_is_a_deletion(
    settings: SettingsHosts, tmp_path: Path
) -> None:
    storage, url = tmp_path / "null", settings.server.url(PATH)
    settings.say(a=1, b=2)
    with remora.Client(storage) as client:
        source = client.settings(url, activation="immediate", fetch_at_open=False)
        source.refresh(30)
        settings.say(a=1, b=None)
        source.refresh(30)
        (listed,) = json.loads(said("list", storage, "--json").out)["sources"]
        assert listed["live"]["keys"] == len(source) == 1
    assert "1 key," in said("list", storage).out
    changed = said("diff", storage, url, "--previous")
    assert changed.out == "- b\n  - 2\n" and changed.err.endswith("+0 ~0 -1\n")
    settings.say(a=1, b=None)
    assert ": 1 key at version" in said("seed", "--settings", url, tmp_path / "seed").err


def test_a_tag_has_the_name_in_the_tool_that_it_has_in_the_library(settings: SettingsHosts, tmp_path: Path) -> None:
    storage, url = tmp_path / "tag", settings.server.url(PATH)
    settings.say(a=1)
    with remora.Client(storage) as client:
        tag = client.settings(url, fetch_at_open=False).tag("a b/ü")
        tag.refresh(30)
        names = [source["name"] for source in json.loads(said("list", storage, "--json").out)["sources"]]
        assert names == [tag.info().name] == [f"{url}#a b/ü"]
        assert said("get", storage, names[0], "a").out == "1\n"


def test_watch_prints_each_change_and_ends_with_status_0_at_ctrl_c(host: Host) -> None:
    command = [str(TOOL), "watch", "--json", str(host.storage)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watching:
        deadline = threading.Timer(60, watching.kill)
        deadline.start()
        assert watching.stdout is not None and watching.stderr is not None
        assert watching.stderr.readline() == f"watching 1 source of {host.storage}; Ctrl-C ends it\n"
        host.publish({"banner": {"n": 2}})
        assert json.loads(watching.stdout.readline())["change"] == "staged"
        host.source.activate()
        lines = [json.loads(watching.stdout.readline())["change"] for _ in range(2)]
        assert "live" in lines
        watching.send_signal(signal.SIGINT)
        assert watching.wait(30) == 0
        deadline.cancel()


def test_a_directory_is_only_read(host: Host) -> None:
    host.publish({"new": {}})
    host.source.overrides["banner", "/n"] = 5
    commands = [
        ["list"],
        ["get", host.name],
        ["explain", host.name, "banner"],
        ["diff", host.name],
    ]
    for command, *words in commands:
        log = host.storage.parent / "strace"
        traced = ["strace", "-f", "-o", str(log), str(TOOL), command, str(host.storage), *words]
        subprocess.run(traced, check=True, capture_output=True, timeout=60)
        calls = [line.split(None, 1)[1] for line in log.read_text().splitlines()]
        changing = ("O_WRONLY", "O_RDWR", "O_CREAT", "F_OFD_SETLK", "F_SETLK", "LOCK_")
        names = ("utimensat(", "fchmod", "chmod", "unlink", "rename", "mkdir", "flock(", "ftruncate", "socket(")
        assert calls and not [call for call in calls if call.startswith(names)]
        assert not [call for call in calls if str(host.storage) in call and any(word in call for word in changing)]
        assert not [call for call in calls if call.startswith("openat(") and "O_RDONLY" not in call]


def test_a_damaged_file_is_a_problem_that_list_names_and_the_rest_is_shown(host: Host) -> None:
    host.publish({"new": {}})
    host.source.activate()
    host.client.close()
    live = next(host.storage.glob("*.live"))
    content = bytearray(live.read_bytes())
    content[-1] ^= 1
    live.write_bytes(content)
    found = host.list()
    assert found["problems"] == [f"{live}: the stored file has a wrong checksum"]
    assert found["live"]["keys"] == 2
    assert json.loads(said("get", host.storage, host.name, "banner").out)["n"] == 1


@pytest.mark.parametrize("length", [0, 7, 100])
def test_a_directory_whose_only_image_is_cut_has_an_unknown_source(host: Host, length: int) -> None:
    host.client.close()
    for path in host.storage.glob("*.live"):
        os.truncate(path, length)
    for path in host.storage.glob("*.previous"):
        path.unlink()
    ended = said("list", host.storage)
    assert "files of an unknown source" in ended.out
    assert run("get", host.storage, host.name, "banner").status == 1


def test_a_directory_that_cannot_be_read_is_an_error_that_names_it(host: Host, tmp_path: Path) -> None:
    host.client.close()
    absent = run("list", tmp_path / "absent")
    assert absent.status == 6 and absent.complaint == f"cannot open {tmp_path / 'absent'}: No such file or directory"
    (tmp_path / "file").write_text("")
    assert run("list", tmp_path / "file").status == 6
    host.storage.chmod(0o777)
    open_to_all = run("list", host.storage)
    assert open_to_all.status == 6 and "so that other users can write to it" in open_to_all.complaint
    (tmp_path / "empty").mkdir()
    assert said("list", tmp_path / "empty").out == f"{tmp_path / 'empty'} has no source\n"


def test_a_source_that_is_not_there_or_has_no_single_name_is_an_error_with_the_names(host: Host) -> None:
    message = run("get", host.storage, "other", "banner").complaint
    assert message == f"{host.storage} has no source other; it has main/{host.name}"
    second = host.client.collection(host.name, trust="off", bucket="other-bucket")
    assert second is not None
    file = Path(host.list()["file"]).stem
    assert said("get", host.storage, file[:8], "banner", "/text").out == '"Hello"\n'
    assert run("get", host.storage, host.name, "none").status == 1
    assert run("get", host.storage, host.name, "banner", "text").status == 2
    assert run("get", host.storage, host.name, "banner", "--keys-only").status == 2
    assert run("get", host.storage, host.name, "--context", "[]").status == 2


def test_a_copy_of_a_directory_without_its_host_is_read_alike(host: Host, tmp_path: Path) -> None:
    host.client.close()
    copy = tmp_path / "copy"
    shutil.copytree(host.storage, copy)
    assert said("get", copy, host.name).out == said("get", host.storage, host.name).out


def test_an_output_that_ends_early_ends_the_tool_silently(host: Host) -> None:
    command = f"'{TOOL}' get '{host.storage}' {host.name} 2>&1 | true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "" and done.stderr == ""
