#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens the attachment of a record, and downloads it first if it is not stored:

    attachment.py SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR RECORD

ROOT_SHA256 is the SHA-256 of the root certificate that the server's signers chain to, or "off" for a server that does
not sign. Refreshes first; if that fails, the stored data is used. Prints the attachment's description in the record,
the progress of the download, and the size and path of the opened file, and exits with 0. On an error it prints the
reason and exits with 1.
"""

from __future__ import annotations

import sys

import remora

REFRESH_SECONDS, DOWNLOAD_SECONDS = 10.0, 600.0


def open_collection(client: remora.Client, name: str, root: str) -> remora.Source:
    """Opens the collection that the arguments describe."""
    if root == "off":
        return client.collection(name, trust="off")
    return client.collection(name, root_sha256=root)


def print_attachment(record: remora.CollectionRecord) -> None:
    """Opens the attachment of a record. The two match even if a refresh replaces the live data."""
    attachment = record.attachment
    if attachment is None:
        raise LookupError(f"record {record.id} has no attachment")
    fields = f"filename={attachment.filename or 'none'} mimetype={attachment.mimetype or 'none'} size={attachment.size}"
    print(f"record {record.id} {fields}")

    def progress(received: int, total: int) -> None:
        print(f"progress {received} of {total}")

    with attachment.open(DOWNLOAD_SECONDS, progress=progress) as opened:
        # The bytes are opened.data. A file exists only if the storage directory is writable.
        print(f"open size={opened.size} path={opened.path or 'none'}")


def main(arguments: list[str]) -> int:
    """Runs the program and returns its exit status."""
    if len(arguments) != 6:
        print(f"usage: {arguments[0]} SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR RECORD", file=sys.stderr)
        return 2
    server, root, name, storage, key = arguments[1:]
    try:
        with remora.Client(storage, server=server) as client:
            source = open_collection(client, name, root)
            fresh = source.wait(REFRESH_SECONDS)
            if fresh.error:
                print(f"refresh failed, using the stored data: {fresh.error}", file=sys.stderr)
            print_attachment(fresh.record(key))
    except (remora.Error, LookupError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
