// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"context"
	"strings"
	"testing"
)

func TestSyncRefreshesTheCollectionsThatHaveChanged(t *testing.T) {
	server := serveCollections(t)
	client := openClient(t, Config{StorageDir: StorageMemory, Server: server.url})
	report, err := client.Sync(context.Background())
	expect(t, err == nil && len(report.Items) == 0, true)
	var sources []*Source
	for _, name := range []string{"one", "two"} {
		server.publish(name, `[{"id": "a", "last_modified": 1000}]`)
		source := openCollection(t, client, Collection{Name: name})
		sources = append(sources, source)
	}
	report, err = client.Sync(context.Background())
	expect(t, err == nil, true)
	expect(t, report.Updated, 2)
	wanted := SyncItem{Source: "main/two", Server: server.url + "/v2", Kind: KindCollection, Outcome: OutcomeUpdated}
	expect(t, report.Items[1] == wanted, true)
	expect(t, server.count("/monitor/"), 1)
	report, err = client.Sync(context.Background())
	expect(t, err == nil && report.Unchanged == 2, true)
	expect(t, server.count("/buckets/"), 1) // Only the monitor.
	infos, err := client.Sources()
	expect(t, err == nil && len(infos) == 2, true)
	expect(t, infos[0].Name+" "+infos[0].Kind.String()+" "+infos[0].Server, "main/one collection "+server.url+"/v2")
	for _, source := range sources {
		expect(t, source.String("a", "/id", "-"), "a")
	}
}

func TestSyncReturnsItsReportWhenSourcesFail(t *testing.T) {
	server := serveCollections(t)
	client, good := open(t, server.url)
	server.publish("ui", `[{"id": "a", "last_modified": 1000}]`)
	openCollection(t, client, Collection{Name: "missing"})
	report, err := client.Sync(context.Background())
	expectError(t, err, ErrHTTP)
	expect(t, strings.HasPrefix(err.Error(), "1 of 2 sources failed"), true)
	expect(t, report.Updated == 1 && report.Failed == 1 && len(report.Items) == 2, true)
	expect(t, report.Items[0].Err == nil && good.String("a", "/id", "-") == "a", true)
	expectError(t, report.Items[1].Err, FamilyNetwork)
	expect(t, report.Items[1].Outcome, OutcomeFailed)
	report, err = client.Sync(context.Background(), RefreshOptions{Force: true, OnlyIfEmpty: true})
	expectError(t, err, ErrInvalidArgument)
	expect(t, len(report.Items), 0)
}

func TestSyncEndsWithItsContextOrItsClient(t *testing.T) {
	server, requested := stalled(t)
	client, _ := open(t, server)
	ctx, cancel := context.WithCancel(context.Background())
	for _, one := range []struct {
		end    func()
		wanted error
	}{{cancel, context.Canceled}, {func() { client.Close() }, ErrClosed}} {
		go func() {
			<-requested
			one.end()
		}()
		_, err := client.Sync(ctx)
		expectError(t, err, one.wanted)
		ctx = context.Background()
	}
	_, err := client.Sync(ctx)
	expectError(t, err, ErrClosed)
	_, err = client.Sources()
	expectError(t, err, ErrClosed)
}
