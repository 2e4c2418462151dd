// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"context"
	"strings"
	"testing"
)

func TestExperimentsAreListedAndReportedOnce(t *testing.T) {
	client, url, _ := serve(t, `{"experiments": [{"name": "paint", "variant": "b", "trackable": 2, "settings": ["a", "b"]},
		{"name": "bare"}, 7]}`, Config{})
	source := openSettings(t, client, Settings{Options: Options{FirstFetch: FirstFetchOnRequest}, URL: url})
	reported := make(chan []Experiment, 4)
	_, err := source.Subscribe("", false, func(event *Event) { reported <- event.NewExperiments })
	expect(t, err == nil, true)
	_, err = source.Refresh(context.Background())
	expect(t, err == nil, true)
	expect(t, len(<-reported), 2)
	expect(t, source.SetOverride("other", "", 1) == nil, true)
	expect(t, len(<-reported), 0)
	snapshot := acquire(t, source)
	experiments, err := snapshot.Experiments()
	expect(t, err == nil, true)
	if len(experiments) != 2 {
		t.Fatal(experiments)
	}
	paint, bare := experiments[0], experiments[1]
	expect(t, paint.Name+paint.Variant+strings.Join(paint.Settings, "")+" "+bare.Name+bare.Variant, "paintbab bare")
	expect(t, paint.Trackable == 2 && bare.Trackable == 0 && bare.Settings == nil, true)
	snapshot.Close()
	_, err = snapshot.Experiments()
	expectError(t, err, ErrClosed)
}
