# SPDX-License-Identifier: Apache-2.0
"""Signatures: every option is listed with its type and default, and a misspelt one is named with the nearest."""

from __future__ import annotations

import asyncio
import inspect
import pydoc
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import remora
import remora.aio
from conftest import Attached, attachment_of
from remora import names
from remora._ffi import options as structures

CLIENT = {
    "application_name", "application_version", "application_build", "server", "bucket", "proxy", "ca_file",
    "client_certificate_file", "client_key_file", "headers", "user_agent", "connect_timeout", "stall_timeout", "total_timeout", "max_body_bytes", "max_stale",
}  # fmt: skip
COLLECTION = {
    "server", "bucket", "trust", "root_sha256", "previous_roots", "signer", "trusted_hosts", "packaged_file",
    "packaged_data", "packaged_attachments", "max_future", "fetch_at_open", "refresh_interval", "persist_overrides",
    "activation", "min_keys", "min_keys_percent", "schema",
}  # fmt: skip
BUNDLE = {
    "name", "method", "fetch_at_open", "accepted_schema", "default", "default_version", "refresh_interval",
    "persist_overrides", "min_keys", "min_keys_percent", "schema",
}  # fmt: skip
SETTINGS = {
    "params", "root_key", "tag", "tag_item", "activation", "fetch_at_open", "memory_only", "packaged_file",
    "packaged_data", "refresh_interval", "ttl", "persist_overrides", "min_keys", "min_keys_percent", "schema",
    "required_keys",
}  # fmt: skip
OPENING = {"timeout", "progress", "max_bytes", "local"}
REFRESH = {"timeout", "force", "only_if_empty", "expected_version"}

OPTIONS: dict[Callable[..., Any], set[str]] = {
    remora.Client: CLIENT | {"logger", "on_attempt", "transport", "clock", "dispatch"},
    remora.aio.Client: CLIENT | {"logger", "on_attempt", "transport", "clock"},
    remora.Client.in_memory: CLIENT | {"logger", "on_attempt", "transport", "clock", "dispatch"},
    remora.aio.Client.in_memory: CLIENT | {"logger", "on_attempt", "transport", "clock"},
    remora.Installer: CLIENT,
    remora.preconnect: {
        "platform",
        "proxy",
        "ca_file",
        "client_certificate_file",
        "client_key_file",
        "user_agent",
        "connect_timeout",
        "total_timeout",
    },
    remora.Installer.collection: COLLECTION,
    remora.Installer.bundle: BUNDLE,
    remora.Installer.settings: SETTINGS | {"url"},
    remora.Seed.request: {"identifier"},
    remora.Seed.save: {"fetched_at"},
}
for _package in (remora, remora.aio):
    OPTIONS |= {
        _package.Client.collection: COLLECTION | {"on_event"},
        _package.Client.bundle: BUNDLE | {"on_event", "url"},
        _package.Client.settings: SETTINGS | {"on_event", "url"},
        _package.Client.sync: REFRESH,
        _package.Client.sync_async: REFRESH,
        _package.Source.refresh: REFRESH,
        _package.Source.refresh_async: REFRESH | {"callback"},
        _package.Source.wait: REFRESH,
        _package.Source.wait_async: REFRESH,
        _package.Source.subscribe: {"key", "replay"},
        _package.Source.open_attachment: OPENING,
        _package.Source.open_attachment_async: OPENING,
        _package.Settings.get: {"default", "tag", "timeout", "type"},
        _package.Settings.tag: {"ttl"},
        _package.Attachment.open: OPENING,
        _package.Attachment.read: OPENING,
        _package.Attachment.open_async: OPENING,
    }


@pytest.mark.parametrize("function", OPTIONS, ids=lambda one: f"{one.__module__}.{one.__qualname__}")
def test_the_python_signature_of_each_function_lists_every_option_with_its_type_and_default(
    function: Callable[..., Any],
) -> None:
    parameters = inspect.signature(function).parameters.values()
    assert not [one for one in parameters if one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL)]
    assert {one.name for one in parameters if one.default is not one.empty} == OPTIONS[function]
    assert all(one.annotation is not one.empty for one in parameters if one.name != "self")


