// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"context"
	"testing"
	"time"
)

func TestAnEventReportsThatARefreshMadeDataFresh(t *testing.T) {
	client, url, _ := serve(t, `{"a":1}`, Config{MaxStale: time.Hour})
	source, err := client.OpenSettings(Settings{URL: url, Options: Options{FirstFetch: FirstFetchOnRequest}})
	expectError(t, err, nil)
	closeAtEnd(t, source)
	info, err := source.Info()
	expectError(t, err, nil)
	expect(t, info.Freshness, FreshnessNever)
	changes := make(chan [2]Freshness, 16)
	_, err = source.Subscribe("", false, func(event *Event) {
		if event.Cause == CauseFreshness {
			changes <- [2]Freshness{event.OldFreshness, event.Freshness}
		}
	})
	expectError(t, err, nil)
	_, err = source.Refresh(context.Background())
	expectError(t, err, nil)
	expect(t, <-changes, [2]Freshness{FreshnessNever, FreshnessFresh})
	info, err = source.Info()
	expectError(t, err, nil)
	expect(t, info.Freshness, FreshnessFresh)
}
