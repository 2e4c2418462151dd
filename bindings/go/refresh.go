// SPDX-License-Identifier: Apache-2.0

package remora

// #include "callbacks.h"
import "C"

import (
	"context"
	"runtime/cgo"
)

// refresh is a refresh that is under way.
type refresh struct {
	done chan completion // Receives at most one completion, and is closed.
}

type completion struct {
	outcome Outcome
	err     error
}

func (r *refresh) complete(result *C.const_result) {
	r.done <- completion{Outcome(result.outcome), copyError(result.error)}
}

func (r *refresh) forget() { close(r.done) }

// RefreshOptions has the options of Refresh and Wait.
type RefreshOptions struct {
	Force           bool  // Sends a request even if the data is fresh or the server asked clients to wait.
	OnlyIfEmpty     bool  // Sends no request if the source has any data, even old data.
	ExpectedVersion int64 // The timestamp of a push message for a collection, so that no cache sends older data.
}

// Refresh requests newer data, and waits until it is live or until the context is done. If the context is done first,
// Refresh returns the error of the context, and the request is cancelled unless other calls wait for it. Events of the
// refresh are delivered before Refresh returns. After a failure, reads return the same data as before. Do not call it in a
// handler.
func (s *Source) Refresh(ctx context.Context, options ...RefreshOptions) (Outcome, error) {
	return s.refresh(ctx, false, options)
}

// Wait is like Refresh, but sends no request for settings whose data is fresh. Use it before a read that prefers fresh
// data.
func (s *Source) Wait(ctx context.Context, options ...RefreshOptions) error {
	_, err := s.refresh(ctx, true, options)
	return err
}

func (s *Source) refresh(ctx context.Context, isWait bool, options []RefreshOptions) (Outcome, error) {
	var raw C.remora_refresh_options
	initialise(&raw)
	for _, one := range options {
		raw.force, raw.only_if_empty = boolean(one.Force), boolean(one.OnlyIfEmpty)
		raw.expected_version = C.int64_t(one.ExpectedVersion)
	}
	if err := ctx.Err(); err != nil {
		return OutcomeNone, err
	}
	it := &refresh{done: make(chan completion, 1)}
	number := cgo.NewHandle(it)
	var request *C.remora_request
	err := errClosed("the source")
	open := s.raw.use(func(source *C.remora_source) {
		var details C.remora_error
		err = check(C.remora_go_refresh(source, &raw, C.int(boolean(isWait)), C.uintptr_t(number), &request, &details), &details)
	})
	if !open {
		number.Delete()
	}
	if err != nil { // The library has forgotten the handle.
		return OutcomeNone, err
	}
	defer C.remora_request_release(request)
	select {
	case done, ok := <-it.done:
		if !ok { // The source or the client was closed.
			return OutcomeNone, errClosed("the source or its client")
		}
		return done.outcome, done.err
	case <-ctx.Done():
		C.remora_request_cancel(request)
		return OutcomeNone, ctx.Err()
	}
}
