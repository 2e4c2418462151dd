// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
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
	client := openClient(t, Config{StorageDir: StorageMemory, Server: server})
	return client, openCollection(t, client, Collection{Name: "ui", PackagedData: []byte(packaged)})
}

// openClient returns a client, which the test closes.
func openClient(t *testing.T, config Config) *Client {
	t.Helper()
	client, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, client)
	return client
}

// closeAtEnd closes an object when the test ends.
func closeAtEnd(t *testing.T, object io.Closer) {
	t.Cleanup(func() {
		if err := object.Close(); err != nil {
			t.Error(err)
		}
	})
}

// openCollection returns a collection without signatures, which the test closes.
func openCollection(t *testing.T, client *Client, collection Collection) *Source {
	t.Helper()
	collection.Trust = TrustOff
	source, err := client.OpenCollection(collection)
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, source)
	return source
}

// openSettings returns settings, which the test closes.
func openSettings(t *testing.T, client *Client, settings Settings) *Source {
	t.Helper()
	source, err := client.OpenSettings(settings)
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, source)
	return source
}

// expectCloses closes an object twice.
func expectCloses(t *testing.T, object io.Closer) {
	t.Helper()
	for range []int{1, 2} {
		if err := object.Close(); err != nil {
			t.Error(err)
		}
	}
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

func expectError(t *testing.T, err error, wanted error) {
	t.Helper()
	if !errors.Is(err, wanted) {
		t.Errorf("found the error %v, not %v", err, wanted)
	}
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
	return openClient(t, config), server.URL, requests
}
