# SPDX-License-Identifier: Apache-2.0
#
# What editors and reviewers do on a Remote Settings server, over HTTP: works on any
# Kinto whose URL is known, also one that another process started.
"""Editing and publishing."""

from __future__ import annotations

import base64
import json
import urllib.request
import uuid
from typing import Any
from urllib.parse import quote

from .signing import Record

PREVIEW = "main-preview"
"""The bucket that shows what waits for review."""

_WORKSPACE = "main-workspace"
_EDITOR = "editor"
_REVIEWER = "reviewer"


class KintoAdmin:
    """Writes to the workspace as one user, approves as another, reads what is public."""

    def __init__(self, url: str) -> None:
        self._url = url

    def prepare(self) -> None:
        """Makes the workspace and puts both users into both groups."""
        members = [self._call("GET", "/", user)["user"]["id"] for user in (_EDITOR, _REVIEWER)]
        groups = {"editors": members, "reviewers": members}
        writers = [f"/buckets/{_WORKSPACE}/groups/{group}" for group in groups]
        permissions = {"collection:create": members, "group:create": members, "write": writers}
        self._call("PUT", f"/buckets/{_WORKSPACE}", _EDITOR, {"permissions": permissions})
        for group, ids in groups.items():
            self._call("PUT", f"/buckets/{_WORKSPACE}/groups/{group}", _EDITOR, {"data": {"members": ids}})

    def create_collection(self, collection: str) -> None:
        """Makes a collection, which is signed and public at once, and empty."""
        self._call("PUT", _collection_path(collection), _EDITOR, {"data": {}})

    def put_record(self, collection: str, key: str, fields: Record) -> None:
        """Creates or replaces a record of the workspace."""
        self._call("PUT", _record_path(collection, key), _EDITOR, {"data": fields})

    def attach(self, collection: str, key: str, file_name: str, body: bytes) -> None:
        """Uploads the attachment of a record of the workspace; an earlier one is replaced."""
        boundary = uuid.uuid4().hex
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="attachment"; filename="{file_name}"\r\n'
        head += "Content-Type: application/octet-stream\r\n\r\n"
        form = head.encode() + body + f"\r\n--{boundary}--\r\n".encode()
        path = f"{_record_path(collection, key)}/attachment"
        self._send("POST", path, _EDITOR, form, f"multipart/form-data; boundary={boundary}")

    def edit_record(self, collection: str, key: str, fields: Record) -> None:
        """Changes some fields of a record of the workspace."""
        self._call("PATCH", _record_path(collection, key), _EDITOR, {"data": fields})

    def delete_record(self, collection: str, key: str) -> None:
        """Deletes a record of the workspace."""
        self._call("DELETE", _record_path(collection, key), _EDITOR)

    def publish(self, collection: str) -> int:
        """Signs what was written and makes it public; gives the new timestamp."""
        self.request_review(collection)
        return self.approve(collection)

    def request_review(self, collection: str) -> int:
        """Signs what was written and shows it in the preview bucket only; gives the timestamp there."""
        self._set_status(collection, "to-review", _EDITOR)
        return self.timestamp(collection, PREVIEW)

    def approve(self, collection: str) -> int:
        """Makes public what waits for review; gives the new timestamp."""
        self._set_status(collection, "to-sign", _REVIEWER)
        return self.timestamp(collection)

    def roll_back(self, collection: str) -> int:
        """Drops what is not public, in the workspace and in the preview; gives the timestamp there."""
        self._set_status(collection, "to-rollback", _EDITOR)
        return self.timestamp(collection, PREVIEW)

    def re_sign(self, collection: str) -> None:
        """Signs the same content again: the signature changes, the timestamp does not."""
        self._set_status(collection, "to-resign", _REVIEWER)

    def changeset(self, collection: str, bucket: str = "main") -> dict[str, Any]:
        """What clients get."""
        return self._call("GET", f"/buckets/{bucket}/collections/{quote(collection)}/changeset?_expected=0")

    def timestamp(self, collection: str, bucket: str = "main") -> int:
        """The timestamp of a collection as clients see it."""
        return int(self.changeset(collection, bucket)["timestamp"])

    def _set_status(self, collection: str, status: str, user: str) -> None:
        self._call("PATCH", _collection_path(collection), user, {"data": {"status": status}})

    def _call(self, method: str, path: str, user: str | None = None, body: object = None) -> dict[str, Any]:
        return self._send(method, path, user, None if body is None else json.dumps(body).encode(), "application/json")

    def _send(self, method: str, path: str, user: str | None, data: bytes | None, content_type: str) -> dict[str, Any]:
        headers = {"Content-Type": content_type}
        if user is not None:
            headers["Authorization"] = "Basic " + base64.b64encode(f"{user}:{user}".encode()).decode()
        request = urllib.request.Request(self._url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as response:
            answer: dict[str, Any] = json.load(response)
        return answer


def _collection_path(collection: str) -> str:
    return f"/buckets/{_WORKSPACE}/collections/{quote(collection)}"


def _record_path(collection: str, key: str) -> str:
    return f"{_collection_path(collection)}/records/{quote(key)}"
