// SPDX-License-Identifier: Apache-2.0

package remora

// #include <remora.h>
import "C"

import "encoding/json"

// Source is an open collection, bundle or settings. Close it when it is not needed any more.
type Source struct {
	raw     handle[*C.remora_source]
	client  *Client
	freezes freezes
}

// Close closes the source. Its subscriptions end, and reads return their default. A second call does nothing. It blocks
// until a running handler of the source has returned, unless it is called in a handler. The error is always nil.
func (s *Source) Close() error {
	C.remora_source_close(s.freezes.pass(s.raw.take()))
	return nil
}

// Reader is a Source, which reads the live version, or a Snapshot, which reads one version. Both return the default if
// the value does not exist or has another type.
type Reader interface {
	Bool(key, pointer string, defaultValue bool) bool
	Int(key, pointer string, defaultValue int64) int64
	Float(key, pointer string, defaultValue float64) float64
	String(key, pointer, defaultValue string) string
	URL(key, pointer, defaultValue string) string
	Decode(key, pointer string, target any) error
}

// Bool returns a boolean. Like all reads, it returns the default if the value does not exist or has another type, or if
// the source or its client is closed. pointer is a JSON Pointer (RFC 6901) into the value of the key; "" is the whole
// value. Does not block.
func (s *Source) Bool(key, pointer string, defaultValue bool) bool {
	found := boolean(defaultValue)
	s.raw.read(key, pointer, func(source *C.remora_source, key, pointer *C.char) {
		found = C.remora_get_bool(source, key, pointer, boolean(defaultValue))
	})
	return found != 0
}

// Int returns a number that is exactly a 64-bit integer; see Bool.
func (s *Source) Int(key, pointer string, defaultValue int64) int64 {
	found := C.int64_t(defaultValue)
	s.raw.read(key, pointer, func(source *C.remora_source, key, pointer *C.char) {
		found = C.remora_get_int(source, key, pointer, C.int64_t(defaultValue))
	})
	return int64(found)
}

// Float returns a number that is exactly a double; see Bool.
func (s *Source) Float(key, pointer string, defaultValue float64) float64 {
	found := C.double(defaultValue)
	s.raw.read(key, pointer, func(source *C.remora_source, key, pointer *C.char) {
		found = C.remora_get_double(source, key, pointer, C.double(defaultValue))
	})
	return float64(found)
}

// String returns a string; see Bool.
func (s *Source) String(key, pointer, defaultValue string) string {
	text, ok := s.text(key, pointer, func(source *C.remora_source, key, pointer, buffer *C.char, size C.size_t, absent *C.char) C.size_t {
		return C.remora_get_string(source, key, pointer, buffer, size, absent)
	})
	if !ok {
		return defaultValue
	}
	return string(text)
}

// URL returns a string that is an absolute URI; see Bool.
func (s *Source) URL(key, pointer, defaultValue string) string {
	text, ok := s.text(key, pointer, func(source *C.remora_source, key, pointer, buffer *C.char, size C.size_t, absent *C.char) C.size_t {
		return C.remora_get_url(source, key, pointer, buffer, size, absent)
	})
	if !ok {
		return defaultValue
	}
	return string(text)
}

// Decode stores a value of any type in the variable that target points to, by the rules of encoding/json. The error is
// ErrNotFound if the value does not exist or is null, or if the source is closed. Does not block.
func (s *Source) Decode(key, pointer string, target any) error {
	text, ok := s.text(key, pointer, func(source *C.remora_source, key, pointer, buffer *C.char, size C.size_t, absent *C.char) C.size_t {
		return C.remora_get_json(source, key, pointer, buffer, size, absent)
	})
	if !ok {
		return failure(ErrNotFound, "key "+key+pointer+": no such value, or null")
	}
	return json.Unmarshal(text, target)
}

// Get returns a value as a type of the program, by the rules of encoding/json. It returns the default if the value does
// not exist, is null, or does not fit the type.
func Get[T any](reader Reader, key, pointer string, defaultValue T) T {
	var value T
	if reader.Decode(key, pointer, &value) != nil {
		return defaultValue
	}
	return value
}

// ChangeCount returns a counter that increases each time another version becomes live. While it stays the same, a
// program need not compute anything from the values again. Read the counter before the values.
func (s *Source) ChangeCount() int64 {
	var count C.int64_t
	s.raw.use(func(source *C.remora_source) { count = C.remora_source_get_change_count(source) })
	return int64(count)
}

func (s *Source) call(call func(source *C.remora_source, details *C.remora_error) C.remora_status) error {
	return s.raw.call("the source", call)
}

type textGetter func(source *C.remora_source, key, pointer, buffer *C.char, size C.size_t, absent *C.char) C.size_t

// text copies a text.
func (s *Source) text(key, pointer string, get textGetter) (text []byte, ok bool) {
	s.raw.read(key, pointer, func(source *C.remora_source, key, pointer *C.char) {
		text, ok = writtenOrAbsent(func(buffer *C.char, size C.size_t, absent *C.char) C.size_t {
			return get(source, key, pointer, buffer, size, absent)
		})
	})
	return text, ok
}
