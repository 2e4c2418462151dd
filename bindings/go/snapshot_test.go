// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"strings"
	"testing"
)

// acquire returns the live snapshot of a source, which the test closes.
func acquire(t *testing.T, source *Source) *Snapshot {
	t.Helper()
	snapshot, err := source.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, snapshot)
	return snapshot
}

func TestASnapshotReadsTheValueOrTheDefault(t *testing.T) {
	_, source := open(t, "")
	snapshot := acquire(t, source)
	expect(t, snapshot.Int("menu", "/size", 7), 3)
	expect(t, snapshot.Float("menu", "/ratio", 7), 0.5)
	expect(t, snapshot.Bool("menu", "/dark", false), true)
	expect(t, snapshot.String("menu", "/long", "-"), longText)
	expect(t, snapshot.String("menu", "/nul", "-"), "a\x00b")
	expect(t, len(Get(snapshot, "menu", "/list", []int{})), 2)
	for _, place := range [][2]string{{"none", ""}, {"menu", "/none"}, {"menu", "/list"}, {"menu\x00", "/title"}, {"menu", "title"}, {"", ""}} {
		key, pointer := place[0], place[1]
		expect(t, snapshot.Bool(key, pointer, true), true)
		expect(t, snapshot.Int(key, pointer, 7), 7)
		expect(t, snapshot.Float(key, pointer, 7), 7)
		expect(t, snapshot.String(key, pointer, "-"), "-")
		expect(t, snapshot.URL(key, pointer, "-"), "-")
	}
}

func TestANullIsAMissingValueForASnapshotAsForASource(t *testing.T) {
	_, source := open(t, "")
	for _, reader := range []Reader{source, acquire(t, source)} {
		expectError(t, reader.Decode("menu", "/none", new(int)), ErrNotFound)
		expect(t, Get(reader, "menu", "/none", 7), 7)
	}
}

func TestASnapshotKeepsItsVersionWhenTheSourceChanges(t *testing.T) {
	client, source := open(t, "")
	before := acquire(t, source)
	if err := source.SetOverride("menu", "/title", "Dinner"); err != nil {
		t.Fatal(err)
	}
	after := acquire(t, source)
	expect(t, before.String("menu", "/title", "-"), "Lunch")
	expect(t, after.String("menu", "/title", "-"), "Dinner")
	origin, err := after.Origin("menu")
	expect(t, err == nil && origin == OriginOverride, true)
	unfiltered, err := source.UnfilteredSnapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer unfiltered.Close()
	expect(t, unfiltered.String("menu", "/title", "-"), "Lunch")
	client.Close()
	source.Close()
	expect(t, before.String("menu", "/title", "-"), "Lunch")
	_, err = source.Snapshot()
	expectError(t, err, ErrClosed)
}

func TestASnapshotDescribesItself(t *testing.T) {
	_, source := open(t, "")
	snapshot := acquire(t, source)
	info, err := snapshot.Info()
	expect(t, err == nil, true)
	expect(t, info, SnapshotInfo{Origin: OriginPackaged, Version: 1, Count: 1})
	text, err := snapshot.JSON()
	expect(t, err == nil, true)
	expect(t, strings.HasPrefix(string(text), `{"menu":{"dark":true,"id":"menu"`), true)
	expect(t, strings.Join(snapshot.Keys(), " "), "menu")
	for key, wanted := range map[string]error{"none": ErrNotFound, "": ErrInvalidArgument, "a\x00": ErrInvalidArgument} {
		_, err := snapshot.Origin(key)
		expectError(t, err, wanted)
	}
}

func TestAClosedSnapshotReturnsDefaultsAndErrors(t *testing.T) {
	_, source := open(t, "")
	snapshot := acquire(t, source)
	value, err := snapshot.Value("menu", "")
	expect(t, err == nil, true)
	expectCloses(t, snapshot)
	retained := snapshot.Retain()
	defer retained.Close()
	for _, closed := range []*Snapshot{snapshot, retained, {}} {
		expect(t, closed.Int("menu", "/size", 7), 7)
		expect(t, closed.Len(), 0)
		expect(t, len(closed.Keys()), 0)
		_, err := closed.Info()
		expectError(t, err, ErrClosed)
		_, err = closed.JSON()
		expectError(t, err, ErrClosed)
		_, err = closed.Value("menu", "")
		expectError(t, err, ErrClosed)
		_, err = closed.Origin("menu")
		expectError(t, err, ErrClosed)
		expectError(t, closed.Decode("menu", "", new(any)), ErrClosed)
		_, err = Diff(nil, closed)
		expectError(t, err, ErrClosed)
		_, err = source.Activate(closed)
		expectError(t, err, ErrClosed)
	}
	expect(t, value.Type(), TypeNone)
	expect(t, value.Len(), 0)
	_, err = value.JSON()
	expectError(t, err, ErrClosed)
	value.Each(func(string, Value) bool {
		t.Error("a value of a closed snapshot has members")
		return true
	})
}

func TestIterationEndsWhenItsFunctionSaysSoOrClosesTheSnapshot(t *testing.T) {
	_, source := open(t, "")
	for _, key := range []string{"a", "b", "c"} {
		if err := source.SetOverride(key, "", 1); err != nil {
			t.Fatal(err)
		}
	}
	snapshot := acquire(t, source)
	visit := func(last string, end func() bool) string {
		keys := ""
		snapshot.Each(func(key string, value Value) bool {
			_, err := value.JSON()
			expect(t, err == nil, true)
			keys += key
			return key != last || end()
		})
		return keys
	}
	expect(t, visit("", nil), "abcmenu")
	expect(t, visit("b", func() bool { return false }), "ab")
	expect(t, visit("b", func() bool { snapshot.Close(); return true }), "ab")
}

func TestDiffListsTheChangedKeysOfTwoSnapshots(t *testing.T) {
	_, source := open(t, "")
	before := acquire(t, source)
	for key, value := range map[string]any{"a": 1, "menu": nil} {
		if err := source.SetOverride(key, "", value); err != nil {
			t.Fatal(err)
		}
	}
	after := acquire(t, source)
	changes, err := Diff(before, after)
	expect(t, err == nil, true)
	if len(changes) != 2 {
		t.Fatal(changes)
	}
	expect(t, changes[0].Key+" "+changes[0].Kind.String()+" "+string(changes[0].New), "a created 1")
	expect(t, changes[0].Old == nil && changes[0].Origin == OriginOverride, true)
	expect(t, changes[1].Key+" "+changes[1].Kind.String(), "menu deleted")
	expect(t, changes[1].New == nil && len(changes[1].Old) > 0, true)
	for _, pair := range []struct {
		older, newer *Snapshot
		count        int
	}{{nil, nil, 0}, {nil, before, 1}, {before, before, 0}, {after, nil, 1}} {
		changes, err := Diff(pair.older, pair.newer)
		expect(t, err == nil, true)
		expect(t, len(changes), pair.count)
	}
}
