# SPDX-License-Identifier: Apache-2.0
#
# The Swift package: programs that depend on it by a tag and by a path, the program in docs/swift.md, and the installed
# header as a Clang module.
"""Tests of docs/swift.md."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from Docs.documents import ROOT, blocks, with_words
from Packaging.checkout import BUILD, copy_checkout, shell, version
from Servers.bundle_server import BundleServer, element
from Servers.demo_records import COLLECTION, RECORDS
from Servers.loopback import Request, Response
from Servers.v2_server import V2Server

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs/swift.md"
EXAMPLES = ROOT / "examples/swift"
PLACES = ["SERVER", "STORAGE", "BUNDLE", "SETTINGS"]
TARGET = '    .executableTarget(name: "{name}", dependencies: [{product}]),\n'
HOST = 'import CRemora\nprint(String(cString: remora_version()), terminator: "")\n'


def snippet(*words: str) -> str:
    """The one block of the page whose fence has exactly these words."""
    (found,) = [block.text for block in blocks(PAGE) if block.words == words]
    return found


def line(*words: str) -> str:
    """The one line of that block."""
    return snippet(*words).rstrip("\n")


def guide() -> str:
    """The program that the page consists of, with the places that it leaves open as arguments."""
    texts = [block.text for block in blocks(PAGE) if block.words == ("swift",)]
    assert len(texts) >= 9
    places = "".join(f"let {place} = CommandLine.arguments[{index}]\n" for index, place in enumerate(PLACES, 1))
    return places + "\n".join(texts)


def tutorial() -> str:
    """The program in the guide to publishing, which is compiled only."""
    (found,) = with_words(ROOT / "docs/publishing.md", "swift", "tutorial")
    return found.text


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a package that depends on a tag of a repository, alone in its folder."""
    place = tmp_path_factory.mktemp("swift")
    checkout = copy_checkout(place / "origin" / "remora")
    shell("git init --quiet && git add --all", checkout)
    shell("git -c user.name=test -c user.email=test@example.org commit --quiet --message Initial", checkout)
    shell(f"git tag {version()}", checkout)

    package = shutil.copytree(EXAMPLES, place / "host", ignore=shutil.ignore_patterns(".build", "Package.resolved"))
    manifest = (package / "Package.swift").read_text(encoding="utf-8")
    by_path, product = line("swift", "package", "path").replace("PATH", "../.."), line("swift", "package", "product")
    assert by_path in manifest and product in manifest
    by_tag = line("swift", "package", "url").replace("URL", f"file://{checkout}")
    manifest = manifest.replace(by_path, by_tag)
    for name, program in {"guide": guide(), "publishing": tutorial()}.items():
        target = TARGET.format(name=name, product=product)
        manifest = manifest.replace("  targets: [\n", "  targets: [\n" + target)
        (package / "Sources" / name).mkdir()
        (package / "Sources" / name / "main.swift").write_text(program, encoding="utf-8")
    (package / "Package.swift").write_text(manifest, encoding="utf-8")
    shell(f"swift build --quiet --cache-path {place}/cache", package)
    return package / ".build/debug"


def test_a_swift_program_that_depends_on_a_git_tag_of_remora_reads_from_a_server(host: Path) -> None:
    with V2Server(None) as server:
        collection = server.collection("demo")
        collection.publish({"banner": {"n": 1}})
        run = f"{host}/quickstart {server.url} demo banner /last_modified"
        assert shell(run, host) == f"/last_modified = {collection.timestamp}\n"
    assert "libremora" not in shell("readelf --dynamic quickstart", host)


def test_the_swift_settings_example_reads_the_first_fetched_values_at_once(host: Path, tmp_path: Path) -> None:
    def answer(request: Request) -> Response:
        return Response(body=json.dumps({"brush": 5} if "tag" in request.query else {"limit": 3}).encode())

    defaults = "dark=0 ratio=1.00 title=Welcome help=https://example.org/help"
    with BundleServer() as server:
        server.answer(answer, "/settings")
        printed = shell(f"{host}/settings {server.url('/settings')} {tmp_path}/storage", host)
    fetched = f"settings origin=fetched limit=3 {defaults}"
    first, *others = printed.splitlines()
    assert first in (f"settings origin=none limit=10 {defaults}", fetched)  # the opening starts the fetch
    assert others == ["editor brush=5", "activate unchanged", fetched]


