// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"context"
	"strings"
	"testing"
)

func TestSetContextShowsAndHidesTheRecordsOfFilters(t *testing.T) {
	client, _ := open(t, "")
	source := openCollection(t, client, Collection{Name: "filtered", PackagedData: []byte(`{"data":
		[{"id": "german", "last_modified": 1, "filter_expression": "env.locale == \"de\""}], "timestamp": 1}`)})
	count := func() int { return acquire(t, source).Len() }
	expect(t, count(), 0)
	for _, one := range []struct {
		attributes any
		count      int
	}{{map[string]string{"locale": "de"}, 1}, {nil, 0}, {struct{ Locale string }{"de"}, 0}} {
		expect(t, client.SetContext(one.attributes) == nil, true)
		expect(t, count(), one.count)
	}
	unfiltered, err := source.UnfilteredSnapshot()
	expect(t, err == nil && unfiltered.Len() == 1, true)
	unfiltered.Close()
	for _, attributes := range []any{7, "text", []int{}, func() {}} {
		expectError(t, client.SetContext(attributes), ErrInvalidArgument)
	}
	client.Close()
	expectError(t, client.SetContext(nil), ErrClosed)
}

func TestFilterMatchesEvaluatesAnExpressionInAContextOfItsOwn(t *testing.T) {
	for _, one := range []struct {
		value    any
		expected bool
	}{{map[string]string{"plan": "pro"}, true}, {map[string]string{}, false}, {nil, false}} {
		matches, err := FilterMatches("env.plan == 'pro'", one.value)
		expect(t, err == nil && matches == one.expected, true)
	}
	for expression, value := range map[string]any{"plan": nil, "a\x00": nil, "true": []int{}, "1 ": func() {}} {
		_, err := FilterMatches(expression, value)
		expectError(t, err, ErrInvalidArgument)
	}
	_, err := FilterMatches("true", 7)
	expect(t, strings.HasPrefix(err.Error(), "value cannot be used"), true)
	_, err = FilterMatches("plan", nil)
	expect(t, err.Error(), "expression cannot be evaluated: plan is not defined")
}

func TestSetHeadersReplacesTheHeadersOfLaterRequests(t *testing.T) {
	client, url, requests := serve(t, `{"a": 1}`, Config{Headers: map[string]string{"Authorization": "one"}})
	source := openSettings(t, client, Settings{URL: url, Options: Options{FirstFetch: FirstFetchOnRequest}})
	expectSent := func(wanted string) {
		t.Helper()
		_, err := source.Refresh(context.Background())
		expect(t, err == nil, true)
		expect(t, (<-requests).Header.Get("Authorization"), wanted)
	}
	expectSent("one")
	expect(t, client.SetHeaders(map[string]string{"Authorization": "two"}) == nil, true)
	expectSent("two")
	expect(t, client.SetHeaders(nil) == nil, true)
	expectSent("")
	expectError(t, client.SetHeaders(map[string]string{"Range": "x"}), ErrInvalidArgument)
	expectError(t, client.SetHeaders(map[string]string{"A": "\x00"}), ErrInvalidArgument)
}

func TestAClientCertificateThatCannotBeReadIsRefused(t *testing.T) {
	_, err := Open(Config{StorageDir: StorageMemory, ClientCertificateFile: "/missing.pem"})
	expectError(t, err, ErrInvalidArgument)
	expect(t, strings.HasPrefix(err.Error(), "ClientCertificateFile cannot be used"), true)
	_, err = Open(Config{StorageDir: StorageMemory, ClientKeyFile: "/missing.key"})
	expect(t, strings.HasPrefix(err.Error(), "ClientKeyFile cannot be used without"), true)
}

func TestResetMakesThePackagedDataLiveAgain(t *testing.T) {
	server := serveCollections(t)
	server.publish("ui", `[{"id": "a", "last_modified": 1000}]`)
	_, source := open(t, server.url)
	_, err := source.Refresh(context.Background())
	expect(t, err == nil, true)
	expect(t, source.String("a", "/id", "-"), "a")
	expect(t, source.Reset() == nil, true)
	expect(t, source.String("a", "/id", "-"), "-")
	expect(t, source.String("menu", "/title", "-"), "Lunch")
	source.Close()
	expectError(t, source.Reset(), ErrClosed)
}

func TestNamespacesAreThoseOfTheBundleInItsOrder(t *testing.T) {
	client, source := open(t, "")
	bundle, err := client.OpenBundle(Bundle{DefaultBundle: `[
		{"namespace": "web", "networkConfiguration": {"endpoint": "http://a.example"}},
		{"namespace": "app", "networkConfiguration": {"endpoint": "http://b.example"}}]`, DefaultVersion: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer bundle.Close()
	before := acquire(t, bundle)
	expect(t, bundle.SetOverride("extra", "", map[string]any{}) == nil, true)
	for snapshot, wanted := range map[*Snapshot]string{nil: "web app extra", before: "web app"} {
		var names []string
		namespaces, err := bundle.Namespaces(snapshot)
		expect(t, err == nil, true)
		for _, one := range namespaces {
			names = append(names, one.Name)
			expect(t, one.InBundle, one.Name != "extra")
			expect(t, one.HasOverride, one.Name == "extra")
		}
		expect(t, strings.Join(names, " "), wanted)
	}
	_, err = source.Namespaces(nil)
	expectError(t, err, ErrInvalidArgument)
	before.Close()
	_, err = bundle.Namespaces(before)
	expectError(t, err, ErrClosed)
}
