// SPDX-License-Identifier: Apache-2.0

package remora

// #include "callbacks.h"
import "C"

import "runtime/cgo"

// The library calls these functions on the goroutine of the client, inside remora_dispatch. Other calls that can call
// them: remora_client_close (log lines), remora_override_foreach, and functions that end a subscription or a request
// (remoraForget). The parameter number is the cgo.Handle of a callee.

// listed returns the items that a call of the library passes to its callback, which calls add.
func listed[Item any](list func(number C.uintptr_t) error) ([]Item, error) {
	var found []Item
	number := cgo.NewHandle(&found)
	defer number.Delete()
	err := list(C.uintptr_t(number))
	return found, err
}

func add[Item any](number C.uintptr_t, item Item) {
	found := cgo.Handle(number).Value().(*[]Item)
	*found = append(*found, item)
}

// callee receives callbacks until the library forgets it.
type callee interface{ forget() }

//export remoraOnLog
func remoraOnLog(entry *C.const_log_entry, number C.uintptr_t) {
	cgo.Handle(number).Value().(logger).write(entry)
}

//export remoraOnAttempt
func remoraOnAttempt(attempt *C.const_attempt, number C.uintptr_t) {
	cgo.Handle(number).Value().(reporter).report(attempt)
}

//export remoraOnEvent
func remoraOnEvent(event *C.const_event, number C.uintptr_t) {
	cgo.Handle(number).Value().(*subscriber).notify(event)
}

//export remoraOnResult
func remoraOnResult(result *C.const_result, number C.uintptr_t) {
	cgo.Handle(number).Value().(interface{ complete(*C.const_result) }).complete(result)
}

//export remoraOnSync
func remoraOnSync(report *C.const_sync_report, number C.uintptr_t) {
	cgo.Handle(number).Value().(*syncing).complete(report)
}

//export remoraOnProgress
func remoraOnProgress(received, total C.int64_t, number C.uintptr_t) {
	cgo.Handle(number).Value().(progress)(int64(received), int64(total))
}

//export remoraOnOverride
func remoraOnOverride(entry *C.const_override, number C.uintptr_t) {
	add(number, overrideOf(entry))
}

//export remoraOnChange
func remoraOnChange(change *C.const_change, number C.uintptr_t) {
	add(number, changeOf(change))
}

//export remoraOnSource
func remoraOnSource(info *C.const_source_info, number C.uintptr_t) {
	add(number, infoOf(info))
}

//export remoraOnSeedRequest
func remoraOnSeedRequest(request *C.const_http_request, number C.uintptr_t) {
	cgo.Handle(number).Value().(*SeedRequest).copy(request)
}

//export remoraOnNamespace
func remoraOnNamespace(namespace *C.const_namespace, number C.uintptr_t) {
	add(number, namespaceOf(namespace))
}

//export remoraOnExperiment
func remoraOnExperiment(experiment *C.const_experiment, number C.uintptr_t) {
	add(number, experimentOf(experiment))
}

//export remoraForget
func remoraForget(number C.uintptr_t) {
	handle := cgo.Handle(number)
	it := handle.Value().(callee)
	handle.Delete()
	it.forget()
}
