// SPDX-License-Identifier: Apache-2.0

package remora

// #include <remora.h>
import "C"

import (
	"strings"
	"time"
	"unsafe"
)

// Error is a failure of the library. Most programs choose their reaction by its family:
// errors.Is(err, remora.FamilyNetwork).
type Error struct {
	Status     Status
	Family     Family
	HTTPStatus int           // 0 if there was no response.
	RetryAfter time.Duration // 0 if unknown.
	SystemCode int           // The errno of a storage error, or libcurl's code of a network error; 0 if unknown.
	Parameter  string        // The parameter or field that ErrInvalidArgument is about; the message begins with it.
	Source     string        // The name of the source; "" if the failure is not about a single source.
	Message    string        // A sentence without the status and without values.
}

// Error returns the message, after the name of the source and a colon if Source is set.
func (e *Error) Error() string {
	if e.Source == "" {
		return e.Message
	}
	return e.Source + ": " + e.Message
}

// Is makes errors.Is(err, remora.ErrHTTP) and errors.Is(err, remora.FamilyNetwork) work.
func (e *Error) Is(target error) bool { return target == e.Status || target == e.Family }

// Error returns the name of the family, such as "network".
func (f Family) Error() string { return C.GoString(C.remora_family_name(C.remora_family(f))) }

// Error returns the name of the status in C, such as "REMORA_ERR_NETWORK".
func (s Status) Error() string { return C.GoString(C.remora_status_name(C.remora_status(s))) }

// String returns the name of the outcome, such as "updated".
func (o Outcome) String() string { return C.GoString(C.remora_outcome_name(C.remora_outcome(o))) }

// String returns the name of the cause, such as "refreshed".
func (c Cause) String() string { return C.GoString(C.remora_cause_name(C.remora_cause(c))) }

// String returns the name of the origin, such as "fetched".
func (o Origin) String() string { return C.GoString(C.remora_origin_name(C.remora_origin(o))) }

// String returns the name of the kind, such as "created".
func (k ChangeKind) String() string {
	return C.GoString(C.remora_change_kind_name(C.remora_change_kind(k)))
}

// String returns the name of the kind of a source, such as "collection".
func (k Kind) String() string { return C.GoString(C.remora_source_kind_name(C.remora_source_kind(k))) }

// String returns the name of the type, such as "string".
func (t Type) String() string { return C.GoString(C.remora_type_name(C.remora_type(t))) }

// inGo replaces the C name of a parameter, with which a message begins, by the name in this package.
func inGo(parameter, message string) (string, string) {
	if parameter == "" {
		return "", message
	}
	var own strings.Builder
	for _, word := range strings.Split(strings.TrimPrefix(strings.TrimSuffix(parameter, "_ms"), "context_"), "_") {
		switch word {
		case "json":
			own.WriteString("value")
		case "options":
			own.WriteString("seed")
		case "key", "pointer", "record", "file", "source", "expression": // Parameters of functions. All others are fields.
			if own.Len() > 0 { // The last word of a field.
				word = strings.ToUpper(word[:1]) + word[1:]
			}
			own.WriteString(word)
		case "ca", "url", "sha256", "ttl":
			own.WriteString(strings.ToUpper(word))
		default:
			own.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	// Only an empty string becomes NULL.
	message = strings.Replace(strings.TrimPrefix(message, parameter), "must not be NULL", "must not be empty", 1)
	return own.String(), own.String() + message
}

// check returns nil for REMORA_OK, and otherwise a copy of the details.
func check(status C.remora_status, details *C.remora_error) error {
	if status == C.REMORA_OK {
		return nil
	}
	return copyError(details)
}

// copyError copies an error of the library, which may be NULL.
func copyError(raw *C.remora_error) error {
	if raw == nil || raw.status == C.REMORA_OK {
		return nil
	}
	parameter, message := inGo(C.GoString(&raw.parameter[0]), C.GoString(&raw.message[0]))
	return &Error{
		Status:     Status(raw.status),
		Family:     Family(C.remora_status_family(raw.status)),
		HTTPStatus: int(raw.http_status),
		RetryAfter: time.Duration(raw.retry_after_ms) * time.Millisecond,
		Source:     C.GoString(&raw.source_name[0]),
		SystemCode: int(raw.system_code),
		Parameter:  parameter,
		Message:    message,
	}
}

// failure returns an error of this package.
func failure(status Status, message string) error {
	return &Error{Status: status, Family: Family(C.remora_status_family(C.remora_status(status))), Message: message}
}

func errClosed(object string) error { return failure(ErrClosed, object+" is closed") }

// pointerTo returns the address of a text that ends with a NUL. The text has no Go pointers, so C may use it during a
// call.
func pointerTo(text []byte) *C.char { return (*C.char)(unsafe.Pointer(&text[0])) }
