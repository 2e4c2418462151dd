// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// The dumps that the reference client packages. The files are not the project's; REMORA_VECTORS names their folder.
var dumps = []string{
	"regions", "search-config-icons", "search-config-v2", "search-telemetry-v2", "summarizer-models-config",
	"translations-models", "translations-wasm",
}

func TestEveryFieldOfEveryRecordInAPackagedDumpCanBeRead(t *testing.T) {
	vectors, found := os.LookupEnv("REMORA_VECTORS")
	if !found {
		t.Skip("REMORA_VECTORS does not name the folder of the vectors")
	}
	client := openClient(t, Config{StorageDir: StorageMemory})
	for _, name := range dumps {
		file := filepath.Join(vectors, "rs-dumps-appservices", "main", name+".json")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var dump struct {
			Data      []map[string]any
			Timestamp int64
		}
		if err := json.Unmarshal(text, &dump); err != nil {
			t.Fatal(err)
		}
		snapshot, err := openCollection(t, client, Collection{Name: name, PackagedFile: file}).UnfilteredSnapshot()
		if err != nil {
			t.Fatal(err)
		}
		closeAtEnd(t, snapshot)
		info, err := snapshot.Info()
		expect(t, err == nil && info.Version == dump.Timestamp && info.Count == len(dump.Data), true)
		for _, record := range dump.Data {
			key := record["id"].(string)
			value, err := snapshot.Value(key, "")
			expect(t, err == nil, true)
			expectValue(t, value, record, name+" "+key)
		}
	}
}

// expectValue compares a value with what encoding/json has decoded.
func expectValue(t *testing.T, value Value, wanted any, place string) {
	t.Helper()
	var found any
	var err error
	switch wanted := wanted.(type) {
	case map[string]any:
		for name, part := range wanted {
			member, err := value.Member(name)
			expect(t, err == nil, true)
			expectValue(t, member, part, place+"/"+name)
		}
		expectSize(t, value, TypeObject, len(wanted), place)
		return
	case []any:
		for index, part := range wanted {
			element, err := value.At(fmt.Sprintf("/%d", index))
			expect(t, err == nil, true)
			expectValue(t, element, part, fmt.Sprintf("%s/%d", place, index))
		}
		expectSize(t, value, TypeArray, len(wanted), place)
		return
	case string:
		found, err = value.Text()
	case bool:
		found, err = value.Bool()
	case float64:
		found, err = value.Float()
	default:
		expectSize(t, value, TypeNull, 0, place)
		return
	}
	if err != nil || found != wanted {
		t.Errorf("%s: found %v (%v), not %v", place, found, err, wanted)
	}
}

func expectSize(t *testing.T, value Value, kind Type, size int, place string) {
	t.Helper()
	if value.Type() != kind || value.Len() != size {
		t.Errorf("%s: found %v with %d parts, not %v with %d", place, value.Type(), value.Len(), kind, size)
	}
}
