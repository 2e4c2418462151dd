# SPDX-License-Identifier: Apache-2.0
#
# The layers of the core: that they hold, that a violation is found, and that the documents show their table.
"""Tests of `scripts/check-layers`, `scripts/draw-layers`, and the table of ARCHITECTURE.md."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
MOST_FILES = 15
MOST_LINES = 300

# Each is a line that a file of the layer must not have, because what it uses is above the layer or beside it.
PLANTED = [
    ("Errors", "let planted: HostName? = nil"),
    ("Text", "extension Image { var planted: Int { 0 } }"),
    ("Values/JSON", "func planted(_ value: Value) {}"),
    ("Values/Stored", 'func planted() -> String { percentEncode("a") }'),
    ("Trust", "let planted = StoredFile.lock"),
    ("Transport", "func planted(_ policy: TrustPolicy) {}"),
    ("Filter", "func planted(_ dialect: any Dialect) {}"),
    ("Dialects", "func planted(_ ledger: SourceLedger) {}"),
    ("Reads", "func planted(_ layers: Layers) {}"),
    ("State", "func planted(_ locked: Locked) {}"),
    ("Engine/Process", "func planted(_ delivery: Delivery) {}"),
    ("DocumentPath", "func planted(_ source: Source) { _ = source.info }"),
    ("Engine/Services", "func planted(_ source: Source) {}"),
    ("Composing", "func planted(_ locked: Locked) {}"),
    ("Engine/Delivery", "func planted(_ services: ClientServices) {}"),
    ("Engine/Publishing", "func planted(_ refreshes: Refreshes) {}"),
    ("Engine/Refreshing", "func planted(_ opening: SourceOpening) {}"),
    ("Engine/Opening", "func planted(_ adoption: Adoption) {}"),
    ("Engine/Source", "func planted(_ client: Client) {}"),
    ("Engine/Attachments", "func planted(_ handle: OpenSource) {}"),
]


def run(root: Path, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a script of a checkout."""
    command = [str(root / "scripts" / script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of all that the check reads."""
    shutil.copytree(ROOT / "Sources", tmp_path / "Sources")
    shutil.copy2(ROOT / "Package.swift", tmp_path / "Package.swift")
    (tmp_path / "scripts").mkdir()
    for name in ("check-layers", "layers"):
        shutil.copy2(ROOT / "scripts" / name, tmp_path / "scripts" / name)
    return tmp_path


def table() -> dict[str, list[str]]:
    """The layers and what each may use, from scripts/layers."""
    lines = [line.split("#")[0].split() for line in (ROOT / "scripts/layers").read_text(encoding="utf-8").splitlines()]
    return {words[0]: words[1:] for words in lines if words}


def test_every_layer_of_the_sources_uses_only_layers_below_it() -> None:
    done = run(ROOT, "check-layers")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("layer", "line"), PLANTED, ids=[layer for layer, _ in PLANTED])
def test_check_layers_reports_code_that_uses_a_layer_that_is_not_below_it(
    checkout: Path, layer: str, line: str
) -> None:
    (checkout / "Sources/Remora" / layer / "Planted.swift").write_text(f"{line}\n", encoding="utf-8")
    done = run(checkout, "check-layers", layer)
    assert done.returncode == 1 and "Planted.swift:1:" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_check_layers_reports_a_file_that_is_in_no_layer(checkout: Path) -> None:
    (checkout / "Sources/Remora/Elsewhere").mkdir()
    (checkout / "Sources/Remora/Elsewhere/Planted.swift").write_text("\n", encoding="utf-8")
    done = run(checkout, "check-layers", "Errors")
    assert done.returncode == 1 and "Elsewhere/Planted.swift: is in no layer" in done.stdout


@pytest.mark.slow
def test_check_layers_refuses_a_table_that_lets_a_layer_use_a_layer_above_it(checkout: Path) -> None:
    names = checkout / "scripts" / "layers"
    text = re.sub(r"^Platform +Errors$", "Platform Image", names.read_text(encoding="utf-8"), flags=re.MULTILINE)
    names.write_text(text, encoding="utf-8")
    done = run(checkout, "check-layers", "Errors")
    assert done.returncode == 1 and "Platform uses Image, which is not above it" in done.stderr


def test_no_folder_of_the_core_contains_more_than_15_source_files() -> None:
    folders = [path for path in (ROOT / "Sources/Remora").rglob("*") if path.is_dir()]
    counts = {str(folder.relative_to(ROOT)): len(list(folder.glob("*.swift"))) for folder in folders}
    assert {name: count for name, count in counts.items() if count > MOST_FILES} == {}


def test_no_swift_source_file_has_more_than_300_lines() -> None:
    files = [path for path in (ROOT / "Sources").rglob("*.swift") if path.is_file()]
    lines = {str(file.relative_to(ROOT)): len(file.read_text(encoding="utf-8").splitlines()) for file in files}
    assert lines and {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_each_folder_of_core_tests_has_the_name_of_a_folder_of_core_sources() -> None:
    core, tests = ROOT / "Sources/Remora", ROOT / "Tests/RemoraTests"
    folders = {file.parent.relative_to(tests).parts[:2] for file in tests.rglob("*Tests.swift")}
    assert [parts for parts in sorted(folders) if not parts or not core.joinpath(*parts).is_dir()] == []


def test_the_architecture_page_lists_the_same_layers_as_the_table_of_check_layers() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    section = page.split("| layer | what it has | may use |\n")[1].split("\n\n")[0]
    rows = re.findall(r"^\| ([\w/]+) \| .+ \|(.*)\|$", section, re.MULTILINE)
    shown = {layer: [name for name in re.split(r"[,\s]+", below) if name] for layer, below in rows}
    assert shown == table()


def test_the_architecture_page_names_each_part_of_a_source_and_each_input_that_causes_work() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "Sources/Remora/Engine").rglob("*.swift"))
    parts = set(re.findall(r"(?:class|struct) (\w+): (?:\w+, )*SourcePart\b", sources)) - {"Source"}
    state = (ROOT / "Sources/Remora/State/SourceInput.swift").read_text(encoding="utf-8").split("// Results of work")[0]
    # These cause no work, as the page says of those of a refresh that brings no data.
    without_work = {"attempted", "offeredNotNewer", "failed", "sawAttempt", "storageReplaced", "mute"}
    inputs = set(re.findall(r"^  case (\w+)", state, re.MULTILINE)) - without_work
    assert len(parts) > 10 and len(inputs) > 8
    assert [name for name in sorted(parts | inputs) if f"`{name}`" not in page] == []


def test_the_picture_of_the_layers_matches_the_table_of_check_layers() -> None:
    done = run(ROOT, "draw-layers", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("protocol", "only"), [("SignatureProof", "struct Verified"), ("StorableImage", "struct AcceptedImage")]
)
def test_exactly_one_swift_type_conforms_to_signature_proof_and_exactly_one_to_storable_image(
    protocol: str, only: str
) -> None:
    conforms = re.compile(rf"((?:struct|class|enum|actor|extension) \w+)[^{{\n]*:[^{{\n]*\b{protocol}\b")
    sources = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "Sources").rglob("*.swift"))]
    assert [found for text in sources for found in conforms.findall(text)] == [only]
