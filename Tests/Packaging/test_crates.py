# SPDX-License-Identifier: Apache-2.0
#
# The Rust crates: what is in them, and a project that is built from the packaged files, offline.
"""Tests of `make crates`, and of the page's section on Rust."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from Docs.documents import ROOT, blocks
from Packaging.checkout import BUILD, shell, version
from Packaging.page import make, only_file, snippet
from Servers.v2_server import V2Server

MANIFEST = '[package]\nname = "host"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\n'
NAMES = ["remora", "remora-log", "remora-serde", "remora-sys", "remora-tokio"]
DEBIAN = Path("/usr/share/cargo/registry")
OPTIONAL = {"serde": "serde", "serde_derive": "serde-derive", "serde_json": "serde-json", "log": "log"}
# Reads a type of the program, and writes log lines to the crate log.
TYPED = """
use remora_serde::SourceExt;
#[derive(serde::Deserialize)]
struct Limits { per_day: u8 }
fn main() -> Result<(), remora::Error> {
    let client = remora::Client::in_memory().log(remora::LogLevel::Info, remora_log::write).build()?;
    let source = client.settings(None).fetch_at_open(false).packaged_data(r#"{"a": {"per_day": 20}}"#).open()?;
    println!("{:?}", source.get_as("a", None).map(|limits: Limits| limits.per_day));
    Ok(())
}
"""


@pytest.fixture(scope="module")
def crates() -> dict[str, Path]:
    """The files of the crates, by their names."""
    make("rust")
    return {name: only_file(f"{name}-{version()}.crate") for name in NAMES}


@pytest.fixture
def project(crates: dict[str, Path], tmp_path: Path) -> Path:
    """A project outside of the checkout that uses the crates as the page shows."""
    (tmp_path / "build/dist").mkdir(parents=True)
    (tmp_path / "src").mkdir()
    for crate in crates.values():
        shutil.copy(crate, tmp_path / "build/dist")
    shell(snippet("sh", "rust", "unpack").replace("/path/to/", ""), tmp_path)
    (tmp_path / "Cargo.toml").write_text(MANIFEST + snippet("toml", "rust"), encoding="utf-8")
    shutil.copy(ROOT / "examples/rust/quickstart.rs", tmp_path / "src/main.rs")
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
def test_each_rust_crate_contains_its_licence_and_readme_and_no_tests(crates: dict[str, Path], name: str) -> None:
    with tarfile.open(crates[name]) as archive:
        members = {member.name.split("/", 1)[1]: member for member in archive.getmembers()}
        for file in ["LICENSE", "LICENSES.md"]:
            licence = archive.extractfile(members[file])
            assert licence and licence.read() == (ROOT / file).read_bytes()
    assert {"Cargo.toml", "README.md", "src/lib.rs"} <= set(members)
    assert not [path for path in members if path.startswith("tests/")]


def test_a_rust_project_that_uses_the_crates_builds_offline_and_reads_from_a_server(project: Path) -> None:
    # REMORA_LIB_DIR of the test run must not decide; the library of the build is not installed.
    shell("cargo build --quiet --offline", project, {"REMORA_LIB_DIR": str(BUILD), "CARGO_TARGET_DIR": "target"})
    with V2Server(None) as server:
        collection = server.collection("demo")
        collection.publish({"banner": {"n": 1}})
        run = f"target/debug/host {server.url} demo banner /last_modified"
        assert shell(run, project, {"LD_LIBRARY_PATH": str(BUILD)}) == f"/last_modified = {collection.timestamp}\n"


def test_the_rust_test_in_the_testing_guide_passes_in_a_project_that_uses_the_crates(project: Path) -> None:
    (test,) = [block.text for block in blocks(ROOT / "docs/testing.md") if block.words == ("rust", "test")]
    (project / "tests").mkdir()
    (project / "tests/offline.rs").write_text(test, encoding="utf-8")
    found = {"REMORA_LIB_DIR": str(BUILD), "LD_LIBRARY_PATH": str(BUILD), "CARGO_TARGET_DIR": "target"}
    assert "1 passed" in shell("cargo test --quiet --offline --test offline", project, found)


def test_a_rust_project_links_the_library_that_pkg_config_finds(project: Path) -> None:
    (project / "remora.pc").write_text(
        f"Name: remora\nDescription: -\nVersion: {version()}\nLibs: -L{BUILD} -lremora\n"
    )
    found = {"REMORA_LIB_DIR": "", "PKG_CONFIG_PATH": str(project), "CARGO_TARGET_DIR": "target"}
    shell("cargo build --quiet --offline", project, found)
    assert "libremora.so.0" in shell("readelf --dynamic target/debug/host", project)


def test_a_rust_project_can_use_the_optional_crates_for_serde_and_log(project: Path) -> None:
    for crate, package in OPTIONAL.items():
        if not list(DEBIAN.glob(f"{crate}-[0-9]*")):
            pytest.skip(f"librust-{package}-dev is not installed")
    (project / "Cargo.toml").write_text(MANIFEST + snippet("toml", "rust", "optional"), encoding="utf-8")
    (project / "src/main.rs").write_text(TYPED, encoding="utf-8")
    (project / ".cargo").mkdir()
    sources = f'[source]\ncrates-io.replace-with = "debian"\ndebian.directory = "{DEBIAN}"\n'
    (project / ".cargo/config.toml").write_text(sources, encoding="utf-8")
    found = {"REMORA_LIB_DIR": str(BUILD), "LD_LIBRARY_PATH": str(BUILD), "CARGO_TARGET_DIR": "target"}
    assert shell("cargo run --quiet --offline", project, found) == "Some(20)\n"


@pytest.mark.parametrize("directory", ["", "/nowhere"])
def test_a_rust_build_that_does_not_find_the_c_library_fails_and_reports_the_searched_places(
    project: Path, directory: str
) -> None:
    nothing = {"REMORA_LIB_DIR": directory, "PKG_CONFIG_LIBDIR": "/nowhere", "CARGO_TARGET_DIR": "target"}
    reported = shell("! cargo build --quiet --offline", project, {**nothing, "PKG_CONFIG_PATH": ""})
    assert "REMORA_LIB_DIR" in reported and "panicked" not in reported
    assert ("pkg-config" if directory == "" else "/nowhere") in reported


def test_make_crates_refuses_a_cargo_older_than_the_required_version_and_reports_the_version_that_it_found(
    tmp_path: Path,
) -> None:
    cargo = tmp_path / "cargo"
    cargo.write_text("#!/bin/sh\necho 'cargo 1.66.0'\n")
    cargo.chmod(0o755)
    done = subprocess.run(
        ["bash", "-c", f'PATH="{tmp_path}:$PATH" scripts/make-crates {tmp_path}'], cwd=ROOT, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == "make-crates: cargo 1.90 or newer is required to package both crates, found 1.66.0\n"
