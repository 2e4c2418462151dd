// SPDX-License-Identifier: Apache-2.0

package remora

// #include <remora.h>
import "C"

// Freeze keeps the live data until the client is closed: newer data is staged, and handlers of the source are not called
// any more.
func (s *Source) Freeze() error {
	return s.call(func(source *C.remora_source, details *C.remora_error) C.remora_status {
		return C.remora_freeze(source, details)
	})
}

// Activate makes the staged version live, for this program and for every program that opens the source from now on. Pass
// the snapshot that the program has judged, Event.Staged, so that no later version becomes live unseen; nil activates any
// staged version. It returns OutcomeUpdated, or OutcomeUnchanged if the snapshot is live already, or is nil and nothing
// is staged. The error is ErrNotFound if the snapshot is neither staged nor live. It blocks for file system calls.
func (s *Source) Activate(judged *Snapshot) (Outcome, error) {
	var snapshot *C.remora_snapshot
	if judged != nil {
		if snapshot = judged.hold(); snapshot == nil { // NULL would activate any version.
			return OutcomeNone, errClosed("the snapshot")
		}
		defer C.remora_snapshot_release(snapshot)
	}
	var outcome C.remora_outcome
	err := s.call(func(source *C.remora_source, details *C.remora_error) C.remora_status {
		return C.remora_activate(source, snapshot, &outcome, details)
	})
	return Outcome(outcome), err
}
