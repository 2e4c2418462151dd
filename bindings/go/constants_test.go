// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"encoding/json"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"regexp"
	"strings"
	"testing"
)

// recorded returns the constants of the C API.
func recorded(t *testing.T) map[string]string {
	text, err := os.ReadFile("../../abi/remora.json")
	if err != nil {
		t.Fatal(err)
	}
	var record struct{ Constants map[string]json.RawMessage }
	if err := json.Unmarshal(text, &record); err != nil {
		t.Fatal(err)
	}
	constants := map[string]string{}
	for name, value := range record.Constants {
		constants[name] = string(value)
	}
	return constants
}

// declared returns the constants of constants.go, by their names in C.
func declared(t *testing.T) map[string]string {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "constants.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	made, err := new(types.Config).Check("remora", files, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	word := regexp.MustCompile("([a-z0-9])([A-Z])")
	constants := map[string]string{}
	for _, name := range made.Scope().Names() {
		if it, ok := made.Scope().Lookup(name).(*types.Const); ok {
			inC := "REMORA_" + strings.ToUpper(word.ReplaceAllString(name, "${1}_${2}"))
			constants[inC] = constant.ToInt(it.Val()).ExactString()
			if it.Val().Kind() == constant.String {
				constants[inC] = it.Val().ExactString()
			}
		}
	}
	return constants
}

func TestConstantsAreThoseOfTheRecord(t *testing.T) {
	record, constants := recorded(t), declared(t)
	for name, value := range constants {
		if record[name] != value {
			t.Errorf("%s is %s, and %q in the record", name, value, record[name])
		}
	}
	complete := regexp.MustCompile("^REMORA_(TRUST|METHOD|FIRST_FETCH|ACTIVATION|LOG|OUTCOME|CAUSE|ORIGIN|KIND|CHANGE|TYPE|FAMILY|ERR)_")
	for name := range record {
		if _, ok := constants[name]; !ok && complete.MatchString(name) {
			t.Errorf("%s is not declared", name)
		}
	}
}
