// SPDX-License-Identifier: Apache-2.0

package remora

// #include <remora.h>
import "C"

import "time"

// Info is the state of a source.
type Info struct {
	Name         string
	Origin       Origin // OriginNone if no data exists.
	Version      int64  // A timestamp in milliseconds, or the version of a bundle; 0 if no data exists.
	HasStaged    bool   // A newer version is stored and not live yet.
	FetchedAt    time.Time
	CheckedAt    time.Time // The last successful refresh, including those without new data.
	RetryAfter   time.Duration
	LastError    error // The failure of the last refresh; nil if it succeeded.
	StorageError error // The reason that data cannot be stored, such as a full disk.
}

// Info returns the state of the source. Times that are unknown are zero.
func (s *Source) Info() (Info, error) {
	var raw C.remora_source_info
	initialise(&raw)
	err := s.call(func(source *C.remora_source, details *C.remora_error) C.remora_status {
		return C.remora_source_get_info(source, &raw, details)
	})
	if err != nil {
		return Info{}, err
	}
	return Info{
		Name:         C.GoString(raw.name),
		Origin:       Origin(raw.origin),
		Version:      int64(raw.version),
		HasStaged:    raw.has_staged != 0,
		FetchedAt:    moment(raw.fetched_at_ms),
		CheckedAt:    moment(raw.checked_at_ms),
		RetryAfter:   time.Duration(raw.retry_after_ms) * time.Millisecond,
		LastError:    copyError(&raw.last_error),
		StorageError: copyError(&raw.storage_error),
	}, nil
}
