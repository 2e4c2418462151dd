// SPDX-License-Identifier: Apache-2.0

package remora

// #include <remora.h>
import "C"

import (
	"encoding/json"
	"strings"
)

// SetContext sets the context: the attributes with which the filters of collections are evaluated. Call it at each
// start of the program, and again when an attribute changes. Records whose filter is not true are hidden from reads,
// snapshots and events.
//
// value is a map or a struct that encoding/json encodes as an object, with members such as "locale" and "channel";
// docs/filters.md has their names. nil removes the context. When SetContext returns, all open sources are filtered, and
// handlers will be called with CauseContext if records have appeared or disappeared. It sends no request. It blocks for
// milliseconds, while the filters are evaluated. The error is ErrInvalidArgument if value is not an object.
func (c *Client) SetContext(value any) error {
	text, err := contextText(value)
	if err != nil {
		return err
	}
	return c.call(func(client *C.remora_client, details *C.remora_error) C.remora_status {
		return C.remora_set_context(client, optionalPointer(text), details)
	})
}

// FilterMatches reports whether a filter expression is true in a context. Use it for a decision per request or user,
// such as the rule of a feature flag. As for filters of records, the expression matches if its result is the boolean
// true, or if the expression is blank. value is the context, as for SetContext.
//
// It needs no client, and does not block. The error is ErrInvalidArgument if the expression has more than 16 KiB or
// cannot be evaluated, or if value is not an object.
func FilterMatches(expression string, value any) (bool, error) {
	if strings.ContainsRune(expression, 0) {
		return false, failure(ErrInvalidArgument, "expression contains U+0000")
	}
	text, err := contextText(value)
	if err != nil {
		return false, err
	}
	var matches C.remora_bool
	var details C.remora_error
	tested := append([]byte(expression), 0)
	status := C.remora_filter_matches(pointerTo(tested), optionalPointer(text), &matches, &details)
	return matches != 0, check(status, &details)
}

// contextText returns the JSON text of a context with a NUL at its end; nil for nil.
func contextText(value any) ([]byte, error) {
	if value == nil {
		return nil, nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, failure(ErrInvalidArgument, "value cannot be encoded: "+err.Error())
	}
	return append(text, 0), nil
}

// optionalPointer returns the address of a text that ends with a NUL; NULL for nil.
func optionalPointer(text []byte) *C.char {
	if text == nil {
		return nil
	}
	return pointerTo(text)
}
