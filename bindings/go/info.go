// SPDX-License-Identifier: Apache-2.0

package remora

// #include "callbacks.h"
import "C"

import "time"

// Info is the state of a source. Times that are unknown are zero.
type Info struct {
	Name            string // For a collection, bucket and name, such as "main/regions"; otherwise the URL without query.
	Server          string // The address of the server; "" for a bundle without URL.
	Kind            Kind
	Origin          Origin        // OriginNone if no data exists.
	Version         int64         // A timestamp in milliseconds, or the version of a bundle; 0 if no data exists.
	HasStaged       bool          // A newer version is stored and not live yet.
	FilterFailures  int           // Records that are hidden because their filter could not be evaluated; see the log.
	FetchedAt       time.Time     // When the live data was fetched.
	CheckedAt       time.Time     // The last successful refresh of any process, even if it found no new data.
	AttemptedAt     time.Time     // The last refresh of any process, even if it failed.
	RetryAfter      time.Duration // How long the server still asks clients to wait; usually 0.
	Generation      uint64        // Increases each time a version is stored.
	LastError       error         // The failure of the last refresh; nil if it succeeded.
	StorageError    error         // The reason that data cannot be stored, such as a full disk.
	Freshness       Freshness     // Whether the last successful refresh is recent enough; see Config.MaxStale.
	RejectedVersion int64         // The version that Reject has rejected last, in any process; 0 if none.
}

// Info returns the state of the source. It blocks for file system calls.
func (s *Source) Info() (Info, error) {
	var raw C.remora_source_info
	initialise(&raw)
	err := s.call(func(source *C.remora_source, details *C.remora_error) C.remora_status {
		return C.remora_source_get_info(source, &raw, details)
	})
	if err != nil {
		return Info{}, err
	}
	return infoOf(&raw), nil
}

// Sources returns the state of each open source of the client, in the order of opening. A source that was opened
// several times is listed once. It blocks for file system calls.
func (c *Client) Sources() ([]Info, error) {
	return listed[Info](func(number C.uintptr_t) error {
		return c.call(func(client *C.remora_client, details *C.remora_error) C.remora_status {
			return C.remora_go_sources(client, number, details)
		})
	})
}

func infoOf(raw *C.const_source_info) Info {
	return Info{
		Name:            C.GoString(raw.name),
		Server:          C.GoString(raw.server),
		Kind:            Kind(raw.kind),
		Origin:          Origin(raw.origin),
		Version:         int64(raw.version),
		HasStaged:       raw.has_staged != 0,
		FilterFailures:  int(raw.filter_failures),
		FetchedAt:       moment(raw.fetched_at_ms),
		CheckedAt:       moment(raw.checked_at_ms),
		AttemptedAt:     moment(raw.attempted_at_ms),
		RetryAfter:      time.Duration(raw.retry_after_ms) * time.Millisecond,
		Generation:      uint64(raw.generation),
		LastError:       copyError(&raw.last_error),
		StorageError:    copyError(&raw.storage_error),
		Freshness:       Freshness(raw.freshness),
		RejectedVersion: int64(raw.rejected_version),
	}
}