def test_the_examples_of_the_swift_guide_run_without_changes(host: Path, tmp_path: Path) -> None:
    with V2Server(None) as server, BundleServer() as bundles:
        bundles.publish(2, element("app"))
        bundles.say(b'{"dark_mode": true, "brush": 4}', "/settings")
        server.collection(COLLECTION).publish({key: RECORDS[key] for key in ("banner", "limits")})
        logo = server.attachments.add(b"\x89PNG\r\n" + bytes(5000), "icons/logo.png", "image/png")
        server.collection("icons").publish({"logo": {"attachment": logo}})
        places = f"{server.url} {tmp_path}/storage {bundles.url()} {bundles.url('/settings')}"
        printed = shell(f"timeout 120 {host}/guide {places}", host)
    assert printed.startswith("Hello from the server\n")
    assert "4 true true\n" in printed and '["app"]' in printed and printed.splitlines()[-1].startswith("network 0 ")


def test_the_swift_examples_build_with_a_path_dependency_on_the_checkout() -> None:
    scratch = f"--package-path {EXAMPLES} --scratch-path {BUILD}/examples-swift"
    shell(f"swift build --quiet {scratch} --product quickstart", ROOT)
    usage = shell(f"{BUILD}/examples-swift/debug/quickstart; test $? = 2", ROOT)
    assert usage == ""


def test_the_package_in_the_guide_to_publishing_depends_on_the_checkout(tmp_path: Path) -> None:
    (create,) = with_words(ROOT / "docs/publishing.md", "sh", "new", "swift")
    shell(create.text, tmp_path, {"REMORA": str(ROOT)})
    package = json.loads(shell("swift package --package-path limits-swift dump-package", tmp_path))
    assert line("swift", "package", "product") in create.text
    ((dependency,),) = [one["fileSystem"] for one in package["dependencies"]]
    assert (dependency["nameForTargetDependencyResolutionOnly"], dependency["path"]) == ("remora", str(ROOT))
    assert [target["name"] for target in package["targets"]] == ["limits"]
    assert (tmp_path / "limits-swift/Sources/limits").is_dir()


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    """The environment of an installed library: that of the build."""
    include = tmp_path / "include"
    (include / "remora").mkdir(parents=True)
    shutil.copy(ROOT / "include/remora.h", include)
    shutil.copy(ROOT / "packaging/module.modulemap", include / "remora")
    described = (ROOT / "scripts/remora.pc.in").read_text(encoding="utf-8")
    values = {
        "pc_prefix": tmp_path,
        "pc_libdir": BUILD,
        "pc_includedir": include,
        "PROJECT_VERSION": version(),
    }
    for name, value in values.items():
        described = described.replace(f"@{name}@", str(value))
    (tmp_path / "remora.pc").write_text(described, encoding="utf-8")
    return {"PKG_CONFIG_PATH": str(tmp_path), "LD_LIBRARY_PATH": str(BUILD)}


def test_swiftc_can_import_the_installed_header_as_a_module(installed: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "main.swift").write_text(HOST)
    shell(snippet("sh", "swift", "module"), tmp_path, installed)
    assert shell("./main", tmp_path, installed) == version()


def test_a_swift_package_can_use_the_installed_library_as_a_system_library(
    installed: dict[str, str], tmp_path: Path
) -> None:
    package = tmp_path / "host"
    for name in ["CRemora", "host"]:
        (package / "Sources" / name).mkdir(parents=True)
    (package / "Sources/CRemora/module.modulemap").write_text(snippet("text", "swift", "modulemap"))
    (package / "Sources/CRemora/shim.h").write_text("#include <remora.h>\n")
    (package / "Sources/host/main.swift").write_text(HOST)
    system = line("swift", "package", "system")
    (package / "Package.swift").write_text(
        "// swift-tools-version: 6.2\nimport PackageDescription\n"
        f'let package = Package(name: "host", targets: [{system}, '
        '.executableTarget(name: "host", dependencies: ["CRemora"])])\n'
    )
    shell("swift build --quiet", package, installed)
    assert shell(".build/debug/host", package, installed) == version()
