// SPDX-License-Identifier: Apache-2.0

package remora

// #include <remora.h>
import "C"

import (
	"encoding/json"
	"time"
)

// Snapshot is an immutable view of one version of a source. Use it to read values that belong together, or to list all
// keys. Close it when it is not needed any more: it uses memory that the garbage collector does not count. It stays
// readable after its source and its client are closed.
//
// Bool, Int, Float, String and URL return the default if the value does not exist or has another type, or if the
// snapshot is closed. Value returns the reason as an error. No function of a snapshot blocks.
type Snapshot struct {
	raw handle[*C.remora_snapshot]
}

// Snapshot returns the live version of the source: the data that reads return now. Without any data, its origin is
// OriginNone. The caller closes it. Does not block.
func (s *Source) Snapshot() (*Snapshot, error) { return s.acquire(0) }

// UnfilteredSnapshot is for tools. It returns the live data as the server sent it: with the records that filters hide,
// and without overrides and defaults. The caller closes it. Does not block.
func (s *Source) UnfilteredSnapshot() (*Snapshot, error) {
	return s.acquire(C.REMORA_SNAPSHOT_UNFILTERED)
}

func (s *Source) acquire(flags C.remora_flags) (*Snapshot, error) {
	var raw *C.remora_snapshot
	err := s.call(func(source *C.remora_source, details *C.remora_error) C.remora_status {
		return C.remora_snapshot_acquire(source, flags, &raw, details)
	})
	if err != nil {
		return nil, err
	}
	return newSnapshot(raw), nil
}

// newSnapshot takes ownership of a reference, which may be NULL.
func newSnapshot(raw *C.remora_snapshot) *Snapshot {
	if raw == nil {
		return nil
	}
	it := &Snapshot{}
	it.raw.set(raw)
	return it
}

// Retain returns another handle of the same data, for example to keep a snapshot of an event after its handler has
// returned. The caller closes it. For a closed snapshot, the handle is closed too.
func (s *Snapshot) Retain() *Snapshot {
	it := &Snapshot{}
	it.raw.set(s.hold())
	return it
}

// hold returns a reference of the caller, so that the snapshot may be closed meanwhile; NULL if it is closed.
func (s *Snapshot) hold() (held *C.remora_snapshot) {
	s.raw.use(func(raw *C.remora_snapshot) { held = C.remora_snapshot_retain(raw) })
	return held
}

// holdOrNull is hold for an optional snapshot. For a closed one it fails, because NULL means another snapshot.
func holdOrNull(snapshot *Snapshot) (*C.remora_snapshot, error) {
	if snapshot == nil {
		return nil, nil
	}
	held := snapshot.hold()
	if held == nil {
		return nil, errClosed("the snapshot")
	}
	return held, nil
}

// Close releases the snapshot. Its values return ErrClosed from then on. A second call does nothing. The error is
// always nil. Does not block.
func (s *Snapshot) Close() error {
	C.remora_snapshot_release(s.raw.take())
	return nil
}

// SnapshotInfo has the properties of a snapshot.
type SnapshotInfo struct {
	Origin    Origin
	Verified  bool      // A signature of this data was verified. It does not cover overrides.
	Version   int64     // A timestamp in milliseconds, or the version of a bundle; 0 if the data has no version.
	FetchedAt time.Time // Zero if the data was not fetched.
	Count     int
}

// Info returns the properties of the snapshot.
func (s *Snapshot) Info() (SnapshotInfo, error) {
	var raw C.remora_snapshot_info
	initialise(&raw)
	err := s.call(func(snapshot *C.remora_snapshot, details *C.remora_error) C.remora_status {
		return C.remora_snapshot_get_info(snapshot, &raw, details)
	})
	if err != nil {
		return SnapshotInfo{}, err
	}
	return SnapshotInfo{
		Origin: Origin(raw.origin), Verified: raw.verified != 0, Version: int64(raw.version),
		FetchedAt: moment(raw.fetched_at_ms), Count: int(raw.count),
	}, nil
}

// Len returns the number of keys; 0 if the snapshot is closed.
func (s *Snapshot) Len() int {
	var count C.size_t
	s.raw.use(func(raw *C.remora_snapshot) { count = C.remora_snapshot_count(raw) })
	return int(count)
}

// Bool returns a boolean, or the default. pointer is a JSON Pointer (RFC 6901) into the value of the key; "" is the
// whole value.
func (s *Snapshot) Bool(key, pointer string, defaultValue bool) bool {
	found := boolean(defaultValue)
	s.raw.read(key, pointer, func(raw *C.remora_snapshot, key, pointer *C.char) {
		C.remora_snapshot_get_bool(raw, key, pointer, &found, nil)
	})
	return found != 0
}

// Int returns a number that is exactly a 64-bit integer, such as 5 or 5.0; see Bool.
func (s *Snapshot) Int(key, pointer string, defaultValue int64) int64 {
	found := C.int64_t(defaultValue)
	s.raw.read(key, pointer, func(raw *C.remora_snapshot, key, pointer *C.char) {
		C.remora_snapshot_get_int(raw, key, pointer, &found, nil)
	})
	return int64(found)
}

// Float returns a number that is exactly a double; see Bool.
func (s *Snapshot) Float(key, pointer string, defaultValue float64) float64 {
	found := C.double(defaultValue)
	s.raw.read(key, pointer, func(raw *C.remora_snapshot, key, pointer *C.char) {
		C.remora_snapshot_get_double(raw, key, pointer, &found, nil)
	})
	return float64(found)
}