@pytest.mark.parametrize("function", OPTIONS, ids=lambda one: f"{one.__module__}.{one.__qualname__}")
def test_a_timeout_can_be_positional_but_force_and_only_if_empty_must_be_named(function: Callable[..., Any]) -> None:
    parameters = inspect.signature(function).parameters
    for name in {"force", "only_if_empty", "expected_version"} & parameters.keys():
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
    if "callback" in parameters and "timeout" in parameters:
        names = list(parameters)
        assert names.index("timeout") == names.index("callback") + 1
        assert parameters["timeout"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD


@pytest.mark.parametrize("kind", [remora.Client, remora.aio.Client], ids=["remora", "remora.aio"])
def test_help_of_the_class_client_shows_and_explains_every_option(kind: type) -> None:
    text = pydoc.plain(pydoc.render_doc(kind))
    for option in CLIENT | COLLECTION | BUNDLE | SETTINGS:
        assert re.search(rf"\b{option}: ['\"]", text), option
    for option in CLIENT | {"logger", "on_attempt", "storage_dir", "dispatch"}:
        assert re.search(rf"- (\w+, )*{option}(, \w+)*: ", remora.Client.__doc__ or ""), option
    for method, options in (("collection", COLLECTION), ("bundle", BUNDLE), ("settings", SETTINGS)):
        explained = getattr(kind, method).__doc__
        assert all(f"- {option}: " in explained for option in options)
    assert "trust: \"Trust | Literal['required', 'off']\" = Trust.REQUIRED" in text


def test_async_methods_are_recognised_as_coroutine_functions() -> None:
    for function in (
        remora.aio.Client.sync,
        remora.aio.Source.refresh,
        remora.aio.Source.wait,
        remora.aio.Attachment.open,
    ):
        assert inspect.iscoroutinefunction(function)
    assert not inspect.iscoroutinefunction(remora.Source.refresh)


untyped: Any = remora

MISSPELT: list[tuple[str, Any]] = [
    ("remora.Client() has no option 'servr': did you mean 'server'?", lambda _: untyped.Client("/nowhere", servr="x")),
    ("remora.Client.in_memory() has no option 'servr': did you mean 'server'?",
     lambda _: untyped.Client.in_memory(servr="x")),
    ("remora.Client.collection() has no option 'trustt': did you mean 'trust'?",
     lambda source: source._client.collection("c", trustt="off")),
    ("remora.Client.bundle() has no option 'defalt': did you mean 'default'?",
     lambda source: source._client.bundle(defalt={})),
    ("remora.Client.settings() has no option 'parms': did you mean 'params'?",
     lambda source: source._client.settings(parms={})),
    ("remora.Client.sync() has no option 'timout': did you mean 'timeout'?",
     lambda source: source._client.sync(timout=1)),
    ("remora.Source.refresh() has no option 'time_out': did you mean 'timeout'?",
     lambda source: source.refresh(time_out=1)),
    ("remora.Source.wait() has no option 'only_empty': did you mean 'only_if_empty'?",
     lambda source: source.wait(only_empty=True)),
    ("remora.Source.open_attachment() has no option 'maxbytes': did you mean 'max_bytes'?",
     lambda source: source.open_attachment("x", maxbytes=1)),
    ("remora.Installer() has no option 'servr': did you mean 'server'?",
     lambda _: untyped.Installer("/nowhere", servr="x")),
    ("remora.Installer.collection() has no option 'on_event': it has name, server, bucket, trust, ",
     lambda _: untyped.Installer("/nowhere").collection("c", on_event=print)),
    ("remora.Client.collection() has no option 'first_fetch': did you mean 'fetch_at_open'?",
     lambda source: source._client.collection("c", first_fetch=True)),
    ("remora.Client.bundle() has no option 'default_bundle': did you mean 'default'?",
     lambda source: source._client.bundle(default_bundle="[]")),
    ("remora.Client.settings() has no option 'request_params': did you mean 'params'?",
     lambda source: source._client.settings(request_params={})),
    ("'max_stale' is an option of remora.Client(), not of collection()",
     lambda source: source._client.collection("c", max_stale=60)),
    ("remora.Client() has no option 'log_level': did you mean 'logger'?", lambda _: untyped.Client("/nowhere", log_level=4)),
    ("remora.Source.refresh() has no option 'timeout_ms': did you mean 'timeout'?",
     lambda source: source.refresh(timeout_ms=1)),
    ("remora.preconnect() has no option 'platfrom': did you mean 'platform'?",
     lambda _: untyped.preconnect("http://127.0.0.1:9", application_name="n", platfrom="x")),
]  # fmt: skip


@pytest.mark.parametrize(("message", "call"), MISSPELT, ids=[message[:30] for message, _ in MISSPELT])
def test_an_error_about_a_misspelt_option_suggests_the_nearest_name(
    source: remora.Source, message: str, call: Any
) -> None:
    with pytest.raises(TypeError) as caught:
        call(source)
    assert str(caught.value).startswith(message)


def test_an_error_about_a_misspelt_option_of_an_attachment_suggests_the_correct_name(
    stored: remora.Source, attached: Attached
) -> None:
    attached.publish("icon", b"x")
    attachment: Any = attachment_of(stored)
    for call in (attachment.open, attachment.read, lambda **options: attachment.open_async(print, **options)):
        with pytest.raises(TypeError, match="has no option 'progres': did you mean 'progress'"):
            call(progres=print)


NOT_OPTIONS = {"struct_size", "by_location", "snapshot", "name", "storage_dir"}
"""Fields of C structures that are no options, or are positional arguments in Python."""


def test_the_name_in_python_of_every_option_of_the_c_api_is_known() -> None:
    kinds: list[Any] = [
        structures.Config,
        structures.SourceOptions,
        structures.RefreshOptions,
        structures.AttachmentOptions,
    ]
    fields = {str(field[0]) for kind in [*kinds, *structures.OPTIONS.values()] for field in kind._fields_}
    fields = {field for field in fields if not field.endswith("user_data")}
    python = {option for options in OPTIONS.values() for option in options}
    assert fields - NOT_OPTIONS - python == names.OPTIONS.keys() - {"fetched_at_ms", "flags", "timeout_ms"}
    assert set(names.OPTIONS.values()) <= python


def test_the_guide_lists_the_names_that_differ_between_c_and_python() -> None:
    page = (Path(__file__).parents[3] / "docs/python.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| `(?:remora_)?(?:source_)?(\w+)`.* \| `(\w+)` \|$", page.partition("| C | Python |")[2], re.M
    )
    differing = dict(rows)
    methods = {name: differing.pop(name) for name in set(differing) - set(names.OPTIONS)}
    assert differing == names.OPTIONS and len(rows) == len(differing) + len(methods)
    assert methods and all(hasattr(remora.Source, name) for name in methods.values())


def test_an_error_about_a_misspelt_option_of_an_async_function_names_the_option() -> None:
    async def main() -> None:
        async with remora.aio.Client.in_memory() as client:
            source: Any = client.collection("c")
            with pytest.raises(TypeError, match=r"^remora.aio.Source.refresh\(\) has no option 'forse'.*'force'"):
                await source.refresh(forse=True)
            with pytest.raises(TypeError, match=r"^remora.aio.Client.settings\(\) has no option 'tll'.*'ttl'"):
                untyped.aio.Client.settings(client, tll=1)
            with pytest.raises(TypeError, match=r"^remora.aio.Client\(\) has no option 'dispatch'"):
                untyped.aio.Client("/nowhere", dispatch="manual")

    asyncio.run(main())


TYPED = """
import remora
import remora.aio

def use(settings: remora.Settings, snapshot: remora.Snapshot, source: remora.aio.Source) -> None:
    reveal_type(settings.at("banner", "text", type=str))
    reveal_type(settings.at("banner", "colors", 0, type=str, default="teal"))
    reveal_type(snapshot.at("limits", "max_uploads", type=int, default=None))
    reveal_type(source.at("help", type="url"))
    reveal_type(settings.at("banner", "text"))
    reveal_type(settings.key("banner", "/text").get_str(default=""))
    settings["banner"] = {}
    del settings["banner"]
    remora.Client.in_memory(servr="x")
"""


def test_mypy_infers_the_type_of_a_typed_read_and_refuses_an_assignment_to_a_source(tmp_path: Path) -> None:
    file = tmp_path / "typed.py"
    file.write_text(TYPED, encoding="utf-8")
    package = Path(remora.__file__).parents[1]
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={tmp_path}", str(file)]
    environment = {"MYPYPATH": str(package), "PATH": ""}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, check=False)
    notes = [line.rpartition('"')[0].partition('"')[2] for line in done.stdout.splitlines() if "Revealed" in line]
    assert notes == ["str", "str", "int | None", "str", "Any", "str"], done.stdout + done.stderr
    errors = [line.partition(" error: ")[2] for line in done.stdout.splitlines() if " error: " in line]
    assert [error.rpartition("[")[2] for error in errors] == ["index]", "attr-defined]", "call-arg]"]
