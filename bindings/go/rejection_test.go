// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"unsafe"
)

// openBad returns a client with storage, and a collection that has a good version, and after it a bad one, which is
// live.
func openBad(t *testing.T, server *collections, directory string) (*Client, *Source) {
	t.Helper()
	client := openClient(t, Config{StorageDir: directory, Server: server.url})
	source := openCollection(t, client, Collection{Name: "ui"})
	for _, records := range []string{`[{"id": "a", "last_modified": 1, "n": 1}]`, `[{"id": "a", "last_modified": 2, "n": 2}]`} {
		server.publish("ui", records)
		update(t, source)
	}
	return client, source
}

func update(t *testing.T, source *Source) {
	t.Helper()
	_, err := source.Refresh(context.Background())
	expect(t, err == nil, true)
}

// live returns the live snapshot, which the test closes.
func live(t *testing.T, source *Source) *Snapshot {
	t.Helper()
	snapshot, err := source.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, snapshot)
	return snapshot
}

func rejectedVersion(t *testing.T, source *Source) int64 {
	t.Helper()
	info, err := source.Info()
	expect(t, err == nil, true)
	return info.RejectedVersion
}

func TestRejectReplacesTheLiveVersionByTheOneBeforeIt(t *testing.T) {
	_, source := openBad(t, serveCollections(t), t.TempDir())
	events := make(chan string, 16)
	_, err := source.Subscribe("", false, func(event *Event) { events <- event.Cause.String() })
	expect(t, err == nil, true)
	expect(t, rejectedVersion(t, source), 0)
	expect(t, source.Reject(live(t, source), "it does not work") == nil, true)
	expect(t, <-events, "rejected")
	expect(t, source.Int("a", "/n", 0), 1)
	expect(t, rejectedVersion(t, source), 1002)
}

func TestAfterRejectARefreshFailsUntilTheServerHasAnotherVersion(t *testing.T) {
	server, directory := serveCollections(t), t.TempDir()
	client, source := openBad(t, server, directory)
	expect(t, source.Reject(live(t, source), "") == nil, true)
	_, err := source.Refresh(context.Background(), RefreshOptions{Force: true})
	expectError(t, err, ErrRejected)
	expectError(t, err, FamilyDocument)
	expect(t, strings.Contains(err.Error(), "version 1002 was rejected"), true)
	client.Close()
	client = openClient(t, Config{StorageDir: directory, Server: server.url})
	source = openCollection(t, client, Collection{Name: "ui"})
	expect(t, source.Int("a", "/n", 0), 1)
	expect(t, rejectedVersion(t, source), 1002)
	_, err = source.Refresh(context.Background())
	expectError(t, err, ErrRejected)
	server.publish("ui", `[{"id": "a", "last_modified": 3, "n": 3}]`)
	update(t, source)
	expect(t, source.Int("a", "/n", 0), 3)
}

func TestRejectRefusesASnapshotThatWasReplacedOrWasNotFetched(t *testing.T) {
	server := serveCollections(t)
	client, source := openBad(t, server, t.TempDir())
	old := live(t, source)
	server.publish("ui", `[{"id": "a", "last_modified": 3, "n": 3}]`)
	update(t, source)
	expectError(t, source.Reject(old, ""), ErrNotFound)
	_, packaged := open(t, server.url)
	expectError(t, packaged.Reject(live(t, packaged), ""), ErrNotFound)
	other := openCollection(t, client, Collection{Name: "other"})
	expectError(t, other.Reject(old, ""), ErrInvalidArgument)
	expectError(t, source.Reject(nil, ""), ErrInvalidArgument)
	newest := live(t, source)
	expectError(t, source.Reject(newest, "a\x00b"), ErrInvalidArgument)
	expect(t, source.Int("a", "/n", 0), 3)
	old.Close()
	expectError(t, source.Reject(old, ""), ErrClosed)
	client.Close()
	expectError(t, source.Reject(newest, ""), ErrClosed)
}

