// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"
)

func TestSettingsAreFetchedWithTheHeadersAndParametersOfTheProgram(t *testing.T) {
	config := Config{ApplicationName: "host", Headers: map[string]string{"X-Two": "2", "X-One": "1"}}
	client, url, requests := serve(t, `{"root": {"limit": 5, "home": "https://home.example/", "sizes": [1, 2]}}`, config)
	source := openSettings(t, client, Settings{
		Options:       Options{FirstFetch: FirstFetchOnRequest},
		URL:           url,
		RequestParams: map[string]string{"user": "u1", "none": ""},
		RootKey:       "root",
		Activation:    ActivationImmediate,
	})
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

func TestATagHasTheOptionsOfItsSettingsAndKeepsItsData(t *testing.T) {
	client, url, requests := serve(t, `{"root": {"limit": 5}}`, Config{})
	settings := openSettings(t, client, Settings{
		Options: Options{FirstFetch: FirstFetchOnRequest}, URL: url, RootKey: "root", TagItem: "context", TTL: -1,
		PackagedData: []byte(`{"root": {"limit": 1}}`),
	})
	openTag := func(tag string, ttl time.Duration) *Source {
		source, err := settings.OpenTag(tag, ttl)
		if err != nil {
			t.Fatal(err)
		}
		return source
	}
	tag := openTag("a/b", time.Hour)
	expect(t, tag.Int("limit", "", 7), 7)
	for i := 0; i < 2; i++ {
		expect(t, tag.Wait(context.Background()) == nil, true)
	}
	expect(t, (<-requests).URL.RawQuery, "context=a%2Fb")
	tag.Close()
	kept := openTag("a/b", 0)
	expect(t, kept.Int("limit", "", 7), 5)
	expect(t, settings.Int("limit", "", 7), 1)
	expect(t, len(requests), 0)
	for _, text := range []string{"", "a\x00b", strings.Repeat("t", 257)} {
		_, err := settings.OpenTag(text, 0)
		expectError(t, err, ErrInvalidArgument)
	}
	_, err := kept.OpenTag("c", 0)
	expectError(t, err, ErrInvalidArgument)
	settings.Close()
	_, err = settings.OpenTag("c", 0)
	expectError(t, err, ErrClosed)
	expect(t, kept.Wait(context.Background()) == nil, true)
	kept.Close()
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
	expectError(t, bundle.SetOverrideIfExists("other", "", 1), ErrNotFound)
	expectError(t, bundle.SetOverride("app", "", func() {}), ErrInvalidArgument)
	expectError(t, bundle.SetOverride("app\x00", "", 1), ErrInvalidArgument)
	overrides, err := bundle.Overrides()
	expect(t, err == nil, true)
	expect(t, len(overrides), 1)
	expect(t, overrides[0].Key+overrides[0].Pointer+string(overrides[0].Value), `app/networkConfiguration{"endpoint":"http://b.example"}`)
	expect(t, bundle.ClearOverride("app", "") == nil, true)
	expectError(t, bundle.ClearOverride("app", ""), ErrNotFound)
	expect(t, bundle.ClearOverrides() == nil, true)
	expect(t, endpoint(), "http://a.example")
}

func TestTheDefaultOfABundleCanBeAWholeBundleWithItsVersion(t *testing.T) {
	client, _, _ := serve(t, "", Config{})
	bundle, err := client.OpenBundle(Bundle{
		DefaultBundle: `{"configurationVersion": 3, "configurationBundle": [{"namespace": "app"}]}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, bundle)
	info, err := bundle.Info()
	expect(t, err == nil, true)
	expect(t, info.Origin, OriginDefault)
	expect(t, info.Version, 3)
}

func TestARefreshIntervalSendsRequestsInTheBackground(t *testing.T) {
	client, url, requests := serve(t, `{"limit": 5}`, Config{})
	openSettings(t, client, Settings{
		Options: Options{RefreshInterval: time.Minute}, URL: url,
	})
	<-requests
	_, err := client.OpenSettings(Settings{Options: Options{RefreshInterval: time.Millisecond}, URL: url})
	expectError(t, err, ErrInvalidArgument)
	expect(t, err.Error(), "RefreshInterval is 1 ms, but must be at least 1000 ms")
}

func TestTheLongestDurationIsALimitThatIsNeverReached(t *testing.T) {
	longest := time.Duration(math.MaxInt64)
	client, url, _ := serve(t, `{"limit": 5}`, Config{TotalTimeout: longest, MaxStale: longest})
	openCollection(t, client, Collection{Name: "ui", Server: url, MaxFuture: longest})
	settings := openSettings(t, client, Settings{URL: url, TTL: longest})
	_, err := settings.Refresh(context.Background())
	expect(t, err == nil, true)
	expect(t, settings.Int("limit", "", 0), 5)
}
