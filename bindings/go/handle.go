// SPDX-License-Identifier: Apache-2.0

package remora

// #include <remora.h>
import "C"

import (
	"strings"
	"sync"
)

// handle keeps the address of an object of the library: P is a pointer, because cgo's types of objects without a public
// definition cannot be type arguments. Calls that use it do not wait, so take waits only for a moment.
type handle[P comparable] struct {
	lock sync.RWMutex
	raw  P
}

func (h *handle[P]) set(raw P) { h.raw = raw }

// use passes the object to call, or returns false if it was closed.
func (h *handle[P]) use(call func(raw P)) bool {
	h.lock.RLock()
	defer h.lock.RUnlock()
	var none P
	if h.raw == none {
		return false
	}
	call(h.raw)
	return true
}

// call makes a call of the library that does not wait for handlers. If the object was closed, the error is ErrClosed,
// and its message names the object.
func (h *handle[P]) call(object string, call func(raw P, details *C.remora_error) C.remora_status) error {
	var err error
	open := h.use(func(raw P) {
		var details C.remora_error
		err = check(call(raw, &details), &details)
	})
	if !open {
		return errClosed(object)
	}
	return err
}

// read passes the object and a place in it to call. It does nothing for a NUL: no key or pointer contains one.
func (h *handle[P]) read(key, pointer string, call func(raw P, key, pointer *C.char)) {
	if strings.IndexByte(key, 0) >= 0 || strings.IndexByte(pointer, 0) >= 0 {
		return
	}
	keyText, pointerText := append([]byte(key), 0), append([]byte(pointer), 0)
	h.use(func(raw P) { call(raw, pointerTo(keyText), pointerTo(pointerText)) })
}

// take returns the object for its release; nil at every later call. No other call uses the object any more.
func (h *handle[P]) take() P {
	h.lock.Lock()
	defer h.lock.Unlock()
	var none P
	raw := h.raw
	h.raw = none
	return raw
}
