// SPDX-License-Identifier: Apache-2.0

package remora

import "testing"

// bind returns a bound key, which the test closes.
func bind(t *testing.T, source *Source, key, pointer string) *Key {
	t.Helper()
	it, err := source.Bind(key, pointer)
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, it)
	return it
}

func TestABoundKeyReadsTheValueOrTheDefault(t *testing.T) {
	_, source := open(t, "")
	expect(t, bind(t, source, "menu", "/size").Int(7), 3)
	expect(t, bind(t, source, "menu", "/ratio").Float(7), 0.5)
	expect(t, bind(t, source, "menu", "/dark").Bool(false), true)
	expect(t, bind(t, source, "menu", "/title").String("-"), "Lunch")
	expect(t, bind(t, source, "menu", "/long").String("-"), longText)
	expect(t, bind(t, source, "menu", "/nul").String("-"), "a\x00b")
	var list []int
	expect(t, bind(t, source, "menu", "/list").Decode(&list) == nil && len(list) == 2, true)
	for _, place := range [][2]string{{"none", ""}, {"menu", "/none"}, {"menu", "/nothing"}} {
		expectDefaults(t, bind(t, source, place[0], place[1]))
		expectError(t, bind(t, source, place[0], place[1]).Decode(&list), ErrNotFound)
	}
	expectDefaults(t, bind(t, source, "menu", "/list"))
}

func expectDefaults(t *testing.T, key *Key) {
	t.Helper()
	expect(t, key.Bool(true), true)
	expect(t, key.Bool(false), false)
	expect(t, key.Int(7), 7)
	expect(t, key.Float(7.5), 7.5)
	expect(t, key.String("-"), "-")
	expect(t, key.URL("-"), "-")
}

func TestABoundKeyFollowsTheLiveVersion(t *testing.T) {
	_, source := open(t, "")
	key := bind(t, source, "home", "")
	expect(t, key.URL("-"), "-")
	count := key.ChangeCount()
	for _, url := range []string{"https://home.example/", "https://other.example/"} {
		expect(t, source.SetOverride("home", "", url) == nil, true)
		expect(t, key.URL("-"), url)
		expect(t, key.ChangeCount() > count, true)
		count = key.ChangeCount()
	}
	source.Close()
	expect(t, key.URL("-"), "https://other.example/")
}

func TestAClosedOrUnboundKeyReturnsDefaultsAndErrors(t *testing.T) {
	client, source := open(t, "")
	for _, place := range [][2]string{{"", ""}, {"a\x00", ""}, {"a", "b\x00"}, {"a", "no slash"}} {
		_, err := source.Bind(place[0], place[1])
		expectError(t, err, ErrInvalidArgument)
	}
	closed, open := bind(t, source, "menu", "/size"), bind(t, source, "menu", "/size")
	expectCloses(t, closed)
	expectCloses(t, client)
	for _, key := range []*Key{closed, open, {}} {
		expectDefaults(t, key)
		expectError(t, key.Decode(new(any)), ErrNotFound)
	}
	expect(t, closed.ChangeCount(), 0)
	expectCloses(t, source)
	_, err := source.Bind("menu", "")
	expectError(t, err, ErrClosed)
}
