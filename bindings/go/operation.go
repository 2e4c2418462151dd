// SPDX-License-Identifier: Apache-2.0

package remora

// #include "callbacks.h"
import "C"

import (
	"context"
	"runtime/cgo"
)

// operation is an asynchronous call of the library. A goroutine waits for its result, so that no C function blocks.
type operation[T any] struct {
	done    chan completion[T] // Receives at most one result, and is closed after it, or when no result can follow.
	discard func(T)            // Releases a result that arrives after the context is done. May be nil.
}

type completion[T any] struct {
	value T
	err   error
}

func newOperation[T any]() operation[T] {
	return operation[T]{done: make(chan completion[T], 1)}
}

func (o *operation[T]) finish(value T, err error) { o.done <- completion[T]{value, err} }

func (o *operation[T]) forget() { close(o.done) }

// wait returns the result, or the error of the context if the context is done first. It releases the request.
func (o *operation[T]) wait(ctx context.Context, request *C.remora_request) (T, error) {
	defer C.remora_request_release(request)
	select {
	case done, ok := <-o.done:
		if !ok { // The library has dropped the result.
			return done.value, errClosed("the source or its client")
		}
		return done.value, done.err
	case <-ctx.Done():
		C.remora_request_cancel(request)
		if o.discard != nil {
			go func() {
				for late := range o.done {
					o.discard(late.value)
				}
			}()
		}
		var none T
		return none, ctx.Err()
	}
}

// start makes a call of the library that receives the number of a callee. The library forgets the callee, even if the
// call fails; start does so if the object is closed.
func start[P comparable](
	raw *handle[P], object string, it callee, call func(P, C.uintptr_t, *C.remora_error) C.remora_status,
) error {
	number := cgo.NewHandle(it)
	open := false
	err := raw.call(object, func(raw P, details *C.remora_error) C.remora_status {
		open = true
		return call(raw, C.uintptr_t(number), details)
	})
	if !open {
		number.Delete()
	}
	return err
}
