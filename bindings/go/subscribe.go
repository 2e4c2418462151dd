// SPDX-License-Identifier: Apache-2.0

package remora

// #include "callbacks.h"
import "C"

import (
	"unsafe"
)

// Event is a change of a source, or the outcome of a refresh.
type Event struct {
	Cause        Cause
	Outcome      Outcome // OutcomeNone if Cause is not CauseRefreshed, and nothing was staged.
	Origin       Origin
	Version      int64
	Changes      []Change // Sorted by key; none for CauseOpened.
	Err          error    // The reason if the refresh has failed.
	StorageError error    // The last storage failure, such as a full disk.
	// Whether the last successful refresh is recent enough (see Config.MaxStale), after and before the event. Both
	// fields differ only for CauseFreshness.
	Freshness, OldFreshness Freshness
	// The A/B experiments of settings that Old did not have, or had with another variant. Each experiment is reported
	// once, to one of the programs that share the storage directory.
	NewExperiments []Experiment
	// If a bundle has become live (a Snowplow tracker then calls onSuccess), the names of its namespaces, and Origin is
	// the state: OriginDefault, OriginCached or OriginFetched. Otherwise nil.
	Namespaces []string
	// The live version, and the version before the event. Snapshot, Old and Staged are closed when the handler returns:
	// call Retain to keep one.
	Snapshot, Old *Snapshot
	Staged        *Snapshot // The version that Activate would make live; nil if no version is staged.
}

// Subscription is a registered handler. It ends with Close or its source.
type Subscription struct {
	raw handle[*C.remora_subscription]
}

// Subscribe calls the handler for results of refreshes and for other changes, on the client's goroutine, one call at a
// time. With a key, the handler is called for changes of this key only. With replay, the first event has the state at
// the start and the cause CauseOpened. The handler must return, may use the source, and must not call runtime.Goexit.
// Does not block.
func (s *Source) Subscribe(key string, replay bool, handler func(*Event)) (*Subscription, error) {
	if handler == nil {
		return nil, failure(ErrInvalidArgument, "handler is nil")
	}
	text, err := terminated("key", key)
	if err != nil {
		return nil, err
	}
	var keyText *C.char
	if key != "" {
		keyText = pointerTo(text)
	}
	var flags C.remora_flags
	if replay {
		flags = C.REMORA_SUBSCRIBE_REPLAY
	}
	var subscription *C.remora_subscription
	err = start(&s.raw, "the source", &subscriber{handler},
		func(source *C.remora_source, number C.uintptr_t, details *C.remora_error) C.remora_status {
			return C.remora_go_subscribe(source, keyText, flags, number, &subscription, details)
		})
	if err != nil {
		return nil, err
	}
	it := &Subscription{}
	it.raw.set(subscription)
	return it, nil
}

// Close ends the subscription. When it returns, the handler is not running and will not run again. It blocks until a
// running handler has returned, unless it is called in a handler. A second call does nothing. The error is always nil.
func (s *Subscription) Close() error {
	C.remora_unsubscribe(s.raw.take())
	return nil
}

// subscriber calls a handler.
type subscriber struct{ handler func(*Event) }

func (s *subscriber) forget() {}

func (s *subscriber) notify(raw *C.const_event) {
	event := &Event{
		Snapshot:     newSnapshot(C.remora_snapshot_retain(raw.new_snapshot)),
		Old:          newSnapshot(C.remora_snapshot_retain(raw.old_snapshot)),
		Staged:       newSnapshot(C.remora_snapshot_retain(raw.staged_snapshot)),
		Cause:        Cause(raw.cause),
		Outcome:      Outcome(raw.outcome),
		Origin:       Origin(raw.origin),
		Version:      int64(raw.version),
		Err:          copyError(raw.error),
		StorageError: copyError(raw.storage_error),
		Namespaces:   textsOf(raw.namespaces),
		Freshness:    Freshness(raw.new_freshness),
		OldFreshness: Freshness(raw.old_freshness),
	}
	for _, one := range []*Snapshot{event.Snapshot, event.Old, event.Staged} {
		if one != nil {
			defer one.Close()
		}
	}
	for _, one := range unsafe.Slice(raw.changes, raw.change_count) {
		event.Changes = append(event.Changes, changeOf(one))
	}
	for _, one := range unsafe.Slice(raw.new_experiments, raw.new_experiment_count) {
		event.NewExperiments = append(event.NewExperiments, experimentOf(one))
	}
	s.handler(event)
}
