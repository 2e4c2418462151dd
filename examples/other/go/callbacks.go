// SPDX-License-Identifier: Apache-2.0

package remora

// #include "callbacks.h"
import "C"

import "runtime/cgo"

// The library calls these functions inside remora_dispatch only, on the goroutine of the client, and remoraForget also
// inside functions that end a subscription or a request. The numbers are handles of callees.

// callee is called back, until the library forgets it.
type callee interface{ forget() }

//export remoraOnEvent
func remoraOnEvent(event *C.const_event, number C.uintptr_t) {
	cgo.Handle(number).Value().(*subscriber).notify(event)
}

//export remoraOnResult
func remoraOnResult(result *C.const_result, number C.uintptr_t) {
	cgo.Handle(number).Value().(*refresh).complete(result)
}

//export remoraForget
func remoraForget(number C.uintptr_t) {
	handle := cgo.Handle(number)
	it := handle.Value().(callee)
	handle.Delete()
	it.forget()
}
