// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"context"
	"testing"
)

func TestHandlersReceiveTheStateAndTheOutcomes(t *testing.T) {
	_, source := open(t, "http://127.0.0.1:1")
	events, kept := make(chan *Event, 16), make(chan *Snapshot, 1)
	subscription, err := source.Subscribe("", true, func(event *Event) {
		expect(t, source.Int("menu", "/size", 0), 3)
		if event.Cause == CauseOpened {
			expect(t, event.Snapshot.Len(), 1)
			expect(t, event.Snapshot.Int("menu", "/size", 0), 3)
			kept <- event.Snapshot.Retain()
		}
		events <- event
	})
	if err != nil {
		t.Fatal(err)
	}
	opened := <-events
	expect(t, opened.Cause, CauseOpened)
	expect(t, opened.Origin.String(), "packaged")
	snapshot := <-kept
	defer snapshot.Close()
	expect(t, snapshot.String("menu", "/title", "-"), "Lunch")
	expect(t, opened.Staged == nil, true)
	source.Refresh(context.Background())
	failed := <-events
	expect(t, failed.Outcome, OutcomeFailed)
	expect(t, opened.Snapshot.String("menu", "/title", "-"), "-") // Closed when its handler has returned.
	expectError(t, failed.Err, ErrNetwork)
	expectCloses(t, subscription)
	source.Refresh(context.Background())
	expect(t, len(events), 0)
}

func TestAHandlerMayCloseItsSubscriptionAndItsSource(t *testing.T) {
	_, source := open(t, "")
	made, closed := make(chan *Subscription, 1), make(chan struct{})
	subscription, err := source.Subscribe("", true, func(*Event) {
		(<-made).Close()
		source.Close()
		close(closed)
	})
	if err != nil {
		t.Fatal(err)
	}
	made <- subscription
	<-closed
	_, err = source.Subscribe("", true, func(*Event) {})
	expectError(t, err, ErrClosed)
}
