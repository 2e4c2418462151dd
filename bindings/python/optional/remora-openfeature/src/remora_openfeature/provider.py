# SPDX-License-Identifier: Apache-2.0
"""The provider: reads flags from the live snapshot of a source, and reports the events of the source."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import remora
from openfeature.evaluation_context import EvaluationContext
from openfeature.event import ProviderEvent, ProviderEventDetails
from openfeature.exception import (
    ErrorCode,
    FlagNotFoundError,
    OpenFeatureError,
    ProviderNotReadyError,
)
from openfeature.flag_evaluation import FlagResolutionDetails, FlagValueType, Reason
from openfeature.provider import AbstractProvider, Metadata

from . import flags

T = TypeVar("T")
Structure = Sequence[FlagValueType] | Mapping[str, FlagValueType]

_SUCCESSES = ("UPDATED", "UNCHANGED", "STAGED")
_FAILURES = ("FAILED", "REFUSED")


class RemoraProvider(AbstractProvider):
    """An OpenFeature provider that reads flags from a collection, a bundle or settings.

    - source: an open source of the synchronous API. The provider does not close it.
    - path: where the flags are in the source: the key of an object, then names of objects inside of it. The members of
      the last object are the flags. Default: the keys of the source are the flags.
    - timeout: how many seconds `initialize` waits if the source has no data; None: only the client's limits apply.
    - stale_after: a failed refresh makes the provider stale only if the last successful refresh was longer ago than
      this, in seconds. By default, any failed refresh makes it stale.

    The provider may be used in any thread. Evaluations never wait and send no request.
    """

    def __init__(
        self,
        source: remora.Source,
        *,
        path: Sequence[str] = (),
        timeout: float | None = 10.0,
        stale_after: float = 0.0,
    ) -> None:
        super().__init__()
        if not isinstance(source, remora.Source):
            raise TypeError(f"source must be a remora.Source, not {type(source).__name__}")
        if isinstance(path, str):
            raise TypeError("path must be a sequence of names, not str")
        self._source = source
        self._path = tuple(path)
        self._timeout = timeout
        self._stale_after = stale_after
        self._lock = threading.Lock()
        self._subscription: remora.Subscription | None = None
        self._is_initialized = False
        self._has_failed = False
        self._is_stale = False
        self._is_confirmed = False
        self._reported: remora.Snapshot | None = None

    def get_metadata(self) -> Metadata:
        return Metadata(name="remora")

    def initialize(self, evaluation_context: EvaluationContext) -> None:
        """Subscribes to the source, and waits until it has data. Raises ProviderNotReadyError if no data arrives."""
        try:
            subscription = self._source.subscribe(self._receive)
            with self._lock:
                self._subscription = subscription
                self._has_failed = self._is_stale = self._is_confirmed = False
            live = self._source.snapshot()
            if not _has_data(live):
                live = self._source.wait(self._timeout)
        except remora.ClosedError as closed:
            raise ProviderNotReadyError(str(closed)) from None
        has_data = _has_data(live)
        with self._lock:
            self._is_initialized = has_data
            self._has_failed = not has_data
            self._reported = live if has_data else None
        if not has_data:
            raise ProviderNotReadyError(f"the source has no data: {live.error or 'the server sent no data'}")

    def shutdown(self) -> None:
        """Ends the subscription. The source stays open."""
        with self._lock:
            subscription, self._subscription = self._subscription, None
            self._is_initialized = self._has_failed = False
            self._reported = None
        if subscription is not None:
            subscription.close()

    # Resolution.

    def resolve_boolean_details(
        self, flag_key: str, default_value: bool, evaluation_context: EvaluationContext | None = None
    ) -> FlagResolutionDetails[bool]:
        return self._resolve(flag_key, default_value, evaluation_context, flags.boolean)

    def resolve_string_details(
        self, flag_key: str, default_value: str, evaluation_context: EvaluationContext | None = None
    ) -> FlagResolutionDetails[str]:
        return self._resolve(flag_key, default_value, evaluation_context, flags.string)

    def resolve_integer_details(
        self, flag_key: str, default_value: int, evaluation_context: EvaluationContext | None = None
    ) -> FlagResolutionDetails[int]:
        return self._resolve(flag_key, default_value, evaluation_context, flags.integer)

    def resolve_float_details(
        self, flag_key: str, default_value: float, evaluation_context: EvaluationContext | None = None
    ) -> FlagResolutionDetails[float]:
        return self._resolve(flag_key, default_value, evaluation_context, flags.number)

    def resolve_object_details(
        self, flag_key: str, default_value: Structure, evaluation_context: EvaluationContext | None = None
    ) -> FlagResolutionDetails[Structure]:
        return self._resolve(flag_key, default_value, evaluation_context, flags.structure)

    def _resolve(
        self, key: str, default: T, context: EvaluationContext | None, convert: Callable[[object], T]
    ) -> FlagResolutionDetails[T]:
        metadata: dict[str, bool | int | float | str] = {}
        try:
            snapshot = self._live()
            value = self._flag(snapshot, key, metadata)
            found = flags.Resolution(value, Reason.STATIC)
            if flags.is_flag(value):
                metadata = {**flags.metadata_of(value), **metadata}  # The server cannot replace Remora's facts.
                found = flags.evaluate(value, context)
            answer = convert(found.value) if found.has_value else default
        except OpenFeatureError as error:
            return FlagResolutionDetails(
                value=default, error_code=error.error_code, error_message=error.error_message, reason=Reason.ERROR,
                flag_metadata=metadata,
            )  # fmt: skip
        return FlagResolutionDetails(
            value=answer, reason=self._reason(found.reason, snapshot), variant=found.variant, flag_metadata=metadata
        )

    def _live(self) -> remora.Snapshot:
        """Returns the live snapshot. Raises ProviderNotReadyError without data, or if the source is closed."""
        try:
            snapshot = self._source.snapshot()
        except remora.ClosedError as closed:
            raise ProviderNotReadyError(str(closed)) from None
        if not (self._is_initialized or self._has_failed):
            raise ProviderNotReadyError("the provider is not initialized")
        if not _has_data(snapshot):
            raise ProviderNotReadyError("the source has no data")
        return snapshot

    def _flag(self, snapshot: remora.Snapshot, key: str, metadata: dict[str, bool | int | float | str]) -> Any:
        """Returns the value of a flag, and adds facts about the data to `metadata`. Raises FlagNotFoundError."""
        place = (*self._path, key)
        value: Any = snapshot
        for name in place:
            try:
                value = value[name] if isinstance(value, Mapping) else None
            except KeyError:
                value = None
            if value is None:
                raise FlagNotFoundError(f"the source has no value for {'/'.join(place)}")
        # A record is not a plain value; its member `value` is one.
        is_record = isinstance(value, Mapping) and "last_modified" in value and "id" in value
        if not self._path and is_record and "value" in value and not flags.is_flag(value):
            metadata.update(flags.metadata_of(value))
            value = value["value"]
        # After the metadata of the server, which cannot replace these facts.
        metadata["version"] = snapshot.version
        metadata["origin"] = snapshot.origin_of(place[0]).name.lower()
        metadata["verified"] = snapshot.verified
        return value

    def _reason(self, reason: Reason, snapshot: remora.Snapshot) -> Reason:
        """Returns the reason of a value. STALE takes precedence over all reasons, CACHED over STATIC only."""
        if self._is_stale:
            return Reason.STALE
        if reason is Reason.STATIC and not self._is_confirmed and snapshot.origin is remora.Origin.CACHED:
            return Reason.CACHED
        return reason

    # Events of the source, on the thread of its callbacks.

    def _receive(self, event: remora.Event) -> None:
        with self._lock:
            was_ready, had_failed, was_stale = self._is_initialized, self._has_failed, self._is_stale
            if self._subscription is None or not (was_ready or had_failed):
                return
            succeeded = event.outcome.name in _SUCCESSES or event.cause is remora.Cause.ADOPTED
            self._is_confirmed = self._is_confirmed or succeeded
            if succeeded:
                self._is_stale = False
            elif event.outcome.name in _FAILURES and was_ready:
                self._is_stale = was_stale or self._is_old()
            if had_failed and _has_data(event.new):
                self._is_initialized, self._has_failed = True, False
            is_ready, is_stale = self._is_initialized, self._is_stale
            changed = self._changes() if is_ready else []
        message = None if event.error is None else str(event.error)
        if not is_ready and event.error is not None:
            self._send(ProviderEvent.PROVIDER_ERROR, message=message, error_code=ErrorCode.GENERAL)
        if (had_failed and is_ready) or (was_stale and not is_stale):
            self._send(ProviderEvent.PROVIDER_READY)
        if is_stale and not was_stale:
            self._send(ProviderEvent.PROVIDER_STALE, message=message)
        if changed:
            self._send(ProviderEvent.PROVIDER_CONFIGURATION_CHANGED, flags_changed=changed)

    def _is_old(self) -> bool:
        """Returns whether the last successful refresh of any process is longer ago than `stale_after`."""
        if not self._stale_after:
            return True
        try:
            age = self._source.info().checked_age
        except remora.ClosedError:
            return False
        return age is None or age > self._stale_after

    def _changes(self) -> list[str]:
        """Returns the keys of the flags that have changed since the last report, or since the initialization."""
        try:
            live = self._source.snapshot()
        except remora.ClosedError:
            return []
        before, self._reported = self._reported, live
        changes = [] if before is None else before.diff(live)
        if not self._path:
            return [change.key for change in changes]
        for change in changes:
            if change.key == self._path[0]:
                old, new = self._members(change.old), self._members(change.new)
                missing = object()
                return sorted(
                    name for name in {*old, *new} if repr(old.get(name, missing)) != repr(new.get(name, missing))
                )
        return []

    def _members(self, value: Any) -> Mapping[str, Any]:
        for name in self._path[1:]:
            value = value.get(name) if isinstance(value, Mapping) else None
        return value if isinstance(value, Mapping) else {}

    def _send(self, event: ProviderEvent, **details: Any) -> None:
        details["metadata"] = {"source": self._source_name()}
        self.emit(event, ProviderEventDetails(**details))

    def _source_name(self) -> str:
        try:
            return self._source.info().name
        except remora.ClosedError:
            return ""


def _has_data(snapshot: remora.Snapshot) -> bool:
    return snapshot.origin is not remora.Origin.NONE or len(snapshot) > 0
