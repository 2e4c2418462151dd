// SPDX-License-Identifier: Apache-2.0

package remora

// #include "callbacks.h"
import "C"

import "encoding/json"

// Override is a value that the program has set.
type Override struct {
	Key     string
	Pointer string // "" is the whole value.
	Value   json.RawMessage
}

// SetOverride sets a value that takes precedence over fetched values until the program clears it. The value is encoded
// by encoding/json. pointer is a JSON Pointer to the place in the value of the key; "" is the whole value. When
// SetOverride returns, the value is live. The error is ErrInvalidArgument, ErrWrongType if a value on the path is not
// an object, or ErrTooLarge. It blocks for file system calls, like all functions that change overrides.
func (s *Source) SetOverride(key, pointer string, value any) error {
	return s.override(key, pointer, value, 0)
}

// SetOverrideIfExists is SetOverride, but fails with ErrNotFound if the source has no data for the key.
func (s *Source) SetOverrideIfExists(key, pointer string, value any) error {
	return s.override(key, pointer, value, C.REMORA_OVERRIDE_IF_EXISTS)
}

func (s *Source) override(key, pointer string, value any, flags C.remora_flags) error {
	text, err := json.Marshal(value)
	if err != nil {
		return failure(ErrInvalidArgument, "value cannot be encoded: "+err.Error())
	}
	return s.at(key, pointer, func(source *C.remora_source, key, pointer *C.char, details *C.remora_error) C.remora_status {
		return C.remora_override_set(source, key, pointer, pointerTo(append(text, 0)), flags, details)
	})
}

// ClearOverride clears the override at pointer and all overrides inside it; "" clears all overrides of the key. It
// fails with ErrNotFound if no override exists.
func (s *Source) ClearOverride(key, pointer string) error {
	return s.at(key, pointer, func(source *C.remora_source, key, pointer *C.char, details *C.remora_error) C.remora_status {
		return C.remora_override_clear(source, key, pointer, details)
	})
}

// ClearOverrides clears all overrides of the source.
func (s *Source) ClearOverrides() error {
	return s.call(func(source *C.remora_source, details *C.remora_error) C.remora_status {
		return C.remora_override_clear_all(source, details)
	})
}

// Overrides returns the overrides of the source, sorted by key, then by pointer.
func (s *Source) Overrides() ([]Override, error) {
	return listed[Override](func(number C.uintptr_t) error {
		return s.call(func(source *C.remora_source, details *C.remora_error) C.remora_status {
			return C.remora_go_overrides(source, number, details)
		})
	})
}

func overrideOf(raw *C.const_override) Override {
	return Override{
		Key:     C.GoStringN(raw.key, C.int(raw.key_length)),
		Pointer: C.GoStringN(raw.pointer, C.int(raw.pointer_length)),
		Value:   json.RawMessage(C.GoStringN(raw.json, C.int(raw.json_length))),
	}
}

// at passes the source and a place in it to call.
func (s *Source) at(
	key, pointer string, call func(*C.remora_source, *C.char, *C.char, *C.remora_error) C.remora_status,
) error {
	texts := texts{}
	defer texts.free()
	keyText, pointerText := texts.add("key", key), texts.add("pointer", pointer)
	if texts.err != nil {
		return texts.err
	}
	return s.call(func(source *C.remora_source, details *C.remora_error) C.remora_status {
		return call(source, keyText, pointerText, details)
	})
}
