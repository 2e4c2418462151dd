# SPDX-License-Identifier: Apache-2.0
#
# The page on limits: the constants in the sources that its numbers state, and its measurement, run as a reader runs it.
"""Tests of docs/limits.md."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from Servers.v2_server import V2Server

from Docs.documents import ROOT, blocks, with_words

PAGE = ROOT / "docs" / "limits.md"
ROWS = re.findall(r"^\| (.+?) \| (.+?) \| .+ \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
CORE = ROOT / "Sources" / "Remora"

# For rows: how the first cell begins, what the second contains, and the constant with its file below Sources/Remora.
STATED = [
    ("response body", "16 MiB", "Transport/TransportOptions.swift", "maxBodyBytes: Int = 16 << 20"),
    ("response body", "256 MiB", "Transport/TransportOptions.swift", "largestBodyBytes = 256 << 20"),
    ("response headers", "200 lines", "Transport/Curl/IncomingResponse.swift", "mostHeaderLines = 200"),
    ("response headers", "64 KiB", "Transport/Curl/IncomingResponse.swift", "mostHeaderBytes = 64 << 10"),
    ("redirects", "5", "Dialects/DocumentURL.swift", "mostRedirects = 5"),
    ("pause", "24 hours", "Transport/ResponseHeaders.swift", "longestRetryAfterMs: Int64 { dayMs }"),
    ("connecting", "10 s", "Transport/TransportOptions.swift", "connectTimeoutMs: Int64 = 10_000"),
    ("transfer below", "30 s", "Transport/TransportOptions.swift", "stallTimeoutMs: Int64 = 30_000"),
    ("whole request", "120 s", "Transport/TransportOptions.swift", "totalTimeoutMs: Int64 = 120_000"),
    ("parallel requests", "8", "Transport/RequestQueues.swift", "mostAtOnce: Int { 8 }"),
    ("parallel fetches", "4", "Engine/Client/Sync.swift", "mostFetches = 4"),
    ("refresh interval", "1 s", "DocumentPath/RefreshSchedule.swift", "shortestMs: Int64 = 1000"),
    ("URL", "8,192 bytes", "Text/ParsedURL.swift", "longest = 8192"),
    ("name of a collection", "128", "Dialects/Collections/CollectionDialect.swift", "(1...128).contains(name"),
    ("tag, ", "256 bytes", "Engine/Opening/SettingsOptions.swift", "longestTag = 256"),
    ("keys of a document", "1,000,000", "Values/JSON/JSONReader.swift", "maximumParts = 1_000_000"),
    ("length of a key", "65,535 bytes", "Values/Stored/KeyLimits.swift", "maximumKeyLength = 65_535"),
    ("nesting of JSON", "64 levels", "Values/JSON/JSONReader.swift", "maximumDepth = 64"),
    ("stored version", "2 GiB", "Store/StorageDirectory.swift", "maximumImageSize: Int { Int(Int32.max) }"),
    ("packaged data", "256 MiB", "Transport/TransportOptions.swift", "largestBodyBytes = 256 << 20"),
    ("namespaces", "10,000", "Composing/CarriedKeys.swift", "mostKeys = 10_000"),
    ("namespaces", "16 MiB", "Composing/CarriedKeys.swift", "mostBytes = 16 * 1024 * 1024"),
    ("timestamp ahead", "24 hours", "Dialects/Collections/CollectionDialect.swift", "defaultFutureMs = dayMs"),
    ("certificate chain", "5 certificates", "Trust/PEM.swift", "maxCertificates = 5"),
    ("certificate chain", "64 KiB", "Trust/PEM.swift", "maxBytes = 65_536"),
    ("signatures", "8", "DocumentPath/Verification.swift", "maximumSignatures = 8"),
    ("`previous_roots`", "8", "Engine/Opening/CollectionOptions.swift", "mostPreviousRoots = 8"),
    ("ETag", "255 bytes", "Store/Ledgers/Ledger.swift", "maximumEtag: Int { 255 }"),
    ("attachment", "64 MiB", "Engine/Attachments/Attachment.swift", "defaultMaximumBytes = 64 << 20"),
    ("parallel downloads", "8", "Engine/Attachments/AttachmentRun.swift", "mostDownloads = 8"),
    ("immediate resumptions", "3", "Engine/Attachments/AttachmentRun.swift", "mostResumes = 3"),
    ("filter", "16 KiB", "Filter/FilterError.swift", "length = 16 << 10"),
    ("filter", "64 levels", "Filter/FilterError.swift", "depth = 64"),
    ("filter", "100,000", "Filter/FilterError.swift", "steps = 100_000"),
    ("filter", "64 KiB", "Filter/FilterError.swift", "stringLength = 64 << 10"),
    ("filter", "2,000 instructions", "Filter/Patterns/FilterPattern.swift", "limit = 2000"),
    ("context of filters", "1 MiB", "Filter/FilterContext.swift", "maximumLength = 1 << 20"),
    ("an override", "65,535 bytes", "Composing/Override.swift", "maximumPlaceLength: Int { maximumKeyLength }"),
    ("an override", "1 MiB", "Composing/Override.swift", "maximumLength = 1 << 20"),
    ("an override", "64 levels", "Composing/Override.swift", "depth <= maximumDepth"),
    ("overrides of a source", "10,000", "Composing/OverrideList.swift", "mostOverrides = 10_000"),
    ("JSON Schema", "1 MiB", "Schema/Schema.swift", "mostBytes = 1 << 20"),
    ("JSON Schema", "10,000 subschemas", "Schema/SchemaCompiler.swift", "mostNodes = 10_000"),
    ("JSON Schema", "128 levels", "Schema/SchemaCompiler.swift", "mostLevels = 128"),
    ("check of a value", "10,000,000", "Schema/SchemaCheck.swift", "steps = 10_000_000"),
    ("waiting callbacks", "1,000", "Engine/Delivery/Delivery.swift", "mostWaiting = 1000"),
    ("files of a source", "30 days", "Store/DirectorySweep.swift", "defaultUnusedMs: Int64 { 30 * dayMs }"),
]


@pytest.mark.parametrize(("row", "limit", "file", "constant"), STATED)
def test_each_limit_on_the_page_is_a_constant_of_the_sources(row: str, limit: str, file: str, constant: str) -> None:
    (cell,) = [second for first, second in ROWS if first.startswith(row)]
    assert limit in cell
    assert constant in (CORE / file).read_text(encoding="utf-8")


def test_no_row_of_the_limits_is_without_a_constant() -> None:
    limits = [first for first, _ in ROWS if first != "what" and not first.startswith("---")]
    assert [it for it in limits if not any(it.startswith(row) for row, *_ in STATED)] == []


def numbers(text: str) -> dict[str, int]:
    return {name: int(number) for name, number in re.findall(r"^(\w+):\s+(\d+)", text, re.MULTILINE)}


def test_the_measured_costs_are_at_most_a_quarter_above_those_that_the_page_shows(
    server: V2Server, tmp_path: Path
) -> None:
    (script,) = with_words(PAGE, "sh", "costs")
    (shown,) = [numbers(block.text) for block in blocks(PAGE) if block.words == ("text",)]
    done = subprocess.run(
        ["sh", "-eu", "-c", script.text], cwd=tmp_path, env={**os.environ, "REMORA": str(ROOT), "SERVER": server.url},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    measured = numbers(done.stdout)
    assert set(measured) == set(shown)
    assert {name: number for name, number in measured.items() if number > shown[name] * 1.25} == {}
