// SPDX-License-Identifier: Apache-2.0

package remora

// #include <remora.h>
import "C"

import "encoding/json"

// SetContext sets the attributes with which the filters of collections are evaluated. Set it at each start of the
// program, and again when it changes. Records whose filter is not true are hidden from reads, snapshots and events.
//
// value is a map or a struct that encoding/json encodes as an object, with members such as "locale" and "channel";
// docs/filters.md has their names. nil removes the context. When SetContext returns, all open sources are filtered, and
// handlers will be called with CauseContext if records have appeared or disappeared. It sends no request. It blocks for
// milliseconds, while the filters are evaluated. The error is ErrInvalidArgument if it is no object.
func (c *Client) SetContext(value any) error {
	if value == nil {
		return c.call(func(client *C.remora_client, details *C.remora_error) C.remora_status {
			return C.remora_set_context(client, nil, details)
		})
	}
	text, err := json.Marshal(value)
	if err != nil {
		return failure(ErrInvalidArgument, "value cannot be encoded: "+err.Error())
	}
	text = append(text, 0)
	return c.call(func(client *C.remora_client, details *C.remora_error) C.remora_status {
		return C.remora_set_context(client, pointerTo(text), details)
	})
}
