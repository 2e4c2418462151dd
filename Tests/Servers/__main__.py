# SPDX-License-Identifier: Apache-2.0
#
# The command line: starts a server in the foreground, or changes records on one that
# runs. `scripts/test-server` calls it with the right interpreter and path.
"""Servers to play with."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
import urllib.error
from pathlib import Path

from .demo_records import COLLECTION, RECORDS
from .kinto_admin import KintoAdmin
from .kinto_server import KintoServer
from .pki import make_pki
from .v2_control import V2Control
from .v2_server import V2Server

_PORT = 8888
_ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/test-server", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: object, text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(run=run)
        return added

    kinto = command("kinto", _kinto, "start Kinto (/v1, signed) with the demo collection")
    v2 = command("v2", _v2, "start the small /v2 server with the demo collection and control URLs")
    v2.add_argument("--unsigned", action="store_true", help="sign nothing: for REMORA_TRUST_OFF")
    for starter in (kinto, v2):
        starter.add_argument("--port", type=int, default=_PORT, help="0 takes a free one; default %(default)s")
    edits = [
        command("publish", _publish, "create or replace a record of a running Kinto, and publish"),
        command("edit", _edit, "change some fields of a record, and publish"),
        command("delete", _delete, "delete a record, and publish"),
        command("re-sign", _re_sign, "sign the same content again"),
    ]
    for edit in edits:
        edit.add_argument("--url", default=f"http://127.0.0.1:{_PORT}/v1", help="default %(default)s")
        edit.add_argument("--collection", default=COLLECTION, help="default %(default)s")
        if edit is not edits[3]:
            edit.add_argument("key")
    for edit in edits[:2]:
        edit.add_argument("fields", type=json.loads, help='a JSON object such as \'{"text": "Hi"}\'')
    return parser


def _kinto(options: argparse.Namespace) -> None:
    with KintoServer(options.port) as server:
        server.admin.create_collection(COLLECTION)
        for key, fields in RECORDS.items():
            server.admin.put_record(COLLECTION, key, fields)
        server.admin.publish(COLLECTION)
        _serve(url=server.url, root=server.root_sha256, collection=COLLECTION)


def _v2(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(prefix="remora-v2-") as name:
        directory = Path(name)
        pki = None if options.unsigned else make_pki(directory / "pki")
        with V2Server(pki, options.port) as server:
            server.collection(COLLECTION).publish(RECORDS)
            control = V2Control(server, directory)
            control.start()
            root = {} if pki is None else {"root": pki.root_sha256}
            _serve(url=server.url, **root, collection=COLLECTION, control=control.url)


def _serve(**lines: str) -> None:
    """Prints what a client needs to know, then waits for a signal to end."""
    for name, value in lines.items():
        print(f"{name}={value}", flush=True)
    signal.sigwait(_ENDING_SIGNALS)


def _publish(options: argparse.Namespace) -> None:
    admin = KintoAdmin(options.url)
    admin.put_record(options.collection, options.key, options.fields)
    print(f"timestamp={admin.publish(options.collection)}")


def _edit(options: argparse.Namespace) -> None:
    admin = KintoAdmin(options.url)
    admin.edit_record(options.collection, options.key, options.fields)
    print(f"timestamp={admin.publish(options.collection)}")


def _delete(options: argparse.Namespace) -> None:
    admin = KintoAdmin(options.url)
    admin.delete_record(options.collection, options.key)
    print(f"timestamp={admin.publish(options.collection)}")


def _re_sign(options: argparse.Namespace) -> None:
    admin = KintoAdmin(options.url)
    admin.re_sign(options.collection)
    print(f"timestamp={admin.timestamp(options.collection)}")


def main() -> None:
    """Runs one command; a failure is a sentence and exit status 1."""
    options = _parser().parse_args()
    try:
        options.run(options)
    except (OSError, urllib.error.URLError, RuntimeError) as error:
        sys.exit(f"test-server: {error}")


if __name__ == "__main__":
    # Blocked before the first thread starts, so that sigwait is the only one to get them.
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING_SIGNALS)
    main()
