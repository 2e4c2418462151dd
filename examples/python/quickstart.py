# SPDX-License-Identifier: Apache-2.0
"""Reads one number of a record: quickstart.py SERVER_URL COLLECTION KEY POINTER (without signatures)."""

import sys

import remora

server, name, key, pointer = sys.argv[1:]
with remora.Client.in_memory(server=server) as client:
    settings = client.collection(name, trust="off")
    try:
        settings.refresh(timeout=5)
    except remora.Error as error:
        print(error, file=sys.stderr)
    print(pointer, "=", settings.get_int(key, pointer, default=-1))
