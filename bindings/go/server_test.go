// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// collections is a Remote Settings server whose collections are not signed.
type collections struct {
	url string

	lock        sync.Mutex
	timestamp   int
	records     map[string]string // JSON arrays by collection.
	attachments map[string]string // Contents by location.
	requests    []string          // Paths.
}

func serveCollections(t *testing.T) *collections {
	t.Helper()
	it := &collections{timestamp: 1000, records: map[string]string{}, attachments: map[string]string{}}
	server := httptest.NewServer(it)
	t.Cleanup(server.Close)
	it.url = server.URL
	return it
}

func (c *collections) publish(collection, records string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.timestamp++
	c.records[collection] = records
}

// count returns the number of requests whose path has this part, and forgets all.
func (c *collections) count(part string) int {
	c.lock.Lock()
	defer c.lock.Unlock()
	count := 0
	for _, path := range c.requests {
		if strings.Contains(path, part) {
			count++
		}
	}
	c.requests = nil
	return count
}

func (c *collections) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.requests = append(c.requests, request.URL.Path)
	parts := strings.Split(request.URL.Path, "/")
	switch {
	case strings.HasPrefix(request.URL.Path, "/attachments/"):
		content, ok := c.attachments[strings.TrimPrefix(request.URL.Path, "/attachments/")]
		if !ok {
			http.NotFound(response, request)
			return
		}
		fmt.Fprint(response, content)
	case request.URL.Path == "/v2/":
		fmt.Fprintf(response, `{"capabilities": {"attachments": {"base_url": "%s/attachments/"}}}`, c.url)
	case strings.Contains(request.URL.Path, "/monitor/"):
		var changes []string
		for name := range c.records {
			changes = append(changes, fmt.Sprintf(`{"id": "%s", "bucket": "main", "collection": "%s", "last_modified": %d}`,
				name, name, c.timestamp))
		}
		fmt.Fprintf(response, `{"timestamp": %d, "metadata": {"bucket": "monitor"}, "changes": [%s]}`,
			c.timestamp, strings.Join(changes, ","))
	case len(parts) == 7 && c.records[parts[5]] != "":
		fmt.Fprintf(response, `{"timestamp": %d, "metadata": {"bucket": "main", "id": "%s"}, "changes": %s}`,
			c.timestamp, parts[5], c.records[parts[5]])
	default:
		http.NotFound(response, request)
	}
}
