// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"context"
	"errors"
	"strings"
	"testing"
)

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

func TestALibraryOfAnOlderOrAnotherVersionIsRefused(t *testing.T) {
	expect(t, requireVersion("0.1.0") == nil, true)
	expect(t, requireVersion("0.10.0") == nil, true)
	for _, version := range []string{"0.0.9", "1.0.0", ""} {
		expect(t, errors.Is(requireVersion(version), ErrUnavailable), true)
	}
}
