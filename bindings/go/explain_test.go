// SPDX-License-Identifier: Apache-2.0

package remora

import (
	"strings"
	"testing"
)

func TestAnExplanationNamesTheLayersOfAValue(t *testing.T) {
	_, source := open(t, "")
	expectError(t, source.SetOverride("menu", "/size", 9), nil)
	found, err := source.Explain("menu", "/size")
	expectError(t, err, nil)
	expect(t, found.Key+found.Pointer, "menu/size")
	expect(t, string(found.Value)+found.Type+found.Reason, "9int")
	expect(t, len(found.Layers) >= 2, true)
	expect(t, found.Layers[0].Layer+string(found.Layers[0].Value), "override9")
	expect(t, found.Layers[0].Wins && !found.Layers[1].Wins, true)
	expect(t, string(found.Layers[1].Value), "3")
	expect(t, found.Layers[1].Version > 0, true)
	expect(t, strings.HasPrefix(string(found.JSON), `{"key":"menu","layers":[{"layer":"override"`), true)
	expect(t, strings.HasPrefix(found.String(), "menu /size: 9\n"), true)
}

func TestAnExplanationHasTheReasonThatThereIsNoValue(t *testing.T) {
	_, source := open(t, "")
	found, err := source.Explain("none", "")
	expectError(t, err, nil)
	expect(t, found.Type+": "+found.Reason, "none: the key does not exist")
	for _, place := range [][2]string{{"menu", "size"}, {"menu\x00", ""}} {
		_, err = source.Explain(place[0], place[1])
		expectError(t, err, ErrInvalidArgument)
	}
	source.Close()
	_, err = source.Explain("menu", "")
	expectError(t, err, ErrClosed)
}
