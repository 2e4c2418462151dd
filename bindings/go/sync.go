// SPDX-License-Identifier: Apache-2.0

package remora

// #include "callbacks.h"
import "C"

import (
	"context"
	"unsafe"
)

// SyncItem is the result of a sync for one source.
type SyncItem struct {
	Source  string // As in Info.Name.
	Server  string // As in Info.Server.
	Kind    Kind
	Outcome Outcome
	Err     error // The reason if Outcome is OutcomeRefused or OutcomeFailed; otherwise nil.
}

// SyncReport is the result of a sync.
type SyncReport struct {
	Items     []SyncItem // In the order of opening. Bundles without URL are left out.
	Updated   int        // The number of sources with OutcomeUpdated.
	Unchanged int        // The number of sources with OutcomeUnchanged, OutcomeNotNewer or OutcomeNone.
	Staged    int        // The number of sources with OutcomeStaged.
	Failed    int        // The number of sources with OutcomeRefused or OutcomeFailed.
}

// Sync refreshes the open sources of the client that have changed on their servers, and waits until the new data is
// live or until the context is done. Use it to keep many sources current with few requests: one request per server
// finds out which collections have changed. Bundles and settings are always refreshed.
//
// If sources fail, Sync returns both: the complete report, and the first failure as an error, whose message begins like
// "2 of 5 sources failed". If the context is done first, Sync returns the error of the context and an empty report, and
// cancels its requests. In a handler, the error is ErrBusy.
func (c *Client) Sync(ctx context.Context, options ...RefreshOptions) (SyncReport, error) {
	if err := c.mayWait(ctx); err != nil {
		return SyncReport{}, err
	}
	raw := rawRefreshOptions(options)
	it := &syncing{newOperation[SyncReport]()}
	var request *C.remora_request
	err := start(&c.raw, "the client", it,
		func(client *C.remora_client, number C.uintptr_t, details *C.remora_error) C.remora_status {
			return C.remora_go_sync(client, &raw, number, &request, details)
		})
	if err != nil {
		return SyncReport{}, err
	}
	return it.wait(ctx, request)
}

// syncing is a sync that is under way.
type syncing struct{ operation[SyncReport] }

func (s *syncing) complete(raw *C.const_sync_report) {
	report := SyncReport{
		Updated: int(raw.updated), Unchanged: int(raw.unchanged), Staged: int(raw.staged), Failed: int(raw.failed),
	}
	for _, item := range unsafe.Slice(raw.items, raw.item_count) {
		report.Items = append(report.Items, SyncItem{
			Source: C.GoString(item.source_name), Server: C.GoString(item.server),
			Kind: Kind(item.kind), Outcome: Outcome(item.outcome), Err: copyError(item.error),
		})
	}
	s.finish(report, copyError(raw.error))
}
