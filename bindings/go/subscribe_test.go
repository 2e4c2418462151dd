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

func TestAHandlerCannotWaitForResultsOfItsOwnClient(t *testing.T) {
	client, source := open(t, "http://127.0.0.1:1")
	other, otherSource := open(t, "http://127.0.0.1:1")
	ctx, failures := context.Background(), make(chan error, 6)
	_, err := source.Subscribe("", true, func(*Event) {
		_, refreshed := source.Refresh(ctx)
		_, opened := source.OpenAttachment(ctx, "menu")
		_, synced := client.Sync(ctx)
		failures <- refreshed
		failures <- source.Wait(ctx)
		failures <- opened
		failures <- synced
		_, elsewhere := otherSource.Refresh(ctx)
		failures <- elsewhere
		close(failures)
	})
	expect(t, err == nil, true)
	for range []int{1, 2, 3, 4} {
		expectError(t, <-failures, ErrBusy)
	}
	expectError(t, <-failures, ErrNetwork)
	<-failures
	expectCloses(t, other)
}

func TestAHandlerMayCloseItsClient(t *testing.T) {
	client, source := open(t, "")
	closing, returning := make(chan struct{}), make(chan struct{})
	_, err := source.Subscribe("", true, func(*Event) {
		client.Close()
		close(closing)
		<-returning
	})
	expect(t, err == nil, true)
	<-closing
	expectError(t, client.SetContext(nil), ErrClosed)
	close(returning)
	<-client.stopped
}
