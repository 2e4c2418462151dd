# SPDX-License-Identifier: Apache-2.0
"""The comparisons and their targets.

The last names in a `Row` are those that the benchmark programs print.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

# How the figure of a row is computed from its two numbers, and whether the target is a maximum or a minimum.
RATIO = "ratio"  # remora / other, at most
SPEEDUP = "speedup"  # other / remora, at least
EXTRA = "extra"  # remora - other in nanoseconds, at most
RATE = "rate"  # remora alone, per second, at least
TIME = "time"  # remora alone, in nanoseconds, at most
SIZE = "size"  # remora alone, in bytes, at most
MEMORY = "memory"  # remora / other, both in bytes, at most


@dataclass(frozen=True)
class Row:
    what: str
    beside: str  # the description of `other`
    remora: str
    other: str
    kind: str = RATIO
    target: float | None = None  # None: shown for information


@dataclass(frozen=True)
class Axis:
    name: str
    title: str
    programs: tuple[str, ...]
    rows: tuple[Row, ...]


# Laid out by hand as a table: a line for each pair.
# fmt: off
READS = Axis(
    "reads",
    "Reads: processor time per read, 10,000 settings, keys of about 30 bytes in random order",
    ("reads", "publishing"),
    (
        Row("one look-up (a record), snapshot", "rival: bool in a flat dictionary",
            "remora.snapshot.record.1t", "rival.flat.bool.1t", RATIO, 1.0),
        Row("one look-up (a record), snapshot", "bare XXH3 table in C",
            "remora.snapshot.record.1t", "table.bool.1t", RATIO, 1.3),
        Row("bool /v in a record, snapshot", "rival: same member of a record",
            "remora.snapshot.bool.member.1t", "rival.record.bool.1t", RATIO, 0.4),
        Row("bool /v in a record, snapshot", "rival: bool in a flat dictionary",
            "remora.snapshot.bool.member.1t", "rival.flat.bool.1t"),
        Row("bool /v in a record, snapshot", "bare XXH3 table in C, one look-up",
            "remora.snapshot.bool.member.1t", "table.bool.1t"),
        Row("bool in a record by get, member, bool", "rival: same member of a record",
            "remora.snapshot.bool.steps.1t", "rival.record.bool.1t"),
        Row("string /v in a record, snapshot", "rival: same member of a record",
            "remora.snapshot.string.member.1t", "rival.record.string.1t", RATIO, 0.7),
        Row("string /v in a record, snapshot", "rival: string in a flat dictionary",
            "remora.snapshot.string.member.1t", "rival.flat.string.1t"),
        Row("bool /v in a record, source", "Remora: the same on a snapshot",
            "remora.source.bool.member.1t", "remora.snapshot.bool.member.1t", EXTRA, 12),
        Row("bool /v in a record, source, 2 threads", "Remora: the same on a snapshot",
            "remora.source.bool.member.2t", "remora.snapshot.bool.member.2t", EXTRA, 12),
        Row("bool /v in a record, source", "rival: same member of a record",
            "remora.source.bool.member.1t", "rival.record.bool.1t"),
        Row("bool /v in a record, source, 2 threads", "rival: same member of a record",
            "remora.source.bool.member.2t", "rival.record.bool.2t"),
        Row("string /v in a record copied, source", "rival: same member of a record",
            "remora.source.string.member.1t", "rival.record.string.1t"),
        Row("string /v in a record copied, source, 2 threads", "rival: same member of a record",
            "remora.source.string.member.2t", "rival.record.string.2t"),
        Row("bool, bound key", "Remora: without the bound key",
            "remora.bound.bool.1t", "remora.source.bool.member.1t", TIME, 4),
        Row("bool, bound key, 2 threads", "Remora: without the bound key",
            "remora.bound.bool.2t", "remora.source.bool.member.2t", TIME, 4),
        Row("string copied, bound key", "Remora: without the bound key",
            "remora.bound.string.1t", "remora.source.string.member.1t", TIME, 8),
        Row("bool /v, source, 2 threads while a third publishes", "Remora: 1 thread alone",
            "remora.source.publishing.2t", "remora.source.alone.1t", RATIO, 1.15),
        Row("bool /v, source, 2 threads while a third publishes", "rival: the same, at its rate",
            "remora.source.publishing.2t", "rival.record.publishing.2t"),
        Row("publications per second beside 2 readers", "rival, of at most 100",
            "remora.source.publishing.rate", "rival.record.publishing.rate", RATE),
    ),
)

COLD = Axis(
    "cold",
    "Cold start until the first value from the cache, and dlopen in a running process",
    ("cold", "loading"),
    (
        Row("1,000 settings, in the process", "rival", "cold_remora.1000.first", "cold_rival.1000.first", SPEEDUP),
        Row("10,000 settings, in the process", "rival",
            "cold_remora.10000.first", "cold_rival.10000.first", SPEEDUP, 22),
        Row("100,000 settings, in the process", "rival",
            "cold_remora.100000.first", "cold_rival.100000.first", SPEEDUP),
        Row("100,000 settings, in the process", "Remora: 10,000 settings",
            "cold_remora.100000.first", "cold_remora.10000.first", RATIO, 1.3),
        Row("1,000 settings, whole process", "rival",
            "cold_remora.1000.process", "cold_rival.1000.process", SPEEDUP),
        Row("10,000 settings, whole process", "rival",
            "cold_remora.10000.process", "cold_rival.10000.process", SPEEDUP, 7.5),
        Row("100,000 settings, whole process", "rival",
            "cold_remora.100000.process", "cold_rival.100000.process", SPEEDUP),
        Row("100,000 settings, whole process", "Remora: 1,000 settings",
            "cold_remora.100000.process", "cold_remora.1000.process", RATIO, 2),
        Row("1,000 settings, whole process", "an empty static Swift process",
            "cold_remora.1000.process", "cold_empty_swift.1000.process", RATIO, 1.1),
        Row("1,000 settings, whole process", "an empty C process",
            "cold_remora.1000.process", "cold_empty.1000.process"),
        Row("12.8 MB of packaged records, second start", "Remora: the first start",
            "cold_packaged.second", "cold_packaged.first", SPEEDUP, 50),
        Row("dlopen", "libcurl", "remora.dlopen", "curl.dlopen", TIME, 450_000),
        Row("dlopen in a host with 10,000 more mappings", "libcurl",
            "remora.dlopen.mapped", "curl.dlopen.mapped", TIME, 600_000),
    ),
)

REFRESH = Axis(
    "refresh",
    "Refresh with 10,000 records, or with the number in the row (CPU: processor time; wall: elapsed time)",
    ("refresh", "arriving", "unchanged"),
    (
        Row("whole document, stored: CPU", "jansson: parse + free of the bytes",
            "remora.whole.disk.cpu", "jansson.whole.cpu", RATIO, 1.3),
        Row("a diff of every record, stored: CPU", "jansson: parse + free of the bytes",
            "remora.every_record.disk.cpu", "jansson.whole.cpu", RATIO, 1.35),
        Row("the stored image", "the body", "image.bytes", "body.bytes", MEMORY, 1.9),
        Row("whole document, stored: CPU", "rival: download, parse, swap",
            "remora.whole.disk.cpu", "rival.whole.cpu"),
        Row("whole document, stored: wall", "rival, without fsync",
            "remora.whole.disk.wall", "rival.whole.wall"),
        Row("whole document, in memory only: wall", "rival, without fsync",
            "remora.whole.memory.wall", "rival.whole.wall"),
        Row("whole document, stored: wall", "two fsyncs: a bare store of the bytes",
            "remora.whole.disk.wall", "bare.store.wall"),
        Row("a diff of 10 records, stored: wall", "rival: the whole document",
            "remora.ten_records.disk.wall", "rival.whole.wall"),
        Row("a diff of 10 records, stored: CPU", "rival: the whole document",
            "remora.ten_records.disk.cpu", "rival.whole.cpu"),
        Row("every record of 10,000, in order", "decoding them for each read: jansson",
            "remora.walk.cpu", "jansson.whole.cpu", SPEEDUP),
        Row("a flat dictionary of 10,000 settings, stored: CPU", "jansson: parse + free of the bytes",
            "remora.flat.disk.cpu", "jansson.flat.cpu", RATIO, 1.3),
        Row("1 MB of nested records, in memory only: CPU", "jansson: parse + free of the bytes",
            "remora.nested_small.memory.cpu", "jansson.nested_small.cpu", RATIO, 0.9),
        Row("1 MB of nested records, stored: CPU", "jansson: parse + free of the bytes",
            "remora.nested_small.disk.cpu", "jansson.nested_small.cpu"),
        Row("1 MB of nested records, stored: wall", "jansson: parse + free of the bytes",
            "remora.nested_small.disk.wall", "jansson.nested_small.wall"),
        Row("1 MB of nested records: the stored image", "the body",
            "image.nested_small.bytes", "body.nested_small.bytes", MEMORY, 1.65),
        Row("12.8 MB of nested records, in memory only: CPU", "jansson: parse + free of the bytes",
            "remora.nested_large.memory.cpu", "jansson.nested_large.cpu", RATIO, 0.8),
        Row("12.8 MB of nested records, stored: CPU", "jansson: parse + free of the bytes",
            "remora.nested_large.disk.cpu", "jansson.nested_large.cpu"),
        Row("12.8 MB of nested records, stored: wall", "jansson: parse + free of the bytes",
            "remora.nested_large.disk.wall", "jansson.nested_large.wall"),
        Row("12.8 MB of nested records: the stored image", "the body",
            "image.nested_large.bytes", "body.nested_large.bytes", MEMORY, 1.65),
        Row("1 MB of file records as in Firefox's collections, stored: CPU", "jansson: parse + free of the bytes",
            "remora.files.disk.cpu", "jansson.files.cpu"),
        Row("1 MB of file records: the stored image", "the body",
            "image.files.bytes", "body.files.bytes", MEMORY, 1.5),
        Row("10,000 records with a JSON Schema of six properties, in memory only: CPU",
            "Remora: the same without a schema",
            "remora.checked.cpu", "remora.unchecked.cpu", RATIO, 1.15),
        Row("12.8 MB of nested records that arrive as slowly as they are decoded: wall", "the same, arriving at once",
            "remora.arriving.wall", "remora.at_once.wall", RATIO, 1.15),
        Row("unchanged (an empty diff), all on one core: CPU", "libcurl alone: 304",
            "remora.unchanged_one_core.10000.cpu", "curl.unchanged_one_core.10000.cpu", RATIO, 5),
        Row("unchanged (an empty diff), all on one core: wall", "libcurl alone: 304",
            "remora.unchanged_one_core.10000.wall", "curl.unchanged_one_core.10000.wall"),
        Row("unchanged (an empty diff), all on one core: CPU", "rival: 304",
            "remora.unchanged_one_core.10000.cpu", "rival.unchanged_one_core.10000.cpu"),
        Row("unchanged (an empty diff), server on another core: CPU", "libcurl alone: 304",
            "remora.unchanged_two_cores.10000.cpu", "curl.unchanged_two_cores.10000.cpu", RATIO, 5),
        Row("unchanged (an empty diff), server on another core: wall", "libcurl alone: 304",
            "remora.unchanged_two_cores.10000.wall", "curl.unchanged_two_cores.10000.wall"),
        Row("unchanged, 100,000 records, all on one core: CPU", "Remora: 1,000 records",
            "remora.unchanged_one_core.100000.cpu", "remora.unchanged_one_core.1000.cpu", RATIO, 1.15),
    ),
)

COLLECTIONS = Axis(
    "collections",
    "Collections: a signed diff, filters, attachments, reads beside a sync that hangs",
    ("signed", "hanging", "memory", "python/filters.py"),
    (
        Row("a signed diff of 10 into 10,000 records: CPU", "verify, copy, checksum and write of the same bytes",
            "remora.signed.cpu", "bare.signed.cpu", RATIO, 1.25),
        Row("a signed diff of 10 into 10,000 records: wall", "verify, copy, checksum, write, two fsyncs",
            "remora.signed.wall", "bare.signed.wall"),
        Row("bool /v in a record, source, while a sync hangs", "Remora: nothing under way",
            "remora.source.hanging.1t", "remora.source.idle.1t", RATIO, 1.05),
        Row("1,000 filters parsed and evaluated, once", "pyjexl: the same, at each read",
            "remora.filters.made", "pyjexl.filters.read", SPEEDUP, 20),
        Row("1,000 filters for another context", "pyjexl: the same, at each read",
            "remora.filters.context", "pyjexl.filters.read", SPEEDUP),
        Row("an attachment of 100 MB, fetched and verified: memory", "its bytes",
            "remora.attachment.peak", "hash.attachment.peak", SIZE, 2e6),
        Row("an attachment of 100 MB, opened from disk", "hashing it anew",
            "remora.attachment.open", "hash.attachment.open", SPEEDUP),
        Row("peak memory of a refresh of 10,000 records", "the body",
            "remora.refresh.peak", "body.refresh.peak", MEMORY, 3.2),
        Row("peak memory of a refresh of 1 MB of nested records", "the body",
            "remora.nested_small.peak", "body.nested_small.peak", MEMORY),
        Row("peak memory of a refresh of 1 MB of nested records", "1.25 × the image + 1 MB",
            "remora.nested_small.peak", "limit.nested_small.peak", MEMORY, 1),
        Row("peak memory of a refresh of 12.8 MB of nested records", "the body",
            "remora.nested_large.peak", "body.nested_large.peak", MEMORY),
        Row("peak memory of a refresh of 12.8 MB of nested records", "1.25 × the image + 1 MB",
            "remora.nested_large.peak", "limit.nested_large.peak", MEMORY, 1),
        Row("get_int of a record, 1,000 filters", "Remora: without filters",
            "remora.filters.read", "remora.plain.read", RATIO, 1.05),
    ),
)

WAITS = Axis(
    "waits",
    "Waiting: asynchronous waits for settings, all on one request",
    ("waits",),
    (
        Row("a wait among 1,000: CPU each", "Remora: a wait alone, with its request",
            "remora.waits.1000.cpu", "remora.waits.1.cpu", RATIO, 0.1),
        Row("a wait among 1,000: wall each", "Remora: a wait alone, with its request",
            "remora.waits.1000.wall", "remora.waits.1.wall"),
        Row("1,000 waits, together: wall", "Remora: a wait alone, with its request",
            "remora.waits.1000.together", "remora.waits.1.wall"),
    ),
)

PYTHON = Axis(
    "python",
    "Python: processor time per read, 10,000 settings in random order, the loop included; cold start; refresh",
    ("python/reads.py", "python/cold.py", "python/refresh.py"),
    (
        Row('snapshot["key"]', "a dict", "remora.python.snapshot", "dict.python"),
        Row('source["key"], revision-checked', "a dict", "remora.python.source", "dict.python", TIME, 80),
        Row('source["key"], revision-checked', "eppo-server-sdk",
            "remora.python.source", "eppo.python", SPEEDUP, 2.5),
        Row('source["key"], revision-checked', "configcat-client",
            "remora.python.source", "configcat.python", SPEEDUP),
        Row('source["key"], revision-checked', "statsig-python-core",
            "remora.python.source", "statsig.python", SPEEDUP),
        Row('source["key"], revision-checked', "flipt-client",
            "remora.python.source", "flipt.python", SPEEDUP),
        Row('source["key"], revision-checked', "launchdarkly-server-sdk",
            "remora.python.source", "launchdarkly.python", SPEEDUP),
        Row('source["key"], revision-checked', "yggdrasil-engine (Unleash)",
            "remora.python.source", "yggdrasil.python", SPEEDUP),
        Row('source["key"], first second of a process', "a dict", "remora.python.fresh", "dict.python"),
        Row('source.get_bool("key", "/v")', "a dict", "remora.python.direct", "dict.python", TIME, 250),
        Row('source.get_bool("key", "/v")', "eppo-server-sdk", "remora.python.direct", "eppo.python", SPEEDUP),
        Row('source.get_bool("key", "/v")', "configcat-client",
            "remora.python.direct", "configcat.python", SPEEDUP),
        Row('source.get_bool("key", "/v")', "statsig-python-core",
            "remora.python.direct", "statsig.python", SPEEDUP),
        Row('source.get_bool("key", "/v")', "flipt-client",
            "remora.python.direct", "flipt.python", SPEEDUP),
        Row('source.get_bool("key", "/v")', "launchdarkly-server-sdk",
            "remora.python.direct", "launchdarkly.python", SPEEDUP),
        Row('source.get_bool("key", "/v")', "yggdrasil-engine (Unleash)",
            "remora.python.direct", "yggdrasil.python", SPEEDUP),
        Row("the same by ctypes alone", "a dict", "remora.python.ctypes", "dict.python"),
        Row("cold start, whole process", "a bare interpreter", "remora.python.process", "bare.python.process"),
        Row("import remora, whole process", "import json, threading, ctypes",
            "remora.python.import", "modules.python.import", RATIO, 1.2),
        Row("cold start, whole process", "a JSON file into a dict",
            "remora.python.process", "dict.python.process", RATIO, 1.3),
        Row("cold start, whole process", "eppo-server-sdk",
            "remora.python.process", "eppo.python.process", SPEEDUP, 4),
        Row("cold start, whole process", "configcat-client",
            "remora.python.process", "configcat.python.process", SPEEDUP),
        Row("cold start, whole process", "statsig-python-core",
            "remora.python.process", "statsig.python.process", SPEEDUP),
        Row("cold start, whole process", "flipt-client",
            "remora.python.process", "flipt.python.process", SPEEDUP),
        Row("cold start, whole process", "launchdarkly-server-sdk",
            "remora.python.process", "launchdarkly.python.process", SPEEDUP),
        Row("cold start, whole process", "yggdrasil-engine (Unleash)",
            "remora.python.process", "yggdrasil.python.process", SPEEDUP),
        Row("collection of 1 MB, fetched into memory: CPU", "kinto-http: get_changeset",
            "remora.python.memory.1mb.cpu", "kinto.python.1mb.cpu"),
        Row("collection of 1 MB, fetched into memory: elapsed time", "kinto-http: get_changeset",
            "remora.python.memory.1mb.wall", "kinto.python.1mb.wall"),
        Row("collection of 1 MB, fetched and stored: elapsed time", "kinto-http: get_changeset, which stores nothing",
            "remora.python.disk.1mb.wall", "kinto.python.1mb.wall"),
        Row("collection of 10 MB, fetched into memory: CPU", "kinto-http: get_changeset",
            "remora.python.memory.10mb.cpu", "kinto.python.10mb.cpu"),
        Row("collection of 10 MB, fetched into memory: elapsed time", "kinto-http: get_changeset",
            "remora.python.memory.10mb.wall", "kinto.python.10mb.wall"),
        Row("collection of 10 MB, fetched and stored: elapsed time", "kinto-http: get_changeset, which stores nothing",
            "remora.python.disk.10mb.wall", "kinto.python.10mb.wall"),
    ),
)
# fmt: on

AXES = (READS, COLD, REFRESH, COLLECTIONS, WAITS, PYTHON)


@dataclass(frozen=True)
class Result:
    """A row with its numbers: medians of the rounds; the figure is the median of the rounds' figures.

    If a row could not be measured, only `absent` is set, to the reason.
    """

    row: Row
    remora: float = 0
    other: float = 0
    figure: float = 0
    absent: str = ""

    @property
    def verdict(self) -> str:
        if self.row.target is None or self.absent:
            return ""
        at_least = self.row.kind in (SPEEDUP, RATE)
        met = self.figure >= self.row.target if at_least else self.figure <= self.row.target
        return "met" if met else "missed"


def _figure(kind: str, remora: float, other: float) -> float:
    return {
        RATIO: lambda: remora / other,
        SPEEDUP: lambda: other / remora,
        EXTRA: lambda: remora - other,
        RATE: lambda: remora,
        TIME: lambda: remora,
        SIZE: lambda: remora,
        MEMORY: lambda: remora / other,
    }[kind]()


def evaluate(axis: Axis, samples: dict[str, list[float]], absent: dict[str, str]) -> list[Result]:
    """Returns the rows of an axis whose two numbers were measured, round by round.

    `absent` has the reason for each contender that could not be measured. The names of its numbers begin with its name.
    """
    results = []
    for row in axis.rows:
        contender = row.other.split(".")[0]
        if contender in absent:
            results.append(Result(row, absent=absent[contender]))
            continue
        if row.remora not in samples or row.other not in samples:
            continue
        rounds = list(zip(samples[row.remora], samples[row.other]))
        results.append(
            Result(
                row,
                median(remora for remora, _ in rounds),
                median(other for _, other in rounds),
                median(_figure(row.kind, remora, other) for remora, other in rounds),
            )
        )
    return results
