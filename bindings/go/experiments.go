// SPDX-License-Identifier: Apache-2.0

package remora

// #include "callbacks.h"
import "C"

// Experiment is an A/B experiment among settings, with the variant that the server has chosen. It is a copy.
type Experiment struct {
	Name      string
	Variant   string   // "" if the server sent none.
	Trackable float64  // A number for the analytics of the program, which Remora does not interpret.
	Settings  []string // The keys that the experiment affects.
}

// Experiments returns the items of the key "experiments" that describe an experiment. Faulty items are left out. The
// order is that of the array "experiments", or of names if "experiments" is an object. Does not block.
func (s *Snapshot) Experiments() ([]Experiment, error) {
	return listed[Experiment](func(number C.uintptr_t) error {
		return s.call(func(raw *C.remora_snapshot, details *C.remora_error) C.remora_status {
			return C.remora_go_experiments(raw, number, details)
		})
	})
}

func experimentOf(raw *C.const_experiment) Experiment {
	it := Experiment{
		Name:      C.GoStringN(raw.name, C.int(raw.name_length)),
		Variant:   C.GoStringN(raw.variant, C.int(raw.variant_length)),
		Trackable: float64(raw.trackable),
	}
	for index := C.size_t(0); ; index++ {
		var item C.remora_value
		if C.remora_value_item(raw.settings, index, nil, nil, &item, nil) != C.REMORA_OK {
			return it
		}
		var text *C.char
		var length C.size_t
		if C.remora_value_get_string(item, &text, &length, nil) == C.REMORA_OK {
			it.Settings = append(it.Settings, C.GoStringN(text, C.int(length)))
		}
	}
}
