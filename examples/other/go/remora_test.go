// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const packaged = `{"data": [{"id": "menu", "last_modified": 1, "title": "Lunch", "size": 3, "ratio": 0.5, "dark": true,
	"long": "` + longText + `", "nul": "a\u0000b", "none": null, "list": [1, 2]}], "timestamp": 1}`
const longText = "01234567890123456789012345678901234567890123456789012345678901234567890123456789" +
	"01234567890123456789012345678901234567890123456789012345678901234567890123456789" +
	"01234567890123456789012345678901234567890123456789012345678901234567890123456789é" +
	"01234567890123456789012345678901234567890123456789012345678901234567890123456789"

// open returns a client of the server, and a source with packaged data.
func open(t *testing.T, server string) (*Client, *Source) {
	t.Helper()
	client, err := Open(Config{StorageDir: StorageMemory, Server: server})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	source, err := client.OpenCollection(Collection{Name: "ui", Trust: TrustOff, PackagedData: []byte(packaged)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(source.Close)
	return client, source
}

// stalled returns the URL of a server that does not respond until the test ends, and a channel that receives requests.
func stalled(t *testing.T) (string, <-chan struct{}) {
	requested, ended := make(chan struct{}, 16), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		requested <- struct{}{}
		<-ended
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(ended) })
	return server.URL, requested
}

func expect[T comparable](t *testing.T, found, wanted T) {
	t.Helper()
	if found != wanted {
		t.Errorf("found %v, not %v", found, wanted)
	}
}

func TestReadsReturnTheValueOrTheDefault(t *testing.T) {
	client, source := open(t, "")
	expect(t, source.Int("menu", "/size", 7), 3)
	expect(t, source.Int("menu", "/ratio", 7), 7)
	expect(t, source.Float("menu", "/ratio", 7), 0.5)
	expect(t, source.Bool("menu", "/dark", false), true)
	expect(t, source.Bool("menu", "/size", true), true)
	expect(t, source.String("menu", "/title", "-"), "Lunch")
	expect(t, source.String("menu", "/long", "-"), longText)
	expect(t, source.String("menu", "/nul", "-"), "a\x00b")
	for _, place := range [][2]string{{"none", ""}, {"menu", "/none"}, {"menu", "/size"}, {"menu\x00", "/title"}, {"", ""}} {
		expect(t, source.String(place[0], place[1], "-"), "-")
	}
	client.Close()
	expect(t, source.Int("menu", "/size", 7), 7)
	source.Close()
	expect(t, source.String("menu", "/title", "-"), "-")
}

func TestDecodeStoresAValueInAVariable(t *testing.T) {
	_, source := open(t, "")
	var menu struct {
		Title string
		List  []int
	}
	if err := source.Decode("menu", "", &menu); err != nil {
		t.Fatal(err)
	}
	expect(t, menu.Title, "Lunch")
	expect(t, len(menu.List), 2)
	for _, pointer := range []string{"/none", "/nothing"} {
		expect(t, errors.Is(source.Decode("menu", pointer, &menu), ErrNotFound), true)
	}
	expect(t, source.Decode("menu", "/title", &menu.List) != nil, true)
}

func TestFailuresHaveAStatusAFamilyAndAMessage(t *testing.T) {
	_, source := open(t, "http://127.0.0.1:1")
	_, err := source.Refresh(context.Background())
	var failure *Error
	if !errors.As(err, &failure) {
		t.Fatal(err)
	}
	expect(t, errors.Is(err, ErrNetwork), true)
	expect(t, failure.Family, FamilyNetwork)
	expect(t, failure.Status.Error(), "REMORA_ERR_NETWORK")
	expect(t, strings.Contains(failure.Message, "127.0.0.1"), true)
	for _, config := range []Config{{}, {StorageDir: StorageMemory, Server: "ftp://a"}, {StorageDir: "a\x00b"}} {
		_, err := Open(config)
		expect(t, errors.Is(err, ErrInvalidArgument), true)
	}
	_, err = source.Subscribe("a\x00", false, func(*Event) {})
	expect(t, errors.Is(err, ErrInvalidArgument), true)
}

func TestRefreshReturnsWhenItsContextIsDone(t *testing.T) {
	server, requested := stalled(t)
	_, source := open(t, server)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-requested
		cancel()
	}()
	_, err := source.Refresh(ctx)
	expect(t, errors.Is(err, context.Canceled), true)
	_, err = source.Refresh(ctx)
	expect(t, errors.Is(err, context.Canceled), true)
}

func TestCloseEndsARefresh(t *testing.T) {
	for _, end := range []func(*Client, *Source){
		func(client *Client, _ *Source) { client.Close() },
		func(_ *Client, source *Source) { source.Close() },
	} {
		server, requested := stalled(t)
		client, source := open(t, server)
		go func() {
			<-requested
			end(client, source)
		}()
		_, err := source.Refresh(context.Background())
		expect(t, errors.Is(err, ErrClosed), true)
		_, err = source.Refresh(context.Background())
		expect(t, errors.Is(err, ErrClosed), true)
	}
}

func TestHandlersReceiveTheStateAndTheOutcomes(t *testing.T) {
	_, source := open(t, "http://127.0.0.1:1")
	events := make(chan *Event, 16)
	subscription, err := source.Subscribe("", true, func(event *Event) {
		expect(t, source.Int("menu", "/size", 0), 3)
		events <- event
	})
	if err != nil {
		t.Fatal(err)
	}
	opened := <-events
	expect(t, opened.Cause, CauseOpened)
	expect(t, opened.Origin.String(), "packaged")
	expect(t, len(opened.Values), 1)
	expect(t, strings.HasPrefix(string(opened.Values["menu"]), `{"dark":true`), true)
	source.Refresh(context.Background())
	failed := <-events
	expect(t, failed.Outcome, OutcomeFailed)
	expect(t, len(failed.Values), 0)
	expect(t, errors.Is(failed.Err, ErrNetwork), true)
	subscription.Close()
	subscription.Close()
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
	expect(t, errors.Is(err, ErrClosed), true)
}

func TestALibraryOfAnOlderOrAnotherVersionIsRefused(t *testing.T) {
	expect(t, requireVersion("0.1.0") == nil, true)
	expect(t, requireVersion("0.10.0") == nil, true)
	for _, version := range []string{"0.0.9", "1.0.0", ""} {
		expect(t, errors.Is(requireVersion(version), ErrUnavailable), true)
	}
}
