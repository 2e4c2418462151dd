// SPDX-License-Identifier: Apache-2.0

package remora

// #include <remora.h>
import "C"

import "encoding/json"

// Key is one value of a source that is read often. It caches the value: until another version becomes live, a read
// needs no search. Close a Key when it is not needed any more. Closing its source does not close a Key: when all
// handles of the source are closed, the Key keeps its last value.
//
// Bool, Int, Float, String and URL return the default if the value does not exist or has another type, or if the key or
// the client is closed. No function of a key blocks.
type Key struct {
	raw handle[*C.remora_key]
}

// Bind returns a Key for the value of a key, or for the part of it that pointer (a JSON Pointer, RFC 6901) names. The
// value need not exist yet. The caller closes the Key. Does not block.
func (s *Source) Bind(key, pointer string) (*Key, error) {
	var raw *C.remora_key
	err := s.at(key, pointer, func(source *C.remora_source, key, pointer *C.char, details *C.remora_error) C.remora_status {
		return C.remora_key_bind(source, key, pointer, &raw, details)
	})
	if err != nil {
		return nil, err
	}
	it := &Key{}
	it.raw.set(raw)
	return it, nil
}

// Close releases the key. A second call does nothing. The error is always nil.
func (k *Key) Close() error {
	C.remora_key_release(k.raw.take())
	return nil
}

// Bool returns a boolean.
func (k *Key) Bool(defaultValue bool) bool {
	found := boolean(defaultValue)
	k.raw.use(func(raw *C.remora_key) { found = C.remora_key_get_bool(raw, found) })
	return found != 0
}

// Int returns a number that is exactly a 64-bit integer, such as 5 or 5.0.
func (k *Key) Int(defaultValue int64) int64 {
	found := C.int64_t(defaultValue)
	k.raw.use(func(raw *C.remora_key) { found = C.remora_key_get_int(raw, found) })
	return int64(found)
}

// Float returns a number that is exactly a double.
func (k *Key) Float(defaultValue float64) float64 {
	found := C.double(defaultValue)
	k.raw.use(func(raw *C.remora_key) { found = C.remora_key_get_double(raw, found) })
	return float64(found)
}

// String returns a string.
func (k *Key) String(defaultValue string) string {
	text, ok := k.text(func(raw *C.remora_key, buffer *C.char, size C.size_t, absent *C.char) C.size_t {
		return C.remora_key_get_string(raw, buffer, size, absent)
	})
	if !ok {
		return defaultValue
	}
	return string(text)
}

// URL returns a string that is an absolute URI of any scheme.
func (k *Key) URL(defaultValue string) string {
	text, ok := k.text(func(raw *C.remora_key, buffer *C.char, size C.size_t, absent *C.char) C.size_t {
		return C.remora_key_get_url(raw, buffer, size, absent)
	})
	if !ok {
		return defaultValue
	}
	return string(text)
}

// Decode stores the value in the variable that target points to, by the rules of encoding/json. The error is
// ErrNotFound if the value does not exist or is null, or if the key or the client is closed.
func (k *Key) Decode(target any) error {
	text, ok := k.text(func(raw *C.remora_key, buffer *C.char, size C.size_t, absent *C.char) C.size_t {
		return C.remora_key_get_json(raw, buffer, size, absent)
	})
	if !ok {
		return failure(ErrNotFound, "bound key: no such value, or null")
	}
	return json.Unmarshal(text, target)
}

// ChangeCount returns a counter that increases if the value has changed since the previous call. While it stays the
// same, results that were computed from the value are still valid. 0 if the key is closed.
func (k *Key) ChangeCount() int64 {
	var count C.int64_t
	k.raw.use(func(raw *C.remora_key) { count = C.remora_key_get_change_count(raw) })
	return int64(count)
}

func (k *Key) text(get func(raw *C.remora_key, buffer *C.char, size C.size_t, absent *C.char) C.size_t) (text []byte, ok bool) {
	k.raw.use(func(raw *C.remora_key) {
		text, ok = writtenOrAbsent(func(buffer *C.char, size C.size_t, absent *C.char) C.size_t {
			return get(raw, buffer, size, absent)
		})
	})
	return text, ok
}
