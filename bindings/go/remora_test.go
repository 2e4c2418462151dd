// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
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
	expect(t, errors.Is(err, ErrNetwork) && errors.Is(err, FamilyNetwork), true)
	expect(t, FamilyNetwork.Error(), "network")
	expect(t, errors.Is(err, ErrHTTP) || errors.Is(err, FamilyTrust), false)
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

// serve returns a client in memory, and the URL of a server that responds with a document and passes on the requests.
func serve(t *testing.T, document string, config Config) (*Client, string, <-chan *http.Request) {
	t.Helper()
	requests := make(chan *http.Request, 16)
	server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		requests <- request
		response.Write([]byte(document))
	}))
	t.Cleanup(server.Close)
	config.StorageDir = StorageMemory
	client, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client, server.URL, requests
}

func TestSettingsAreFetchedWithTheHeadersAndParametersOfTheProgram(t *testing.T) {
	config := Config{ApplicationName: "host", Headers: map[string]string{"X-Two": "2", "X-One": "1"}}
	client, url, requests := serve(t, `{"root": {"limit": 5, "home": "https://home.example/", "sizes": [1, 2]}}`, config)
	source, err := client.OpenSettings(Settings{
		Options:       Options{FirstFetch: FirstFetchOnRequest},
		URL:           url,
		RequestParams: map[string]string{"user": "u1", "none": ""},
		RootKey:       "root",
		Activation:    ActivationImmediate,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	if err := source.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	request := <-requests
	expect(t, request.Header.Get("X-One")+request.Header.Get("X-Two"), "12")
	expect(t, request.URL.RawQuery, "none=&user=u1")
	expect(t, strings.HasPrefix(request.UserAgent(), "host"), true)
	expect(t, source.Int("limit", "", 7), 5)
	expect(t, source.URL("home", "", "-"), "https://home.example/")
	expect(t, source.URL("limit", "", "-"), "-")
	expect(t, len(Get(source, "sizes", "", []int{})), 2)
	expect(t, Get(source, "home", "", 7), 7)
	info, err := source.Info()
	expect(t, err == nil, true)
	expect(t, info.Origin, OriginFetched)
	expect(t, info.CheckedAt.IsZero() || info.HasStaged || info.LastError != nil, false)
}

func TestManualActivationKeepsTheLiveDataUntilTheProgramActivates(t *testing.T) {
	client, url, _ := serve(t, `{"limit": 5}`, Config{})
	source, err := client.OpenSettings(Settings{
		Options: Options{FirstFetch: FirstFetchOnRequest}, URL: url, Activation: ActivationManual,
	})
	if err != nil {
		t.Fatal(err)
	}
	outcome, err := source.Refresh(context.Background(), RefreshOptions{Force: true})
	expect(t, err == nil, true)
	expect(t, outcome, OutcomeStaged)
	expect(t, source.Int("limit", "", 7), 7)
	for _, wanted := range []Outcome{OutcomeUpdated, OutcomeUnchanged} {
		outcome, err = source.Activate()
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

func TestABundleHasItsDefaultAndOverrides(t *testing.T) {
	client, _, _ := serve(t, "", Config{})
	bundle, err := client.OpenBundle(Bundle{
		DefaultBundle: `[{"namespace": "app", "networkConfiguration": {"endpoint": "http://a.example"}}]`, DefaultVersion: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer bundle.Close()
	namespaces := make(chan []string, 1)
	opened, err := bundle.Subscribe("", true, func(event *Event) {
		if event.Cause == CauseOpened {
			namespaces <- event.Namespaces
		}
	})
	expect(t, err == nil, true)
	expect(t, strings.Join(<-namespaces, " "), "app")
	opened.Close()
	count := bundle.ChangeCount()
	endpoint := func() string { return bundle.String("app", "/networkConfiguration/endpoint", "-") }
	expect(t, endpoint(), "http://a.example")
	expect(t, bundle.SetOverride("app", "/networkConfiguration", map[string]string{"endpoint": "http://b.example"}) == nil, true)
	expect(t, endpoint(), "http://b.example")
	expect(t, bundle.ChangeCount() > count, true)
	expect(t, errors.Is(bundle.SetOverrideIfExists("other", "", 1), ErrNotFound), true)
	expect(t, errors.Is(bundle.SetOverride("app", "", func() {}), ErrInvalidArgument), true)
	expect(t, errors.Is(bundle.SetOverride("app\x00", "", 1), ErrInvalidArgument), true)
	overrides, err := bundle.Overrides()
	expect(t, err == nil, true)
	expect(t, len(overrides), 1)
	expect(t, overrides[0].Key+overrides[0].Pointer+string(overrides[0].Value), `app/networkConfiguration{"endpoint":"http://b.example"}`)
	expect(t, bundle.ClearOverride("app", "") == nil, true)
	expect(t, errors.Is(bundle.ClearOverride("app", ""), ErrNotFound), true)
	expect(t, bundle.ClearOverrides() == nil, true)
	expect(t, endpoint(), "http://a.example")
}

func TestARefreshIntervalSendsRequestsInTheBackground(t *testing.T) {
	client, url, requests := serve(t, `{"limit": 5}`, Config{})
	source, err := client.OpenSettings(Settings{
		Options: Options{RefreshInterval: time.Minute}, URL: url,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	<-requests
	_, err = client.OpenSettings(Settings{Options: Options{RefreshInterval: time.Millisecond}, URL: url})
	expect(t, errors.Is(err, ErrInvalidArgument), true)
	expect(t, err.Error(), "RefreshInterval is 1, but must be at least 1000")
}

func TestLogReceivesTheFailuresOfRefreshes(t *testing.T) {
	lines := make(chan string, 64)
	log := func(level LogLevel, line string) {
		if level <= LogWarning {
			lines <- line
		}
	}
	client, url, _ := serve(t, "not JSON", Config{ApplicationName: "host", LogLevel: LogDebug, Log: log})
	source, err := client.OpenSettings(Settings{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	_, err = source.Refresh(context.Background())
	expect(t, errors.Is(err, FamilyDocument), true)
	expect(t, strings.Contains(<-lines, "settings"), true)
	_, err = Open(Config{Log: log})
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
