// SPDX-License-Identifier: Apache-2.0

package remora

// #include "callbacks.h"
import "C"

import "context"

// RefreshOptions has the options of Refresh, Wait and Sync, with the same meaning in each.
type RefreshOptions struct {
	Force           bool  // Sends a request even if the data is fresh or the server asked clients to wait.
	OnlyIfEmpty     bool  // Sends no request for a source that has any data, even old data.
	ExpectedVersion int64 // The timestamp of a push message for a collection, so that no cache sends older data.
}

func rawRefreshOptions(options []RefreshOptions) C.remora_refresh_options {
	var raw C.remora_refresh_options
	initialise(&raw)
	for _, one := range options {
		raw.force, raw.only_if_empty = boolean(one.Force), boolean(one.OnlyIfEmpty)
		raw.expected_version = C.int64_t(one.ExpectedVersion)
	}
	return raw
}

// Refresh requests newer data, and waits until it is live or until the context is done. If the context is done first,
// Refresh returns the error of the context, and the request is cancelled unless other calls wait for it. Events of the
// refresh are delivered before Refresh returns. After a failure, reads return the same data as before. Without a
// deadline of the context, only the timeouts of Config apply.
//
// The error is one of FamilyNetwork, FamilyDocument, FamilyTrust or FamilyFreshness, ErrCancelled after Reset,
// ErrStorage or ErrCorrupt, or ErrBusy in a handler.
func (s *Source) Refresh(ctx context.Context, options ...RefreshOptions) (Outcome, error) {
	return s.refresh(ctx, false, options)
}

// Wait is like Refresh, but sends no request for settings whose data is fresh (see Settings.TTL). Use it before a read
// that prefers fresh data.
func (s *Source) Wait(ctx context.Context, options ...RefreshOptions) error {
	_, err := s.refresh(ctx, true, options)
	return err
}

func (s *Source) refresh(ctx context.Context, isWait bool, options []RefreshOptions) (Outcome, error) {
	if err := s.client.mayWait(ctx); err != nil {
		return OutcomeNone, err
	}
	raw := rawRefreshOptions(options)
	it := &refresh{newOperation[Outcome]()}
	var request *C.remora_request
	err := start(&s.raw, "the source", it,
		func(source *C.remora_source, number C.uintptr_t, details *C.remora_error) C.remora_status {
			return C.remora_go_refresh(source, &raw, C.int(boolean(isWait)), number, &request, details)
		})
	if err != nil {
		return OutcomeNone, err
	}
	return it.wait(ctx, request)
}

// refresh is a refresh that is under way.
type refresh struct{ operation[Outcome] }

func (r *refresh) complete(result *C.const_result) {
	r.finish(Outcome(result.outcome), copyError(result.error))
}
