# SPDX-License-Identifier: Apache-2.0
#
# Records that name an attachment by its hash, because its file is no longer in the folder. Clients refuse an attachment
# of another size than its record states.
"""Attachments that were published before."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from Servers.tree_servers import PythonServer

from EndToEnd.publishing import Publisher

DIGEST = hashlib.sha256(b"png").hexdigest()


@pytest.fixture(params=["the tree", "--from"])
def options(request: pytest.FixtureRequest, publisher: Publisher, tmp_path: Path) -> Iterator[list[object]]:
    """The options with which a publisher without the file of an attachment reads the published tree."""
    publisher.write("main/files/logo.json", {"id": "logo"})
    publisher.write("main/files/logo", b"png")
    served = tmp_path / "served"
    with PythonServer(served, tmp_path) as server:
        publisher.base_url = server.url
        publisher.publish()
        shutil.copytree(publisher.tree, served, dirs_exist_ok=True)
        if request.param == "--from":
            shutil.rmtree(publisher.tree)
        (publisher.folder / "main/files/logo").unlink()
        yield ["--from", server.url] if request.param == "--from" else []


@pytest.mark.parametrize("attachment", [{"hash": DIGEST}, {"hash": DIGEST, "size": 3}], ids=["no size", "the size"])
def test_a_published_attachment_that_a_record_names_by_its_hash_gets_its_size(
    publisher: Publisher, options: list[object], attachment: dict[str, object]
) -> None:
    publisher.write("main/files/logo.json", {"id": "logo", "attachment": attachment})
    assert publisher.publish(*options)["main/files"]["change"] == "unchanged"
    assert publisher.verify()["main/files"]["logo"]["attachment"]["size"] == 3


@pytest.mark.parametrize("size", [0, 5])
def test_another_size_than_that_of_the_published_attachment_is_refused(
    publisher: Publisher, options: list[object], size: int
) -> None:
    publisher.write("main/files/logo.json", {"id": "logo", "attachment": {"hash": DIGEST, "size": size}})
    ended = publisher.refused(*options)
    problem = f"record logo of main/files states that its attachment has {size} bytes, but "
    assert (ended.status, problem in ended.complaint) == (5, True), ended
    assert ended.complaint.endswith(f"/v2/attachments/{DIGEST} has 3")


def test_records_with_the_same_attachment_get_its_size_from_the_file_of_one_of_them(publisher: Publisher) -> None:
    publisher.write("main/files.json", [{"id": "copy", "attachment": {"hash": DIGEST}}, {"id": "logo"}])
    publisher.write("main/files/logo", b"png")
    publisher.publish()
    assert publisher.verify()["main/files"]["copy"]["attachment"]["size"] == 3
    publisher.write("main/files.json", [{"id": "copy", "attachment": {"hash": DIGEST, "size": 4}}, {"id": "logo"}])
    assert f"has 4 bytes, but {publisher.folder}/main/files/logo has 3" in publisher.refused().complaint


@pytest.mark.parametrize("options", ["--from"], indirect=True)
def test_a_size_in_the_tree_that_to_names_is_compared_too(
    publisher: Publisher, options: list[object], tmp_path: Path
) -> None:
    attachments = publisher.tree / "v2/attachments"
    shutil.copytree(tmp_path / "served/v2/attachments", attachments)
    publisher.write("main/files/logo.json", {"id": "logo", "attachment": {"hash": DIGEST, "size": 5}})
    assert publisher.refused(*options).complaint.endswith(f"has 5 bytes, but {attachments}/{DIGEST} has 3")
