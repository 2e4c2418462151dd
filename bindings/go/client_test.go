// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"context"
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
	source := openSettings(t, client, Settings{URL: url})
	_, err := source.Refresh(context.Background())
	expectError(t, err, FamilyDocument)
	expect(t, strings.Contains(<-lines, "settings"), true)
	_, err = Open(Config{Log: log})
	expectError(t, err, ErrInvalidArgument)
}

func TestALibraryOfAnOlderOrAnotherVersionIsRefused(t *testing.T) {
	expect(t, requireVersion("0.1.0") == nil, true)
	expect(t, requireVersion("0.10.0") == nil, true)
	for _, version := range []string{"0.0.9", "1.0.0", ""} {
		expectError(t, requireVersion(version), ErrUnavailable)
	}
}

func TestAttemptReceivesTheOutcomeAndCostOfRefreshes(t *testing.T) {
	attempts := make(chan Attempt, 4)
	config := Config{ApplicationName: "host", Attempt: func(attempt Attempt) { attempts <- attempt }}
	client, url, _ := serve(t, `{"limit": 5}`, config)
	for _, one := range []struct {
		url     string
		outcome Outcome
		status  int
		bytes   int64
	}{{url, OutcomeUpdated, 200, 12}, {"http://127.0.0.1:1", OutcomeFailed, 0, 0}} {
		source := openSettings(t, client, Settings{Options: Options{FirstFetch: FirstFetchOnRequest}, URL: one.url})
		_, err := source.Refresh(context.Background())
		attempt := <-attempts
		expect(t, attempt.Kind == KindSettings && attempt.Server == one.url, true)
		expect(t, attempt.Outcome, one.outcome)
		expect(t, attempt.HTTPStatus, one.status)
		expect(t, attempt.Bytes, one.bytes)
		expect(t, attempt.Duration >= 0 && (attempt.Err == nil) == (err == nil), true)
		source.Close()
	}
	_, err := Open(Config{Attempt: config.Attempt})
	expectError(t, err, ErrInvalidArgument)
}

func TestPreconnectSendsOneRequestForTheProgram(t *testing.T) {
	_, url, requests := serve(t, "", Config{})
	config := Config{ApplicationName: "host"}
	expect(t, Preconnect(config, url+"/start", "") == nil, true)
	query := (<-requests).URL.Query()
	expect(t, query.Get("app")+" "+query.Get("platform"), "host linux")
	for _, arguments := range [][2]string{{"", ""}, {"ftp://a.example", ""}, {"a\x00", ""}, {url, "a\x00"}} {
		expectError(t, Preconnect(config, arguments[0], arguments[1]), ErrInvalidArgument)
	}
	expectError(t, Preconnect(Config{}, url, ""), ErrInvalidArgument)
}
