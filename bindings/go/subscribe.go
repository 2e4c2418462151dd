// SPDX-License-Identifier: Apache-2.0

package remora

// #include "callbacks.h"
import "C"

import (
	"encoding/json"
	"math"
	"runtime/cgo"
	"strings"
	"unsafe"
)

// Event is a change of a source, or the outcome of a refresh.
type Event struct {
	Cause        Cause
	Outcome      Outcome // OutcomeNone if Cause is not CauseRefreshed, and nothing was staged.
	Origin       Origin
	Version      int64
	Changes      []Change // Sorted by key; none for CauseOpened.
	Err          error    // The reason if the refresh has failed.
	StorageError error    // The last storage failure, such as a full disk.
	// Of a bundle, when a Snowplow tracker would call onSuccess, the names of its namespaces. Origin is the state of the
	// bundle then: OriginDefault, OriginCached or OriginFetched. Otherwise nil.
	Namespaces []string
	// All values by key, for CauseOpened; otherwise nil.
	Values map[string]json.RawMessage
}

// Change is one key that has changed. A value that does not exist is nil.
type Change struct {
	Kind     ChangeKind
	Key      string
	Old, New json.RawMessage
}

// valuesOf copies all values of a snapshot.
func valuesOf(snapshot *C.remora_snapshot) map[string]json.RawMessage {
	values := make(map[string]json.RawMessage)
	for index := C.size_t(0); ; index++ {
		var key *C.char
		var length C.size_t
		var value C.remora_value
		if C.remora_snapshot_item(snapshot, index, &key, &length, &value, nil) != C.REMORA_OK {
			return values
		}
		values[C.GoStringN(key, C.int(length))] = jsonOf(value)
	}
}

// Subscription ends with Close, or with its source.
type Subscription struct {
	raw handle[C.remora_subscription]
}

// Subscribe calls the handler after every refresh and every other change, on the client's goroutine, one call at a time.
// With a key, it is called for changes of this key only. With replay, the first event has the state at the start and the
// cause CauseOpened. The handler must return, may use the source, and must not call runtime.Goexit. Does not block.
func (s *Source) Subscribe(key string, replay bool, handler func(*Event)) (*Subscription, error) {
	if strings.IndexByte(key, 0) >= 0 {
		return nil, failure(ErrInvalidArgument, "key contains a NUL")
	}
	var keyText *C.char
	if key != "" {
		keyText = pointerTo(append([]byte(key), 0))
	}
	var flags C.remora_flags
	if replay {
		flags = C.REMORA_SUBSCRIBE_REPLAY
	}
	number := cgo.NewHandle(&subscriber{handler})
	var subscription *C.remora_subscription
	err := errClosed()
	open := s.raw.use(func(source *C.remora_source) {
		var details C.remora_error
		err = check(C.remora_go_subscribe(source, keyText, flags, C.uintptr_t(number), &subscription, &details), &details)
	})
	if !open {
		number.Delete()
	}
	if err != nil { // The library has forgotten the handle.
		return nil, err
	}
	it := &Subscription{}
	it.raw.set(subscription)
	return it, nil
}

// Close ends the subscription. When it returns, the handler is not running and will not run again. It blocks until a
// running handler has returned, unless it is called in a handler.
func (s *Subscription) Close() {
	C.remora_unsubscribe(s.raw.take())
}

// subscriber calls a handler.
type subscriber struct{ handler func(*Event) }

func (s *subscriber) forget() {}

func (s *subscriber) notify(raw *C.const_event) {
	event := &Event{
		Cause:        Cause(raw.cause),
		Outcome:      Outcome(raw.outcome),
		Origin:       Origin(raw.origin),
		Version:      int64(raw.version),
		Err:          copyError(raw.error),
		StorageError: copyError(raw.storage_error),
	}
	if event.Cause == CauseOpened {
		event.Values = valuesOf(raw.new_snapshot)
	}
	if raw.namespaces != nil {
		names := unsafe.Slice(raw.namespaces, math.MaxInt32)
		for index := 0; names[index] != nil; index++ {
			event.Namespaces = append(event.Namespaces, C.GoString(names[index]))
		}
	}
	for _, one := range unsafe.Slice(raw.changes, raw.change_count) {
		event.Changes = append(event.Changes, Change{
			Kind: ChangeKind(one.kind),
			Key:  C.GoStringN(one.key, C.int(one.key_length)),
			Old:  jsonOf(one.old_value),
			New:  jsonOf(one.new_value),
		})
	}
	s.handler(event)
}

// jsonOf returns the canonical JSON text of a value, and nil for the empty value.
func jsonOf(value C.remora_value) json.RawMessage {
	var length C.size_t
	if C.remora_value_get_json(value, nil, 0, &length, nil) != C.REMORA_OK {
		return nil
	}
	text := make([]byte, length+1)
	C.remora_value_get_json(value, pointerTo(text), length+1, &length, nil)
	return text[:length]
}
