// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestReadsReturnTheValueOrTheDefault(t *testing.T) {
	client, source := open(t, "")
	expect(t, source.Int("menu", "/size", 7), 3)
	expect(t, source.Int("menu", "/ratio", 7), 7)
	expect(t, source.Float("menu", "/ratio", 7), 0.5)
	expect(t, source.Bool("menu", "/dark", false), true)
	expect(t, source.Bool("menu", "/size", true), true)
	expect(t, source.String("menu", "/title", "-"), "Lunch")
	expect(t, source.String("menu", "/long", "-"), longText)
	expect(t, source.String("menu", "/nul", "-"), "a\x00b")
	for _, place := range [][2]string{{"none", ""}, {"menu", "/none"}, {"menu", "/size"}, {"menu\x00", "/title"}, {"", ""}} {
		expect(t, source.String(place[0], place[1], "-"), "-")
	}
	client.Close()
	expect(t, source.Int("menu", "/size", 7), 7)
	source.Close()
	expect(t, source.String("menu", "/title", "-"), "-")
}

func TestDecodeStoresAValueInAVariable(t *testing.T) {
	_, source := open(t, "")
	var menu struct {
		Title string
		List  []int
	}
	if err := source.Decode("menu", "", &menu); err != nil {
		t.Fatal(err)
	}
	expect(t, menu.Title, "Lunch")
	expect(t, len(menu.List), 2)
	for _, pointer := range []string{"/none", "/nothing"} {
		expectError(t, source.Decode("menu", pointer, &menu), ErrNotFound)
	}
	expect(t, source.Decode("menu", "/title", &menu.List) != nil, true)
}

func TestFailuresHaveAStatusAFamilyAndAMessage(t *testing.T) {
	_, source := open(t, "http://127.0.0.1:1")
	_, err := source.Refresh(context.Background())
	var failure *Error
	if !errors.As(err, &failure) {
		t.Fatal(err)
	}
	expect(t, errors.Is(err, ErrNetwork) && errors.Is(err, FamilyNetwork), true)
	expect(t, FamilyNetwork.Error(), "network")
	expect(t, errors.Is(err, ErrHTTP) || errors.Is(err, FamilyTrust), false)
	expect(t, failure.Family, FamilyNetwork)
	expect(t, failure.Status.Error(), "REMORA_ERR_NETWORK")
	expect(t, strings.Contains(failure.Message, "127.0.0.1"), true)
	for _, config := range []Config{{}, {StorageDir: StorageMemory, Server: "ftp://a"}, {StorageDir: "a\x00b"}} {
		_, err := Open(config)
		expectError(t, err, ErrInvalidArgument)
	}
	_, err = source.Subscribe("a\x00", false, func(*Event) {})
	expectError(t, err, ErrInvalidArgument)
	_, err = source.Subscribe("", false, nil)
	expectError(t, err, ErrInvalidArgument)
}

func TestTheTextOfAnErrorBeginsWithTheNameOfItsSource(t *testing.T) {
	_, source := open(t, "http://127.0.0.1:1")
	_, err := source.Refresh(context.Background())
	var failure *Error
	if !errors.As(err, &failure) {
		t.Fatal(err)
	}
	expect(t, failure.Source, "main/ui")
	expect(t, err.Error(), "main/ui: "+failure.Message)
	_, err = Open(Config{})
	if !errors.As(err, &failure) {
		t.Fatal(err)
	}
	expect(t, failure.Source, "")
	expect(t, err.Error(), failure.Message)
}

func TestMessagesUseTheNamesOfThisPackage(t *testing.T) {
	client, source := open(t, "")
	_, bind := source.Bind("", "")
	_, limit := source.OpenAttachment(context.Background(), "a", AttachmentOptions{MaxBytes: -2})
	_, name := client.OpenCollection(Collection{})
	_, seed := RequestForSeed(Config{}, Seed{})
	_, namespaces := source.Namespaces(nil)
	for _, one := range []struct {
		err               error
		parameter, begins string
	}{
		{bind, "key", "key must not be empty"},
		{limit, "MaxBytes", "MaxBytes is -2"},
		{name, "Name", "Name must not be empty"},
		{seed, "seed", "seed must describe exactly one source"},
		{namespaces, "source", "source has no namespaces"},
		{client.SetContext(7), "value", "value cannot be used"},
	} {
		var failure *Error
		if !errors.As(one.err, &failure) {
			t.Fatal(one.err)
		}
		expect(t, failure.Parameter, one.parameter)
		expect(t, strings.HasPrefix(failure.Message, one.begins), true)
	}
}
