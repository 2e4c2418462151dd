// SPDX-License-Identifier: Apache-2.0

package remora

// #include "callbacks.h"
import "C"

// Namespace is a namespace of a bundle.
type Namespace struct {
	Name        string
	InBundle    bool // The live bundle lists it. False: an earlier bundle listed it, or an override created it.
	IsDefault   bool // The first namespace of the default bundle.
	Origin      Origin
	HasOverride bool // The value contains an override.
}

// Namespaces returns the namespaces of a bundle, except those that the bundle removes. First come those that the bundle
// lists, in its order, then the others, sorted by name. snapshot is a snapshot of this source; nil means the live
// version. The error is ErrInvalidArgument if the source is not a bundle. Does not block.
func (s *Source) Namespaces(snapshot *Snapshot) ([]Namespace, error) {
	held, err := holdOrNull(snapshot)
	if err != nil {
		return nil, err
	}
	defer C.remora_snapshot_release(held)
	return listed[Namespace](func(number C.uintptr_t) error {
		return s.call(func(source *C.remora_source, details *C.remora_error) C.remora_status {
			return C.remora_go_namespaces(source, held, number, details)
		})
	})
}

func namespaceOf(raw *C.const_namespace) Namespace {
	return Namespace{
		Name:        C.GoStringN(raw.name, C.int(raw.name_length)),
		InBundle:    raw.in_bundle != 0,
		IsDefault:   raw.is_default != 0,
		Origin:      Origin(raw.origin),
		HasOverride: raw.has_override != 0,
	}
}
