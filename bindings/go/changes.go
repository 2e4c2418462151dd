// SPDX-License-Identifier: Apache-2.0

package remora

// #include "callbacks.h"
import "C"

import "encoding/json"

// Change is one key that has changed. Its values are copies of their JSON texts. A value is nil if it does not exist,
// or if its stored file was damaged while in use; Kind shows which.
type Change struct {
	Kind     ChangeKind
	Key      string
	Origin   Origin // The origin of the new value; OriginNone if the key was deleted.
	Old, New json.RawMessage
}

// Diff returns the differences between two snapshots, sorted by the bytes of the keys. nil means an empty snapshot.
// Diff compares types and values, not their JSON texts: 0.5 equals 5e-1, but 10 differs from 1e1. Both snapshots may be
// closed when Diff has returned. Does not block.
func Diff(older, newer *Snapshot) ([]Change, error) {
	before, err := holdOrNull(older)
	if err != nil {
		return nil, err
	}
	defer C.remora_snapshot_release(before)
	after, err := holdOrNull(newer)
	if err != nil {
		return nil, err
	}
	defer C.remora_snapshot_release(after)
	return listed[Change](func(number C.uintptr_t) error {
		var details C.remora_error
		return check(C.remora_go_diff(before, after, number, &details), &details)
	})
}

func changeOf(raw *C.const_change) Change {
	return Change{
		Kind:   ChangeKind(raw.kind),
		Key:    C.GoStringN(raw.key, C.int(raw.key_length)),
		Origin: Origin(raw.origin),
		Old:    jsonOf(raw.old_value),
		New:    jsonOf(raw.new_value),
	}
}

// jsonOf returns the canonical JSON text of a value; nil for the empty value.
func jsonOf(value C.remora_value) json.RawMessage {
	text, status := written(func(buffer *C.char, size C.size_t, length *C.size_t) C.remora_status {
		return C.remora_value_get_json(value, buffer, size, length, nil)
	})
	if status != C.REMORA_OK {
		return nil
	}
	return text
}
