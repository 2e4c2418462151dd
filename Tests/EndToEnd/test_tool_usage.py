# SPDX-License-Identifier: Apache-2.0
#
# What the tool says of itself, and of words that it does not understand: one line, exit status 2, no request.
"""Version, help and bad arguments."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from EndToEnd import tool
from EndToEnd.driver import REPOSITORY

COMMANDS = [
    "dump",
    "verify",
    "seed",
    "keys init",
    "keys renew",
    "keys show",
    "publish",
    "check",
    "list",
    "get",
    "explain",
    "diff",
    "watch",
]


def test_the_tool_prints_the_version_of_the_header() -> None:
    assert tool.run("-V") == tool.run("--version")
    header = (REPOSITORY / "include" / "remora.h").read_text(encoding="utf-8")
    version = re.findall(r'#define REMORA_VERSION "(.+)"', header)[0]
    assert tool.run("--version") == tool.Ended(0, f"remora {version}\n", "")


def test_remora_help_lists_the_commands_and_each_command_has_its_own_help() -> None:
    overview = tool.run("help")
    assert (overview.status, overview.err) == (0, "")
    assert overview == tool.run("--help") == tool.run("-h")
    assert re.findall(r"^  (\w+(?: \w+)?)  ", overview.out, re.MULTILINE) == COMMANDS
    for command in COMMANDS:
        words = command.split()
        shown = tool.run("help", *words)
        assert (shown.status, shown.err) == (0, "")
        assert (
            shown == tool.run(*words, "--help") == tool.run(*words, "x", "y", "z", "--help") == tool.run(*words, "-h")
        )
        assert shown.out.startswith(f"usage: remora {command} [options] ")


def test_no_line_of_a_help_text_is_longer_than_80_columns() -> None:
    texts = [tool.run("help", *command.split()).out for command in ["", *COMMANDS]]
    assert [line for text in texts for line in text.splitlines() if len(line) > 80] == []


BAD = {
    "": "no command",
    "x": '"x" is not a command',
    "dmup": '"dmup" is not a command; did you mean "dump"?',
    "keys": '"keys" is not a command; use one of keys init, keys renew, keys show',
    "keys all": '"keys all" is not a command; use one of keys init, keys renew, keys show',
    "key": '"key" is not a command; did you mean "keys"?',
    "key d": '"key" is not a command; did you mean "keys"?',
    "key init d": '"key init" is not a command; did you mean "keys init"?',
    "help key": '"key" is not a command; did you mean "keys"?',
    "kes show d": '"kes show" is not a command; did you mean "keys show"?',
    "keys int": '"keys int" is not a command; did you mean "keys init"?',
    "check a --root-sha265 12": "--root-sha265 is not an option of check; did you mean --root-sha256?",
    "check a": "--root-sha256 is missing",
    "check a --root-sha256 12": "--root-sha256 must have 64 hexadecimal digits",
    "keys init": "keys init needs DIR",
    "keys show": "keys show needs DIR_OR_URL",
    "keys show http://h": "the URL must begin with https://, except for a loopback address",
    "keys show https://h?x": "the URL has a query",
    "keys show ftp://h": "the URL does not begin with",
    "keys init --days 1 a": "--days must be a whole number of days, 2 to 36500",
    "keys init --signer a,DNS:b a": "--signer must be a DNS name",
    "publish": "publish needs FOLDER",
    "publish a": "--to is missing",
    "publish a --to b": "--base-url is missing",
    "publish a --to b --base-url https://h": "--keys is missing",
    "publish a --to b --base-url http://h --keys k": "--base-url must begin with https://",
    "publish a --to b --base-url https://h?x --keys k": "--base-url has a query",
    "publish a --to b --base-url https://h/v1 --keys k": "--base-url ends with /v1",
    "publish a --to b --base-url ftp://h --keys k": "--base-url does not begin with",
    "--x": '"--x" is not a command',
    "help x": '"x" is not a command',
    "help dump x": 'unexpected argument "x"',
    "--version x": 'unexpected argument "x"',
    "--help x": 'unexpected argument "x"',
    "dump": "dump needs COLLECTION",
    "dump --": "dump needs COLLECTION",
    "dump a b": 'unexpected argument "b" for dump',
    "dump -- a --server": 'unexpected argument "--server" for dump',
    "dump --x a": "--x is not an option of dump",
    "dump -x a": "-x is not an option of dump",
    "dump a --server": "--server needs a value",
    "dump a --output=": "--output needs a value",
    "dump --no-verify=yes a": "--no-verify takes no value",
    "dump --server ftp://x a": "--server does not begin with http:// or https://",
    "dump --server http://x/?q a": "--server has a query",
    "dump --bucket a/b a": "--bucket must be",
    "dump a/b": "collection name must be",
    "dump -- -a": "collection name must be",
    "dump --root-sha256 12 a": "--root-sha256 must have 64 hexadecimal digits",
    "dump --trusted-host http://x a": "--trusted-host",
    "dump --timeout 0 a": "--timeout must be",
    "dump --timeout 1s a": "--timeout must be",
    "dump --timeout 99999999999999999999 a": "--timeout must be",
    "verify": "verify needs FILE",
    "verify a b c": 'unexpected argument "c" for verify',
    "verify --output x a": "--output is not an option of verify",
    "verify --root-sha256 zz a": "--root-sha256 must consist of hexadecimal digits",
    "verify a b/c": "collection name must be",
    "seed": "seed needs STORAGE_DIR",
    "seed a b": 'unexpected argument "b" for seed',
    "seed a": "needs exactly one of",
    "seed --settings http://h --bundle http://h a": "needs exactly one of",
    "seed --settings ftp://h a": "--settings does not begin with http:// or https://",
    "seed --bundle http://h/# a": "--bundle has a fragment",
    "seed --collection c --server http:// a": "--server has no",
    "seed --settings http://h --proxy http://ü a": "--proxy has a space or a non-ASCII character",
    "dump --proxy http://\x01 a": "--proxy has a control character",
    "seed --settings http://h --app-name \x01 a": "--app-name has a control character",
    "seed --settings http://h --app-name a --app-build \x01 a": "--app-build has a control character",
    "verify --server ftp://x a": "--server does not begin with",
    "seed --settings http://h --param x a": "--param must be",
    "seed --settings http://h --name x a": "--name needs --bundle",
    "seed --bundle http://h --tag x a": "--tag needs --settings",
    "seed --collection c --root-sha256 zz a": "--root-sha256 must consist of hexadecimal digits",
    "seed --settings http://h --timeout 0 a": "--timeout must be",
    "seed --settings http://h :memory:": "STORAGE_DIR is REMORA_STORAGE_MEMORY (:memory:), but a seed must be stored",
}


@pytest.mark.parametrize("words", BAD)
def test_an_error_about_invalid_arguments_of_the_tool_names_the_argument(words: str, tmp_path: Path) -> None:
    ended = tool.run(*words.split(), cwd=tmp_path)
    assert (ended.status, BAD[words] in ended.complaint) == (2, True), ended
    assert list(tmp_path.iterdir()) == []


def test_an_error_about_an_option_of_the_library_names_the_option_of_the_tool(tmp_path: Path) -> None:
    settings = ["seed", "--settings", "http://h"]
    long = "x" * 10_000
    (tmp_path / "a.json").write_text('{"a":1}')
    for words, name in (
        ([*settings, "--tag", long, tmp_path], "--tag"),
        ([*settings, "--tag-item", long, tmp_path], "--tag-item"),
        ([*settings, "--param", f"a={long}", tmp_path], "--param"),
        (["seed", "--bundle", "http://h", "--schema", long, tmp_path], "--schema"),
        ([*settings, "--file", tmp_path / "a.json", ""], "STORAGE_DIR"),
    ):
        ended = tool.run(*words)
        assert (ended.status, ended.complaint.split()[0]) == (2, name), ended


# A surrogate is passed to the tool as the byte in its last two digits.
NOT_UTF8 = {
    "dump --output \udce9.json a": "--output",
    "dump a --output=\udce9.json": "--output",
    "dump --attachments x/\udce9 a": "--attachments",
    "dump a\udce9": "COLLECTION",
    "verify \udce9.json": "FILE",
    "verify -- a.json \udce9": "[COLLECTION]",
    "seed --settings http://h --param user=\udce9 a": "--param",
    "seed --settings http://h --proxy http://\udcff a": "--proxy",
    "seed --settings http://h st\udce9": "STORAGE_DIR",
}


@pytest.mark.parametrize("words", NOT_UTF8, ids=ascii)
def test_an_argument_that_is_not_valid_utf_8_is_refused_and_the_error_names_it(words: str, tmp_path: Path) -> None:
    ended = tool.run(*words.split(), cwd=tmp_path)
    assert (ended.status, ended.complaint) == (2, f"{NOT_UTF8[words]} is not valid UTF-8")
    assert list(tmp_path.iterdir()) == []


def test_the_tool_reports_that_it_cannot_read_its_arguments_if_proc_is_not_mounted() -> None:
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], check=False).returncode != 0:
        pytest.skip("a mount namespace is not allowed here")
    script = 'umount --lazy /proc && exec "$0" --version'
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, tool.TOOL], capture_output=True, text=True, check=False
    )
    expected = "remora: the arguments cannot be read, because /proc is not mounted\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", expected)
