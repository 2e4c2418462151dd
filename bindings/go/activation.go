// SPDX-License-Identifier: Apache-2.0

package remora

// #include <remora.h>
import "C"

import "sync"

// Freeze keeps the live data until the client is closed: newer data is staged (stored for later), and handlers of the
// source are not called any more. Activate, overrides and the context of the client still change the live data, and so
// do Reject and Reset of any process. Freeze blocks until a running handler of the source has returned, but does not
// block if called in a handler. If the source is closed meanwhile, Freeze completes the close.
func (s *Source) Freeze() error {
	var source *C.remora_source
	s.raw.use(func(raw *C.remora_source) { source = s.freezes.begin(raw) })
	if source == nil {
		return errClosed("the source")
	}
	defer func() { C.remora_source_close(s.freezes.end()) }()
	var details C.remora_error
	return check(C.remora_freeze(source, &details), &details)
}

// freezes keeps the C object of a source while Freeze waits for a handler. The object cannot stay locked meanwhile,
// because the handler may read the source, or close it.
type freezes struct {
	lock    sync.Mutex
	running int
	closing *C.remora_source // The object that the last Freeze closes.
}

func (f *freezes) begin(raw *C.remora_source) *C.remora_source {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.running++
	return raw
}

// pass returns the object if the caller may close it now, and otherwise nil: the last Freeze closes the object.
func (f *freezes) pass(raw *C.remora_source) *C.remora_source {
	f.lock.Lock()
	defer f.lock.Unlock()
	if raw == nil || f.running == 0 {
		return raw
	}
	f.closing = raw
	return nil
}

// end returns the object that the caller must close, and NULL if there is none.
func (f *freezes) end() *C.remora_source {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.running--
	if f.running > 0 {
		return nil
	}
	raw := f.closing
	f.closing = nil
	return raw
}

// Activate makes the staged version live: reads return it, in this program and in every program that opens the source
// from now on. Pass Event.Staged, which the program has checked, so that no later version becomes live unchecked; nil
// activates any staged version. It returns OutcomeUpdated, or OutcomeUnchanged if the snapshot is live already, or is
// nil and nothing is staged. The error is ErrNotFound if the snapshot is neither staged nor live. It blocks for file
// system calls.
func (s *Source) Activate(judged *Snapshot) (Outcome, error) {
	snapshot, err := holdOrNull(judged)
	if err != nil {
		return OutcomeNone, err
	}
	defer C.remora_snapshot_release(snapshot)
	var outcome C.remora_outcome
	err = s.call(func(source *C.remora_source, details *C.remora_error) C.remora_status {
		return C.remora_activate(source, snapshot, &outcome, details)
	})
	return Outcome(outcome), err
}

// Reject rejects the live or the staged version, because the program found that it cannot work with it. Pass the
// snapshot that the program has judged, and a reason for the log, which may be empty. A rejected live version is
// replaced at once by the newest stored version that was live before it, or by packaged or default data. Handlers are
// called with CauseRejected, in other processes within about a second. A refresh fails with ErrRejected until the
// server has another version, even after a restart or with Force. Only the newest rejected version is remembered, until
// Reset.
//
// Reject does nothing if another process has rejected the version already. The error is ErrNotFound if the snapshot is
// neither live nor staged any more, or has no fetched data. It blocks for file system calls, and at most 5 s while
// another client or process has locked the files. If the files stay locked, the rejection is stored later, while the
// client is open.
func (s *Source) Reject(judged *Snapshot, reason string) error {
	if judged == nil {
		return failure(ErrInvalidArgument, "judged must not be nil")
	}
	texts := texts{}
	defer texts.free()
	text := texts.add("reason", reason)
	if texts.err != nil {
		return texts.err
	}
	snapshot, err := holdOrNull(judged)
	if err != nil {
		return err
	}
	defer C.remora_snapshot_release(snapshot)
	return s.call(func(source *C.remora_source, details *C.remora_error) C.remora_status {
		return C.remora_reject(source, snapshot, text, details)
	})
}

// Reset deletes all fetched data of the source: the live and the staged version, a seed, and the highest accepted
// version. Use it to recover after a server has signed a wrong timestamp. The packaged data or the default bundle
// becomes live, and a running refresh fails with ErrCancelled. Overrides stay. The error is of FamilyStorage if nothing
// could be deleted. It blocks for file system calls.
func (s *Source) Reset() error {
	return s.call(func(source *C.remora_source, details *C.remora_error) C.remora_status {
		return C.remora_reset(source, details)
	})
}
