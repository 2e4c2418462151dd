// SPDX-License-Identifier: Apache-2.0

package remora

// #include <remora.h>
import "C"

import "encoding/json"

// Value is a value in a snapshot, or a part of one. It is not copied: it is valid until the Snapshot that returned it
// is closed, and its functions fail with ErrClosed after that. The zero Value is empty, has TypeNone, and cannot be
// read.
//
// Bool, Int, Float, Text and URL fail with ErrWrongType if the value has another type, and with ErrNotFound if it is
// null. No function blocks.
type Value struct {
	snapshot *Snapshot
	raw      C.remora_value
}

// Type returns the type; TypeNone for the empty value, or if the snapshot is closed.
func (v Value) Type() Type {
	var found C.remora_type
	v.use(func() { found = C.remora_value_type(v.raw) })
	return Type(found)
}

// Len returns the number of elements of an array, or of members of an object; 0 for any other value.
func (v Value) Len() int {
	var count C.size_t
	v.use(func() { count = C.remora_value_count(v.raw) })
	return int(count)
}

// Bool returns a boolean.
func (v Value) Bool() (bool, error) {
	var found C.remora_bool
	err := v.call(func(details *C.remora_error) C.remora_status { return C.remora_value_get_bool(v.raw, &found, details) })
	return found != 0, err
}

// Int returns a number that is exactly a 64-bit integer, such as 5 or 5.0.
func (v Value) Int() (int64, error) {
	var found C.int64_t
	err := v.call(func(details *C.remora_error) C.remora_status { return C.remora_value_get_int(v.raw, &found, details) })
	return int64(found), err
}

// Float returns a number that is exactly a double.
func (v Value) Float() (float64, error) {
	var found C.double
	err := v.call(func(details *C.remora_error) C.remora_status {
		return C.remora_value_get_double(v.raw, &found, details)
	})
	return float64(found), err
}

// Text returns a copy of a string. It is not named String, because Go expects that String returns no error.
func (v Value) Text() (string, error) {
	return v.copied(func(text **C.char, length *C.size_t, details *C.remora_error) C.remora_status {
		return C.remora_value_get_string(v.raw, text, length, details)
	})
}

// URL returns a copy of a string that is an absolute URI of any scheme.
func (v Value) URL() (string, error) {
	return v.copied(func(text **C.char, length *C.size_t, details *C.remora_error) C.remora_status {
		return C.remora_value_get_url(v.raw, text, length, details)
	})
}

// JSON returns the canonical JSON text of the value.
func (v Value) JSON() (json.RawMessage, error) {
	return v.written(func(buffer *C.char, size C.size_t, length *C.size_t, details *C.remora_error) C.remora_status {
		return C.remora_value_get_json(v.raw, buffer, size, length, details)
	})
}

// RecordFields returns the members of a record of a collection as one JSON object, without id, last_modified and
// attachment. The error is ErrWrongType if the value is not an object.
func (v Value) RecordFields() (json.RawMessage, error) {
	return v.written(func(buffer *C.char, size C.size_t, length *C.size_t, details *C.remora_error) C.remora_status {
		return C.remora_value_record_fields(v.raw, buffer, size, length, details)
	})
}

// Decode stores the value in the variable that target points to, by the rules of encoding/json.
func (v Value) Decode(target any) error {
	text, err := v.JSON()
	if err != nil {
		return err
	}
	return json.Unmarshal(text, target)
}

// Member returns the member of an object with this name. The member can be a JSON null. The error is ErrNotFound if the
// member does not exist, and ErrWrongType if the value is not an object.
func (v Value) Member(name string) (Value, error) {
	return v.part("name", name, func(text *C.char, part *C.remora_value, details *C.remora_error) C.remora_status {
		return C.remora_value_member(v.raw, text, part, details)
	})
}

// At returns the part of the value that a JSON Pointer (RFC 6901) names; "" is the value itself. The part can be a JSON
// null. The error is ErrNotFound if the part does not exist.
func (v Value) At(pointer string) (Value, error) {
	return v.part("pointer", pointer, func(text *C.char, part *C.remora_value, details *C.remora_error) C.remora_status {
		return C.remora_value_resolve(v.raw, text, part, details)
	})
}

// Each calls visit with each element of an array, whose name is "", or with each member of an object, sorted by the
// bytes of the names, until visit returns false. It does nothing for any other value. With Go 1.23 or newer, write
// for name, member := range value.Each.
func (v Value) Each(visit func(name string, value Value) bool) {
	if v.snapshot == nil {
		return
	}
	v.snapshot.each(func(_ *C.remora_snapshot, index C.size_t, name **C.char, length *C.size_t, item *C.remora_value) C.remora_status {
		return C.remora_value_item(v.raw, index, name, length, item, nil)
	}, visit)
}

// use makes the call if the memory of the value is valid.
func (v Value) use(call func()) {
	if v.snapshot != nil {
		v.snapshot.raw.use(func(*C.remora_snapshot) { call() })
	}
}

func (v Value) call(call func(details *C.remora_error) C.remora_status) error {
	if v.snapshot == nil {
		return failure(ErrInvalidArgument, "the value is empty")
	}
	return v.snapshot.call(func(_ *C.remora_snapshot, details *C.remora_error) C.remora_status { return call(details) })
}

// copied copies a text of the snapshot.
func (v Value) copied(get func(text **C.char, length *C.size_t, details *C.remora_error) C.remora_status) (string, error) {
	var found string
	err := v.call(func(details *C.remora_error) C.remora_status {
		var text *C.char
		var length C.size_t
		status := get(&text, &length, details)
		if status == C.REMORA_OK {
			found = C.GoStringN(text, C.int(length))
		}
		return status
	})
	return found, err
}

func (v Value) written(
	write func(buffer *C.char, size C.size_t, length *C.size_t, details *C.remora_error) C.remora_status,
) (json.RawMessage, error) {
	var text []byte
	err := v.call(func(details *C.remora_error) C.remora_status {
		var status C.remora_status
		text, status = written(func(buffer *C.char, size C.size_t, length *C.size_t) C.remora_status {
			return write(buffer, size, length, details)
		})
		return status
	})
	return text, err
}

func (v Value) part(
	parameter, text string, find func(text *C.char, part *C.remora_value, details *C.remora_error) C.remora_status,
) (Value, error) {
	place, err := terminated(parameter, text)
	if err != nil {
		return Value{}, err
	}
	var part C.remora_value
	err = v.call(func(details *C.remora_error) C.remora_status {
		return find(pointerTo(place), &part, details)
	})
	if err != nil {
		return Value{}, err
	}
	return Value{v.snapshot, part}, nil
}
