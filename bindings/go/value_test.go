// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"strings"
	"testing"
)

// read returns the error of each typed read of a value.
func read(value Value) map[string]error {
	errs := map[string]error{}
	_, errs["Bool"] = value.Bool()
	_, errs["Int"] = value.Int()
	_, errs["Float"] = value.Float()
	_, errs["Text"] = value.Text()
	_, errs["URL"] = value.URL()
	_, errs["RecordFields"] = value.RecordFields()
	return errs
}

func TestAValueIsReadAsItsTypeOnly(t *testing.T) {
	_, source := open(t, "")
	snapshot := acquire(t, source)
	for _, one := range []struct {
		pointer string
		kind    Type
		reads   string
	}{
		{"/dark", TypeBool, "Bool"},
		{"/size", TypeInt, "Int Float"},
		{"/ratio", TypeDouble, "Float"},
		{"/title", TypeString, "Text"},
		{"/list", TypeArray, ""},
		{"", TypeObject, "RecordFields"},
	} {
		value, err := snapshot.Value("menu", one.pointer)
		expect(t, err == nil, true)
		expect(t, value.Type(), one.kind)
		for name, err := range read(value) {
			if strings.Contains(" "+one.reads+" ", " "+name+" ") {
				expect(t, err == nil, true)
			} else {
				expectError(t, err, ErrWrongType)
			}
		}
	}
	nul, err := snapshot.Value("menu", "/nul")
	expect(t, err == nil, true)
	text, err := nul.Text()
	expect(t, err == nil && text == "a\x00b", true)
	null, err := snapshot.Value("menu", "/none")
	expect(t, err == nil, true)
	expect(t, null.Type(), TypeNull)
	_, err = null.Int()
	expectError(t, err, ErrNotFound)
	for name, err := range read(Value{}) {
		if expectError(t, err, ErrInvalidArgument); t.Failed() {
			t.Fatal(name)
		}
	}
}

func TestAValueHasParts(t *testing.T) {
	_, source := open(t, "")
	menu, err := acquire(t, source).Value("menu", "")
	expect(t, err == nil, true)
	list, err := menu.Member("list")
	expect(t, err == nil, true)
	expect(t, list.Len(), 2)
	second, err := menu.At("/list/1")
	expect(t, err == nil, true)
	number, err := second.Int()
	expect(t, err == nil && number == 2, true)
	texts := ""
	list.Each(func(name string, element Value) bool {
		text, err := element.JSON()
		expect(t, err == nil && name == "", true)
		texts += string(text)
		return true
	})
	expect(t, texts, "12")
	names := []string{}
	menu.Each(func(name string, _ Value) bool {
		names = append(names, name)
		return name != "id"
	})
	expect(t, strings.Join(names, " "), "dark id")
	var sizes []int
	expect(t, list.Decode(&sizes) == nil, true)
	expect(t, len(sizes), 2)
	expect(t, list.Decode(nil) != nil, true)
	fields, err := menu.RecordFields()
	expect(t, err == nil && !strings.Contains(string(fields), "last_modified"), true)
	for _, one := range []struct {
		find   func(string) (Value, error)
		name   string
		wanted error
	}{
		{menu.Member, "nothing", ErrNotFound},
		{menu.Member, "", ErrNotFound},
		{menu.Member, "a\x00", ErrInvalidArgument},
		{list.Member, "a", ErrWrongType},
		{menu.At, "/list/2", ErrNotFound},
		{menu.At, "list", ErrInvalidArgument},
		{menu.At, "/\x00", ErrInvalidArgument},
		{Value{}.Member, "a", ErrInvalidArgument},
		{Value{}.At, "", ErrInvalidArgument},
	} {
		_, err := one.find(one.name)
		expectError(t, err, one.wanted)
	}
}
