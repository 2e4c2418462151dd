// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

func TestManualActivationKeepsTheLiveDataUntilTheProgramActivates(t *testing.T) {
	client, url, _ := serve(t, `{"limit": 5}`, Config{})
	source := openSettings(t, client, Settings{
		Options: Options{FirstFetch: FirstFetchOnRequest}, URL: url, Activation: ActivationManual,
	})
	outcome, err := source.Refresh(context.Background(), RefreshOptions{Force: true})
	expect(t, err == nil, true)
	expect(t, outcome, OutcomeStaged)
	expect(t, source.Int("limit", "", 7), 7)
	for _, wanted := range []Outcome{OutcomeUpdated, OutcomeUnchanged} {
		outcome, err = source.Activate(nil)
		expect(t, err == nil, true)
		expect(t, outcome, wanted)
	}
	expect(t, source.Int("limit", "", 7), 5)
	expect(t, source.Freeze() == nil, true)
	_, err = source.Refresh(context.Background(), RefreshOptions{Force: true, OnlyIfEmpty: true})
	var failure *Error
	expect(t, errors.As(err, &failure) && failure.Parameter == "OnlyIfEmpty", true)
	outcome, err = source.Refresh(context.Background(), RefreshOptions{OnlyIfEmpty: true})
	expect(t, err == nil && outcome == OutcomeNone, true)
}

func TestActivateTakesOnlyTheVersionThatTheProgramHasJudged(t *testing.T) {
	var count int64
	server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(response, `{"limit": %d}`, atomic.AddInt64(&count, 1))
	}))
	defer server.Close()
	client, _, _ := serve(t, "", Config{})
	source := openSettings(t, client, Settings{
		Options: Options{FirstFetch: FirstFetchOnRequest}, URL: server.URL, Activation: ActivationManual,
	})
	staged := make(chan *Snapshot, 2)
	_, err := source.Subscribe("", false, func(event *Event) {
		if event.Outcome == OutcomeStaged {
			staged <- event.Staged.Retain()
		}
	})
	expect(t, err == nil, true)
	var judged []*Snapshot
	for limit := int64(1); limit <= 2; limit++ {
		if _, err := source.Refresh(context.Background(), RefreshOptions{Force: true}); err != nil {
			t.Fatal(err)
		}
		snapshot := <-staged
		defer snapshot.Close()
		expect(t, snapshot.Int("limit", "", 0), limit)
		judged = append(judged, snapshot)
	}
	_, err = source.Activate(judged[0])
	expectError(t, err, ErrNotFound)
	expect(t, source.Int("limit", "", 0), 0)
	for _, wanted := range []Outcome{OutcomeUpdated, OutcomeUnchanged} {
		outcome, err := source.Activate(judged[1])
		expect(t, err == nil && outcome == wanted, true)
	}
	expect(t, source.Int("limit", "", 0), 2)
	source.Close()
	_, err = source.Activate(nil)
	expectError(t, err, ErrClosed)
}

// waitForFreeze returns whether Freeze has begun within 10 seconds. Freeze may wait for the handler that calls this.
func waitForFreeze(source *Source) bool {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); runtime.Gosched() {
		source.freezes.lock.Lock()
		hasBegun := source.freezes.running > 0
		source.freezes.lock.Unlock()
		if hasBegun {
			return true
		}
	}
	return false
}

func TestAHandlerMayCloseItsSourceDuringAFreeze(t *testing.T) {
	_, source := open(t, "")
	running, frozen := make(chan struct{}), make(chan error, 1)
	_, err := source.Subscribe("", true, func(*Event) {
		close(running)
		expect(t, waitForFreeze(source), true)
		source.Close()
		expect(t, source.Int("menu", "/size", 7), 7)
	})
	expect(t, err == nil, true)
	<-running
	go func() { frozen <- source.Freeze() }()
	select {
	case err := <-frozen:
		expect(t, err == nil || errors.Is(err, ErrClosed), true)
	case <-time.After(10 * time.Second):
		t.Fatal("Freeze and Close wait for each other")
	}
	expectError(t, source.Freeze(), ErrClosed)
}