// String returns a string; see Bool.
func (s *Snapshot) String(key, pointer, defaultValue string) string {
	return s.text(key, pointer, defaultValue, func(raw *C.remora_snapshot, key, pointer *C.char, text **C.char, length *C.size_t) C.remora_status {
		return C.remora_snapshot_get_string(raw, key, pointer, text, length, nil)
	})
}

// URL returns a string that is an absolute URI of any scheme; see Bool.
func (s *Snapshot) URL(key, pointer, defaultValue string) string {
	return s.text(key, pointer, defaultValue, func(raw *C.remora_snapshot, key, pointer *C.char, text **C.char, length *C.size_t) C.remora_status {
		return C.remora_snapshot_get_url(raw, key, pointer, text, length, nil)
	})
}

// Decode stores a value of any type in the variable that target points to, by the rules of encoding/json. The error is
// ErrNotFound if the value does not exist or is null, and ErrClosed if the snapshot is closed. As always in
// encoding/json, a null inside a value leaves most variables unchanged.
func (s *Snapshot) Decode(key, pointer string, target any) error {
	value, err := s.Value(key, pointer)
	if err != nil {
		return err
	}
	if value.Type() == TypeNull {
		return failure(ErrNotFound, "key "+key+pointer+": the value is null")
	}
	return value.Decode(target)
}

// JSON returns the canonical JSON text of the whole snapshot: one object, whose names are the keys.
func (s *Snapshot) JSON() (json.RawMessage, error) {
	var text []byte
	err := s.call(func(raw *C.remora_snapshot, details *C.remora_error) C.remora_status {
		var status C.remora_status
		text, status = written(func(buffer *C.char, size C.size_t, length *C.size_t) C.remora_status {
			return C.remora_snapshot_get_json(raw, nil, nil, buffer, size, length, details)
		})
		return status
	})
	return text, err
}

// Value returns the value of a key, or the part of it that pointer names. A part can be a JSON null. The value is valid
// until the snapshot is closed. The error is ErrNotFound if the value does not exist.
func (s *Snapshot) Value(key, pointer string) (Value, error) {
	var value C.remora_value
	keyText, pointerText := append([]byte(key), 0), append([]byte(pointer), 0)
	err := s.call(func(raw *C.remora_snapshot, details *C.remora_error) C.remora_status {
		return C.remora_snapshot_get_n(raw, pointerTo(keyText), C.size_t(len(key)), pointerTo(pointerText),
			C.size_t(len(pointer)), &value, details)
	})
	if err != nil {
		return Value{}, err
	}
	return Value{s, value}, nil
}

// Each calls visit with each key and its value, sorted by the bytes of the keys, until visit returns false. It does
// nothing if the snapshot is closed, and ends if visit closes the snapshot. With Go 1.23 or newer, write
// for key, value := range snapshot.Each.
func (s *Snapshot) Each(visit func(key string, value Value) bool) {
	s.each(func(raw *C.remora_snapshot, index C.size_t, key **C.char, length *C.size_t, value *C.remora_value) C.remora_status {
		return C.remora_snapshot_item(raw, index, key, length, value, nil)
	}, visit)
}

// Keys returns all keys, sorted by their bytes; none if the snapshot is closed.
func (s *Snapshot) Keys() []string {
	keys := make([]string, 0, s.Len())
	s.Each(func(key string, _ Value) bool {
		keys = append(keys, key)
		return true
	})
	return keys
}

// Origin returns the origin of the value of a key: OriginOverride if the value contains an override, and OriginDefault
// if all of it is from the default bundle. The error is ErrNotFound if the key does not exist.
func (s *Snapshot) Origin(key string) (Origin, error) {
	text, err := terminated("key", key)
	if err != nil {
		return OriginNone, err
	}
	var origin C.remora_origin
	err = s.call(func(raw *C.remora_snapshot, details *C.remora_error) C.remora_status {
		return C.remora_snapshot_get_origin(raw, pointerTo(text), &origin, details)
	})
	return Origin(origin), err
}

func (s *Snapshot) call(call func(raw *C.remora_snapshot, details *C.remora_error) C.remora_status) error {
	return s.raw.call("the snapshot", call)
}

// text copies a text of the snapshot.
func (s *Snapshot) text(
	key, pointer, defaultValue string,
	get func(raw *C.remora_snapshot, key, pointer *C.char, text **C.char, length *C.size_t) C.remora_status,
) string {
	found := defaultValue
	s.raw.read(key, pointer, func(raw *C.remora_snapshot, key, pointer *C.char) {
		var text *C.char
		var length C.size_t
		if get(raw, key, pointer, &text, &length) == C.REMORA_OK {
			found = C.GoStringN(text, C.int(length))
		}
	})
	return found
}

// each calls visit with each name and value that item finds, as long as the snapshot is open and visit returns true.
func (s *Snapshot) each(
	item func(raw *C.remora_snapshot, index C.size_t, name **C.char, length *C.size_t, value *C.remora_value) C.remora_status,
	visit func(name string, value Value) bool,
) {
	for index := C.size_t(0); ; index++ {
		var name string
		var value C.remora_value
		found := false
		s.raw.use(func(raw *C.remora_snapshot) {
			var text *C.char
			var length C.size_t
			if item(raw, index, &text, &length, &value) == C.REMORA_OK {
				name, found = C.GoStringN(text, C.int(length)), true
			}
		})
		if !found || !visit(name, Value{s, value}) {
			return
		}
	}
}