func TestAHandlerMayRejectTheStagedVersion(t *testing.T) {
	client, url, _ := serve(t, `{"limit": 5}`, Config{})
	source := openSettings(t, client, Settings{
		Options: Options{FirstFetch: FirstFetchOnRequest}, URL: url, Activation: ActivationManual,
	})
	rejected := make(chan error, 1)
	_, err := source.Subscribe("", false, func(event *Event) {
		if event.Outcome == OutcomeStaged {
			rejected <- source.Reject(event.Staged, "the limit is too small")
		}
	})
	expect(t, err == nil, true)
	update(t, source)
	expect(t, <-rejected == nil, true)
	_, err = source.Refresh(context.Background(), RefreshOptions{Force: true})
	expectError(t, err, ErrRejected)
}

func TestMinKeysAndMinKeysPercentRefuseAVersionWithFewerKeysUnlessTheRefreshIsForced(t *testing.T) {
	server := serveCollections(t)
	client := openClient(t, Config{StorageDir: StorageMemory, Server: server.url})
	for name, options := range map[string]Options{"count": {MinKeys: 2}, "percent": {MinKeysPercent: 60}} {
		server.publish(name, `[{"id": "a", "last_modified": 1}, {"id": "b", "last_modified": 1}]`)
		source := openCollection(t, client, Collection{Name: name, Options: options})
		update(t, source)
		server.publish(name, `[{"id": "a", "last_modified": 2}]`)
		_, err := source.Refresh(context.Background())
		expectError(t, err, ErrSchema)
		expect(t, live(t, source).Len(), 2)
		_, err = source.Refresh(context.Background(), RefreshOptions{Force: true})
		expect(t, err == nil, true)
		expect(t, live(t, source).Len(), 1)
	}
}

func TestRequiredKeysRefuseSettingsWithoutOneOfThem(t *testing.T) {
	client, url, _ := serve(t, `{"limit": 5}`, Config{})
	source := openSettings(t, client, Settings{
		Options: Options{FirstFetch: FirstFetchOnRequest}, URL: url, RequiredKeys: []string{"limit", "home"},
	})
	_, err := source.Refresh(context.Background())
	expectError(t, err, ErrSchema)
	expectError(t, err, FamilyDocument)
	expect(t, strings.Contains(err.Error(), "no key home"), true)
	_, err = source.Refresh(context.Background(), RefreshOptions{Force: true})
	expect(t, err == nil, true)
	expect(t, source.Int("limit", "", 0), 5)
}

func TestLimitsOfTheContentArePassedToTheLibrary(t *testing.T) {
	texts := texts{}
	defer texts.free()
	raw := Options{MinKeys: math.MaxInt64, MinKeysPercent: 7, Schema: "true"}.raw(&texts)
	expect(t, raw.min_keys, math.MaxInt32)
	expect(t, raw.min_keys_percent, 7)
	expect(t, string(unsafe.Slice((*byte)(unsafe.Pointer(raw.schema)), 5)), "true\x00")
	expect(t, Options{}.raw(&texts).schema == nil && texts.err == nil, true)
	client := openClient(t, Config{StorageDir: StorageMemory})
	for name, settings := range map[string]Settings{
		"MinKeys":        {Options: Options{MinKeys: -1}},
		"MinKeysPercent": {Options: Options{MinKeysPercent: 101}},
		"Schema":         {Options: Options{Schema: "\x00"}},
		"RequiredKeys":   {RequiredKeys: []string{"\x00"}},
	} {
		settings.FirstFetch = FirstFetchOnRequest
		_, err := client.OpenSettings(settings)
		var failure *Error
		expect(t, errors.As(err, &failure) && failure.Status == ErrInvalidArgument, true)
		expect(t, strings.HasPrefix(err.Error(), name+" "), true)
	}
}
