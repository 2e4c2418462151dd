// SPDX-License-Identifier: Apache-2.0

package remora

// #include <remora.h>
import "C"

import (
	"encoding/json"
	"time"
)

// Explanation is the reason that a read returns its value. String returns it as lines of up to 80 columns, for people.
type Explanation struct {
	Key     string             `json:"key"`
	Pointer string             `json:"pointer"`
	Value   json.RawMessage    `json:"value"`  // The value that reads return; null if no value exists.
	Type    string             `json:"type"`   // "none", "null", "bool", "int", "double", "string", "array" or "object".
	Reason  string             `json:"reason"` // Why no value exists, or that the value is null; otherwise "".
	Layers  []ExplanationLayer `json:"layers"` // By precedence, the highest first; but "hidden" wins over "override".
	JSON    json.RawMessage    `json:"-"`      // The explanation as one line, for logs.
	text    string
}

// ExplanationLayer is a layer of values, such as the overrides, that has a value for the key and pointer, or hides it.
type ExplanationLayer struct {
	// Layer is "override", "hidden", "live", "carried_over", "default", "packaged", "staged", "previous" or
	// "rejected". Later versions may add layers.
	Layer  string          `json:"layer"`
	Value  json.RawMessage `json:"value"`  // The value of the layer; null if it has none.
	Reason string          `json:"reason"` // Why the layer hides the key, or where in the value overrides are.
	Wins   bool            `json:"wins"`   // This layer decides what reads return: its value, or no value.

	// These fields are set if the layer is a version of the data.
	Version   int64     `json:"version"`
	FetchedAt time.Time `json:"-"`
	Verified  bool      `json:"verified"` // The signature of the version was verified.
}

// String returns the explanation as lines of up to 80 columns.
func (e Explanation) String() string { return e.text }

// UnmarshalJSON decodes a layer of the library.
func (l *ExplanationLayer) UnmarshalJSON(text []byte) error {
	type plain ExplanationLayer
	var layer struct {
		plain
		FetchedAtMs int64 `json:"fetched_at_ms"`
	}
	if err := json.Unmarshal(text, &layer); err != nil {
		return err
	}
	*l = ExplanationLayer(layer.plain)
	l.FetchedAt = moment(C.int64_t(layer.FetchedAtMs))
	return nil
}

// Explain returns why reads return their value for a key, or for the part of its value that pointer names. Use it for
// debug pages and logs. The result contains values. The key need not exist. The error is ErrInvalidArgument for a
// malformed pointer, ErrTooLarge, ErrCorrupt or ErrClosed. It blocks for reading files.
func (s *Source) Explain(key, pointer string) (Explanation, error) {
	var text, lines []byte
	err := s.at(key, pointer, func(source *C.remora_source, key, pointer *C.char, details *C.remora_error) C.remora_status {
		explain := func(flags C.remora_flags) ([]byte, C.remora_status) {
			return written(func(buffer *C.char, size C.size_t, length *C.size_t) C.remora_status {
				return C.remora_explain(source, key, pointer, flags, buffer, size, length, details)
			})
		}
		var status C.remora_status
		if text, status = explain(0); status == C.REMORA_OK {
			lines, status = explain(C.REMORA_EXPLAIN_TEXT)
		}
		return status
	})
	if err != nil {
		return Explanation{}, err
	}
	explanation := Explanation{JSON: text, text: string(lines)}
	return explanation, json.Unmarshal(text, &explanation)
}
