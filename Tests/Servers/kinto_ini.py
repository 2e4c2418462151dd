# SPDX-License-Identifier: Apache-2.0
#
# The configuration of the Kinto under test: everything in memory, two buckets served
# signed (main, main-preview), one written to (main-workspace), review by a second person.
"""Kinto's ini file."""

from __future__ import annotations

_INI = """\
[app:main]
use = egg:kinto
kinto.includes = kinto_changes kinto_signer kinto_attachment kinto.plugins.flush kinto.plugins.history
kinto.storage_backend = kinto.core.storage.memory
kinto.cache_backend = kinto.core.cache.memory
kinto.permission_backend = kinto.core.permission.memory
kinto.userid_hmac_secret = loopback-only
kinto.bucket_create_principals = system.Authenticated
multiauth.policies = basicauth
kinto.http_scheme = http
kinto.http_host = {host}
kinto.changes.resources = /buckets/main /buckets/main-preview
kinto.signer.resources = /buckets/main-workspace -> /buckets/main-preview -> /buckets/main
kinto.signer.to_review_enabled = true
kinto.signer.group_check_enabled = true
kinto.signer.allow_floats = true
kinto.signer.signer_backend = Servers.x5u_signer
kinto.signer.ecdsa.private_key = {private_key}
kinto.signer.x5u = {x5u}
kinto.attachment.base_path = {attachments}
kinto.attachment.extensions = any
kinto.attachment.folder = {{bucket_id}}/{{collection_id}}
kinto.attachment.extra.base_url = {attachments_url}

[server:main]
use = egg:waitress#main

[loggers]
keys = root
[handlers]
keys = console
[formatters]
keys = plain
[logger_root]
level = WARNING
handlers = console
[handler_console]
class = StreamHandler
args = (sys.stderr,)
level = NOTSET
formatter = plain
[formatter_plain]
format = %(levelname)s %(name)s %(message)s
"""


def kinto_ini(*, host: str, private_key: str, x5u: str, attachments: str, attachments_url: str) -> str:
    """The text of the ini file; `host` is `address:port`."""
    return _INI.format(
        host=host, private_key=private_key, x5u=x5u, attachments=attachments, attachments_url=attachments_url
    )
