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

// Refresh requests newer settings, and waits until they are live or until the context is done. It then returns the error
// of the context, and the request is cancelled unless other calls wait for it. Events of the refresh are delivered before
// it returns. Do not call it in a handler: it would wait for the goroutine that runs the handler.
func (s *Source) Refresh(ctx context.Context) (Outcome, error) {
	if err := ctx.Err(); err != nil {
		return OutcomeNone, err
	}
	it := &refresh{done: make(chan completion, 1)}
	number := cgo.NewHandle(it)
	var request *C.remora_request
	err := errClosed()
	open := s.raw.use(func(source *C.remora_source) {
		var details C.remora_error
		err = check(C.remora_go_refresh(source, C.uintptr_t(number), &request, &details), &details)
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
			return OutcomeNone, errClosed()
		}
		return done.outcome, done.err
	case <-ctx.Done():
		C.remora_request_cancel(request)
		return OutcomeNone, ctx.Err()
	}
}
