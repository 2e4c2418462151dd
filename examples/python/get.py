#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads one value from local data, without any request:

    get.py SERVER_URL ROOT_SHA256 COLLECTION STORAGE_DIR KEY [POINTER]

ROOT_SHA256 is the SHA-256 of the root certificate that the server's signers chain to, or "off" for a server that does
not sign. POINTER is a JSON Pointer into the value. Prints the origin of the data, then the value as JSON, and exits
with 0. On an error it prints the reason and exits with 1.
"""

from __future__ import annotations

import sys

import remora


def open_collection(client: remora.Client, name: str, root: str) -> remora.Source:
    """Opens the collection that the arguments describe."""
    if root == "off":
        return client.collection(name, trust="off")
    return client.collection(name, root_sha256=root)


def main(arguments: list[str]) -> int:
    """Runs the program and returns its exit status."""
    if len(arguments) not in (6, 7):
        print(f"usage: {arguments[0]} SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR KEY [POINTER]", file=sys.stderr)
        return 2
    server, root, name, storage, key = arguments[1:6]
    pointer = arguments[6] if len(arguments) == 7 else None
    try:
        with remora.Client(storage, server=server) as client:
            snapshot = open_collection(client, name, root).snapshot()
        text = snapshot.json(key, pointer)
    except remora.Error as error:
        print(error, file=sys.stderr)
        return 1
    verified = "yes" if snapshot.verified else "no"
    print(f"origin={snapshot.origin.name.lower()} version={snapshot.version} verified={verified}\n{text}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
