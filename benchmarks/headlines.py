# SPDX-License-Identifier: Apache-2.0
"""What docs/benchmarks.md shows: the rows that a user asks about, and why some rows miss their targets.

benchmarks/results.md has all rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from targets import AXES, Result, Row

ROWS = {(row.what, row.beside): row for axis in AXES for row in axis.rows}


def row(what: str, beside: str) -> Row:
    """Returns the row of targets.py with these descriptions. Raises ValueError if it does not exist."""
    if (what, beside) not in ROWS:
        raise ValueError(f"benchmarks/targets.py has no row {what!r} beside {beside!r}")
    return ROWS[what, beside]


@dataclass(frozen=True)
class Group:
    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Reason:
    """Why rows miss their targets."""

    text: str
    rows: tuple[Row, ...]


# Laid out by hand as a table: a line for each row.
# fmt: off
HEADLINES = (
    Group("Reads in C: processor time, 10,000 settings in random order", (
        row("bool, bound key", "Remora: without the bound key"),
        row("bool /v in a record, source", "rival: same member of a record"),
        row("string /v in a record copied, source", "rival: same member of a record"),
        row("bool /v, source, 2 threads while a third publishes", "Remora: 1 thread alone"),
        row("bool /v in a record, source, while a sync hangs", "Remora: nothing under way"),
    )),
    Group("Cold start until the first value from the cache, and dlopen in a running process", (
        row("10,000 settings, whole process", "rival"),
        row("1,000 settings, whole process", "an empty C process"),
        row("12.8 MB of packaged records, second start", "Remora: the first start"),
        row("dlopen", "libcurl"),
    )),
    Group("Refresh with 10,000 records, or with the number in the row (CPU: processor time; wall: elapsed time)", (
        row("whole document, stored: wall", "rival, without fsync"),
        row("a diff of 10 records, stored: wall", "rival: the whole document"),
        row("a signed diff of 10 into 10,000 records: wall", "verify, copy, checksum, write, two fsyncs"),
        row("12.8 MB of nested records, stored: wall", "jansson: parse + free of the bytes"),
        row("unchanged (an empty diff), server on another core: CPU", "libcurl alone: 304"),
        row("10,000 records with a JSON Schema of six properties, in memory only: CPU",
            "Remora: the same without a schema"),
    )),
    Group("Memory and size, beside the response body", (
        row("the stored image", "the body"),
        row("peak memory of a refresh of 10,000 records", "the body"),
        row("peak memory of a refresh of 12.8 MB of nested records", "the body"),
        row("an attachment of 100 MB, fetched and verified: memory", "its bytes"),
    )),
    Group("Python: 10,000 settings in random order, the loop included; cold start; refresh", (
        row('source["key"], revision-checked', "a dict"),
        row('source["key"], revision-checked', "eppo-server-sdk"),
        row('source["key"], revision-checked', "launchdarkly-server-sdk"),
        row('source.get_bool("key", "/v")', "a dict"),
        row("cold start, whole process", "a JSON file into a dict"),
        row("collection of 1 MB, fetched and stored: elapsed time", "kinto-http: get_changeset, which stores nothing"),
    )),
)

REASONS = (
    Reason(
        "The parser is jansson. Of the processor time of a refresh with tiny records, 47 % is inside libjansson, 27 % in "
        "libc (mostly the allocations of jansson), 16 % in Remora, which encodes the entries and writes the canonical "
        "text that is verified, and 10 % in the kernel. An arena for jansson's allocations would meet the targets, but "
        "`json_set_alloc_funcs` is global in a process that may use jansson itself.",
        (
            row("whole document, stored: CPU", "jansson: parse + free of the bytes"),
            row("a diff of every record, stored: CPU", "jansson: parse + free of the bytes"),
            row("1 MB of nested records, in memory only: CPU", "jansson: parse + free of the bytes"),
            row("12.8 MB of nested records, in memory only: CPU", "jansson: parse + free of the bytes"),
        ),
    ),
    Reason(
        "The image has two parts: the canonical text, about as large as the body, with which the signature of each diff "
        "is verified; and 8 bytes for each value, so that a read needs no parsing. Both parts share the strings.",
        (
            row("1 MB of nested records: the stored image", "the body"),
            row("12.8 MB of nested records: the stored image", "the body"),
        ),
    ),
    Reason(
        "The peak consists of the image, and of the values that jansson holds at a time.",
        (row("peak memory of a refresh of 10,000 records", "the body"),),
    ),
    Reason(
        "Of the processor time, 34 % is the signature in libcrypto, which the limit has too, 32 % the kernel (page "
        "faults of the new image, the file), 15 % libc (copies) and 8 % Remora.",
        (row("a signed diff of 10 into 10,000 records: CPU", "verify, copy, checksum and write of the same bytes"),),
    ),
    Reason(
        "The bare table compares 8 bytes of a hash and returns. Remora also compares the key, and checks every distance "
        "in the image, so that a damaged file is never read out of bounds. Of the time, 42 % is the look-up, and 48 % the "
        "step to the member.",
        (
            row("one look-up (a record), snapshot", "bare XXH3 table in C"),
            row("bool /v in a record, snapshot", "rival: same member of a record"),
        ),
    ),
    Reason(
        "These targets in nanoseconds are for another machine: a look-up in a Python dictionary takes 25 ns there, and "
        "31 ns here. A bound key copies a string twice: if another version becomes live during the first copy, the "
        "value is read again.",
        (
            row("bool, bound key", "Remora: without the bound key"),
            row("bool, bound key, 2 threads", "Remora: without the bound key"),
            row("string copied, bound key", "Remora: without the bound key"),
            row('source["key"], revision-checked', "a dict"),
        ),
    ),
    Reason(
        "Page faults, the first use of the Swift runtime and the file take the time: the first read of a block checks "
        "the block's checksum.",
        (
            row("10,000 settings, in the process", "rival"),
            row("100,000 settings, in the process", "Remora: 10,000 settings"),
        ),
    ),
    Reason(
        "The Swift runtime inside the library has 20,000 relocations, which cause page faults: 72 % of the time is in "
        "the kernel, and 25 % in the loader.",
        (
            row("dlopen", "libcurl"),
            row("dlopen in a host with 10,000 more mappings", "libcurl"),
        ),
    ),
    Reason(
        "A refresh switches four times between the threads of the program, the engine and the server, and a bare "
        "request twice. The price of a switch differs between machines: with the same code, the row was 3.8 × on "
        "another one. In paired runs here, the previous version of Remora takes the same time. The row with the server "
        "on another core meets the target.",
        (row("unchanged (an empty diff), all on one core: CPU", "libcurl alone: 304"),),
    ),
    Reason(
        "The Python interpreter takes half of the time, and `ctypes` most of the rest.",
        (row("cold start, whole process", "eppo-server-sdk"),),
    ),
)
# fmt: on


def headlines(results: list[Result], groups: tuple[Group, ...] = HEADLINES) -> list[tuple[str, list[Result]]]:
    """Returns the results of each group that was measured, in the group's order."""
    found = {result.row: result for result in results}
    return [(group.title, [found[row] for row in group.rows if row in found]) for group in groups]


def missed(results: list[Result], reasons: tuple[Reason, ...] = REASONS) -> list[tuple[str, list[Result]]]:
    """Returns the results that miss their targets with the reason, which is empty for those without one."""
    rest = [result for result in results if result.verdict == "missed"]
    explained = []
    for reason in reasons:
        explained.append((reason.text, [result for result in rest if result.row in reason.rows]))
        rest = [result for result in rest if result.row not in reason.rows]
    return [(text, results) for text, results in [*explained, ("", rest)] if results]
