# SPDX-License-Identifier: Apache-2.0
#
# The last years of a root certificate, when it expires before the certificates below it.
"""Roots that expire."""

from __future__ import annotations

from EndToEnd import tool
from EndToEnd.driver import Clock
from EndToEnd.publishing import Publisher
from Servers.tree_servers import PythonServer

ADVICE = (
    "the root certificate cannot be renewed: create new keys, and ship their pin in programs"
    " (docs/trust.md#when-a-root-is-replaced)"
)


def test_a_root_that_expires_first_is_named_with_what_replaces_it(publisher: Publisher, clock: Clock) -> None:
    publisher.write("main/a.json", [])
    clock.move(days=20 * 365 - 10)
    words = ("keys", "renew", publisher.keys, "--root", publisher.keys / "root")
    renewed = tool.run(*words, clock=clock.file)
    assert (renewed.status, f", when the root certificate expires ({ADVICE}); publish" in renewed.err) == (0, True)
    shown = tool.run("keys", "show", publisher.keys, clock=clock.file)
    assert (shown.status, shown.err.endswith(f"signer.pem expires in 9 days; {ADVICE}\n")) == (1, True), shown
    with PythonServer(publisher.tree, publisher.directory) as server:
        publisher.base_url = server.url
        ended = publisher.run(clock=clock.file)
        assert (ended.status, f"the certificate chain expires in 9 days; {ADVICE}\n" in ended.err) == (0, True), ended
        served = tool.run("keys", "show", server.url, clock=clock.file)
        assert (served.status, served.err.endswith(f"{server.url} expires in 9 days; {ADVICE}\n")) == (1, True), served
        for place in (publisher.tree, server.url):
            found = publisher.check(place, clock=clock.file)
            assert f"warning: the certificate chain expires in 9 days; {ADVICE}\n" in found.out, found


def test_the_day_before_a_root_expires_no_renewal_is_advised(publisher: Publisher, clock: Clock) -> None:
    publisher.write("main/a.json", [])
    clock.move(days=20 * 365 - 0.5)
    words = ("keys", "renew", publisher.keys, "--root", publisher.keys / "root")
    assert tool.run(*words, clock=clock.file).status == 0
    ended = publisher.run(clock=clock.file)
    assert (ended.status, ended.complaint.endswith(f"which is within a day; {ADVICE}")) == (4, True), ended
