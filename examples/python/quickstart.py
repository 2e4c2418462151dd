# SPDX-License-Identifier: Apache-2.0
"""Reads one setting by its key: quickstart.py SERVER_URL COLLECTION KEY (without signatures)."""

import sys

import remora

server, name, key = sys.argv[1:]
with remora.Client.in_memory(server=server) as client:
    settings = client.collection(name, trust="off")
    try:
        settings.refresh(timeout=5)
    except remora.Error as error:
        print(error, file=sys.stderr)
    print("last_modified =", settings.get_int(key, "/last_modified", default=-1))
