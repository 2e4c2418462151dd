// SPDX-License-Identifier: Apache-2.0

package remora

// #include "callbacks.h"
import "C"

import "time"

// Attempt is a completed attempt to refresh a source, for telemetry.
type Attempt struct {
	Source     string // As in Info.Name; "monitor/changes" for the list of collections that a sync requests.
	Server     string // As in Info.Server.
	Kind       Kind
	Outcome    Outcome
	HTTPStatus int           // The HTTP status of the last request; 0 if no response arrived.
	Duration   time.Duration // 0 if a sync found the source unchanged without a request.
	Bytes      int64         // The size of all response bodies, after decompression.
	Err        error         // nil if the attempt has succeeded.
}

type reporter func(Attempt)

func (r reporter) forget() {}

func (r reporter) report(raw *C.const_attempt) {
	r(Attempt{
		Source:     C.GoString(raw.source_name),
		Server:     C.GoString(raw.server),
		Kind:       Kind(raw.kind),
		Outcome:    Outcome(raw.outcome),
		HTTPStatus: int(raw.http_status),
		Duration:   time.Duration(raw.duration_ms) * time.Millisecond,
		Bytes:      int64(raw.bytes),
		Err:        copyError(raw.error),
	})
}
