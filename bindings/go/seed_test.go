// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const seedURL = "http://127.0.0.1:1/x"

func TestTheRequestForASeedHasTheHeadersAndParametersOfTheProgram(t *testing.T) {
	config := Config{ApplicationName: "host", ApplicationVersion: "1", Headers: map[string]string{"X-Key": "a: b"}}
	request, err := RequestForSeed(config, Seed{
		Settings:   &Settings{URL: seedURL, RequestParams: map[string]string{"user": "a&b"}},
		Identifier: "installer",
	})
	expect(t, err == nil, true)
	expect(t, request.Method, "GET")
	expect(t, request.URL, seedURL+"?user=a%26b&identifier=installer&app=host&version=1")
	expect(t, request.Headers["X-Key"], "a: b")
	expect(t, strings.HasPrefix(request.Headers["User-Agent"], "host/1 "), true)
	request, err = RequestForSeed(config, Seed{Bundle: &Bundle{URL: seedURL, Method: MethodPost}})
	expect(t, err == nil && request.Method == "POST", true)
	for _, seed := range []Seed{
		{},
		{Bundle: &Bundle{}},
		{Collection: &Collection{Name: "ui"}},
		{Settings: &Settings{URL: seedURL}, Bundle: &Bundle{URL: seedURL}},
		{Settings: &Settings{URL: "a\x00b"}},
		{Settings: &Settings{URL: seedURL}, Identifier: "a\x00b"},
	} {
		request, err := RequestForSeed(config, seed)
		expectError(t, err, ErrInvalidArgument)
		expect(t, request.URL, "")
	}
}

func TestASavedSeedIsReadWhenTheSourceIsOpened(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "download")
	if err := os.WriteFile(file, []byte(`{"limit": 5, "experiments": 7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var warnings []string
	config := Config{
		StorageDir: filepath.Join(folder, "store"), ApplicationName: "host",
		Log: func(_ LogLevel, line string) { warnings = append(warnings, line) },
	}
	settings := Settings{Options: Options{FirstFetch: FirstFetchOnRequest}, URL: seedURL}
	fetched := time.UnixMilli(1500000000123)
	seed := Seed{Settings: &settings, FetchedAt: fetched}
	if err := SaveSeed(config, seed, file); err != nil {
		t.Fatal(err)
	}
	expect(t, len(warnings) == 1 && strings.Contains(warnings[0], "experiments"), true)
	config.Log = nil
	expectError(t, SaveSeed(config, seed, file+"-missing"), FamilyStorage)
	expectError(t, SaveSeed(config, seed, "a\x00b"), ErrInvalidArgument)
	expectError(t, SaveSeed(config, seed, ""), FamilyStorage)
	expectError(t, SaveSeed(config, Seed{}, file), ErrInvalidArgument)
	expectError(t, SaveSeed(Config{StorageDir: StorageMemory}, seed, file), ErrInvalidArgument)
	if err := os.WriteFile(file, []byte("not JSON"), 0o600); err != nil {
		t.Fatal(err)
	}
	expectError(t, SaveSeed(config, seed, file), FamilyDocument)
	client := openClient(t, config)
	source := openSettings(t, client, settings)
	expect(t, source.Int("limit", "", 0), 5)
	info, err := source.Info()
	expect(t, err == nil && info.FetchedAt.Equal(fetched) && info.Origin == OriginCached, true)
}
